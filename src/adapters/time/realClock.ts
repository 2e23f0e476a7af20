// The machine's clock and its randomness, behind the engine's ports.
import type { ClockPort, RandomPort } from '../../engine/ports.ts';

/** Timers of the platform fire at once beyond this: a longer sleep is made of several. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** While it is ahead of the system's clock it runs by so much slower, until that has caught up. */
const SLOWED = 0.9;

/**
 * Wall time, whole ms, that neither runs backwards nor stands still: it goes by the machine's steady clock. A system clock that
 * was set forward (or woke up) is followed at once; one that was set back is waited for by running slower, so that deadlines
 * and timers that compare times go on working meanwhile.
 */
export function realClock(): ClockPort {
  let now = Date.now();
  let steady = performance.now();
  return {
    nowMs() {
      const [wall, steadyNow] = [Date.now(), performance.now()];
      const passed = Math.max(0, steadyNow - steady);
      steady = steadyNow;
      now = Math.max(wall, now + (now > wall ? SLOWED : 1) * passed);
      return Math.floor(now);
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
