// One round of a call: its plan, told as it is made, and the race over it. What the round's attempts teach goes back to the call.
import type { Candidate } from '../core/candidate.ts';
import { planCall } from '../core/scheduler/plan.ts';
import type { CallDependencies, CallInput } from './callParts.ts';
import type { CallProtection } from './callProtection.ts';
import { runRace, type RaceInput } from './hedgedCall.ts';

/** What of a race is the call's own. */
type OfTheCall = 'deadlineMs' | 'request' | 'policy' | 'isRetry' | 'ids' | 'emit' | 'onWithheld' | 'onOutcome';

export interface RoundInput extends Pick<RaceInput, OfTheCall> {
  readonly dependencies: CallDependencies;
  readonly input: CallInput;
  /** Those that may be asked now. */
  readonly candidates: readonly Candidate[];
  readonly protection: CallProtection;
}

/** Plans the round, tells the plan and gives its race, which has not begun. */
export function startRound(round: RoundInput): ReturnType<typeof runRace> {
  const { dependencies, input, candidates, protection, emit, ...own } = round;
  const { ports, profiles, newId, shutdown } = dependencies;
  const { settings, context, route, signal } = input;
  const { clock, provider } = ports;
  const plan = planCall({
    mode: settings.mode,
    role: context.role,
    criticality: context.criticality,
    order: route.order,
    candidates,
    profiles: profiles.all,
    settings: settings.advanced,
    nowMs: clock.nowMs(),
  });
  const { mode, ranking, hedgeSet, failureProbability, targetReached, why } = plan;
  emit(own.ids, { type: 'plan-made', mode, ranking, hedgeSet, failureProbability, targetReached, why });
  return runRace({
    ...own,
    clock,
    provider,
    timers: settings.advanced.timers,
    plan,
    emit,
    nextAttemptId: () => newId('att'),
    admit: (candidate, ids, stop) => protection.admit(candidate, ids, stop),
    onStuck: (candidate, ids) => dependencies.protection.cancels.tell(candidate, ids, dependencies.emit),
    tokens: profiles.tokens,
    onEnded: (attempt) => {
      for (const { ids, body } of profiles.ended(attempt)) emit(ids, body);
    },
    signal,
    shutdown,
  });
}
