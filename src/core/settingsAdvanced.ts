// The one object `belay.advanced`: every constant of the scheduler, recovery, timers and limits by its symbol, with unit.
// Defaults are those printed in the HACO and HFR documents where they print one; otherwise the study's, as said beside it.
import * as z from 'zod';
import { schedulerChangesSchema } from './scheduler/balanced/constants.ts';
import { compressionSchema } from './settingsContext.ts';
import { breakerSchema, bulkheadSchema, constraintsSchema, spendingSchema } from './settingsProtection.ts';
import { degradationSchema, presetRetry, recoverySchema, verificationSchema } from './settingsRecovery.ts';
import { toolsSchema } from './settingsTools.ts';

const positive = z.number().positive();
/** Milliseconds, up to a week: longer is as good as never. */
const duration = z.number().positive().max(604_800_000);
const share = z.number().min(0).max(1);
const weight = z.number().min(0).max(1000);

const schedulerSchema = z.object({
  lambda: weight.default(1).describe('λ: exploration, U+ = min(1, mu + λ·sigma)·rho/D.'),
  gamma: weight.default(0.7).describe('γ: caution, R- = max(εR, mu - γ·sigma)·rho.'),
  eta: weight.default(0.23).describe('η: weight of latency, D = 1 + η·ln(1 + T/T0).'),
  kappa: weight.default(1).describe('κ: bandwidth jitter penalty, T = t_proc + k/max(εB, b - κ·j).'),
  epsB: positive
    .max(1e6)
    .default(0.05)
    .describe(
      'εB: least bandwidth, bytes per ms. The document prints none. What is measured is how fast answers are written, some 0.3 bytes per ms: a network’s least, 50, would hide every difference.',
    ),
  epsR: share.default(0.05).describe('εR: least lower bound.'),
  rhoCap: share.default(0.98).describe('ρcap: cap of R-.'),
  t0Ms: duration
    .nullable()
    .default(null)
    .describe('T0: latency that costs ln 2, ms. null: the median of T over the candidates of the call.'),
  tauLow: share.default(0.8).describe('τ for low criticality.'),
  tauMedium: share.default(0.9).describe('τ for medium criticality.'),
  tauHigh: share.default(0.95).describe('τ for high criticality.'),
  // B by scheduler-study 2.9 and 6.3: quality is learned from answers only.
  failedCallReading: z
    .enum(['A', 'B'])
    .default('B')
    .describe(
      'What a failed call says of quality in mode literal; the document leaves it open. A: it counts as q = 0. B: nothing, it lowers rho alone. B is the default: A counts a failure twice, and the best model loses its rank for good.',
    ),
  balanced: schedulerChangesSchema
    .prefault({})
    .describe('Constants of the modes balanced and fast; what is not set is as the mode has it.'),
});

const timersSchema = z.object({
  firstTokenMs: duration.default(60_000).describe('An attempt without any content after so many ms has failed (T3).'),
  idleMs: duration.default(30_000).describe('A stream silent for so many ms has failed.'),
  totalMs: duration.default(300_000).describe('Longest life of one attempt.'),
});

const retrySchema = z.object({
  baseDelayMs: duration.default(200).describe('d0 of full jitter, HFR 5.2.'),
  maxDelayMs: duration.default(2000).describe('dmax of full jitter.'),
  maxAttemptsPerStep: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Attempts of one logical action, the first included. Default: 4 (HFR 5.2: 1 + 3 retries); 9 in preset plus.',
    ),
  maxRetriesPerTask: z
    .int()
    .min(0)
    .optional()
    .describe('Bt: re-executions in one task. Default: 10; 20 in preset plus.'),
  maxRetriesPerTenantPerMinute: z
    .int()
    .min(0)
    .default(600)
    .describe('Btenant: re-executions of one tenant per minute.'),
  lastStepReserve: z.int().min(0).default(1).describe('Of Bt so many are kept for the last step, HFR 4.8.'),
  allocation: z
    .enum(['first-come', 'weighted'])
    .default('first-come')
    .describe(
      'first-come: each step may take up to Bs. weighted: also at most its share by w = c·ρ, as in HFR 4.8; not the default, since of a task of unknown length that leaves a step one re-execution.',
    ),
  expectedSteps: z
    .int()
    .min(1)
    .default(8)
    .describe('weighted: a task of unknown length is shared out as if it had so many steps.'),
  sameFaultLimit: z
    .int()
    .min(1)
    .optional()
    .describe('K: stop after so many equal faults without new evidence. Default: 3; 8 in preset plus.'),
});

