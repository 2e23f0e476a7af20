// What the attempts of one round teach the scheduler: each one once, whichever way it ended and also when its race is over, and
// whether the start set kept its promise.
import type { Candidate } from '../core/candidate.ts';
import { faultEvidence, traceOf } from '../core/scheduler/attemptTrace.ts';
import type { QualityEvidence, TraceOutcome } from '../core/scheduler/balanced/types.ts';
import type { Fault } from '../core/faults/fault.ts';
import { hasSchema } from './heldAnswer.ts';
import type { PlannedRound, RoundInput } from './roundParts.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import type { EndedOfRace } from './laneRunner.ts';

export interface SchedulerTeacher {
  /** An attempt has ended. */
  ended(ended: EndedOfRace): void;
  /** Another model answers behind the candidate's name; told before the attempt that showed it. */
  modelChanged(candidate: Candidate): void;
}

type TaughtRound = Pick<RoundInput, 'dependencies' | 'input' | 'deadlineMs' | 'policy' | 'request'> & {
  readonly planned: PlannedRound;
};

/** Learns for one round. */
export function teachScheduler(round: TaughtRound): SchedulerTeacher {
  const { dependencies, input, deadlineMs, planned, policy, request } = round;
  const { scheduler, caches, ports, learnQuality } = dependencies;
  const { settings, context } = input;
  const { machine, pledge } = planned;
  const constants = scheduler.constantsOf(settings);
  let startedFailures = 0;
  let isPledgeCounted = false;

  /** Kept where one of the start set answers, broken where all of it fail; where some are cut off nobody can know. */
  const countPledge = (outcome: TraceOutcome): void => {
    if (isPledgeCounted || !pledge || outcome === 'neutral') return;
    if (outcome !== 'success' && ++startedFailures < pledge.count) return;
    isPledgeCounted = true;
    const { success, independentSuccess } = pledge;
    scheduler.learnStart({ success, independentSuccess, isKept: outcome === 'success' }, constants);
  };

  /** Where a schema was asked for and the answer was held, it was checked; else only a fault says something. */
  const judgementOf = (outcome: TraceOutcome, fault: Fault | null): QualityEvidence | null => {
    const isChecked = policy === 'hold' && hasSchema(request);
    if (isChecked && outcome === 'success') return { source: 'schema', q: 1 };
    if (!fault || outcome !== 'invalid-output') return null;
    return isChecked && fault.class === 'V1' ? { source: 'schema', q: 0 } : faultEvidence(fault);
  };

  return {
    modelChanged: (candidate) => scheduler.forgetModel(candidate, constants),
    ended: ({ candidate, ending, figures, lane, failure, isSuperseded }) => {
      const fault = failure?.fault ?? null;
      // A provider that was not asked has said nothing.
      if (fault && isDisclosureDenial(fault)) return;
      const nowMs = ports.clock.nowMs();
      const expected = machine.pledge(lane);
      const trace = traceOf(
        {
          candidate: candidate.id,
          role: context.role,
          ending,
          fault,
          isCallerGone: !isSuperseded,
          isOwnDeadline: nowMs >= deadlineMs,
          elapsedMs: figures.elapsedMs,
          firstTokenMs: figures.firstTokenMs,
          receivedChars: figures.receivedChars,
          timers: expected?.timers ?? null,
          promisedSuccess: expected?.promisedSuccess ?? null,
        },
        constants,
      );
      scheduler.learn(candidate, trace, constants);
      if (ending === 'succeeded') {
        const promptTokens = figures.usage?.inputTokens ?? figures.billedTokens;
        caches.served(context.task, { candidate: candidate.id, promptTokens, atMs: nowMs });
      }
      const evidence = judgementOf(trace.outcome, fault);
      if (evidence) learnQuality(candidate.id, context.role, evidence);
      if (expected?.isStart === true && ending !== 'cancelled') countPledge(trace.outcome);
    },
  };
}
