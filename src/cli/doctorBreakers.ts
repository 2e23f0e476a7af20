// Which breakers the windows of Belay have open in the store they share, for `belay doctor`: what is not called now, until
// when, and why. Reads only.
import { readBreaker, viewBreaker } from '../core/recovery/breaker.ts';
import type { BreakerLimits } from '../core/recovery/breakerWindow.ts';
import type { StorePort } from '../engine/ports.ts';
import { finding, type Finding } from './doctorText.ts';

const WHY = {
  'error-rate': 'too many failures',
  'rate-limited': 'too many rate limits (429)',
  slow: 'first tokens took too long',
  'consecutive-failures': 'failures in a row',
  'probe-failed': 'its last probe failed',
} as const;

/** One note for each breaker that is not closed; one where the shared state cannot be read. */
export async function breakerFindings(
  store: Pick<StorePort, 'shareBreakers'>,
  { forced, isEnabled }: Pick<BreakerLimits, 'forced' | 'isEnabled'>,
  nowMs: number,
): Promise<readonly Finding[]> {
  const shared = await store.shareBreakers([]);
  if (!shared.ok) return [finding('breakers', 'bad', shared.error.message)];
  if (!isEnabled) return [finding('breakers', 'note', 'are switched off by belay.advanced.breaker.isEnabled')];
  const saved = shared.value.flatMap(({ target, state }): readonly Finding[] => {
    const breaker = readBreaker(state);
    if (!breaker) return [finding(`breaker ${target}`, 'note', 'was saved by another version of Belay')];
    const word = forced[target] ?? null;
    const view = viewBreaker(breaker, nowMs, word);
    if (word !== null || view.status === 'closed') return [];
    const why = breaker.trip ? WHY[breaker.trip.why] : '';
    return [finding(`breaker ${target}`, 'note', `${statusText(view.status, view.untilMs)}: ${why}`)];
  });
  const told = Object.entries(forced).map(([target, word]) =>
    finding(`breaker ${target}`, 'note', `is always ${word}, as belay.advanced.breaker.forced says`),
  );
  return [...saved, ...told];
}

function statusText(status: 'open' | 'half-open', untilMs: number): string {
  const until = new Date(untilMs).toISOString();
  return status === 'open' ? `open, not called before ${until}` : `half-open since ${until}, probed before it is used`;
}
