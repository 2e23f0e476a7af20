// Every constant of the balanced and fast scheduler in one typed object, with the symbol of scheduler-study 6.2, unit, range and
// default. Presets are data. Formulas must not hold numbers of their own. Sources: scheduler-study 6.2, 7, 8.
import * as z from 'zod';

const share = z.number().min(0).max(1);
const weight = z.number().min(0).max(1e6);
const positive = z.number().positive().max(1e6);
/** Milliseconds, up to ten years: longer is as good as never. */
const duration = z.number().positive().max(3.2e11);

const tier = z.object({
  mu: share.describe('μ_tier: expected quality before anything is seen.'),
  totalMs: duration.describe('Median latency before anything is seen, ms.'),
  price: weight.describe('Price where none is known, relative to the reference.'),
});

export const schedulerConstantsSchema = z.object({
  // P(down) filter over failure sources
  p0: share.default(0.005).describe('p0: chance that an own, region or vendor source is down, at rest.'),
  p0Backbone: share.default(0.0025).describe('p0 of a backbone.'),
  delta: share.default(0.97).describe('δ: chance that a call through a source that is down fails.'),
  beliefHalfLifeMs: duration.default(180_000).describe('Half-life of p_d towards p0, ms.'),
  hangWeight: share
    .default(0.6)
    .describe('w of an attempt that was cut off while silent and overdue; a hard failure has 1.'),
  hangCutTimers: positive
    .default(1)
    .describe('A cut attempt counts as hung when it was silent for so many of its own first-token timers.'),
  hangBaseWeight: share
    .default(0)
    .describe('w of the same for f. The study has .6, but most silent attempts that are cut are slow, not lost.'),
  firstTokenWeight: share
    .default(1)
    .describe('w of the success evidence in a cancelled attempt that had begun to answer.'),
  pMin: share.default(1e-4).describe('Least p_d.'),
  pMax: share.default(0.995).describe('Greatest p_d.'),
  // base failure rate
  f0: share.default(0.05).describe('f: chance that a call fails though no source is down, at the start.'),
  fGain: share.default(0.005).describe('Gain of f: f ← f·(1−.005) on success, f ← f+.005·w·(1−f)·Π(1−p_d) on failure.'),
  fMin: share.default(1e-4).describe('Least f: nothing is perfect.'),
  // tiers and forgetting
  tiers: z
    .object({ S: tier, M: tier, L: tier, unknown: tier })
    .default({
      S: { mu: 0.6, totalMs: 2000, price: 0.1 },
      M: { mu: 0.75, totalMs: 3500, price: 0.33 },
      L: { mu: 0.85, totalMs: 6000, price: 1 },
      unknown: { mu: 0.7, totalMs: 3500, price: 1 },
    })
    .describe('Priors by tier.'),
  longHalfLifeMs: duration
    .default(1_209_600_000)
    .describe('Half-life of f, quality and long-run latency towards their priors, ms (14 days): an old profile fades.'),
  // quality
  qualityMass: positive.default(6).describe('Weight of the quality prior, in observations.'),
  qualityHalfLife: positive.default(300).describe('Half-life of quality counts, in observations.'),
  ucb: weight.default(0.2).describe('Optimism: min(1, μ + .2·σ).'),
  evidence: z
    .object({ verifier: share, acceptance: share, schema: share, 'semantic-fault': share, judge: share })
    .default({ verifier: 1, acceptance: 1, schema: 0.25, 'semantic-fault': 1, judge: 0.5 })
    .describe('Weight of one judgement by where it comes from.'),
  // latency
  latencyVariance: positive.default(0.36).describe('s² of ln(ms) at the start.'),
  firstTokenShare: share.default(0.25).describe('First token at the start, as a share of the tier latency.'),
  latencyGain: share.default(0.01).describe('Least gain of m and s²; the gain is max(1/n, .01).'),
  meanClip: positive.default(2).describe('Residuals move m by at most so many s.'),
  varianceClip: positive.default(2.5).describe('Residuals move s² by at most so many s, squared.'),
  varianceMin: positive.default(0.04).describe('Least s².'),
  varianceMax: positive.default(1).describe('Greatest s².'),
  fastGain: share.default(0.2).describe('Gain of x: x ← x + .2·(ln L − m − x).'),
  fastHalfLifeMs: duration.default(180_000).describe('Half-life of x towards 0, ms.'),
  fastFloor: z.number().min(-10).max(0).default(-0.5).describe("x' = max(x, −.5): being fast now is believed less."),
  fastCap: positive.default(4).describe('Greatest |x|.'),
  meanFactor: positive.default(1.15).describe("T = 1.15·exp(m + x' + s²/2): output length and slow events."),
  latencyCapMs: duration.default(60_000).describe('T counts up to so many ms.'),
  censorSd: weight.default(0.5).describe('A cancelled attempt teaches x when ln e > m + x + .5·s.'),
  censorLead: weight.default(0.25).describe('... and then as if it had ended at ln e + .25.'),
  decodeGain: share.default(0.05).describe('Least gain of the decode norm.'),
  decodeLeast: positive.default(3).describe('Answers after which the decode norm is trusted.'),
  decodeLeastTokens: positive.default(16).describe('Output tokens from which an answer tells a decode speed.'),
  // index
  ct: weight.default(0.01).describe('c_t: value of one second.'),
  cc: weight.default(0.02).describe('c_c: value of one reference call price.'),
  cf: weight.default(0.05).describe('c_f: value of a failure, beside the time until it is seen.'),
  ca: weight
    .default(0.03)
    .describe('c_a: value of a prompt that is wholly in the cache, beside its discount (affinity).'),
  availabilityFloor: positive.default(0.002).describe('Least a in (1−a)/a.'),
  detectShare: share.default(0.5).describe('det = .5·min(20 s, first-token timer) + .5 s.'),
  detectCapMs: duration.default(20_000).describe('Cap in det, ms.'),
  detectAddMs: weight.default(500).describe('Addend of det, ms.'),
  referenceInputUsdPerMTok: positive.default(3).describe('Input price that counts as 1, USD per million tokens.'),
  referenceOutputUsdPerMTok: positive.default(15).describe('Output price that counts as 1, USD per million tokens.'),
  referencePromptTokens: positive.default(3000).describe('Prompt of a call whose size is not told, tokens.'),
  referenceOutputTokens: positive.default(600).describe('Answer of a call whose size is not told, tokens.'),
  worstOutputTokens: positive
    .default(4096)
    .describe(
      'Longest answer, where the request sets no limit: what the worst case of an attempt is priced with, tokens.',
    ),
  priceCap: positive.default(100).describe('Greatest relative price.'),
  // start set
  startThreshold: share.default(0.8).describe('Start more until 1 − P(all fail) reaches this.'),
  minStart: z.int().min(1).max(8).default(1).describe('Started at once at least, where the pool has so many.'),
  maxStart: z.int().min(1).max(8).default(3).describe('Started at once at most.'),
  // hedges
  firstTokenSd: weight.default(2.33).describe("First-token timer exp(tm + x' + 2.33·ts)."),
  firstTokenMinMs: duration.default(300).describe('Least first-token timer, ms.'),
  firstTokenMaxMs: duration.default(20_000).describe('Greatest first-token timer, ms.'),
  totalSd: weight.default(2.045).describe("Total timer exp(m + x' + 2.045·s)."),
  totalMaxMs: duration.default(30_000).describe('Greatest total timer, ms.'),
  decodeFactor: positive.default(3).describe('Decoding is slow at so many times the own norm.'),
  decodeAfterMs: duration.default(1500).describe('Seen so many ms after the first token.'),
  ctH: weight.default(0.02).describe('c_tH: value of one second for a call that is late already.'),
  isHedgeCapped: z.boolean().default(true).describe('Whether hedges are paid from the bucket.'),
  bucketSize: positive.default(10).describe('Greatest number of hedges saved up.'),
  bucketRefill: weight.default(0.15).describe('Hedges gained per logical call.'),
  bucketPatience: positive
    .default(2)
    .describe('With an empty bucket: again at so many times the elapsed time, then free.'),
  maxLive: z.int().min(1).max(8).default(3).describe('Attempts of a call that run and are not overdue, at most.'),
  maxRunning: z.int().min(1).max(8).default(5).describe('Attempts of a call that run, overdue ones counted, at most.'),
  callLimitMs: duration.default(120_000).describe('No attempt is started so long after the call began, ms.'),
  // acceptance
  cw: positive.default(0.01).describe('c_w: price of one second of holding a usable answer.'),
  residualFactor: positive.default(2).describe('Wait up to 2·r + .2 s, r the median residual life of the better one.'),
  residualAddMs: weight.default(200).describe('Addend of the wait, ms.'),
  survivalMin: share.default(0.05).describe('One that should have ended with chance .95 is not waited for.'),
  holdMaxMs: duration.default(8000).describe('A usable answer is held so long in all, at most (goal G10), ms.'),
  // pings
  pingBelow: share.default(0.7).describe('Pinged where Π(1−p_d) is below this.'),
  pingFastAbove: z.number().min(0).max(10).default(1).describe('... or x is above this.'),
  pingEveryMs: duration.default(10_000).describe('Period of pings, ms.'),
  pingJitter: share.default(0.2).describe('The period is spread by ± this share.'),
  pingTimeoutMs: duration.default(5000).describe('A ping without an answer for so long has failed, ms.'),
  pingGain: share.default(0.5).describe('x ← x + .5·(ln ttft − tm − x) after a ping.'),
  pingNearMs: duration.default(120_000).describe('Pings are sent so long after the user was last active, ms.'),
  pingUsdPerHour: weight.default(0.05).describe('Pings cost at most so much in an hour, USD.'),
  // deadline
  lastCallFactor: positive.default(1.2).describe('Last call at D − 1.2·min q95.'),
  finalCallFactor: positive.default(0.6).describe('... and at D − .6·min q95.'),
  lastCallShare: share.default(0.3).describe('Not before .3·D.'),
  lastCallSd: weight.default(1.645).describe("q95 = exp(m + x' + 1.645·s)."),
  lastCallBase: share.default(0.5).describe('Picks max P(ok)·P(L < rest)·(.5 + .5·μ).'),
  // calibration
  calibrationHalfLife: positive.default(5000).describe('Half-life of calibration sums, in promises.'),
});

