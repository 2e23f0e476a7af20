// The way of one effect, command or edit: look it up, find out what an earlier attempt did, ask a person where needed,
// and attempt it at most once. The decision at every turn is core's (ledger/whatNext.ts); this only carries it out.
// The question comes after the lookup: nobody is asked for something that is not going to be run.
import type { RequestContext } from '../core/context.ts';
import type { Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { whatNext } from '../core/ledger/whatNext.ts';
import type { Looked, NextStep } from '../core/ledger/whatNext.ts';
import { whileBusy } from './effectBusy.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { findEffect, settleFollower } from './effectLookup.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { Answer, Question, Result, StoreFault } from './ports.ts';

/** What the policy says of an effect (core/guard). */
export interface Judgement {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** Why, in words for a person. */
  readonly reasons?: readonly string[];
}

/** What an attempt came to. `settled` has run; the others have run nothing, but for `unrecorded`. */
export type Attempt<Ran> =
  | { readonly kind: 'settled'; readonly entry: LedgerEntry; readonly ran: Ran }
  /** Another process prepared the entry first. */
  | { readonly kind: 'taken'; readonly entry: LedgerEntry }
  | { readonly kind: 'impossible'; readonly reason: string; readonly entry: LedgerEntry | null }
  /** What the effect is for is so already: a success without doing anything. */
  | { readonly kind: 'needless'; readonly reason: string; readonly entry: LedgerEntry | null }
  | { readonly kind: 'unstored'; readonly fault: StoreFault }
  /** It ran, but its end could not be stored: the entry stays as `entry` says. */
  | { readonly kind: 'unrecorded'; readonly entry: LedgerEntry; readonly ran: Ran; readonly fault: StoreFault };

/** One effect that is asked for. */
export interface EffectRequest<Ran> {
  /** The entry it would get; owner and probe are filled in by the attempt. */
  readonly intent: Intent;
  /** Whether an entry has the same arguments, secrets and all (effectKey.ts). */
  readonly isSame: (entry: LedgerEntry) => boolean;
  readonly context: RequestContext;
  readonly judgement: Judgement;
  readonly question: Pick<Question, 'kind' | 'reasons' | 'targets'>;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Sees, before a person is asked, whether an attempt would make sense; null when it would. */
  readonly check?: () => Promise<{ readonly kind: 'impossible' | 'needless'; readonly reason: string } | null>;
  /** Prepares and makes the effect. `previous` is the entry to prepare again; null for a first time. */
  readonly attempt: (previous: LedgerEntry | null, approved: Answer | null) => Promise<Attempt<Ran>>;
}

/** How the request ended. */
export type FlowEnd<Ran> =
  | Exclude<Attempt<Ran>, { kind: 'taken' }>
  | { readonly kind: 'stored'; readonly entry: LedgerEntry }
  | { readonly kind: 'withheld'; readonly entry: LedgerEntry; readonly reason: string }
  | { readonly kind: 'denied'; readonly entry: LedgerEntry | null; readonly reason: string };

/** How long an earlier run of the same effect is waited for, or another window that looks at it; longer than a dead one's lease. */
const WAIT_MS = 5000;
/** Turns of the loop; each follows news from another process, so more than a few mean a fight over the entry. */
const MAX_TURNS = 8;

/** Carries out one request. Never runs anything after a `deny`, an unanswered question or an unwritable ledger. */
export async function makeEffect<Ran>(ports: EffectPorts, request: EffectRequest<Ran>): Promise<FlowEnd<Ran>> {
  const { judgement, signal, emit, intent } = request;
  if (judgement.verdict === 'deny') {
    return { kind: 'denied', entry: null, reason: judgement.reasons?.join('; ') ?? 'the policy forbids it' };
  }
  if (signal.aborted) return { kind: 'denied', entry: null, reason: 'cancelled before it began' };
  const found = await findEffect(ports, intent, request.isSame);
  if (!found.ok) return { kind: 'unstored', fault: found.error };
  const end = await turns(ports, request, found.value.entry);
  const { follower } = found.value;
  if (follower && 'entry' in end && end.entry) await settleFollower(ports, follower, end.entry, emit);
  return end;
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
      if (!seen.ok) return { kind: 'unstored', fault: seen.error };
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
      const answer = await ask(ports, request, next);
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

/** A person's leave, or why there is none. No answer is a no. */
async function ask<Ran>(
  ports: EffectPorts,
  request: EffectRequest<Ran>,
  next: NextStep,
): Promise<Result<Answer, string>> {
  const { intent, question, signal, emit } = request;
  const { title, level } = intent;
  const id = `${intent.key.slice(0, 16)}-${ports.clock.nowMs()}`;
  const reasons = next.kind === 'ask' ? [next.reason, ...question.reasons] : question.reasons;
  emit({ type: 'question-asked', question: id, title, level });
  const answer = await answerTo(ports, { ...question, id, title, level, reasons }, signal);
  emit({ type: 'question-answered', question: id, answer: answer.choice, by: answer.by });
  if (answer.choice === 'allow') return { ok: true, value: answer };
  return { ok: false, error: answer.note === '' ? `${answer.by} said no` : answer.note };
}

async function answerTo(ports: EffectPorts, question: Question, signal: AbortSignal): Promise<Answer> {
  try {
    return await ports.approval.ask(question, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { choice: 'deny', note: 'cancelled while a person was asked', by: 'cancel' };
  }
}
