// The timers of one attempt: first token, idle, total (DESIGN, Rules that hold always: Belay owns every timer).
// One sleeper per attempt, no timer per chunk. Time in which we ourselves wait (a slow reader) is not the provider's silence.
import type { AdvancedSettings } from '../core/settings.ts';
import type { ClockPort } from './ports.ts';

export type ExpiredTimer = 'first-token' | 'idle' | 'total';

export interface Watchdog {
  /** Something arrived. `isContent`: it was part of the answer, not a ping. */
  alive(isContent: boolean): void;
  /** We wait for our own reader from now on; until `resume` no silence is counted. */
  pause(): void;
  resume(): void;
  stop(): void;
}

/** One reason for every stop: making an error for each would cost more than the watching. */
const STOPPED = new Error('stopped');

/** Starts watching; `onExpired` is called at most once. */
export function startWatchdog(
  clock: ClockPort,
  timers: AdvancedSettings['timers'],
  onExpired: (timer: ExpiredTimer) => void,
): Watchdog {
  const startedAtMs = clock.nowMs();
  const stopper = new AbortController();
  let sleeper = new AbortController();
  let hasContent = false;
  /** Since when the provider has been silent, our own waiting left out. */
  let silentSinceMs = startedAtMs;
  let pausedAtMs: number | null = null;

  const due = (): { readonly timer: ExpiredTimer; readonly atMs: number } => {
    const total = { timer: 'total' as const, atMs: startedAtMs + timers.totalMs };
    const since = silentSinceMs + (pausedAtMs === null ? 0 : clock.nowMs() - pausedAtMs);
    const silence = hasContent
      ? { timer: 'idle' as const, atMs: since + timers.idleMs }
      : { timer: 'first-token' as const, atMs: since + timers.firstTokenMs };
    return silence.atMs <= total.atMs ? silence : total;
  };
  const watch = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      const { timer, atMs } = due();
      if (clock.nowMs() >= atMs) {
        onExpired(timer);
        return;
      }
      sleeper = new AbortController();
      // Rejects when it is woken early, since the moment that counts has moved.
      await clock.sleep(atMs - clock.nowMs(), AbortSignal.any([stopper.signal, sleeper.signal])).catch(() => undefined);
    }
  };
  void watch();

  return {
    alive(isContent) {
      if (!isContent) return;
      silentSinceMs = clock.nowMs();
      if (hasContent) return;
      // The idle moment may lie before the first-token moment that the sleeper waits for.
      hasContent = true;
      sleeper.abort(STOPPED);
    },
    pause() {
      pausedAtMs ??= clock.nowMs();
    },
    resume() {
      if (pausedAtMs === null) return;
      silentSinceMs += clock.nowMs() - pausedAtMs;
      pausedAtMs = null;
    },
    stop: () => stopper.abort(STOPPED),
  };
}
