// The part of `belay.advanced` that decides how a failure is answered: preset, ladder permissions, check levels (HFR 5.2).
// Defaults are those printed there; what a preset changes beside them is core/recovery/presets.ts.
import * as z from 'zod';

const rung = z.enum(['L1', 'L2', 'L3', 'L4']);
const check = z.enum(['V0', 'V1', 'V2', 'V3']);

/** `belay.advanced.recovery`. */
export const recoverySchema = z.object({
  preset: z
    .enum(['document', 'plus'])
    .default('document')
    .describe(
      'document: decisions and budgets as printed in the HFR document. plus: larger budgets, retries at the substitute, one repair of a refused input, and every end is put before a person.',
    ),
});

/** `belay.advanced.degradation`: who may go how far down the ladder without being asked, and where a person must agree. */
export const degradationSchema = z.object({
  allowAutoDegrade: z
    .object({
      low: z.array(rung).default(['L1', 'L2', 'L3', 'L4']),
      medium: z.array(rung).default(['L1', 'L2', 'L3']),
      high: z.array(rung).default(['L1', 'L2']),
    })
    .prefault({})
    .describe('Rungs that are taken without asking, by criticality.'),
  requireHumanFor: z
    .object({
      low: z.array(rung).default([]),
      medium: z.array(rung).default(['L4']),
      high: z.array(rung).default(['L3', 'L4']),
      irreversible: z.array(rung).default(['L2', 'L3', 'L4']),
    })
    .prefault({})
    .describe(
      'Rungs that a person must agree to, by criticality and for irreversible actions (R3). Wins over the above.',
    ),
});

/** `belay.advanced.verification`: the least check of an accepted result, by criticality. */
export const verificationSchema = z.object({
  levels: z
    .object({ low: check.default('V1'), medium: check.default('V2'), high: check.default('V2') })
    .prefault({})
    .describe('V0 transport, V1 deterministic, V2 semantic, V3 a person.'),
  isFound: z
    .boolean()
    .default(true)
    .describe('Look for the checks of the workspace (tests, type checker, linter) and run them; false: never.'),
  commands: z
    .array(z.string().min(1).max(2000))
    .max(10)
    .default([])
    .describe('Commands that are run as checks instead of those found in the workspace.'),
  timeoutMs: z
    .number()
    .positive()
    .max(3_600_000)
    .default(300_000)
    .describe('All checks of one result together may take so many ms.'),
  humanSpotCheckRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe(
      'Share of the tasks accepted without a person whose result is put before one, to see how good the checks are. Nobody is drawn where nobody can be asked. 0: never.',
    ),
});

/** The two sets of constants a person can choose from. */
export type Preset = z.infer<typeof recoverySchema>['preset'];

export type DegradationSettings = z.infer<typeof degradationSchema>;
export type VerificationSettings = z.infer<typeof verificationSchema>;

/** `belay.advanced.retry` as far as a preset fills it in where nothing is set. */
interface PresetRetry {
  readonly maxAttemptsPerStep: number;
  readonly maxRetriesPerTask: number;
  readonly sameFaultLimit: number;
}

/**
 * Of HFR 5.2 (1 + 3, 10) and of the study's Z3 (1 + 8, 20). K is not printed: 3 in `document`; in `plus` the step's budget is
 * the bound, as in the study.
 */
export const presetRetry: Readonly<Record<Preset, PresetRetry>> = {
  document: { maxAttemptsPerStep: 4, maxRetriesPerTask: 10, sameFaultLimit: 3 },
  plus: { maxAttemptsPerStep: 9, maxRetriesPerTask: 20, sameFaultLimit: 8 },
};
