import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorldAttempt } from '../../../../src/bench/world/policy.ts';
import { HACO_DEFAULTS, HacoBelief } from '../../../../src/bench/world/policies/hacoBelief.ts';
import { medianRest, normalQuantile, normalShare } from '../../../../src/bench/world/policies/lognormal.ts';
import { planLiteral } from '../../../../src/core/scheduler/literal.ts';
import {
  recordFailedCall,
  recordOutcome,
  recordQuality,
  toLiteral,
  unknownProfile,
} from '../../../../src/core/scheduler/profile.ts';

const SIZE = 6;
const PAYLOAD = 100_000;

const attemptOf = (candidate: number, seconds: number, bytesPerS: number, judged: number | null): WorldAttempt => ({
  candidate,
  startedAtS: 0,
  status: judged === null ? 'failed' : 'succeeded',
  failure: judged === null ? 'server-error' : null,
  endedAtS: seconds,
  judged: judged ?? Number.NaN,
  bytesPerS: judged === null ? Number.NaN : bytesPerS,
  outputTokens: 600,
});

const history = fc.array(
  fc.record({
    candidate: fc.nat(SIZE - 1),
    seconds: fc.double({ min: 1, max: 60, noNaN: true }),
    bytesPerS: fc.double({ min: 1e5, max: 1e8, noNaN: true }),
    judged: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 5 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('literal HACO in the world', () => {
  it('ranks and bounds as the product’s own formulas do', () => {
    fc.assert(
      fc.property(history, (attempts) => {
        const belief = new HacoBelief(SIZE, HACO_DEFAULTS);
        for (const { candidate, seconds, bytesPerS, judged } of attempts)
          belief.learn(0, PAYLOAD, attemptOf(candidate, seconds, bytesPerS, judged));
        belief.rank(0, PAYLOAD);
        const rows = Array.from({ length: SIZE }, (_, id) => literalOf(id, attempts));
        const known = rows.filter((row) => row.isKnown).map((row) => row.latencyMs);
        const t0Ms = known.length === 0 ? 1 : medianOf(known);
        const plan = planLiteral(
          rows.map((row) => ({ ...row, procMs: row.isKnown ? row.latencyMs : t0Ms })),
          { ...HACO_DEFAULTS, epsB: 50, t0Ms },
        );
        const utilityOf = new Map(plan.ranking.map((row) => [row.id, row]));
        // Equal utilities may stand in either order.
        belief.order.forEach((candidate, place) => {
          expect(utilityOf.get(String(candidate))!.utility).toBeCloseTo(plan.ranking[place]!.utility, 9);
          expect(belief.lowerBounds[candidate]).toBeCloseTo(utilityOf.get(String(candidate))!.lowerBound, 9);
        });
      }),
      { numRuns: 200 },
    );
  });

  it.each(['A', 'B'] as const)('takes a failed call by reading %s as the product does', (reading) => {
    fc.assert(
      fc.property(history, (attempts) => {
        const belief = new HacoBelief(SIZE, { ...HACO_DEFAULTS, reading });
        const profiles = Array.from({ length: SIZE }, () => unknownProfile);
        for (const { candidate, seconds, bytesPerS, judged } of attempts) {
          belief.learn(0, PAYLOAD, attemptOf(candidate, seconds, bytesPerS, judged));
          const figures = { firstTokenMs: 1, sentBytes: 1, receivedBytes: 1, tokens: 1, link: null };
          const outcome =
            judged === null
              ? ({ kind: 'internal-failure', coolUntilMs: 0 } as const)
              : ({ kind: 'success', totalMs: 1000 * seconds, ...figures } as const);
          const seen = recordFailedCall(recordOutcome(profiles[candidate]!, outcome), 'coder', outcome, reading);
          profiles[candidate] = judged === null ? seen : recordQuality(seen, 'coder', judged);
        }
        belief.rank(0, PAYLOAD);
        const terms = { fallbackMs: 1000, epsB: 50 };
        const rows = profiles.map((profile, id) => toLiteral(String(id), profile, 'coder', terms));
        for (const { id, lowerBound } of planLiteral(rows, { ...HACO_DEFAULTS, t0Ms: 1 }).ranking)
          expect(lowerBound).toBeCloseTo(belief.lowerBounds[Number(id)]!, 9);
      }),
      { numRuns: 100 },
    );
  });

  it('knows the normal distribution and how long a call will still take', () => {
    expect(normalShare(1.96)).toBeCloseTo(0.975, 5);
    expect(normalShare(-1)).toBeCloseTo(0.158655, 5);
    expect(normalQuantile(0.95)).toBeCloseTo(1.6449, 3);
    // At its start the median of the rest is the median; late in a lognormal life it grows.
    expect(medianRest(Math.log(4), 0.5, 0, 0.05)).toBeCloseTo(4, 4);
    expect(medianRest(Math.log(4), 0.5, 8, 0.05)).toBeCloseTo(
      Math.exp(Math.log(4) + 0.5 * normalQuantile(1 - (1 - normalShare(Math.log(2) / 0.5)) / 2)) - 8,
      6,
    );
    expect(medianRest(Math.log(4), 0.5, 40, 0.05)).toBeNull();
  });
});

/** What the product's formulas take, computed apart: T in ms with transfer already in it. */
function literalOf(
  id: number,
  attempts: readonly { candidate: number; seconds: number; bytesPerS: number; judged: number | null }[],
) {
  const own = attempts.filter(({ candidate }) => candidate === id);
  const good = own.filter((each) => each.judged !== null);
  const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
  let bandwidth = 0;
  let jitter = 0;
  good.forEach(({ bytesPerS }, index) => {
    bandwidth += (bytesPerS - bandwidth) / (index + 1);
    jitter += (Math.abs(bytesPerS - bandwidth) - jitter) / (index + 1);
  });
  const isKnown = good.length > 0;
  const processS = isKnown ? mean(good.map(({ seconds, bytesPerS }) => seconds - PAYLOAD / bytesPerS)) : 0;
  return {
    id: String(id),
    alpha: 1 + good.reduce((sum, { judged }) => sum + (judged ?? 0), 0),
    beta: 1 + own.reduce((sum, { judged }) => sum + 1 - (judged ?? 0), 0),
    fInt: own.length === 0 ? 0 : (own.length - good.length) / own.length,
    lossNet: 0,
    isKnown,
    latencyMs: 1000 * (processS + PAYLOAD / Math.max(50_000, bandwidth - jitter)),
    procMs: 0,
    bytes: 0,
    bandwidth: 1,
    jitter: 0,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