/**
 * What a person changes of them (`belay.advanced.scheduler.balanced`): every constant is optional and has no default of its own, so
 * that a preset's value holds where nothing is set.
 */
export const schedulerChangesSchema: z.ZodType<Partial<SchedulerConstants>, Partial<SchedulerConstants>> = z.object(
  Object.fromEntries(Object.entries(schedulerConstantsSchema.shape).map(([name, field]) => [name, changeOf(field)])),
);

function changeOf(field: z.ZodDefault): z.ZodType {
  const { description = '' } = field;
  return z
    .optional(field.unwrap() as z.ZodType)
    .describe(`${description} Default: ${JSON.stringify(field.parse(undefined))}.`);
}

/** Every constant, all present. */
export type SchedulerConstants = Readonly<z.infer<typeof schedulerConstantsSchema>>;

/** The study's defaults: mode `balanced`. */
export const balancedConstants: SchedulerConstants = Object.freeze(schedulerConstantsSchema.parse({}));

/**
 * What each preset changes of the defaults (study 6.2, Presets). `fast` also hedges earlier: where the best candidate is more
 * available than .90 the threshold alone starts one call, and the tail stays. In a rough rebuild of the study's
 * environment without queues (dynamic seeds 1-2, random 1-6; `belay world` has the last word):
 * p99 15.3 and 18.0 s at 1.81 and 1.75 full calls, with the threshold alone 16.5 and 18.7 s at 1.64 and 1.60.
 */
