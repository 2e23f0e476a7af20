// Which breakers nobody needs to remember any more: closed, and silent for two hours. Their counts weigh nothing by then, and
// their last cooldown is long over. Age is measured against the newest count of all, so that no clock is asked.
import { readBreaker, viewBreaker, type BreakerState } from './breaker.ts';

/** As long as the counts of a silent window are kept (breaker.ts). */
const FORGET_MS = 2 * 3_600_000;

/** Names of the saved breakers that may be forgotten. What this version cannot read is not its to forget. */
export function forgettableBreakers(
  saved: readonly { readonly target: string; readonly state: string }[],
): ReadonlySet<string> {
  const known = saved.flatMap(({ target, state }) => {
    const read = readBreaker(state);
    return read ? [{ target, state: read, heardMs: heardAtMs(read) }] : [];
  });
  const newestMs = Math.max(0, ...known.map(({ heardMs }) => heardMs));
  const old = known.filter(
    ({ state, heardMs }) =>
      heardMs < newestMs - FORGET_MS &&
      state.asked.untilMs <= newestMs &&
      viewBreaker(state, newestMs).status === 'closed',
  );
  return new Set(old.map(({ target }) => target));
}

/** When something was last counted or decided. */
function heardAtMs({ windows, closedAtMs, trip }: BreakerState): number {
  return Math.max(closedAtMs, trip?.openedAtMs ?? 0, ...Object.values(windows).map(({ atMs }) => atMs));
}
