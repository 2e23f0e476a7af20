// How fast a candidate is: a robust long-run distribution of ln(ms), and a fast ratio x that says how much slower it is now.
// A cancelled attempt is censored: it says only that it would have lasted longer. Source: scheduler-study 6.2, latency, censored.
import type { SchedulerConstants } from './constants.ts';
import { bounded, normalCdf, normalQuantile } from './numbers.ts';
import type { DecodeNorm, LatencyBelief } from './types.ts';

/** A day: nothing longer is learned from. */
const MOST_MS = 86_400_000;
/** More tokens than any answer has. */
const MOST_TOKENS = 1e9;

/** A duration that can be learned from: 1 ms to 1 day, in ln(ms); null where it is none. */
export function lnMs(durationMs: number | null): number | null {
  if (durationMs === null || !(durationMs >= 0)) return null;
  return Math.log(Math.min(Math.max(durationMs, 1), MOST_MS));
}

/** One more duration: gain g = max(1/n, .01); m += g·clip(r, ±2s); s² += g·(clip(r, ±2.5s)² − s²); r = ln L − m. */
export function learnLatency(belief: LatencyBelief, ln: number, constants: SchedulerConstants): LatencyBelief {
  const { latencyGain, meanClip, varianceClip, varianceMin, varianceMax } = constants;
  const n = belief.n + 1;
  const gain = Math.max(1 / n, latencyGain);
  const s = Math.sqrt(belief.s2);
  const residual = ln - belief.m;
  const forMean = bounded(residual, -meanClip * s, meanClip * s, 0);
  const forVariance = bounded(residual, -varianceClip * s, varianceClip * s, 0) ** 2;
  return {
    m: belief.m + gain * forMean,
    s2: bounded(belief.s2 + gain * (forVariance - belief.s2), varianceMin, varianceMax, belief.s2),
    // Beyond 1/gain the count says nothing more.
    n: Math.min(n, 1 / latencyGain),
  };
}

/** x after an answer (gain .2) or a ping (gain .5): x += gain·(ln L − m − x), within ±4. */
export function learnFast(x: number, ln: number, m: number, gain: number, constants: SchedulerConstants): number {
  const target = bounded(ln - m, -constants.fastCap, constants.fastCap, 0);
  return x + gain * (target - x);
}

/** x after an attempt that was cut at ln e: only where e is late already (ln e > m + x + .5s); so it never lowers x. */
export function learnCensored(x: number, lnCut: number, total: LatencyBelief, constants: SchedulerConstants): number {
  const { censorSd, censorLead, fastGain } = constants;
  if (lnCut <= total.m + x + censorSd * Math.sqrt(total.s2)) return x;
  return learnFast(x, lnCut + censorLead, total.m, fastGain, constants);
}

/** The decode norm after an answer of `tokens` that came in `decodeMs` after its first token; short answers say nothing. */
export function learnDecode(
  norm: DecodeNorm,
  decodeMs: number,
  tokens: number,
  constants: SchedulerConstants,
): DecodeNorm {
  const { decodeGain, decodeLeastTokens } = constants;
  if (!(tokens >= decodeLeastTokens && tokens <= MOST_TOKENS && decodeMs >= 1 && decodeMs <= MOST_MS)) return norm;
  const n = norm.n + 1;
  const gain = Math.max(1 / n, decodeGain);
  return { m: norm.m + gain * (Math.log(decodeMs / tokens) - norm.m), n: Math.min(n, 1 / decodeGain) };
}

/** x' = max(x, −.5). */
export function believedFast(x: number, constants: SchedulerConstants): number {
  return x > constants.fastFloor ? x : constants.fastFloor;
}

/** Chance that an attempt is still running after `elapsed` ms where ln(ms) is normal(center, s²). */
export function survival(elapsed: number, center: number, s: number): number {
  return elapsed <= 0 ? 1 : normalCdf((center - Math.log(elapsed)) / s);
}

/** Median ms that an attempt still runs, given that it ran for `elapsed`: S(e + r) = S(e)/2. */
export function medianResidualMs(elapsed: number, center: number, s: number): number {
  const half = survival(elapsed, center, s) / 2;
  return Math.max(0, Math.exp(center - s * normalQuantile(half)) - Math.max(0, elapsed));
}
