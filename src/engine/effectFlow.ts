// The way of one effect, command or edit: look it up, find out what an earlier attempt did, ask a person where needed,
// and attempt it at most once. The decision at every turn is core's (ledger/whatNext.ts); this only carries it out.
// The question comes after the lookup: nobody is asked for something that is not going to be run.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { whatNext } from '../core/ledger/whatNext.ts';
import type { Looked } from '../core/ledger/whatNext.ts';
import { whileBusy } from './effectBusy.ts';
import type { EffectPorts } from './effectEntry.ts';
import { findEffect, settleFollower } from './effectLookup.ts';
import { askPerson } from './effectQuestion.ts';
import type { Attempt, EffectRequest, FlowEnd, Unstored } from './effectRequest.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { Answer, StoreFault } from './ports.ts';
import { withoutLedger } from './withoutLedger.ts';

export type { Attempt, EffectRequest, FlowEnd, Judgement } from './effectRequest.ts';

/** How long an earlier run of the same effect is waited for, or another window that looks at it; longer than a dead one's lease. */
const WAIT_MS = 5000;
/** Turns of the loop; each follows news from another process, so more than a few mean a fight over the entry. */
const MAX_TURNS = 8;

/**
 * Carries out one request. Never runs anything after a `deny` or an unanswered question; with an unusable ledger only what a
 * person allows then (withoutLedger.ts).
 */
export async function makeEffect<Ran>(ports: EffectPorts, request: EffectRequest<Ran>): Promise<FlowEnd<Ran>> {
  const { judgement, signal, emit, intent } = request;
  if (judgement.verdict === 'deny') {
    return { kind: 'denied', entry: null, reason: judgement.reasons?.join('; ') ?? 'the policy forbids it' };
  }
  if (signal.aborted) return { kind: 'denied', entry: null, reason: 'cancelled before it began' };
  const found = await findEffect(ports, intent, request.isSame);
  if (!found.ok) return withoutLedger(ports, request, unstored(found.error, found.error.open));
  const end = await turns(ports, request, found.value.entry);
  if (end.kind === 'unstored') return withoutLedger(ports, request, end);
  const { follower } = found.value;
  if (follower && 'entry' in end && end.entry) await settleFollower(ports, follower, end.entry, emit);
  return end;
}

function unstored({ kind, message }: StoreFault, open: LedgerEntry | undefined): Unstored {
  return { kind: 'unstored', fault: { kind, message }, ...(open ? { open } : {}) };
}

async function turns<Ran>(
  ports: EffectPorts,
  request: EffectRequest<Ran>,
  first: LedgerEntry | null,
): Promise<FlowEnd<Ran>> {
  const { intent, emit } = request;
  let entry = first;
  let looked: Looked = { reconciled: false, running: null };
  let approved: Answer | null = null;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const next = whatNext(entry, intent.level, looked);
    if (entry && next.kind === 'reconcile') {
      const seen = await reconcileEffect(ports, entry, WAIT_MS, emit);
      if (!seen.ok) return unstored(seen.error, entry);
      entry = seen.value.entry;
      looked = { reconciled: true, running: seen.value.running };
      continue;
    }
    if (entry && next.kind === 'stored') return withhold(request, { kind: 'stored', entry }, 'it was done already');
    if (entry && (next.kind === 'wait' || next.kind === 'refuse')) {
      return withhold(request, { kind: 'withheld', entry, reason: next.reason }, next.reason);
    }
    const obstacle = approved === null ? await request.check?.() : null;
    if (obstacle) return { ...obstacle, entry };
    if (approved === null && (next.kind === 'ask' || request.judgement.verdict === 'ask')) {
      const { reasons } = request.question;
      const question = { ...request.question, reasons: next.kind === 'ask' ? [next.reason, ...reasons] : reasons };
      const answer = await askPerson(ports, request, question);
      if (!answer.ok) return { kind: 'denied', entry, reason: answer.error };
      approved = answer.value;
    }
    const [previous, leave]: [LedgerEntry | null, Answer | null] = [entry, approved];
    const attempt: Attempt<Ran> = await whileBusy(ports.command, entry?.key ?? intent.key, () =>
      request.attempt(previous, leave),
    );
    if (attempt.kind !== 'taken') return attempt;
    entry = attempt.entry;
    looked = { reconciled: false, running: null };
  }
  return {
    kind: 'denied',
    entry,
    reason: 'other processes keep changing its ledger entry; try again when they are done',
  };
}

function withhold<Ran, End extends FlowEnd<Ran> & { readonly entry: LedgerEntry }>(
  { emit }: EffectRequest<Ran>,
  end: End,
  reason: string,
): End {
  const { key, title, state } = end.entry;
  emit({ type: 'effect-withheld', key, title, state, reason });
  return end;
}
