// Reads a stream to its end, where the end may be missing: once the provider has said why it stopped, the answer is
// complete, and neither a broken connection nor silence takes that back.

/** When a stream counts as complete, and what then happens. */
export interface FinishRules {
  /** The provider has said why it stopped. */
  readonly hasFinished: () => boolean;
  /** Whether the error is a broken connection, not something that the provider said. */
  readonly isBreak: (error: unknown) => boolean;
  /** How long after that more may come (usage, the end mark), in ms. */
  readonly graceMs: number;
  /** Called when the grace is over and the source still has a read open. */
  readonly giveUp: () => void;
  /** Called before a source is closed that has not come to its end. */
  readonly leave?: () => void;
}

const OVER = Symbol('over');

/** The items of `source`; ends early by the rules, and throws what the source throws before the finish. */
export async function* untilFinished<T>(source: AsyncIterable<T>, rules: FinishRules): AsyncGenerator<T, void, void> {
  const items = source[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  let grace: Promise<typeof OVER> | null = null;
  let isReading = false;
  let isDone = false;
  try {
    for (;;) {
      const next = items.next();
      isReading = true;
      if (rules.hasFinished()) {
        grace ??= new Promise((resolve) => {
          timer = setTimeout(resolve, rules.graceMs, OVER);
        });
      }
      const result = grace ? await Promise.race([next, grace]) : await next;
      if (result === OVER) {
        // What becomes of the open read does not matter any more.
        next.catch(() => undefined);
        rules.giveUp();
        return;
      }
      isReading = false;
      isDone = result.done === true;
      if (result.done === true) return;
      yield result.value;
    }
  } catch (error) {
    if (!rules.hasFinished() || !rules.isBreak(error)) throw error;
  } finally {
    clearTimeout(timer);
    if (!isReading && !isDone) rules.leave?.();
    if (!isReading) await items.return?.();
  }
}
