// `belay plan` in the modes balanced and fast: a document of candidates with what was learned of them, through the same decision that
// a call gets. What `belay plan --export` prints is such a document.
import * as z from 'zod';
import {
  constantsOf,
  constantSymbols,
  schedulerConstantsSchema,
  type SchedulerConstants,
} from '../core/scheduler/balanced/constants.ts';
import { explainPlan } from '../core/scheduler/balanced/explain.ts';
import { planBalanced } from '../core/scheduler/balanced/planBalanced.ts';
import { poolOf } from '../core/scheduler/balanced/pool.ts';
import { usualCall } from '../core/scheduler/balanced/pricing.ts';
import { rankedOf } from '../core/scheduler/balanced/rankedRow.ts';
import { candidateFactsSchema } from '../core/scheduler/balanced/savedFacts.ts';
import { candidateBeliefSchema, emptyState, sourceBeliefSchema } from '../core/scheduler/balanced/savedState.ts';
import type { SchedulerState } from '../core/scheduler/balanced/types.ts';

const candidateSchema = z.object({ id: z.string().min(1), belief: candidateBeliefSchema.nullish() }).loose();

const documentSchema = z.object({
  mode: z.enum(['balanced', 'fast']),
  /** Constants by their names in the study (6.2) or in the settings. */
  params: z.record(z.string(), z.unknown()).default({}),
  role: z.string().default('chat'),
  /** Caps how many start at once; absent: nothing does. */
  criticality: z.enum(['low', 'medium', 'high']).optional(),
  /** Moment of the decision, ms; absent: the latest of the beliefs. */
  nowMs: z.number().optional(),
  promptTokens: z.number().min(0).optional(),
  outputTokens: z.number().min(0).optional(),
  sources: z.record(z.string(), sourceBeliefSchema).default({}),
  candidates: z.array(candidateSchema.transform(({ belief, ...rest }) => ({ belief: belief ?? null, rest }))),
});

type Planned =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly errors: readonly string[] };

/** Plans a document; the errors name what is wrong with it. */
export function planBalancedDocument(document: unknown): Planned {
  const parsed = documentSchema.safeParse(document);
  if (!parsed.success) return { ok: false, errors: issuesOf(parsed.error, '') };
  const { mode, params, role, sources, candidates, promptTokens, outputTokens, criticality } = parsed.data;
  const constants = constantsFrom(mode, params);
  if (!constants.ok) return constants;
  const facts = candidates.map(({ rest }) => candidateFactsSchema.safeParse(rest));
  const errors = facts.flatMap((each, index) => (each.success ? [] : issuesOf(each.error, `candidates.${index}.`)));
  if (errors.length > 0) return { ok: false, errors };
  const known = facts.flatMap((each) => each.data ?? []);
  const beliefs = known.flatMap(({ id }, index) => {
    const belief = candidates[index]?.belief;
    return belief ? [[id, belief] as const] : [];
  });
  const times = [...Object.values(sources), ...beliefs.map(([, belief]) => belief)].map(({ atMs }) => atMs);
  const nowMs = parsed.data.nowMs ?? Math.max(0, ...times);
  const state: SchedulerState = { ...emptyState, atMs: nowMs, sources, candidates: Object.fromEntries(beliefs) };
  const pool = poolOf(known, constants.value);
  const usual = usualCall(pool);
  const call = {
    ...usual,
    promptTokens: promptTokens ?? usual.promptTokens,
    outputTokens: outputTokens ?? usual.outputTokens,
  };
  return {
    ok: true,
    text: JSON.stringify(
      answerOf(planBalanced(state, { pool, role, nowMs, call, ...(criticality ? { criticality } : {}) })),
    ),
  };
}

function answerOf(plan: ReturnType<typeof planBalanced>): Readonly<Record<string, unknown>> {
  const { ranking, why } = explainPlan(plan);
  const byId = <T>(value: (row: (typeof ranking)[number]) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(ranking.map((row) => [row.id, value(row)]));
  return {
    ranking: ranking.map(rankedOf),
    hedgeSet: plan.startIds,
    failureProbability: plan.jointFailure,
    targetReached: plan.isReached,
    index: byId(({ index }) => index),
    availability: byId(({ availability }) => availability),
    start: plan.startIds,
    promisedSuccess: plan.promisedSuccess,
    independentSuccess: 1 - plan.independentFailure,
    hedgeTimers: byId(({ position }) => plan.timers(position)),
    why,
  };
}

function constantsFrom(
  mode: 'balanced' | 'fast',
  params: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly value: SchedulerConstants }
  | { readonly ok: false; readonly errors: readonly string[] } {
  const { shape } = schedulerConstantsSchema;
  const errors: string[] = [];
  const changes: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(params)) {
    const name = constantSymbols[given] ?? given;
    if (!isConstant(name)) {
      errors.push(`params.${given}: is no constant of the balanced scheduler`);
      continue;
    }
    const parsed = shape[name].safeParse(value);
    if (parsed.success) changes[name] = parsed.data;
    else errors.push(...issuesOf(parsed.error, `params.${given}`));
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: constantsOf(mode, changes) };
}

function isConstant(name: string): name is keyof SchedulerConstants {
  return Object.hasOwn(schedulerConstantsSchema.shape, name);
}

function issuesOf(error: z.ZodError, prefix: string): readonly string[] {
  return error.issues.slice(0, 10).map((issue) => {
    const path = `${prefix}${issue.path.map(String).join('.')}`;
    return `${path === '' ? 'document' : path}: ${issue.message}`;
  });
}
