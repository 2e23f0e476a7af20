// The snapshot: what the panel, the status bar and the terminal show, as a fold over decision events. Pure; bounded.
import type { CandidateId } from './candidate.ts';
import type { BreakerStatus, DecisionEvent, RankedCandidate } from './events.ts';
import type { EffectLevel, EntryState } from './ledger/entry.ts';
import type { ConstraintFigures } from './recovery/constraints.ts';
import { noReturn, type CopyReturn } from './scheduler/redundancy/returns.ts';

/** One attempt of the race that is running or ended last. */
export interface LaneState {
  readonly attempt: string;
  readonly candidate: CandidateId;
  readonly status: 'running' | 'streaming' | 'succeeded' | 'failed' | 'cancelled';
  readonly startedAtMs: number;
  readonly firstTokenMs: number | null;
  readonly elapsedMs: number | null;
  readonly note: string;
}

export interface EffectRow {
  readonly key: string;
  readonly title: string;
  readonly level: EffectLevel;
  readonly state: EntryState;
  readonly atMs: number;
}

/** A target that is not simply in use. */
export interface BreakerRow {
  readonly target: string;
  readonly status: BreakerStatus;
  readonly untilMs: number | null;
  readonly why: string;
  readonly atMs: number;
}

export interface Snapshot {
  /** Number of the last event folded in. */
  readonly seq: number;
  readonly task: {
    readonly id: string;
    readonly goal: string;
    readonly step: number;
    readonly title: string;
    readonly outcome: string | null;
  } | null;
  readonly race: {
    readonly call: string;
    readonly role: string;
    readonly model: string;
    readonly lanes: readonly LaneState[];
  } | null;
  /** Last plan per role. */
  readonly rankings: Readonly<
    Record<
      string,
      {
        readonly mode: string;
        readonly rows: readonly RankedCandidate[];
        readonly hedgeSet: readonly CandidateId[];
        readonly failureProbability: number;
        readonly why: string;
        readonly atMs: number;
      }
    >
  >;
  readonly effects: readonly EffectRow[];
  readonly questions: readonly { readonly id: string; readonly title: string; readonly level: EffectLevel | null }[];
  readonly totals: {
    readonly calls: number;
    readonly attempts: number;
    readonly faults: number;
    readonly faultsMended: number;
    readonly costUsd: number;
    readonly hedgeCostUsd: number;
    /** Ended attempts whose price is not known: the costs leave them out. */
    readonly unpricedAttempts: number;
    readonly duplicates: number;
    readonly unknownEffects: number;
  };
  /** Today (UTC), over all windows; not of the events of this session alone, so it is kept by the controller. */
  readonly spending: {
    readonly usd: number;
    /** Of `usd`: what did not become an answer, as losers, failures and pings do not. */
    readonly extraUsd: number;
    /** null: no limit. */
    readonly limitUsd: number | null;
  };
  /** Results that had passed V1 and that a person has judged, and how many of those the person did not accept (HFR 4.6). */
  readonly reviews: { readonly judged: number; readonly overruled: number };
  /** Targets whose breaker is not closed. */
  readonly breakers: readonly BreakerRow[];
  /** The constraints of HFR 3.4, over all tasks of the session; kept by the event log. */
  readonly constraints: ConstraintFigures;
  /** What copies of ended calls brought beside the chain of candidates that would have been asked anyway; kept by the event log. */
  readonly copies: CopyReturn;
  readonly notices: readonly {
    readonly severity: 'info' | 'warning' | 'error';
    readonly message: string;
    readonly remedy: string;
    readonly atMs: number;
  }[];
}

/** Nothing has happened yet. */
export const emptySnapshot: Snapshot = {
  seq: 0,
  task: null,
  race: null,
  rankings: {},
  effects: [],
  questions: [],
  totals: {
    calls: 0,
    attempts: 0,
    faults: 0,
    faultsMended: 0,
    costUsd: 0,
    hedgeCostUsd: 0,
    unpricedAttempts: 0,
    duplicates: 0,
    unknownEffects: 0,
  },
  spending: { usd: 0, extraUsd: 0, limitUsd: null },
  reviews: { judged: 0, overruled: 0 },
  breakers: [],
  constraints: { tasks: 0, meanCostUsd: null, lateShare: null, meanDuplicates: null },
  copies: noReturn,
  notices: [],
};

const MAX_EFFECTS = 200;
const MAX_NOTICES = 20;
const MAX_BREAKERS = 100;

