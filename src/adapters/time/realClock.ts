// The machine's clock and its randomness, behind the engine's ports.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClockPort, RandomPort } from '../../engine/ports.ts';

/** Wall time that never runs backwards: a step of the system clock is flattened, not passed on. */
export function realClock(): ClockPort {
  let last = 0;
  return {
    nowMs() {
      last = Math.max(last, Date.now());
      return last;
    },
    sleep: async (ms, signal) => {
      await delay(Math.max(0, ms), undefined, signal ? { signal } : {});
    },
  };
}

/** The platform's randomness. */
export function realRandom(): RandomPort {
  return { next: () => Math.random() };
}
