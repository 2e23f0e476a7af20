// The thresholds that decisions are made with, by preset: `document` as printed in HFR 4.3, 4.4, 5.2; `plus` as the simulator
// study found better (section 7: Z3 strict, with Z5's repair through the alternate for a fixable T7). Built once from the
// settings and read by every decision, so all look-ups are tables. Its version names preset and every value.
import type { Criticality } from '../context.ts';
import type { CheckLevel, Rung } from '../events.ts';
import { LOW_CONFIDENCE } from '../faults/actions.ts';
import type { DegradationSettings, Preset, VerificationSettings } from '../settingsRecovery.ts';

/** Version of the rules in core/recovery: grows with every change that can alter a decision. */
export const decisionRulesVersion = '2.0.0';

type RungTable = Readonly<Record<Rung, boolean>>;

/** What differs between the presets. */
interface PresetConstants {
  /**
   * Which ends are handed to a person that the tables would let FAIL: those of high criticality (4.4), those of a write too,
   * or every one (study, row B).
   */
  readonly escalates: 'critical' | 'critical-or-write' | 'always';
  /** T4, T5 at the substitute (L2) are tried again there: its failure is another one than the first target's (row C). */
  readonly retriesOnAlternate: boolean;
  /** A rejected output (V1) is made again after a backoff; waiting mends nothing there (row Q). */
  readonly waitsAfterRejection: boolean;
  /** Repairs of a refused input (T7, fixable) in one step (Z3; table 11). */
  readonly maxRepairs: number;
  /** The repair goes through another candidate or the alternate where there is one (Z5). */
  readonly repairsThroughAlternate: boolean;
  /** A quota that is used up: the same model at another account is allowed (DESIGN 5). */
  readonly usesOtherAccount: boolean;
  /** Task-local breaker: after so many T4/T5 a target of this task is passed over where an alternate is there (Z3: 1). */
  readonly targetFaultLimit: number;
}

const CONSTANTS: Readonly<Record<Preset, PresetConstants>> = {
  document: {
    escalates: 'critical',
    retriesOnAlternate: false,
    waitsAfterRejection: true,
    maxRepairs: 0,
    repairsThroughAlternate: false,
    usesOtherAccount: false,
    targetFaultLimit: Number.POSITIVE_INFINITY,
  },
  plus: {
    escalates: 'always',
    retriesOnAlternate: true,
    waitsAfterRejection: false,
    maxRepairs: 1,
    repairsThroughAlternate: true,
    usesOtherAccount: true,
    targetFaultLimit: 1,
  },
};

/** Everything a decision compares with. */
export interface RecoveryPolicy extends PresetConstants {
  readonly preset: Preset;
  /** `<rules version> <preset> <checksum of all values>`. */
  readonly version: string;
  /** Below it a fault is taken as not understood (4.2). 0-1. */
  readonly lowConfidence: number;
  /** K of 4.3: equal faults in a row without new evidence. */
  readonly sameFaultLimit: number;
  /** Equal rejections in a row (4.3: twice). */
  readonly sameRejectionLimit: number;
  /** Least wait before the same overloaded model is asked again, ms, on top of the jitter (table 2: "or wait"). */
  readonly overloadWaitMs: number;
  /** Rungs that are taken unasked (allow_auto_degrade without require_human_for). L0 always is. */
  readonly automatic: Readonly<Record<Criticality, RungTable>>;
  /** Rungs that a person may agree to. */
  readonly confirmable: Readonly<Record<Criticality, RungTable>>;
  /** Rungs that need a person for an irreversible action. */
  readonly irreversible: RungTable;
  /** Least check by criticality (5.2). */
  readonly checks: Readonly<Record<Criticality, CheckLevel>>;
}

/** What a policy is built from: parts of `belay.advanced`. */
export interface PolicySettings {
  readonly recovery: { readonly preset: Preset };
  readonly retry: { readonly sameFaultLimit: number };
  /** Not part of the policy, but of what is decided by it: only for the version. */
  readonly qualityFloor?: Readonly<Record<Criticality, number>>;
  readonly breaker?: object;
  readonly degradation: DegradationSettings;
  readonly verification: VerificationSettings;
}

const SAME_REJECTION_LIMIT = 2;
/** Not printed in the document: half of its d_max, so that a wait for capacity is never the jitter's zero. */
const OVERLOAD_WAIT_MS = 1000;

/** The policy of some settings. `changes` replaces single constants, e.g. for an ablation, and is part of the version. */
export function recoveryPolicy(settings: PolicySettings, changes: Partial<PresetConstants> = {}): RecoveryPolicy {
  const { recovery, retry, degradation, verification } = settings;
  const { allowAutoDegrade, requireHumanFor } = degradation;
  const byCriticality = <T>(make: (criticality: Criticality) => T): Readonly<Record<Criticality, T>> => ({
    low: make('low'),
    medium: make('medium'),
    high: make('high'),
  });
  const values = {
    ...CONSTANTS[recovery.preset],
    ...changes,
    preset: recovery.preset,
    lowConfidence: LOW_CONFIDENCE,
    sameFaultLimit: retry.sameFaultLimit,
    sameRejectionLimit: SAME_REJECTION_LIMIT,
    overloadWaitMs: OVERLOAD_WAIT_MS,
    automatic: byCriticality((each) =>
      rungTable(
        allowAutoDegrade[each].filter((rung) => !requireHumanFor[each].includes(rung)),
        true,
      ),
    ),
    confirmable: byCriticality((each) => rungTable(requireHumanFor[each], false)),
    irreversible: rungTable(requireHumanFor.irreversible, false),
    checks: verification.levels,
  };
  const { qualityFloor, breaker } = settings;
  const thresholds = { ...values, retry, qualityFloor, breaker };
  return Object.freeze({ ...values, version: `${decisionRulesVersion} ${recovery.preset} ${checksum(thresholds)}` });
}

function rungTable(rungs: readonly Rung[], isL0: boolean): RungTable {
  return {
    L0: isL0,
    L1: rungs.includes('L1'),
    L2: rungs.includes('L2'),
    L3: rungs.includes('L3'),
    L4: rungs.includes('L4'),
  };
}

/** FNV-1a over the values in a fixed order, 8 hex digits: two policies with the same version decide the same. */
export function checksum(values: object): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(values, (_key, value: unknown) => (value === Infinity ? 'Infinity' : value))) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}
