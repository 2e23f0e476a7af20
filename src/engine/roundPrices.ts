// What the attempts of one round cost and which of them there is money for: the scheduler's prices beside the round's budget, by
// position in its pool.
import type { Candidate } from '../core/candidate.ts';
import { attemptPrice, type AttemptPrice, type CallFacts } from '../core/scheduler/balanced/pricing.ts';
import type { CandidatePool } from '../core/scheduler/balanced/pool.ts';
import type { MayAdd } from '../core/scheduler/balanced/startSet.ts';
import type { SpendingRefusal } from '../core/scheduler/spending.ts';
import { callFacts, membersOf } from './callFacts.ts';
import type { RoundSpending } from './callSpending.ts';
import type { LeftOut, RoundInput } from './roundParts.ts';

/** The candidates of a round, with their prices. */
export interface RoundPrices {
  readonly pool: CandidatePool;
  /** By position in the pool. */
  readonly members: readonly Candidate[];
  readonly call: CallFacts;
  /** null: not known in money. */
  readonly priceAt: (position: number) => AttemptPrice | null;
  /** Why there is no money for an attempt now; null: it may start. */
  readonly refusal: (position: number, isExtra: boolean) => SpendingRefusal | null;
  /** Whether an extra one may start at the same moment as `beside`; who may not is noted in `leftOut`. */
  readonly mayAdd: MayAdd;
  readonly leftOut: readonly LeftOut[];
}

/** Prices the candidates of a round. */
export function roundPrices(round: RoundInput, money: RoundSpending): RoundPrices {
  const { dependencies, input, candidates } = round;
  const { scheduler } = dependencies;
  const constants = scheduler.constantsOf(input.settings);
  const pool = scheduler.pool(candidates, constants);
  const members = membersOf(candidates);
  const call = callFacts(round, members, constants);
  const leftOut: LeftOut[] = [];
  const priceAt = (position: number): AttemptPrice | null => attemptPrice(pool, position, call);
  const worstOf = (position: number): number => priceAt(position)?.worstUsd ?? 0;
  return {
    pool,
    members,
    call,
    priceAt,
    leftOut,
    refusal: (position, isExtra) => money.refusal({ isExtra, worstUsd: priceAt(position)?.worstUsd ?? null }),
    mayAdd: (position, beside) => {
      const own = worstOf(position);
      // None of them is pledged yet: they start together.
      const together = own > 0 ? beside.reduce((total, each) => total + worstOf(each), own) : 0;
      const refusal = money.refusal({ isExtra: true, worstUsd: together });
      const candidate = members[position];
      if (refusal && candidate) leftOut.push({ candidate, refusal });
      return refusal === null;
    },
  };
}
