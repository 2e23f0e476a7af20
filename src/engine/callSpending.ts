// The budget of money as one call meets it: whether the call may go on at all, asked before each round, and what each round may
// start beside what it needs. Where money forbids an extra attempt that is told once a round.
import type { Candidate } from '../core/candidate.ts';
import type { Criticality, EventIds } from '../core/context.ts';
import type { RecoveryPolicy } from '../core/recovery/presets.ts';
import {
  spendingText,
  type AskedAttempt,
  type SpendingLimits,
  type SpendingRefusal,
} from '../core/scheduler/spending.ts';
import type { ToldDecision } from './callDecision.ts';
import type { Emit } from './eventLog.ts';
import type { StorePort } from './ports.ts';
import type { SpendingBook } from './spendingBook.ts';

export interface CallSpendingInput {
  readonly book: SpendingBook;
  readonly store: StorePort;
  /** Of the call. */
  readonly ids: EventIds;
  readonly limits: SpendingLimits;
  readonly emit: Emit;
}

/** Money in one round. */
export interface RoundSpending {
  /** Why an attempt may not start now; null: it may. */
  readonly refusal: (asked: AskedAttempt) => SpendingRefusal | null;
  /** Tells that a candidate is not asked; what comes after the first in a round is not told again. */
  readonly withhold: (candidate: Candidate, refusal: SpendingRefusal) => void;
  /** An attempt of these ids may cost so much; gives what takes that back. */
  readonly pledge: (ids: EventIds, worstUsd: number) => () => void;
}

export class CallSpending {
  private readonly input: CallSpendingInput;
  private readonly isLimited: boolean;

  constructor(input: CallSpendingInput) {
    this.input = input;
    const { perCallUsd, perTaskUsd, perDayUsd } = input.limits;
    this.isLimited = perCallUsd > 0 || perTaskUsd > 0 || perDayUsd > 0;
  }

  /** The limit that is spent, so that nobody may be asked any more; null: none, or nobody of them has a price. */
  async spent(candidates: readonly Candidate[]): Promise<SpendingRefusal | null> {
    const { book, store, limits } = this.input;
    if (!this.holds(candidates)) return null;
    if (limits.perDayUsd > 0) await book.refresh(store);
    return this.refusal({ isExtra: false, worstUsd: null });
  }

  /** Money in a round over these candidates. */
  round(candidates: readonly Candidate[]): RoundSpending {
    const { book, ids, emit } = this.input;
    const isLimited = this.holds(candidates);
    let isTold = false;
    return {
      refusal: (asked) => (isLimited ? this.refusal(asked) : null),
      withhold: ({ id }, { scope }) => {
        if (!isTold)
          emit(ids, { type: 'attempt-withheld', candidate: id, why: 'spending', target: scope, untilMs: null });
        isTold = true;
      },
      pledge: (of, worstUsd) => book.pledge(of, worstUsd),
    };
  }

  /** Who only asks models that cost nothing, or nothing that is known, spends nothing. */
  private holds(candidates: readonly Candidate[]): boolean {
    return this.isLimited && candidates.some(hasPrice);
  }

  private refusal(asked: AskedAttempt): SpendingRefusal | null {
    const { book, ids, limits } = this.input;
    return book.refusal(ids, limits, asked);
  }
}

function hasPrice({ price, priceSource }: Candidate): boolean {
  return priceSource !== 'unknown' && (price.inputUsdPerMTok > 0 || price.outputUsdPerMTok > 0);
}

/** The end of a call whose limit is spent: a person's matter where any other end of it would be. */
export function spendingDecision(
  refusal: SpendingRefusal,
  criticality: Criticality,
  { escalates }: Pick<RecoveryPolicy, 'escalates'>,
): ToldDecision {
  const isPersons = criticality === 'high' || escalates === 'always';
  const rule = `T7/spending-${refusal.scope}`;
  return { action: isPersons ? 'ESCALATE' : 'FAIL', waitMs: 0, rule, reason: spendingText(refusal) };
}
