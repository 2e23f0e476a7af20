// One race as those who perform it see it: it takes messages and says what to do. Which race it is, literal or balanced, what was
// learned meanwhile and what the time is, is in here; every choice is core/scheduler's.
import type { Candidate } from '../core/candidate.ts';
import type { HedgeTimers } from '../core/scheduler/balanced/hedge.ts';
import { newBalancedRace, type RaceMoment, type RaceTerms } from '../core/scheduler/balancedLanes.ts';
import { stepBalancedRace } from '../core/scheduler/balancedRace.ts';
import { newLiteralRace, stepLiteralRace } from '../core/scheduler/literalRace.ts';
import type { LiteralCallPlan } from '../core/scheduler/plan.ts';
import type { RaceAction, RaceMessage } from '../core/scheduler/raceWords.ts';
import type { SpendingRefusal } from '../core/scheduler/spending.ts';

/** What was expected of a lane at its launch. */
export interface LanePledge {
  readonly position: number;
  readonly timers: HedgeTimers;
  readonly promisedSuccess: number;
  /** Whether it belongs to the start set. */
  readonly isStart: boolean;
}

export interface RaceMachine {
  /** In literal mode losers of an answered race run on for their traces (DESIGN 9). */
  readonly losersRunOn: boolean;
  step(message: RaceMessage): readonly RaceAction[];
  /** Of a lane that was launched; null in literal mode. */
  pledge(lane: number): LanePledge | null;
}

/** The literal race of a plan. */
export function literalMachine(plan: LiteralCallPlan): RaceMachine {
  let state = newLiteralRace(plan);
  return {
    losersRunOn: true,
    step: (message) => {
      const step = stepLiteralRace(state, message);
      state = step.state;
      return step.actions;
    },
    pledge: () => null,
  };
}

/** What a balanced race reads at each step, and what it changes. */
export interface RaceWorld {
  readonly nowMs: () => number;
  readonly learned: () => RaceMoment['learned'];
  readonly mayTry: (candidate: Candidate) => boolean;
  readonly refusal: RaceMoment['refusal'];
  readonly payHedge: () => void;
  /** A candidate is not asked for want of money. */
  readonly withhold: (candidate: Candidate, refusal: SpendingRefusal) => void;
}

/** The balanced or fast race of a plan. */
export function balancedMachine(terms: RaceTerms, world: RaceWorld): RaceMachine {
  const { nowMs, learned, mayTry, refusal } = world;
  let state = newBalancedRace(terms);
  return {
    losersRunOn: false,
    step: (message) => {
      const step = stepBalancedRace(state, message, { nowMs: nowMs(), learned: learned(), mayTry, refusal });
      state = step.state;
      for (const action of step.actions) {
        if (action.type === 'pay-hedge') world.payHedge();
        if (action.type === 'withhold') world.withhold(action.candidate, action.refusal);
      }
      return step.actions;
    },
    pledge: (lane) => state.lanes[lane] ?? null,
  };
}