const faultsSchema = z.object({
  opinionModel: z
    .string()
    .default('')
    .describe(
      'Model name or route of a light model that is asked about failures the rules find ambiguous. Empty: nobody is asked. It can only make a verdict more careful.',
    ),
});

const qualityFloorSchema = z.object({
  low: share.default(0.6),
  medium: share.default(0.8),
  high: share.default(0.92),
});

const limitsSchema = z.object({
  commandTimeoutMs: duration
    .default(120_000)
    .describe('A command is stopped after so many ms; what it did is then unknown.'),
  promptQuietMs: duration
    .default(10_000)
    .describe('A command that printed a question and was silent for so many ms is stopped: nobody can answer it.'),
  reconcileTimeoutMs: duration
    .default(15_000)
    .describe(
      'A probe that asks what became of an effect has so many ms; without an answer by then the effect stays unknown. HFR 5.2 prints 1,500, in which a push cannot be looked up over the network, nor git on a busy disk.',
    ),
  outputLimitBytes: z.int().min(1024).default(262_144).describe('Kept bytes of each output stream of a command.'),
  gatewayBodyBytes: z.int().min(1024).default(33_554_432).describe('Largest request body the gateway takes.'),
  holdPartsBytes: z
    .int()
    .min(1024)
    .default(262_144)
    .describe('Start-up events held back before the first content, at most so many bytes.'),
  eventWindow: z.int().min(10).default(2000).describe('Decision events kept in memory for the panel.'),
  agentMaxSteps: z.int().min(1).default(60).describe("Model calls Belay's own agent loop may make for one task."),
});

const ledgerSchema = z.object({
  keepDays: z
    .int()
    .min(1)
    .max(3650)
    .default(90)
    .describe('Days after its last change that a settled ledger entry is forgotten. What is open is never forgotten.'),
  keepEntries: z.int().min(100).default(200_000).describe('Settled ledger entries that are kept at most, the newest.'),
  keepEvents: z.int().min(1000).default(100_000).describe('Decision events that are kept at most, the newest.'),
});

/** `belay.advanced` as a person writes it. */
const valuesSchema = z.object({
  scheduler: schedulerSchema.prefault({}),
  timers: timersSchema.prefault({}),
  retry: retrySchema.prefault({}),
  recovery: recoverySchema.prefault({}),
  degradation: degradationSchema.prefault({}),
  verification: verificationSchema.prefault({}),
  compression: compressionSchema.prefault({}),
  faults: faultsSchema.prefault({}),
  breaker: breakerSchema.prefault({}),
  bulkhead: bulkheadSchema.prefault({}),
  constraints: constraintsSchema.prefault({}),
  spending: spendingSchema.prefault({}),
  qualityFloor: qualityFloorSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  ledger: ledgerSchema.prefault({}),
  tools: toolsSchema.prefault({}),
});

/** `belay.advanced` as it is used: what the preset brings is filled in where nothing is set. */
export const advancedSchema = valuesSchema.transform((values) => {
  const preset = presetRetry[values.recovery.preset];
  const { maxAttemptsPerStep, maxRetriesPerTask, sameFaultLimit, ...others } = values.retry;
  const retry = {
    ...others,
    maxAttemptsPerStep: maxAttemptsPerStep ?? preset.maxAttemptsPerStep,
    maxRetriesPerTask: maxRetriesPerTask ?? preset.maxRetriesPerTask,
    sameFaultLimit: sameFaultLimit ?? preset.sameFaultLimit,
  };
  return { ...values, retry };
});
