// Facts of a failed attempt with nothing against anything, to be changed one by one.
import {
  NO_OPTIONS,
  type ActionFacts,
  type DecisionInput,
  type EffectFacts,
  type EvidenceFacts,
  type FaultFacts,
  type Options,
  type TimeFacts,
} from '../../src/core/recovery/decision.ts';
import { recoveryPolicy, type RecoveryPolicy } from '../../src/core/recovery/presets.ts';
import { parseSettings } from '../../src/core/settings.ts';

/** The policy that settings under `belay.advanced` make. */
export function policyFrom(advanced: Readonly<Record<string, unknown>> = {}): RecoveryPolicy {
  const { settings, problems } = parseSettings({ 'belay.advanced': advanced });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return recoveryPolicy(settings.advanced);
}

export const policies = { document: policyFrom(), plus: policyFrom({ recovery: { preset: 'plus' } }) };

/** Nobody and nothing else is there. */
export const bare: Options = NO_OPTIONS;

const unknownQuality = { quality: null, estimateMs: 500 };

/** Everything that can be there is. */
export const rich: Options = {
  otherCandidate: unknownQuality,
  otherAccount: unknownQuality,
  alternate: { ...unknownQuality, match: 'equivalent' },
  lower: unknownQuality,
  fallback: { quality: null, estimateMs: 0 },
  canCompress: true,
  canRepair: true,
  canReplan: true,
};

/** What may be changed of the usual facts. */
export interface Change {
  readonly fault?: Partial<FaultFacts>;
  readonly action?: Partial<ActionFacts>;
  readonly effect?: Partial<EffectFacts>;
  readonly budget?: Partial<DecisionInput['budget']>;
  readonly time?: Partial<TimeFacts>;
  readonly breaker?: DecisionInput['breaker'];
  readonly evidence?: Partial<EvidenceFacts>;
  readonly options?: Partial<Options>;
  readonly qualityFloor?: number;
  readonly policy?: RecoveryPolicy;
}

/** A first T1 of a medium model call with full budgets and nothing beside it, in preset `document`. */
export function facts(change: Change = {}): DecisionInput {
  return {
    fault: {
      class: 'T1',
      confidence: 0.9,
      secondary: null,
      detail: null,
      retryAfterMs: null,
      isRetryForbidden: false,
      ...change.fault,
    },
    action: {
      kind: 'model',
      level: 'R0',
      criticality: 'medium',
      isPinned: false,
      rung: 'L0',
      isCompressed: false,
      repairs: 0,
      targetFaults: 0,
      ...change.action,
    },
    effect: { entry: null, canProbe: false, isProbed: false, ...change.effect },
    budget: { step: 3, task: 10, tenant: 600, ...change.budget },
    time: { nowMs: 0, deadlineMs: 60_000, waitMs: 100, stepMs: 1000, verifyMs: 200, ...change.time },
    breaker: change.breaker ?? 'closed',
    evidence: { sameFaults: 1, sameRejections: 0, hasNewEvidence: false, ...change.evidence },
    options: { ...bare, ...change.options },
    qualityFloor: change.qualityFloor ?? 0.8,
    policy: change.policy ?? policies.document,
  };
}
