// Runs the steps of a dialogue over a draft that grows from one to the next: forward, back (answers are kept and offered
// again), to a step by name, or away.
// Nothing is written while it runs, so leaving leaves nothing behind. Knows nothing of what the steps ask.

/** How a step ended. */
export type StepResult<D, N extends string> =
  | { readonly go: 'next'; readonly draft: D }
  /** On, and nothing was asked: going back passes over it. */
  | { readonly go: 'passed'; readonly draft: D }
  /** To another step, whose answer is to be changed. */
  | { readonly go: 'to'; readonly step: N; readonly draft: D }
  | { readonly go: 'back' }
  | { readonly go: 'away' };

/** Where in the dialogue a step stands, for its title. */
export interface Place {
  /** From 1. */
  readonly step: number;
  readonly totalSteps: number;
  readonly canGoBack: boolean;
}

/** One question. */
export interface Step<D, N extends string> {
  readonly name: N;
  /** Whether it is asked for this draft. */
  readonly isNeeded: (draft: D) => boolean;
  readonly run: (draft: D, place: Place) => Promise<StepResult<D, N>>;
}

/** The draft after the last step; null: the person left. */
export async function runSteps<D, N extends string>(steps: readonly Step<D, N>[], initial: D): Promise<D | null> {
  const asked: Step<D, N>[] = [];
  let draft = initial;
  let step = nextStep(steps, undefined, draft);
  while (step) {
    const place = placeOf(steps, step, { draft, canGoBack: asked.length > 0 });
    const result = await step.run(draft, place);
    if (result.go === 'away') return null;
    if (result.go === 'back') {
      // The draft stays: what was answered is offered again.
      step = asked.pop() ?? step;
      continue;
    }
    if (result.go === 'next') asked.push(step);
    draft = result.draft;
    if (result.go === 'to') {
      const { step: wanted } = result;
      const at = asked.findIndex(({ name }) => name === wanted);
      if (at !== -1) asked.length = at;
      step = steps.find(({ name }) => name === wanted);
      continue;
    }
    step = nextStep(steps, step, draft);
  }
  return draft;
}

function nextStep<D, N extends string>(
  steps: readonly Step<D, N>[],
  after: Step<D, N> | undefined,
  draft: D,
): Step<D, N> | undefined {
  const from = after === undefined ? 0 : steps.indexOf(after) + 1;
  return steps.slice(from).find(({ isNeeded }) => isNeeded(draft));
}

function placeOf<D, N extends string>(
  steps: readonly Step<D, N>[],
  current: Step<D, N>,
  { draft, canGoBack }: { readonly draft: D; readonly canGoBack: boolean },
): Place {
  const needed = steps.filter((step) => step === current || step.isNeeded(draft));
  return { step: needed.indexOf(current) + 1, totalSteps: needed.length, canGoBack };
}
