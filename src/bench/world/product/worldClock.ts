// The product's clock port on the world's time: sleeps are events of the world.
import type { ClockPort } from '../../../engine/ports.ts';
import type { WorldPort } from '../policy.ts';

const MS = 1000;

/** `onWake` is called whenever a sleeper is woken: its work then waits for the next turn of the event loop. */
export function worldClock(world: WorldPort, onWake: () => void): ClockPort {
  return {
    nowMs: () => world.nowS * MS,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        const refuse = (): void => {
          onWake();
          reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
        };
        if (signal?.aborted === true) {
          refuse();
          return;
        }
        signal?.addEventListener('abort', refuse, { once: true });
        // A week and more is as good as never; the event of a sleeper that was woken early finds nobody.
        world.callAt(world.nowS + Math.max(0, ms) / MS, () => {
          if (signal?.aborted === true) return;
          signal?.removeEventListener('abort', refuse);
          onWake();
          resolve();
        });
      }),
  };
}