/** Folds one event into a snapshot. Total: an event it does not show only moves `seq`. */
export function reduceSnapshot(before: Snapshot, event: DecisionEvent): Snapshot {
  const snapshot = { ...before, seq: event.seq };
  const { body, ids, atMs } = event;
  switch (body.type) {
    case 'task-started':
      return { ...snapshot, task: { id: ids.task, goal: body.goal, step: 0, title: '', outcome: null } };
    case 'task-finished':
      return { ...snapshot, race: null, task: snapshot.task && { ...snapshot.task, outcome: body.outcome } };
    case 'step-started':
      return { ...snapshot, task: snapshot.task && { ...snapshot.task, step: ids.step, title: body.title } };
    case 'call-started':
      return {
        ...snapshot,
        race: { call: ids.call ?? '', role: body.role, model: body.model, lanes: [] },
        totals: { ...snapshot.totals, calls: snapshot.totals.calls + 1 },
      };
    case 'plan-made': {
      const { mode, ranking, hedgeSet, failureProbability, why } = body;
      const role = snapshot.race?.call === ids.call && snapshot.race ? snapshot.race.role : 'chat';
      return {
        ...snapshot,
        rankings: { ...snapshot.rankings, [role]: { mode, rows: ranking, hedgeSet, failureProbability, why, atMs } },
      };
    }
    case 'attempt-launched':
    case 'attempt-first-token':
    case 'attempt-succeeded':
    case 'attempt-failed':
    case 'attempt-cancelled':
      return reduceAttempt(snapshot, event);
    case 'cost-corrected': {
      const { totals } = snapshot;
      const costUsd = totals.costUsd + body.changeUsd;
      const hedgeCostUsd = totals.hedgeCostUsd + (body.ending === 'cancelled' ? body.changeUsd : 0);
      return { ...snapshot, totals: { ...totals, costUsd, hedgeCostUsd } };
    }
    case 'call-finished': {
      const faults = snapshot.race?.lanes.filter((lane) => lane.status === 'failed').length ?? 0;
      const mended = body.outcome === 'answered' ? faults : 0;
      return { ...snapshot, totals: { ...snapshot.totals, faultsMended: snapshot.totals.faultsMended + mended } };
    }
    case 'breaker-changed': {
      const { target, to: status, untilMs, why } = body;
      const others = snapshot.breakers.filter((row) => row.target !== target);
      const own = status === 'closed' ? [] : [{ target, status, untilMs, why, atMs }];
      return { ...snapshot, breakers: [...others, ...own].slice(-MAX_BREAKERS) };
    }
    case 'breaker-probed':
      return {
        ...snapshot,
        totals: { ...snapshot.totals, costUsd: snapshot.totals.costUsd + body.costUsd },
      };
    case 'effect-changed':
      return reduceEffect(snapshot, body, atMs);
    case 'question-asked':
      return {
        ...snapshot,
        questions: [...snapshot.questions, { id: body.question, title: body.title, level: body.level }],
      };
    case 'question-answered':
      return { ...snapshot, questions: snapshot.questions.filter((question) => question.id !== body.question) };
    case 'notice': {
      const { severity, message, remedy } = body;
      return { ...snapshot, notices: [...snapshot.notices, { severity, message, remedy, atMs }].slice(-MAX_NOTICES) };
    }
    case 'replicas-compared':
    case 'call-committed':
    case 'model-changed':
    case 'decision-made':
    case 'place-waited':
    case 'attempt-withheld':
    case 'effect-withheld':
    case 'command-assessed':
      return snapshot;
    case 'verification-finished': {
      if (body.check !== 'V3' || body.reviews !== 'V1') return snapshot;
      const { judged, overruled } = snapshot.reviews;
      return { ...snapshot, reviews: { judged: judged + 1, overruled: overruled + (body.passed ? 0 : 1) } };
    }
  }
}

function reduceAttempt(snapshot: Snapshot, event: DecisionEvent): Snapshot {
  const { body, ids, atMs } = event;
  const attempt = ids.attempt ?? '';
  if (body.type === 'attempt-launched') {
    const lane: LaneState = {
      attempt,
      candidate: body.candidate,
      status: 'running',
      startedAtMs: atMs,
      firstTokenMs: null,
      elapsedMs: null,
      note: body.reason,
    };
    const race =
      snapshot.race?.call === ids.call && snapshot.race
        ? { ...snapshot.race, lanes: [...snapshot.race.lanes, lane] }
        : snapshot.race;
    return { ...snapshot, race, totals: { ...snapshot.totals, attempts: snapshot.totals.attempts + 1 } };
  }
  const change = laneChange(body);
  const race = snapshot.race && {
    ...snapshot.race,
    lanes: snapshot.race.lanes.map((lane) => (lane.attempt === attempt ? { ...lane, ...change } : lane)),
  };
  const costUsd = 'costUsd' in body ? body.costUsd : 0;
  const { totals } = snapshot;
  return {
    ...snapshot,
    race,
    totals: {
      ...totals,
      costUsd: totals.costUsd + costUsd,
      hedgeCostUsd: totals.hedgeCostUsd + (body.type === 'attempt-cancelled' ? costUsd : 0),
      faults: totals.faults + (body.type === 'attempt-failed' ? 1 : 0),
      unpricedAttempts: totals.unpricedAttempts + ('isUnpriced' in body ? 1 : 0),
    },
  };
}

function laneChange(body: DecisionEvent['body']): Partial<LaneState> {
  switch (body.type) {
    case 'attempt-first-token':
      return { status: 'streaming', firstTokenMs: body.elapsedMs };
    case 'attempt-succeeded':
      return { status: 'succeeded', elapsedMs: body.elapsedMs };
    case 'attempt-failed':
      return { status: 'failed', elapsedMs: body.elapsedMs, note: body.fault.class };
    case 'attempt-cancelled':
      return { status: 'cancelled', elapsedMs: body.elapsedMs };
    default:
      return {};
  }
}

function reduceEffect(
  snapshot: Snapshot,
  body: Extract<DecisionEvent['body'], { type: 'effect-changed' }>,
  atMs: number,
): Snapshot {
  const row: EffectRow = { key: body.key, title: body.title, level: body.level, state: body.to, atMs };
  const effects = [...snapshot.effects.filter((effect) => effect.key !== body.key), row].slice(-MAX_EFFECTS);
  const unknownEffects = effects.filter((effect) => effect.state === 'UNKNOWN').length;
  // A second COMMITTED of one key would be a duplicate: the ledger forbids it, and this counts it all the same.
  const isDuplicate =
    body.to === 'COMMITTED' &&
    snapshot.effects.some((effect) => effect.key === body.key && effect.state === 'COMMITTED');
  return {
    ...snapshot,
    effects,
    totals: { ...snapshot.totals, unknownEffects, duplicates: snapshot.totals.duplicates + (isDuplicate ? 1 : 0) },
  };
}
