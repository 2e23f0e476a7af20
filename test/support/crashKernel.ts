// Time and death for simulated processes. Every call of a port is a point: before it takes effect and after it. A process
// dies at a point of its own; then nothing of it ever goes on, not even a `finally`, as after kill -9.
// Which of several waiting parties goes next follows from drawn latencies, so two processes interleave in every order.
import type { RandomPort } from '../../src/engine/ports.ts';

/** A process that may die. `dieAt`: the number of its point at which it does; null: it lives. */
export interface Mortal {
  readonly pid: number;
  readonly dieAt: number | null;
  isAlive: boolean;
  points: number;
}

export interface CrashKernel {
  nowMs(): number;
  /** Starts a process. */
  spawn(dieAt: number | null): Mortal;
  /** Does `work` after `delayMs`; of a process only while it lives. */
  after(delayMs: number, work: () => void, owner?: Mortal): void;
  /** Resolves after `delayMs`, unless the process dies here. */
  point(process: Mortal, delayMs?: number): Promise<void>;
  /** A call of a port: a point, the work, a point. */
  call<T>(process: Mortal, work: () => T | Promise<T>): Promise<T>;
  /** Lets time pass until `isDone`. Throws when everything waits for ever. */
  runUntil(isDone: () => boolean): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Mortal | undefined;
  readonly work: () => void;
}

/** Latency of one port call: up to so many virtual ms. */
const CALL_MS = 4;
const MAX_TIMERS = 100_000;

const microtasksDone = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `onDeath` is told of a process that reached its point. */
export function crashKernel(random: RandomPort, onDeath: (process: Mortal) => void): CrashKernel {
  let nowMs = 1_000_000;
  let order = 0;
  let pid = 100;
  let timers: Timer[] = [];

  const after = (delayMs: number, work: () => void, owner?: Mortal): void => {
    timers.push({ atMs: nowMs + Math.max(0, delayMs), order: order++, owner, work });
  };
  const point = (process: Mortal, delayMs = random.next() * CALL_MS): Promise<void> =>
    new Promise((resolve) => {
      const arrive = (): void => {
        process.points++;
        if (process.points !== process.dieAt) {
          resolve();
          return;
        }
        process.isAlive = false;
        onDeath(process);
      };
      after(delayMs, arrive, process);
    });
  const takeNext = (): Timer | undefined => {
    timers = timers.filter(({ owner }) => owner?.isAlive ?? true);
    let next: Timer | undefined;
    for (const timer of timers)
      if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order)) next = timer;
    timers = timers.filter((timer) => timer !== next);
    return next;
  };

  return {
    nowMs: () => nowMs,
    spawn: (dieAt) => ({ pid: pid++, dieAt, isAlive: true, points: 0 }),
    after,
    point,
    call: async (process, work) => {
      await point(process);
      const value = await work();
      await point(process);
      return value;
    },
    runUntil: async (isDone) => {
      for (let i = 0; ; i++) {
        await microtasksDone();
        if (isDone()) return;
        const next = takeNext();
        if (!next || i > MAX_TIMERS) throw new Error('crash kernel: everything waits for ever');
        nowMs = Math.max(nowMs, next.atMs);
        next.work();
      }
    },
  };
}
