// Putting one question about an effect to a person. Whatever is not a clear allow is a no: no answer, a closed dialog, a
// cancelled request. Nothing is remembered; every question and its answer is an event.
import type { Intent } from '../core/ledger/entry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import type { Answer, Question, Result } from './ports.ts';

/** What is asked about, and who waits for the answer. */
export interface AskedEffect {
  readonly intent: Pick<Intent, 'key' | 'title' | 'level'>;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/** A person's leave, or why there is none. Rejects only for a bug of the approval port. */
export async function askPerson(
  ports: Pick<EffectPorts, 'approval' | 'clock'>,
  { intent, signal, emit }: AskedEffect,
  question: Pick<Question, 'kind' | 'reasons' | 'targets'>,
): Promise<Result<Answer, string>> {
  const { title, level } = intent;
  const id = `${intent.key.slice(0, 16)}-${ports.clock.nowMs()}`;
  emit({ type: 'question-asked', question: id, title, level, about: question.kind });
  const answer = await answerTo(ports, { ...question, id, title, level }, signal);
  const isNobody = answer.isUnanswered === true || ports.approval.hasPerson === false || signal.aborted;
  const unanswered = answer.choice === 'deny' && isNobody ? { isUnanswered: true as const } : {};
  emit({ type: 'question-answered', question: id, answer: answer.choice, by: answer.by, ...unanswered });
  if (answer.choice === 'allow') return { ok: true, value: answer };
  return { ok: false, error: answer.note === '' ? `${answer.by} said no` : answer.note };
}

async function answerTo(
  { approval }: Pick<EffectPorts, 'approval'>,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return await approval.ask(question, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { choice: 'deny', note: 'cancelled while a person was asked', by: 'cancel' };
  }
}
