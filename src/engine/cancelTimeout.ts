// What Belay does with a provider's stream that does not end when it is told to: it waits for a moment, then goes on without it,
// so that no adapter can keep a call from its end or a place from the next one. It is told once for each provider.
import type { Candidate } from '../core/candidate.ts';
import type { EventIds } from '../core/context.ts';
import type { Emit } from './eventLog.ts';
import type { ClockPort } from './ports.ts';

/**
 * An adapter that heeds its signal ends in the same turn, or when its socket is closed; over an extension host that takes some
 * tens of ms. A call may end so much after its deadline, so it is not more.
 */
const CANCEL_WAIT_MS = 1000;

/** Which providers were told of, for one controller. */
export class CancelTimeouts {
  private readonly told = new Set<string>();

  /** Tells of a candidate whose stream went on, unless that was told before. */
  tell({ providerId }: Candidate, ids: EventIds, emit: Emit): void {
    if (this.told.has(providerId)) return;
    this.told.add(providerId);
    emit(ids, {
      type: 'notice',
      severity: 'warning',
      message: `${providerId} did not stop within ${CANCEL_WAIT_MS / 1000} s when it was told to (cancel-timeout); Belay went on without it.`,
      remedy: 'What it still writes may be billed. Update what serves it, or report it with the Belay log.',
    });
  }
}

export interface Cancellable<T> {
  readonly source: AsyncIterable<T>;
  /** Aborted: the source has to end. */
  readonly signal: AbortSignal;
  readonly clock: ClockPort;
  /** It did not end in time. */
  readonly onStuck: () => void;
}

/**
 * The items of `source`, until it ends, fails, or has not ended in time after the abort. Stopping to read is an abort too. What
 * goes wrong while the source is closed is nobody's: its items have come.
 */
export async function* untilCancelled<T>({ source, signal, clock, onStuck }: Cancellable<T>): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  const over = new AbortController();
  const state = { isTimed: false, isStuck: false, isEnded: false };
  let wake: () => void = () => undefined;
  const giveUp = (): void => {
    state.isStuck = true;
    wake();
  };
  const startTimer = (): void => {
    if (!state.isTimed) clock.sleep(CANCEL_WAIT_MS, over.signal).then(giveUp, () => undefined);
    state.isTimed = true;
  };
  /** Null: it took too long. A promise of its own each time, so that a long stream leaves nothing behind. */
  const orStuck = <R>(work: Promise<R>): Promise<R | null> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(null);
      work.then(resolve, reject);
      if (state.isStuck) resolve(null);
    });
  signal.addEventListener('abort', startTimer, { once: true });
  if (signal.aborted) startTimer();
  try {
    for (;;) {
      const next = await orStuck(iterator.next()).catch((cause: unknown) => {
        state.isEnded = true;
        throw cause;
      });
      if (next?.done === true) state.isEnded = true;
      if (next === null || next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', startTimer);
    if (!state.isEnded && iterator.return) {
      startTimer();
      await orStuck(iterator.return()).catch(() => undefined);
    }
    over.abort();
    if (state.isStuck && !state.isEnded) onStuck();
  }
}
