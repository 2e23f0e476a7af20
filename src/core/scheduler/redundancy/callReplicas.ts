// The attempts of one logical call as replicas: which ran beside which, how each ended and what it cost. A fold over the decision events
// of the call; it judges nothing. Source: the redundant-execution text (seed 004), 4.3.
import type { CandidateId } from '../../candidate.ts';
import type { DecisionEvent } from '../../events.ts';

/** One attempt. */
export interface Replica {
  readonly attempt: string;
  readonly candidate: CandidateId;
  readonly launchedAtMs: number;
  /** Another attempt of the call was running when it was launched: it is a copy, no failover. */
  readonly isCopy: boolean;
  readonly status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** ms from its launch to its end; null: it runs. */
  readonly elapsedMs: number | null;
  readonly costUsd: number;
  /** Its price is not known, and its cost is 0 for want of it. */
  readonly isUnpriced: boolean;
}

/** What is known of one call. */
export interface CallReplicas {
  /** In order of launch. */
  readonly replicas: readonly Replica[];
  /** Null: it runs. */
  readonly outcome: 'answered' | 'refused' | 'failed' | 'cancelled' | null;
  /** Attempt whose answer the caller got. */
  readonly winner: string | null;
}

/** A call that has just started. */
export const newCall: CallReplicas = { replicas: [], outcome: null, winner: null };

/** Attempts kept of one call; a call has far fewer, and what comes beyond is left out of account. */
const MOST_REPLICAS = 32;

/** Folds one event of the call in; the same object where it says nothing of its attempts. */
export function noteReplica(call: CallReplicas, { body, ids, atMs }: DecisionEvent): CallReplicas {
  const attempt = ids.attempt ?? '';
  switch (body.type) {
    case 'attempt-launched': {
      if (call.replicas.length >= MOST_REPLICAS) return call;
      const isCopy = call.replicas.some(({ status }) => status === 'running');
      const replica: Replica = {
        attempt,
        candidate: body.candidate,
        launchedAtMs: atMs,
        isCopy,
        status: 'running',
        elapsedMs: null,
        costUsd: 0,
        isUnpriced: false,
      };
      return { ...call, replicas: [...call.replicas, replica] };
    }
    case 'attempt-succeeded':
    case 'attempt-failed':
    case 'attempt-cancelled': {
      const status = endings[body.type];
      const { elapsedMs, costUsd, isUnpriced = false } = body;
      return change(call, attempt, { status, elapsedMs, costUsd, isUnpriced });
    }
    case 'cost-corrected':
      return change(call, attempt, { costUsd: body.costUsd });
    case 'call-finished': {
      const { outcome, candidate } = body;
      const winner = call.replicas.findLast((each) => each.status === 'succeeded' && each.candidate === candidate);
      return { ...call, outcome, winner: winner?.attempt ?? null };
    }
    default:
      return call;
  }
}

const endings = {
  'attempt-succeeded': 'succeeded',
  'attempt-failed': 'failed',
  'attempt-cancelled': 'cancelled',
} as const;

function change(call: CallReplicas, attempt: string, changed: Partial<Replica>): CallReplicas {
  if (!call.replicas.some((each) => each.attempt === attempt)) return call;
  const replicas = call.replicas.map((each) => (each.attempt === attempt ? { ...each, ...changed } : each));
  return { ...call, replicas };
}

/** More than one attempt ran at one time. */
export function isRedundant({ replicas }: CallReplicas): boolean {
  return replicas.some(({ isCopy }) => isCopy);
}

/** Ended, with every attempt: losers may be booked, or in literal mode run, after the call's own end. */
export function isOver({ outcome, replicas }: CallReplicas): boolean {
  return outcome !== null && replicas.every(({ status }) => status !== 'running');
}
