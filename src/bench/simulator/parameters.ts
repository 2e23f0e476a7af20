// The numbers that the document leaves open, checked and given whole names. The keys of a parameter file are those of the
// study of the document's simulator; every number is in the unit said here. Fitted, not measured: see assumptions.ts.
import * as z from 'zod';
import { OUTCOME_COUNT, T1, T2, T3, T4, T5, T6, T7, T8 } from './codes.ts';

const share = z.number().min(0).max(1);
const factor = z.number().min(0).max(10);
const seconds = z.number().min(0).max(60);
const flag = z.union([z.literal(0), z.literal(1)]);
const count = z.int().min(0).max(10);

const fileSchema = z.strictObject({
  note: z.string().optional(),
  stepWeights4to8: z.array(z.number().min(0)).length(5),
  faultModel: z.strictObject({ T1: share, T2: share, T3: share, T4: share, T6: share, T7: share, T8: share }),
  faultTool: z.strictObject({ T1: share, T2: share, T3: share, T5: share, T7: share, T8: share }),
  providerIncidentRate: share,
  toolIncidentRate: share,
  dp: share,
  dt: share,
  lam: share,
  omega: share,
  penlow: share,
  penmed: share,
  penhigh: share,
  kcheap: factor,
  ktool: factor,
  fixdelay: seconds,
  commit: share,
  esc7l: share,
  esc7m: share,
  esc7h: share,
  esc8l: share,
  esc8m: share,
  esc8h: share,
  latT3: factor,
  latF: factor,
  latS: factor,
  cntF: share,
  cnt4: share,
  reclat: seconds,
  retryafter: seconds,
  cdet0: factor,
  cdet1: factor,
  cdet2: factor,
  cdet3: factor,
  cfr0: factor,
  cfr1: factor,
  cfr2: factor,
  cfr3: factor,
  cpen: share,
  escE: share,
  vlat: seconds,
  hfrfr: factor,
  rho: share,
  cntNR: share,
  incsem: share,
  v1esc: share,
  sticky: share,
  degT7: flag,
  degV: flag,
  degLevels: z.union([z.literal(1), z.literal(2)]),
  t6deg: flag,
  retryT6: flag,
  hfrV1: count,
  degResets: flag,
  stickAlt: flag,
  rV1: count,
  incMode: z.literal(0),
  xlow: z.literal(1),
  xmed: z.literal(1),
  l2high: flag,
});

/** A parameter file as it is written: the study's short names. */
export type ParameterFile = z.infer<typeof fileSchema>;

/** One number for each criticality: low, medium, high. */
export type ByCriticality = readonly [number, number, number];

/** The world's open numbers under whole names. Probabilities 0-1, times in seconds. */
export interface SimulationParameters {
  /** Weights of 4, 5, 6, 7 and 8 steps; they add up to 1. */
  readonly stepShares: readonly number[];
  /** Share of each class among independent faults, by outcome code; adds up to 1. */
  readonly faultShares: { readonly model: Float64Array; readonly tool: Float64Array };
  readonly incident: {
    readonly providerRate: number;
    readonly toolRate: number;
    /** Added fault probability of an attempt during an incident. */
    readonly extraModelFault: number;
    readonly extraToolFault: number;
    /** Part of it that alternates suffer too. */
    readonly alternateShare: number;
    /** Part of an incident's faults that are T4 (model) or T5 (tool). */
    readonly unavailableShare: number;
    /** Lost probability of a right output during an incident. */
    readonly wrongOutput: number;
  };
  /** Fault probability of the attempt after a transient fault, relative to the first attempt. */
  readonly afterTransientFactor: number;
  /** Probability that a sticky fault comes again at the primary. */
  readonly stickiness: number;
  /** T7 and T8 also stick to alternates. */
  readonly isStickyOnAlternates: boolean;
  readonly penalty: {
    /** Lost probability of a right output on alternates. */
    readonly byCriticality: ByCriticality;
    readonly cheapModelFactor: number;
    readonly toolFactor: number;
    /** Lost by a model call after compression. */
    readonly compressed: number;
  };
  /** Part of an attempt that is billed and counted when it ends in a fault. */
  readonly billed: { readonly transient: number; readonly sticky: number; readonly withoutRetry: number };
  readonly latency: {
    /** Service time of a faulted attempt relative to a completed one. */
    readonly timeoutFactor: number;
    readonly transientFactor: number;
    readonly stickyFactor: number;
    readonly reconcileSeconds: number;
    readonly verifySeconds: number;
    readonly fixedDelaySeconds: number;
    readonly retryAfterSeconds: number;
  };
  /** Probability that a timed-out write has happened. */
  readonly committedShare: number;
  /** Factors on the verifier's detection and false-reject rates, by policy. */
  readonly detectionFactor: PolicyFactors;
  readonly falseRejectFactor: PolicyFactors;
  readonly escalation: {
    readonly permanent: ByCriticality;
    readonly refusal: ByCriticality;
    readonly exhaustedHigh: number;
    readonly afterLastTry: number;
  };
  readonly rules: {
    readonly doesDegradePermanent: boolean;
    readonly doesVerifyDegraded: boolean;
    readonly degradeOnlyTiers: number;
    readonly isCompressionDegradation: boolean;
    readonly doesRetryOnlyRetryOverflow: boolean;
    readonly hfrSemanticRetries: number;
    readonly doesDegradingResetRetries: boolean;
    /** RetryOnly retries V1 while fewer retries than this were used in the step. */
    readonly retryOnlySemanticRetries: number;
    readonly hasHighLastTry: boolean;
  };
}

