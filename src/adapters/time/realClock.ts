// The machine's clock and its randomness, behind the engine's ports.
import type { ClockPort, RandomPort } from '../../engine/ports.ts';

/** Timers of the platform fire at once beyond this: a longer sleep is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wall time that never runs backwards: a step of the system clock is flattened, not passed on. */
export function realClock(): ClockPort {
  let last = 0;
  return {
    nowMs() {
      last = Math.max(last, Date.now());
      return last;
    },
    sleep: async (ms, signal) => {
      let leftMs = Math.max(0, ms);
      for (; leftMs > LONGEST_TIMER_MS; leftMs -= LONGEST_TIMER_MS) await oneTimer(LONGEST_TIMER_MS, signal);
      await oneTimer(leftMs, signal);
    },
  };
}

/** Rejects with the signal's own reason: no error is made per timer, since an attempt stops several. */
function oneTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted');
}

/** The platform's randomness. */
export function realRandom(): RandomPort {
  return { next: () => Math.random() };
}
