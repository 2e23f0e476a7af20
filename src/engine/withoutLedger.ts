// A write whose ledger cannot be used (locked, full, damaged, read-only): it stops, and a person is asked, each time anew
// (DESIGN, Defaults and scale: writes fail closed and ask each time). Only a clear allow makes it, once and without an entry.
// Never asked for what may have been made before: an open entry that cannot be settled now stays the last word.
import { whileBusy } from './effectBusy.ts';
import type { EffectPorts } from './effectEntry.ts';
import { askPerson } from './effectQuestion.ts';
import type { EffectRequest, FlowEnd, OffLedger, Unstored } from './effectRequest.ts';

/** What a person must know before he allows it. */
const WHAT_IS_LOST =
  'Without the ledger Belay can neither tell later whether this was done nor keep it from being done twice.';

/** Of an effect that ran without an entry, for the caller, the person and the agent. */
export function unrecordedText({ fault, unkept }: Pick<OffLedger<unknown>, 'fault' | 'unkept'>): string {
  const lost = `It is not recorded in the ledger: Belay cannot tell later that it was done, and would do it again when asked again.`;
  return [lost, unkept, fault.message].filter((part) => part !== '').join(' ');
}

/** Why nothing was done: the fault, and what came of the question. */
export function unstoredText({ fault, why }: Unstored): string {
  if (why === undefined) return fault.message;
  return `${fault.message} It was not done without the ledger: ${why.replace(/\.$/, '')}.`;
}

/** Asks, and makes the effect without an entry where that is allowed; otherwise it stays as it stopped. */
export async function withoutLedger<Ran>(
  ports: EffectPorts,
  request: EffectRequest<Ran>,
  stopped: Unstored,
): Promise<FlowEnd<Ran>> {
  const { intent, question, signal, emit, attemptUnrecorded } = request;
  if (!attemptUnrecorded) return stopped;
  const isOver = (): boolean => signal.aborted;
  const { fault, open } = stopped;
  if (open) {
    const why = 'an earlier attempt at it is open in the ledger and may have happened; mend the ledger first';
    return { ...stopped, why };
  }
  const obstacle = await request.check?.();
  if (obstacle) return { ...obstacle, entry: null };
  if (isOver()) return { ...stopped, why: 'cancelled before it began' };
  const reasons = [fault.message, WHAT_IS_LOST, ...question.reasons];
  const answer = await askPerson(ports, request, { ...question, kind: 'ledger-trouble', reasons });
  if (!answer.ok) return { ...stopped, why: answer.error };
  if (isOver()) return { ...stopped, why: 'cancelled before it began' };
  const end = await whileBusy(ports.command, intent.key, () => attemptUnrecorded(fault));
  if (end.kind === 'off-ledger') {
    const remedy = `"${intent.title}" was done once without an entry, as ${answer.value.by} allowed. The next write asks again until the ledger is mended.`;
    emit({ type: 'notice', severity: 'warning', message: fault.message, remedy });
  }
  return end;
}