interface PolicyFactors {
  readonly noRetry: number;
  readonly fixedRetry: number;
  readonly retryOnly: number;
  readonly degradeOnly: number;
  readonly hfr: number;
}

/** Checks a parameter file. A wrong one is answered by one sentence that names the field. */
export function readParameters(
  document: unknown,
): { readonly ok: true; readonly value: SimulationParameters } | { readonly ok: false; readonly error: string } {
  const parsed = fileSchema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const names = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
    const field = names.map(String).join('.');
    const what = issue?.code === 'unrecognized_keys' ? 'is not a parameter' : (issue?.message ?? 'is wrong');
    return { ok: false, error: field === '' ? `the document: ${what}` : `field "${field}": ${what}` };
  }
  for (const field of ['stepWeights4to8', 'faultModel', 'faultTool'] as const)
    if (sum(Object.values(parsed.data[field])) <= 0)
      return { ok: false, error: `field "${field}": at least one number must be above 0` };
  return { ok: true, value: parametersOf(parsed.data) };
}

/** Whole names for a checked file; shares are scaled to add up to 1. */
export function parametersOf(file: ParameterFile): SimulationParameters {
  const steps = sum(file.stepWeights4to8);
  return {
    stepShares: file.stepWeights4to8.map((weight) => weight / steps),
    faultShares: { model: sharesOf(file.faultModel), tool: sharesOf(file.faultTool) },
    incident: {
      providerRate: file.providerIncidentRate,
      toolRate: file.toolIncidentRate,
      extraModelFault: file.dp,
      extraToolFault: file.dt,
      alternateShare: file.lam,
      unavailableShare: file.omega,
      wrongOutput: file.incsem,
    },
    afterTransientFactor: file.rho,
    stickiness: file.sticky,
    isStickyOnAlternates: file.stickAlt === 1,
    penalty: {
      byCriticality: [file.penlow, file.penmed, file.penhigh],
      cheapModelFactor: file.kcheap,
      toolFactor: file.ktool,
      compressed: file.cpen,
    },
    billed: { transient: file.cntF, sticky: file.cnt4, withoutRetry: file.cntNR },
    latency: {
      timeoutFactor: file.latT3,
      transientFactor: file.latF,
      stickyFactor: file.latS,
      reconcileSeconds: file.reclat,
      verifySeconds: file.vlat,
      fixedDelaySeconds: file.fixdelay,
      retryAfterSeconds: file.retryafter,
    },
    committedShare: file.commit,
    detectionFactor: {
      noRetry: file.cdet0,
      fixedRetry: file.cdet1,
      retryOnly: file.cdet2,
      degradeOnly: file.cdet3,
      hfr: 1,
    },
    falseRejectFactor: {
      noRetry: file.cfr0,
      fixedRetry: file.cfr1,
      retryOnly: file.cfr2,
      degradeOnly: file.cfr3,
      hfr: file.hfrfr,
    },
    escalation: {
      permanent: [file.esc7l, file.esc7m, file.esc7h],
      refusal: [file.esc8l, file.esc8m, file.esc8h],
      exhaustedHigh: file.escE,
      afterLastTry: file.v1esc,
    },
    rules: {
      doesDegradePermanent: file.degT7 === 1,
      doesVerifyDegraded: file.degV === 1,
      degradeOnlyTiers: file.degLevels,
      isCompressionDegradation: file.t6deg === 1,
      doesRetryOnlyRetryOverflow: file.retryT6 === 1,
      hfrSemanticRetries: file.hfrV1,
      doesDegradingResetRetries: file.degResets === 1,
      retryOnlySemanticRetries: file.rV1,
      hasHighLastTry: file.l2high === 1,
    },
  };
}

const CODES: Readonly<Record<string, number>> = { T1, T2, T3, T4, T5, T6, T7, T8 };

function sharesOf(shares: Readonly<Record<string, number>>): Float64Array {
  const total = sum(Object.values(shares));
  const byCode = new Float64Array(OUTCOME_COUNT);
  for (const [name, value] of Object.entries(shares)) byCode[CODES[name] ?? 0] = value / total;
  return byCode;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
