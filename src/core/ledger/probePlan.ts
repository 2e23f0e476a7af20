// Which probe fits a command: read from its words alone. A command gets a probe only if the probed effect is its whole
// lasting effect and its words are literal; everything else gets none, and its unknown results stay unknown.
import type { ProbeBaseline } from './entry.ts';
import { PROBES } from './probes.ts';
import { gitStep, isPlainGit } from './probes/git.ts';
import { HARMLESS } from './probes/harmless.ts';
import type { Scope } from './probes/probe.ts';
import type { Looking } from './probes/reading.ts';
import { stepsOf } from './probes/script.ts';
import type { PlannedCommand, Step } from './probes/script.ts';

/** What the engine does before the effect. */
export interface ProbePlan {
  readonly kind: string;
  /** What the words of the command say, in the shape of the kind. */
  readonly words: unknown;
  /** False where other parts, which change nothing, stand beside the probed one. */
  readonly isAlone: boolean;
  /** Whether the exit code of the command says how the probed part ended. */
  readonly decidesExit: boolean;
  /** Whether git is to mark the command's own commits (`commitTag`). */
  readonly isMarked: boolean;
  /** The folder the probed part runs in, as written; '' for the command's own. */
  readonly folder: string;
  /** Paths it names, as written. */
  readonly targets: readonly string[];
  before(scope: Scope): Looking<ProbeBaseline | null>;
}

/** The probe for a command, or null. */
export function probePlan(planned: PlannedCommand): ProbePlan | null {
  const steps = stepsOf(planned);
  if (!steps) return null;
  let plan: ProbePlan | null = null;
  let isStaged = false;
  for (const step of steps) {
    if (isHarmless(step)) continue;
    // Staging may be done again; it belongs to the commit that comes after it.
    if (isStaging(step) && plan === null) {
      isStaged = true;
      continue;
    }
    const own: ProbePlan | null = plan ? null : planOfStep(step, steps.length === 1);
    if (!own) return null;
    plan = own;
  }
  if (!plan || (isStaged && plan.kind !== 'git-commit')) return null;
  const asksGit = plan.kind.startsWith('git-') || plan.isMarked;
  return asksGit && !isPlainGit(planned.env) ? null : plan;
}

function planOfStep(step: Step, isAlone: boolean): ProbePlan | null {
  for (const probe of PROBES) {
    const planned = probe.plan(step);
    if (!planned) continue;
    const { kind, words, targets } = planned;
    const folder = kind.startsWith('git-') ? (gitStep(step)?.folder ?? '') : step.folder;
    const { isMarked } = probe;
    const { decidesExit } = step;
    return { kind, words, targets, isAlone, decidesExit, isMarked, folder, before: (scope) => planned.before(scope) };
  }
  return null;
}

/** Git commands that only show. */
const SHOWING = new Set(['status', 'log', 'diff', 'show', 'rev-parse', 'ls-files', 'describe']);

function isHarmless(step: Step): boolean {
  const [name] = step.words;
  if (step.output || name === undefined) return false;
  if (HARMLESS.has(name)) return name !== 'date' || step.words.length === 1 || step.words[1]?.startsWith('+') === true;
  const git = gitStep(step);
  return git !== null && SHOWING.has(git.command) && !git.rest.some((word) => word.startsWith('--output'));
}

function isStaging(step: Step): boolean {
  return step.output === null && gitStep(step)?.command === 'add';
}
