// What earlier sessions left open, from the start of an engine on: looked at once, and what somebody still held (a window
// that is just closing, or one that died and holds its lease for a while) is looked at again until it is over. Without the
// second look nobody would ever be told about it. Runs nothing again.
import type { ClockPort, Result, StoreFault } from './ports.ts';
import type { RecoveredEntry, RecoveredLedger, RecoverOptions } from './recoverLedger.ts';

/** Who hears what became of open entries. */
export interface OpenEffectListener {
  /** After each look: what was settled by it, and what stays unknown and was not told before. */
  readonly tell: (changed: readonly RecoveredEntry[], unknown: readonly RecoveredEntry[]) => void;
  /** Why not everything could be looked at; said once for each reason. */
  readonly warn: (reason: string) => void;
  readonly signal: AbortSignal;
}

/** A listener with the means to look. */
export interface OpenEffectWatch extends OpenEffectListener {
  readonly clock: ClockPort;
  readonly recover: (options: RecoverOptions) => Promise<Result<RecoveredLedger, StoreFault>>;
}

const FIRST_PAUSE_MS = 5_000;
/** A command may run for hours in another window: it is asked about seldom. */
const LONGEST_PAUSE_MS = 300_000;

/** Ends when nothing is held any more, or with the signal. Rejects only when `recover` does. */
export async function watchOpenEffects({ clock, recover, tell, warn, signal }: OpenEffectWatch): Promise<void> {
  const told = new Set<string>();
  const reasons = new Set<string>();
  let left: RecoverOptions | null = {};
  for (let pauseMs = FIRST_PAUSE_MS; left !== null; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const found = await recover({ ...left, signal });
    if (signal.aborted) return;
    const reason = found.ok ? found.value.trouble : found.error.message;
    if (reason !== null && !reasons.has(reason)) warn(reason);
    if (reason !== null) reasons.add(reason);
    if (found.ok) {
      const { changed, unknown } = found.value;
      tell(
        changed,
        unknown.filter(({ entry }) => !told.has(entry.key)),
      );
      for (const { entry } of unknown) told.add(entry.key);
      left = stillLeft(found.value);
    }
    if (left !== null && !(await paused(clock, pauseMs, signal))) return;
  }
}

/** Which entries need another look; null: none does. */
function stillLeft({ busy, leftCount, trouble }: RecoveredLedger): RecoverOptions | null {
  if (leftCount > 0 || trouble !== null) return {};
  return busy.length === 0 ? null : { keys: busy.map(({ entry }) => entry.key) };
}

async function paused(clock: ClockPort, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}
