// A clock that moves only when everything else stands still, so hours of waiting take milliseconds and always end the same.
// For the simulator and the tests; work that waits for real input (sockets, disks) must not be run on it.
import type { ClockPort } from '../../engine/ports.ts';

interface Sleeper {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** A clock port that is moved by hand. */
export interface VirtualClock extends ClockPort {
  /** Runs `work` to its end, moving time from sleeper to sleeper; throws when everything waits and nobody sleeps. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Moves time forward by `ms`, waking every sleeper on the way in order. */
  advance(ms: number): Promise<void>;
}

const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts at `startMs` (default 0). */
export function virtualClock(startMs = 0): VirtualClock {
  let now = startMs;
  let order = 0;
  let sleepers: Sleeper[] = [];

  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await macrotask();
  };
  const earliest = (): Sleeper | undefined =>
    sleepers.reduce<Sleeper | undefined>(
      (best, s) => (!best || s.atMs < best.atMs || (s.atMs === best.atMs && s.order < best.order) ? s : best),
      undefined,
    );
  const wakeNext = (limitMs: number): boolean => {
    const next = earliest();
    if (!next || next.atMs > limitMs) return false;
    now = Math.max(now, next.atMs);
    sleepers = sleepers.filter((s) => s !== next);
    next.wake();
    return true;
  };

  return {
    nowMs: () => now,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          sleepers = sleepers.filter((s) => s !== sleeper);
          reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
        };
        const sleeper: Sleeper = {
          atMs: now + Math.max(0, ms),
          order: order++,
          wake: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        if (signal?.aborted) {
          abort();
          return;
        }
        signal?.addEventListener('abort', abort, { once: true });
        sleepers.push(sleeper);
      }),
    run: async (work) => {
      const state = { isDone: false };
      const finished = (): void => {
        state.isDone = true;
      };
      work.then(finished, finished);
      for (let idle = 0; ;) {
        await settle();
        if (state.isDone) return work;
        if (wakeNext(Infinity)) idle = 0;
        else if (++idle > 200) throw new Error('virtual clock: everything waits and nobody sleeps');
      }
    },
    advance: async (ms) => {
      const target = now + ms;
      await settle();
      while (wakeNext(target)) await settle();
      now = target;
    },
  };
}
