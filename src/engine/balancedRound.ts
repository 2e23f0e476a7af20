// One round in mode balanced or fast: what is known of the call and its candidates, planned by core/scheduler/balanced, as a race
// that can be run and an event that can be told. It starts nothing.
import type { Candidate } from '../core/candidate.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import { explainPlan } from '../core/scheduler/balanced/explain.ts';
import { rankedOf } from '../core/scheduler/balanced/rankedRow.ts';
import { planBalanced, type BalancedPlan } from '../core/scheduler/balanced/planBalanced.ts';
import { attemptPrice, type CallFacts } from '../core/scheduler/balanced/pricing.ts';
import { sizeOfRequest } from '../core/textSize.ts';
import type { PlannedRound, RoundInput } from './roundParts.ts';
import { balancedMachine } from './raceMachine.ts';

/** Plans the round. */
export function balancedRound(round: RoundInput): PlannedRound {
  const { dependencies, input, candidates, protection, times, callStartedAtMs, deadlineMs, policy, isRetry } = round;
  const { ports, scheduler } = dependencies;
  const { settings, context, route } = input;
  const { clock } = ports;
  const constants = scheduler.constantsOf(settings);
  if (!isRetry) scheduler.beginCall(constants);
  const pool = scheduler.pool(candidates, constants);
  const members = membersOf(candidates);
  const call = callFacts(round, members, constants.referenceOutputTokens);
  const { order } = route;
  const { role, criticality } = context;
  const plan = planBalanced(scheduler.state, { pool, role, nowMs: clock.nowMs(), call, order, criticality });
  // Where all of them asked to be left alone somebody has to be asked; who asks for it from now on is.
  const cooling = new Set(candidates.filter((candidate) => times.isCooling(candidate)));
  const terms = { plan, candidates: members, policy, order, callStartedAtMs, deadlineMs };
  const machine = balancedMachine(terms, {
    nowMs: () => clock.nowMs(),
    learned: () => scheduler.state,
    mayTry: (candidate) =>
      !protection.isClosedOff(candidate) && (cooling.has(candidate) || !times.isCooling(candidate)),
    payHedge: () => scheduler.payHedge(),
  });
  return {
    machine,
    told: toldOf(plan, settings.mode),
    priceOf: (lane) => {
      const position = machine.pledge(lane)?.position;
      return position === undefined ? null : attemptPrice(pool, position, call);
    },
    pledge: {
      success: plan.promisedSuccess,
      independentSuccess: 1 - plan.independentFailure,
      count: plan.start.length,
    },
  };
}

/** Candidates by position in their pool, which leaves out the second of two with the same id. */
function membersOf(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...new Map([...candidates].reverse().map((candidate) => [candidate.id, candidate])).values()].reverse();
}

/** What is known of the call to come; tokens as the first candidate's model counts them. */
function callFacts(
  { dependencies, input, request }: RoundInput,
  members: readonly Candidate[],
  usualOutputTokens: number,
): CallFacts {
  const { profiles, caches, ports } = dependencies;
  const [first] = members;
  const model = plainName(first ? askedName(first.model, request.model) : request.model);
  const promptTokens = profiles.tokens.estimate(model, sizeOfRequest(request));
  const nowMs = ports.clock.nowMs();
  return {
    promptTokens,
    outputTokens: Math.min(request.maxOutputTokens ?? usualOutputTokens, usualOutputTokens),
    cachedShare: (position) => {
      const candidate = members[position];
      return candidate ? caches.shareOf(input.context.task, candidate, promptTokens, nowMs) : 0;
    },
    inFlight: () => 0,
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
