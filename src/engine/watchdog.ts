// The timers of one attempt: first token, idle, total (DESIGN, Rules that hold always: Belay owns every timer).
// One sleeper per attempt, re-armed from the time of the last sign of life; no timer per chunk.
import type { AdvancedSettings } from '../core/settings.ts';
import type { ClockPort } from './ports.ts';

export type ExpiredTimer = 'first-token' | 'idle' | 'total';

export interface Watchdog {
  /** Something arrived. `isContent`: it was part of the answer, not a ping. */
  alive(isContent: boolean): void;
  stop(): void;
}

/** Starts watching; `onExpired` is called at most once. */
export function startWatchdog(
  clock: ClockPort,
  timers: AdvancedSettings['timers'],
  onExpired: (timer: ExpiredTimer) => void,
): Watchdog {
  const startedAtMs = clock.nowMs();
  const stopper = new AbortController();
  let lastContentAtMs: number | null = null;

  const due = (): { readonly timer: ExpiredTimer; readonly atMs: number } => {
    const total = { timer: 'total' as const, atMs: startedAtMs + timers.totalMs };
    const silence =
      lastContentAtMs === null
        ? { timer: 'first-token' as const, atMs: startedAtMs + timers.firstTokenMs }
        : { timer: 'idle' as const, atMs: lastContentAtMs + timers.idleMs };
    return silence.atMs <= total.atMs ? silence : total;
  };
  const watch = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      const { timer, atMs } = due();
      if (clock.nowMs() >= atMs) {
        onExpired(timer);
        return;
      }
      await clock.sleep(atMs - clock.nowMs(), stopper.signal);
    }
  };
  // The only rejection is the abort by stop().
  watch().catch(() => undefined);

  return {
    alive(isContent) {
      if (isContent) lastContentAtMs = clock.nowMs();
    },
    stop: () => stopper.abort(),
  };
}
