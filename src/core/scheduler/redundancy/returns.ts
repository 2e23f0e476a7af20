// What copies really brought (ROI): the money that went into them, cancelled losers with their prompts among it, against failures
// averted and seconds saved. Over calls that happened; it predicts nothing (degree.ts does).
// Source: the redundant-execution text (seed 004), 7; what is billed of a loser: DESIGN 9, 15.
import type { CandidateId } from '../../candidate.ts';
import { isRedundant, type CallReplicas, type Replica } from './callReplicas.ts';

/**
 * What a call is compared with, its copies left out. single: it fails where its attempts failed. chain: after a failure the next
 * candidate is asked, as Belay does anyway; then a copy averts no failure, it is only there earlier.
 */
export type ReturnBaseline = 'single' | 'chain';

export interface ReturnOptions {
  readonly baseline: ReturnBaseline;
  /** Seconds that an attempt which was cut off after `elapsedMs` would still have taken; null: not known. Absent: never known. */
  readonly leftS?: (candidate: CandidateId, elapsedMs: number) => number | null;
}

export interface CopyReturn {
  readonly redundantCalls: number;
  /** Dollars that the calls cost more than without their copies. */
  readonly spentUsd: number;
  readonly failuresAverted: number;
  /** Seconds by which answers came earlier, as far as they are known. */
  readonly savedS: number;
  /** Copies that won over an attempt which was cut off and of which nothing says how long it would have taken: `savedS` has 0 for them. */
  readonly unknownSavings: number;
  /** Attempts whose price is not known and which `spentUsd` leaves out. */
  readonly unpricedAttempts: number;
}

/** Nothing was copied. */
export const noReturn: CopyReturn = {
  redundantCalls: 0,
  spentUsd: 0,
  failuresAverted: 0,
  savedS: 0,
  unknownSavings: 0,
  unpricedAttempts: 0,
};

/** Adds what the copies of one ended call brought. A call without copies, or that its caller gave up, changes nothing but the money. */
export function addReturn(sum: CopyReturn, call: CallReplicas, options: ReturnOptions): CopyReturn {
  if (!isRedundant(call)) return sum;
  const { replicas } = call;
  const winner = replicas.find(({ attempt }) => attempt === call.winner) ?? null;
  const others = replicas.filter(({ isCopy }) => !isCopy);
  const isAverted = winner?.isCopy === true && others.every(({ status }) => status === 'failed');
  const savings = winner?.isCopy === true ? savedSeconds(winner, others, isAverted, options) : 0;
  return {
    redundantCalls: sum.redundantCalls + 1,
    spentUsd: sum.spentUsd + costUsd(replicas) - withoutCopiesUsd(others, winner, isAverted, options.baseline),
    failuresAverted: sum.failuresAverted + (isAverted && options.baseline === 'single' ? 1 : 0),
    savedS: sum.savedS + (savings ?? 0),
    unknownSavings: sum.unknownSavings + (savings === null ? 1 : 0),
    unpricedAttempts: sum.unpricedAttempts + replicas.filter(({ isUnpriced }) => isUnpriced).length,
  };
}

const costUsd = (replicas: readonly Replica[]): number => replicas.reduce((sum, each) => sum + each.costUsd, 0);

/** The bill without copies: what was cut off for a copy would have come to about the winner's, and a chain would have gone on to it. */
function withoutCopiesUsd(
  others: readonly Replica[],
  winner: Replica | null,
  isAverted: boolean,
  baseline: ReturnBaseline,
): number {
  const wholeUsd = winner?.isCopy === true ? winner.costUsd : 0;
  const asked = others.reduce(
    (sum, { status, costUsd: own }) => sum + (status === 'cancelled' ? Math.max(own, wholeUsd) : own),
    0,
  );
  return asked + (isAverted && baseline === 'chain' ? wholeUsd : 0);
}

/** Null: not known. */
function savedSeconds(
  winner: Replica,
  others: readonly Replica[],
  isAverted: boolean,
  { baseline, leftS }: ReturnOptions,
): number | null {
  if (isAverted) {
    if (baseline === 'single') return 0;
    // The chain would have asked the winner when the last one had failed.
    const failedAtMs = Math.max(...others.map(({ launchedAtMs, elapsedMs }) => launchedAtMs + (elapsedMs ?? 0)));
    return Math.max(0, failedAtMs - winner.launchedAtMs) / 1000;
  }
  const cut = others.find(({ status }) => status === 'cancelled');
  const left = cut && leftS ? leftS(cut.candidate, cut.elapsedMs ?? 0) : null;
  return left !== null && left >= 0 ? left : null;
}

export interface ReturnFigure {
  /** What the copies were worth: failures averted · loss + seconds saved · their value, USD. */
  readonly valueUsd: number;
  readonly netUsd: number;
  /** Net over money spent, 0: even; null: nothing was spent. */
  readonly roi: number | null;
}

/** The figure of a sum. Worked: $.2 spent, 1 failure of $1 averted, 4 s at $.05 saved: worth 1.2, net 1.0, roi 5. */
export function returnFigure(
  { spentUsd, failuresAverted, savedS }: CopyReturn,
  worth: { readonly lossUsd: number; readonly usdPerS: number },
): ReturnFigure {
  const valueUsd = failuresAverted * worth.lossUsd + savedS * worth.usdPerS;
  const netUsd = valueUsd - spentUsd;
  return { valueUsd, netUsd, roi: spentUsd > 0 ? netUsd / spentUsd : null };
}
