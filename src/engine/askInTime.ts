// Putting a question to a person within a time: what is not answered by then is a deny that nobody gave. It tells no events.
import type { Answer, Ports, Question } from './ports.ts';

/** The answer, or a deny marked as unanswered at the latest after `leftMs`, or when the caller goes. Rejects for nothing. */
export async function askInTime(
  { approval, clock }: Pick<Ports, 'approval' | 'clock'>,
  question: Question,
  leftMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const nobody: Answer = { choice: 'deny', note: 'no answer in time', by: 'belay', isUnanswered: true };
  const late = clock.sleep(Math.max(0, leftMs), either).then(
    () => nobody,
    () => nobody,
  );
  try {
    return await Promise.race([approval.ask(question, either), late]);
  } catch {
    // A dialog that broke has asked nobody: no answer is a deny.
    return { ...nobody, note: 'the question could not be asked' };
  } finally {
    over.abort();
  }
}