export const presetChanges = {
  balanced: {},
  fast: { startThreshold: 0.9, isHedgeCapped: false, firstTokenSd: 1.5, totalSd: 1.6 },
  qualityFirst: { ctH: 0.01 },
  latencyFirst: { ct: 0.03, cw: 0.03, ctH: 0.04 },
  costFirst: { cc: 0.1 },
} as const satisfies Record<string, Partial<SchedulerConstants>>;

export type PresetName = keyof typeof presetChanges;

/** The constants of a preset with a user's own values over it; throws where a value is out of its range (a bug or a bad setting). */
export function constantsOf(preset: PresetName, changes: Partial<SchedulerConstants> = {}): SchedulerConstants {
  return Object.freeze(schedulerConstantsSchema.parse({ ...presetChanges[preset], ...changes }));
}

/** The study's own spelling -> our name, where they differ (CONTRACTS, plan: constants by their names there). */
export const constantSymbols: Readonly<Record<string, keyof SchedulerConstants>> = {
  δ: 'delta',
  p_0: 'p0',
  c_t: 'ct',
  c_c: 'cc',
  c_f: 'cf',
  c_a: 'ca',
  c_tH: 'ctH',
  c_w: 'cw',
  w: 'hangWeight',
  f: 'f0',
  λ: 'ucb',
};
