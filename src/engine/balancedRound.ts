// One round in mode balanced or fast: what is known of the call and its candidates, planned by core/scheduler/balanced, as a race
// that can be run and an event that can be told. It starts nothing.
import { explainPlan } from '../core/scheduler/balanced/explain.ts';
import { rankedOf } from '../core/scheduler/balanced/rankedRow.ts';
import { planBalanced, type BalancedPlan } from '../core/scheduler/balanced/planBalanced.ts';
import type { RoundSpending } from './callSpending.ts';
import type { PlannedRound, RoundInput } from './roundParts.ts';
import { roundPrices } from './roundPrices.ts';
import { balancedMachine } from './raceMachine.ts';

/** Plans the round. */
export function balancedRound(round: RoundInput, money: RoundSpending): PlannedRound {
  const { dependencies, input, candidates, protection, times, callStartedAtMs, deadlineMs, policy, isRetry } = round;
  const { ports, scheduler } = dependencies;
  const { settings, context, route } = input;
  const { clock } = ports;
  if (!isRetry) scheduler.beginCall(scheduler.constantsOf(settings));
  const prices = roundPrices(round, money);
  const { pool, members, call, refusal, mayAdd, leftOut } = prices;
  const { order } = route;
  const { role, criticality } = context;
  const plan = planBalanced(scheduler.state, { pool, role, nowMs: clock.nowMs(), call, order, criticality, mayAdd });
  // Where all of them asked to be left alone somebody has to be asked; who asks for it from now on is.
  const cooling = new Set(candidates.filter((candidate) => times.isCooling(candidate)));
  const terms = { plan, candidates: members, policy, order, callStartedAtMs, deadlineMs };
  const machine = balancedMachine(terms, {
    nowMs: () => clock.nowMs(),
    learned: () => scheduler.state,
    mayTry: (candidate) =>
      !protection.isClosedOff(candidate) && (cooling.has(candidate) || !times.isCooling(candidate)),
    refusal,
    payHedge: () => scheduler.payHedge(),
    withhold: money.withhold,
  });
  return {
    machine,
    told: toldOf(plan, settings.mode),
    priceOf: (lane) => {
      const position = machine.pledge(lane)?.position;
      return position === undefined ? null : prices.priceAt(position);
    },
    leftOut,
    pledge: {
      success: plan.promisedSuccess,
      independentSuccess: 1 - plan.independentFailure,
      count: plan.start.length,
    },
  };
}

function toldOf(plan: BalancedPlan, mode: string): PlannedRound['told'] {
  const { promisedSuccess, jointFailure, independentFailure, isReached, startIds } = plan;
  const { ranking, why } = explainPlan(plan);
  return {
    type: 'plan-made',
    mode,
    ranking: ranking.map(rankedOf),
    hedgeSet: startIds,
    failureProbability: jointFailure,
    targetReached: isReached,
    why: why.join(' '),
    promisedSuccess,
    independentSuccess: 1 - independentFailure,
  };
}
