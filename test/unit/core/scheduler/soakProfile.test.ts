import { describe, expect, it } from 'vitest';
import { stateBounds } from '../../../../src/core/scheduler/balanced/savedState.ts';
import {
  recordFailedCall,
  recordOutcome,
  recordQuality,
  recordRoundTrip,
  unknownProfile,
  type AttemptOutcome,
  type CandidateProfile,
} from '../../../../src/core/scheduler/profile.ts';
import { seededRandom } from '../../../support/random.ts';

const UPDATES = 1_000_000;
/** Of one candidate, with a full house of roles and every number at its longest. */
const MOST_BYTES = 6000;

describe('the profile of literal HACO', () => {
  it('stays as small as it was over 10^6 updates, with finite numbers that have not drifted', () => {
    const random = seededRandom(5);
    let profile: CandidateProfile = unknownProfile;
    const sums = { totalMs: 0, sentBytes: 0, tokens: 0, successes: 0, internal: 0, link: 0, q: 0, judged: 0 };
    let sizeAtTenth = 0;
    for (let index = 1; index <= UPDATES; index++) {
      const draw = random.next();
      const isFailure = draw >= 0.9;
      // Whole numbers: their sums are exact.
      const [totalMs, sentBytes, tokens] = [
        1 + Math.floor(60_000 * random.next()),
        1 + (index % 5000),
        1 + (index % 3000),
      ];
      const outcome: AttemptOutcome = isFailure
        ? { kind: draw < 0.95 ? 'internal-failure' : 'link-failure', coolUntilMs: index }
        : {
            kind: 'success',
            ...{ totalMs, sentBytes, tokens, firstTokenMs: totalMs / 4, receivedBytes: 1000 },
            link: index % 3 === 0 ? null : { bandwidth: 0.1 + random.next(), jitter: 0.1 * random.next() },
          };
      profile = recordFailedCall(recordOutcome(profile, outcome), 'coder', outcome, 'A');
      if (isFailure) {
        sums[outcome.kind === 'link-failure' ? 'link' : 'internal']++;
        sums.judged++;
      } else {
        // Eighths are exact, too.
        const q = Math.floor(9 * random.next()) / 8;
        profile = recordRoundTrip(recordQuality(profile, 'coder', q), 1 + 200 * random.next());
        sums.successes++;
        sums.judged++;
        sums.q += q;
        sums.totalMs += totalMs;
        sums.sentBytes += sentBytes;
        sums.tokens += tokens;
      }
      if (index === UPDATES / 10) sizeAtTenth = JSON.stringify(profile).length;
    }
    // Counts are a digit longer at most; nothing else has grown.
    expect(JSON.stringify(profile).length - sizeAtTenth).toBeLessThan(50);
    // Callers may name ever new roles: what little is known of them goes first.
    for (let role = 0; role < 1000; role++) profile = recordQuality(profile, `role ${role}`, 1, 0.1);
    expect(JSON.stringify(profile).length).toBeLessThan(MOST_BYTES);
    expect(Object.keys(profile.quality)).toHaveLength(stateBounds.roles);
    const counts = Object.values(profile.quality).flatMap(({ alpha, beta }) => [alpha, beta]);
    const figures = Object.values(profile).filter((value): value is number => typeof value === 'number');
    for (const value of [...counts, ...figures]) expect(Number.isFinite(value)).toBe(true);
    expect(profile).toMatchObject({
      attempts: UPDATES,
      successes: sums.successes,
      internalFailures: sums.internal,
      linkFailures: sums.link,
    });
    const { alpha, beta } = profile.quality.coder!;
    expect(alpha).toBe(1 + sums.q);
    expect(alpha + beta).toBe(2 + sums.judged);
    const near = (value: number, exact: number): void => {
      expect(Math.abs(value / exact - 1)).toBeLessThan(1e-9);
    };
    near(profile.meanTotalMs, sums.totalMs / sums.successes);
    near(profile.meanBytes, sums.sentBytes / sums.successes);
    near(profile.meanTokens, sums.tokens / sums.successes);
    // Decayed figures stay within what was ever measured.
    expect(profile.bandwidth).toBeGreaterThan(0.1);
    expect(profile.bandwidth).toBeLessThan(1.1);
    expect(profile.jitter).toBeGreaterThan(0);
    expect(profile.jitter).toBeLessThan(1.1);
    expect(profile.rttMs).toBeGreaterThan(1);
    expect(profile.rttMs).toBeLessThan(201);
  });
});
