// One round of a call: its plan, told as it is made, and the race over it. What the round's attempts teach the profiles and the
// scheduler is told from here, each attempt once; what they teach the call goes back to it.
import type { Candidate } from '../core/candidate.ts';
import { planLiteralCall } from '../core/scheduler/plan.ts';
import { balancedRound } from './balancedRound.ts';
import type { RoundSpending } from './callSpending.ts';
import { runRace } from './hedgedCall.ts';
import { literalMachine } from './raceMachine.ts';
import type { PlannedRound, RoundInput } from './roundParts.ts';
import { roundPrices } from './roundPrices.ts';
import { teachScheduler } from './teachScheduler.ts';

/** Plans the round, tells the plan and gives its race, which has not begun. */
export function startRound(round: RoundInput): ReturnType<typeof runRace> {
  const { dependencies, input, candidates, protection, spending, emit, ...rest } = round;
  const { times: _times, callStartedAtMs: _start, ...own } = rest;
  const { ports, profiles, newId, shutdown } = dependencies;
  const { settings, signal } = input;
  const { clock, provider } = ports;
  const money = spending.round(candidates);
  const planned = settings.mode === 'literal' ? literalRound(round, money) : balancedRound(round, money);
  const teacher = teachScheduler({ ...round, planned });
  emit(own.ids, planned.told);
  for (const { candidate, refusal } of planned.leftOut) money.withhold(candidate, refusal);
  return runRace({
    ...own,
    machine: planned.machine,
    priceOf: planned.priceOf,
    pledge: money.pledge,
    clock,
    provider,
    timers: settings.advanced.timers,
    emit,
    nextAttemptId: () => newId('att'),
    admit: (candidate, ids, stop) => protection.admit(candidate, ids, stop),
    onStuck: (candidate, ids) => dependencies.protection.cancels.tell(candidate, ids, dependencies.emit),
    tokens: profiles.tokens,
    onEnded: (ended) => {
      const told = profiles.ended(ended);
      if (told.some(({ body }) => body.type === 'model-changed')) teacher.modelChanged(ended.candidate);
      for (const { ids, body } of told) emit(ids, body);
      teacher.ended(ended);
    },
    onIdle: (answered) => {
      const replicas = answered.flatMap(({ candidate, comparable: answer }) =>
        answer ? [{ candidate: candidate.id, answer }] : [],
      );
      const compared = replicas.length < 2 ? null : dependencies.replicas.compare(own.ids.call ?? '', replicas);
      if (compared) emit(own.ids, compared);
    },
    signal,
    shutdown,
  });
}

function literalRound(round: RoundInput, money: RoundSpending): PlannedRound {
  const { dependencies, input, candidates } = round;
  const { settings, context, route } = input;
  const prices = roundPrices(round, money);
  const positionOf = new Map(prices.members.map(({ id }, position) => [id, position]));
  const at = ({ id }: Candidate): number => positionOf.get(id) ?? -1;
  const plan = planLiteralCall({
    role: context.role,
    criticality: context.criticality,
    order: route.order,
    candidates,
    profiles: dependencies.profiles.all,
    settings: settings.advanced,
    nowMs: dependencies.ports.clock.nowMs(),
    mayAdd: (candidate, beside) => prices.mayAdd(at(candidate), beside.map(at)),
  });
  const { ranking, hedgeSet, failureProbability, targetReached, why } = plan;
  return {
    machine: literalMachine(plan),
    told: { type: 'plan-made', mode: 'literal', ranking, hedgeSet, failureProbability, targetReached, why },
    priceOf: (lane) => {
      const candidate = plan.order[lane];
      return candidate ? prices.priceAt(at(candidate)) : null;
    },
    leftOut: prices.leftOut,
    pledge: null,
  };
}
