// The machine's clock and its randomness, behind the engine's ports.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClockPort, RandomPort } from '../../engine/ports.ts';

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
      // Timers of the platform fire at once beyond 2^31 - 1 ms: a longer sleep is made of several.
      for (let leftMs = Math.max(0, ms); ; leftMs -= LONGEST_TIMER_MS) {
        await delay(Math.min(leftMs, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
        if (leftMs <= LONGEST_TIMER_MS) return;
      }
    },
  };
}

/** The platform's randomness. */
export function realRandom(): RandomPort {
  return { next: () => Math.random() };
}
