// One budget of money per call, task and day: whether one more attempt may start. An extra attempt (a hedge) must fit worst case
// first; a needed one (the first, a failover) is held back only where a limit is spent already, since an answer that was paid
// for in part is worth more than none. An attempt whose price nobody knows counts nothing: only number and time limit it.
// Source: issue, Cost-true; scheduler-study 8.

/** Dollars; 0: no limit. */
export interface SpendingLimits {
  readonly perCallUsd: number;
  readonly perTaskUsd: number;
  readonly perDayUsd: number;
}

export type SpendingScope = 'call' | 'task' | 'day';

/** What one call, one task or the day has cost, and the worst case of its attempts that still run. Dollars. */
export interface Spent {
  readonly usd: number;
  readonly pledgedUsd: number;
}

/** Why an attempt may not start. */
export interface SpendingRefusal {
  readonly scope: SpendingScope;
  readonly limitUsd: number;
  /** Spent already, without what still runs. */
  readonly spentUsd: number;
}

/** An attempt that is asked for. */
export interface AskedAttempt {
  /** Beside one that runs; false: without it there would be no answer. */
  readonly isExtra: boolean;
  /** Dollars: its prompt in full and the whole answer; null: its price is not known. */
  readonly worstUsd: number | null;
}

const SCOPES = ['call', 'task', 'day'] as const satisfies readonly SpendingScope[];
const LIMIT_OF = { call: 'perCallUsd', task: 'perTaskUsd', day: 'perDayUsd' } as const;
const DAY_MS = 86_400_000;
/** What a sum of dollars may be off by. */
const EPSILON_USD = 1e-9;

/**
 * Why one more attempt may not start, by the narrowest limit; null: it may. An extra that costs nothing, or nothing that is known,
 * takes no sum past its limit: like a needed one it may start until the limit is spent.
 * Worked: $1 a task, $0.50 spent and $0.30 running: an extra of $0.20 fits, one of $0.21 does not.
 */
export function spendingRefusal(
  spent: Readonly<Record<SpendingScope, Spent>>,
  limits: SpendingLimits,
  { isExtra, worstUsd }: AskedAttempt,
): SpendingRefusal | null {
  const extraUsd = isExtra ? (worstUsd ?? 0) : 0;
  for (const scope of SCOPES) {
    const limitUsd = limits[LIMIT_OF[scope]];
    const { usd, pledgedUsd } = spent[scope];
    if (limitUsd <= 0) continue;
    const isSpent = usd >= limitUsd - EPSILON_USD;
    const isTooMuch = extraUsd > 0 && usd + pledgedUsd + extraUsd > limitUsd + EPSILON_USD;
    if (isSpent || isTooMuch) return { scope, limitUsd, spentUsd: usd };
  }
  return null;
}

/** A limit that is spent, for a person: which, how much, and what to do. */
export function spendingText({ scope, limitUsd, spentUsd }: SpendingRefusal): string {
  const setting = `belay.advanced.spending.${LIMIT_OF[scope]}`;
  const end = scope === 'day' ? '; the day ends at 00:00 UTC' : '';
  return `The ${scope}'s budget of ${dollars(limitUsd)} is spent (${dollars(spentUsd)}). Raise ${setting}, or set it to 0 for no limit${end}.`;
}

/** $5.00; of small sums two digits that matter: $0.0031. */
function dollars(usd: number): string {
  return `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd.toFixed(Math.min(12, 1 - Math.floor(Math.log10(usd))))}`;
}

/** The UTC day of a moment (ms since the epoch): days since 1970-01-01. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);
