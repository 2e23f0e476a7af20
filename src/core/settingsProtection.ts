// The part of `belay.advanced` that keeps a failing provider, tool or tenant from pulling others down: breakers, bulkheads,
// budgets of money, and the tolerances that are watched (HFR 3.4, 4.7, 5.2). Defaults are those printed there; others are said to be ours.
import * as z from 'zod';

const duration = z.number().positive().max(604_800_000);
const share = z.number().min(0).max(1);
const places = z.int().min(2);

/** `belay.advanced.breaker`. */
export const breakerSchema = z.object({
  isEnabled: z.boolean().default(true).describe('false: nothing is ever closed off; figures are counted all the same.'),
  errorRateThreshold: share.default(0.5).describe('θe: opens above this share of failures (posterior mean).'),
  rateLimitThreshold: share.default(0.4).describe('θr: opens above this share of 429 answers. Not in the document.'),
  p95LimitMs: duration
    .default(45_000)
    .describe('θl: opens when 95 % of first tokens take longer. Not in the document.'),
  consecutiveFailures: z.int().min(1).max(50).default(5).describe('K: opens after so many failures in a row.'),
  cooldownMs: duration.default(30_000).describe('Closed to traffic for so long the first time.'),
  cooldownFactor: z
    .number()
    .min(1)
    .max(10)
    .default(2)
    .describe('Each failed probe or relapse multiplies the cooldown.'),
  maxCooldownMs: duration
    .default(600_000)
    .describe('Longest cooldown; what a provider asks for may be longer, up to maxAskedMs.'),
  maxAskedMs: duration
    .default(3_600_000)
    .describe('A provider that asks for more time (Retry-After) is probed after so long all the same.'),
  cooldownJitter: share.default(0.2).describe('The cooldown varies by this share up and down.'),
  halfOpenProbes: z.int().min(1).max(16).default(2).describe('Probes at the same time, over all windows together.'),
  probeTimeoutMs: duration
    .max(3_000_000)
    .default(15_000)
    .describe('A probe without any answer for so long has failed.'),
  halfLifeMs: duration.default(300_000).describe('What was counted weighs half after so many ms.'),
  priorFailures: z
    .number()
    .min(0)
    .default(0.2)
    .describe('Beta prior of both rates: failures. 0.2 of 4 is a share of 5 %.'),
  priorRequests: z
    .number()
    .positive()
    .default(4)
    .describe(
      'Beta prior: attempts. With 0.2 of 4 the fourth failure in a row opens a breaker that knows nothing else.',
    ),
  leastLatencySamples: z.number().positive().default(8).describe('Fewer first tokens say nothing of the p95.'),
  brokenStreamWeight: z
    .number()
    .positive()
    .default(1.5)
    .describe('An answer that breaks off after its first content weighs so many failures: nothing can mend it.'),
  sharedCauseWeight: share
    .default(0.5)
    .describe("A model's own server error weighs so much for its provider: it may be the model alone."),
  waitMs: z
    .number()
    .min(0)
    .max(600_000)
    .default(5000)
    .describe(
      'A call whose candidates are all closed off waits so long for one before it fails. All that wait go in together when it closes, so with many callers a long wait makes it open again.',
    ),
  shareEveryMs: duration.default(1000).describe('Windows tell each other what they counted at most so often.'),
  forced: z
    .record(z.string().min(1), z.enum(['open', 'closed']))
    .default({})
    .describe(
      'Your own word, by target: provider:NAME/ACCOUNT, model:CANDIDATE, tool:NAME or tenant:NAME to open (never used) or closed (always used).',
    ),
});

/** `belay.advanced.bulkhead`. */
export const bulkheadSchema = z.object({
  isEnabled: z.boolean().default(true).describe('false: no limit on what runs at the same time.'),
  perProvider: places
    .default(1280)
    .describe('Attempts at the same time at one provider account. 1,000 streams fit beside the reserve.'),
  perTool: places.default(16).describe('Runs of one tool at the same time.'),
  perTenant: places.default(1280).describe('Attempts of one tenant at the same time.'),
  isAdaptive: z
    .boolean()
    .default(true)
    .describe('Fewer places at a provider that answers 429, overload or not at all, and more again as it answers.'),
  leastPlaces: places.default(4).describe('It never gets fewer; so many when its breaker closes again.'),
  lowerFactor: z.number().min(0.1).max(0.95).default(0.5).describe('An overload leaves so much of what was in use.'),
  forgetOverloadMs: duration.default(60_000).describe('All places again after so long without an overload.'),
  reservedShare: z.number().min(0).max(0.9).default(0.1).describe('Share of the places kept for high criticality.'),
  queueLength: z
    .int()
    .min(0)
    .default(256)
    .describe('Attempts that may wait for a place; of more the least important goes.'),
  waitLowMs: z.number().min(0).max(600_000).default(1000).describe('Longest wait for a place at low criticality.'),
  waitMediumMs: z.number().min(0).max(600_000).default(5000).describe('Longest wait at medium criticality.'),
  waitHighMs: z.number().min(0).max(600_000).default(10_000).describe('Longest wait at high criticality.'),
  agingMs: duration.default(2000).describe('Waiting so long counts like one class of criticality more.'),
});

/** `belay.advanced.constraints`. */
export const constraintsSchema = z.object({
  costBudgetUsd: z.number().min(0).default(0).describe('Bc: mean dollars per task above which is warned. 0: none.'),
  tailTolerance: share.default(0.05).describe('ε: share of tasks that may end after their deadline, HFR 3.4.'),
  leastTasks: z.int().min(1).default(20).describe('Cost and lateness are judged over so many tasks at least.'),
  duplicateTolerance: z
    .number()
    .min(0)
    .max(1000)
    .default(0)
    .describe('εd: effects that may happen twice, a task on average.'),
});

const limitUsd = z.number().min(0).max(1e9).default(0);

/** `belay.advanced.spending`. */
export const spendingSchema = z.object({
  perCallUsd: limitUsd.describe(
    'Dollars that one model call may cost, hedges and failovers included. 0: no limit. A hedge starts only where its worst case still fits; what is needed for an answer starts until the limit is spent. Attempts without a known price count nothing.',
  ),
  perTaskUsd: limitUsd.describe('The same for all model calls of one task. 0: no limit.'),
  perDayUsd: limitUsd.describe('The same for a day (UTC), over all windows, pings and probes included. 0: no limit.'),
});
