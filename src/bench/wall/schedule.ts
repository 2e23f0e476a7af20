// Which fault meets which request: a list for each script step, for the 1st, 2nd, ... model request that reaches the wall for it,
// whichever server receives it. So a schedule does not depend on timing or ranking. It is plain data: export it, give it back.
import * as z from 'zod';
import { shuffle } from './draw.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import { LONG_CONTEXT_STEPS, MAIN_STEPS, SIDE_STEP } from './script/steps.ts';

export type ScheduleLevel = 'none' | 'default' | 'storm';

const scheduleSchema = z.object({
  version: z.literal(1),
  seed: z.number().int(),
  level: z.enum(['none', 'default', 'storm']),
  /** Multiplies every region's loss probability; 0 loses nothing. */
  lossScale: z.number().min(0).max(1),
  /** A step under `context-overflow` admits requests of at most this share (0-1) of the first size it has seen. */
  overflowShare: z.number().gt(0).lt(1),
  /** For each step, the fault of its 1st, 2nd, ... request; `null` and requests beyond the list are served well. */
  steps: z.record(z.string(), z.array(z.enum(FAULT_KINDS).nullable())),
});

/** The exported form of a schedule. */
export type WallSchedule = z.infer<typeof scheduleSchema>;

/** Faults in a row at one step: six servers and a budget of a few re-executions can always get past them. */
export const MOST_IN_A_ROW = 2;

/** Kinds that may strike at any main step. */
const ANYWHERE: readonly FaultKind[] = FAULT_KINDS.filter((kind) => kind !== 'context-overflow' && kind !== 'refusal');

/**
 * The schedule of a seed. `default`: each kind once, each as the first request of a step of its own, so every run meets all of them.
 * `storm`: two in a row at every main step (each kind at least twice), one at the steps of a second edit, and lost requests.
 * `none`: nothing but the refusal, which is the model's own answer to the side step and not a fault of the service.
 */
export function makeSchedule(seed: number, level: ScheduleLevel): WallSchedule {
  const base = { version: 1 as const, seed, level, lossScale: level === 'storm' ? 1 : 0, overflowShare: 0.75 };
  if (level === 'none') return { ...base, steps: { [SIDE_STEP]: ['refusal'] } };

  const overflowStep = shuffle(LONG_CONTEXT_STEPS, seed, 'overflow-step')[0] ?? 'search';
  const others = MAIN_STEPS.filter((step) => step !== overflowStep);
  const first = padded(shuffle(ANYWHERE, seed, 'first'), others.length, level);
  const steps: Record<string, (FaultKind | null)[]> = {
    [overflowStep]: ['context-overflow'],
    [SIDE_STEP]: ['refusal'],
  };
  shuffle(others, seed, 'steps').forEach((step, i) => (steps[step] = [first[i] ?? null]));
  if (level === 'storm') addSecondRow(steps, seed);
  return { ...base, steps };
}

/** Reads an exported schedule; throws an Error that names the field that is wrong. */
export function parseSchedule(exported: unknown): WallSchedule {
  const parsed = scheduleSchema.safeParse(exported);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(
    `fault schedule: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a schedule'}; export it again with the drill`,
  );
}

/** As many as there are steps: a storm repeats kinds, the default level leaves the rest of the steps alone. */
function padded(kinds: readonly FaultKind[], length: number, level: ScheduleLevel): readonly (FaultKind | null)[] {
  return Array.from({ length }, (_, i) => kinds[i] ?? (level === 'storm' ? (kinds[i % kinds.length] ?? null) : null));
}

function addSecondRow(steps: Record<string, (FaultKind | null)[]>, seed: number): void {
  const second = shuffle(ANYWHERE, seed, 'second');
  MAIN_STEPS.forEach((step, i) => steps[step]?.push(second[i % second.length] ?? null));
  steps['edit-2'] = [shuffle(ANYWHERE, seed, 'edit-2')[0] ?? null];
  steps['verify-2'] = [shuffle(ANYWHERE, seed, 'verify-2')[0] ?? null];
}
