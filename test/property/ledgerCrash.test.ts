// kill -9 at 10,000 random points, simulated: whatever dies when, no effect is made twice, the ledger claims nothing that is
// not so, and what nobody knows is told. Assumptions (HFR document, propositions 2 and 3): files and marks are read as they
// are; a command that ends with 0 did its work; what a command wrote is on the disk; a person allows only what is known not
// to stand. `BELAY_SEED=n` plays one story again, `BELAY_DEATHS=n` another number of deaths.
import { describe, expect, it } from 'vitest';
import { playCrash } from '../support/crashWorld.ts';
import type { CrashReport } from '../support/crashWorld.ts';

const WANTED_DEATHS = Number(process.env.BELAY_DEATHS ?? 10_000);
const FIRST_SEED = 20_261_130;

const WRONGS = ['duplicates', 'falseCommitted', 'falseAbsent', 'untold'] as const;

/** What is wrong with a story, each with the seed that plays it again. */
function wrongsOf(seed: number, report: CrashReport): readonly string[] {
  return WRONGS.flatMap((kind) => report[kind].map((words) => `BELAY_SEED=${seed} ${report.end}: ${kind}: ${words}`));
}

describe('kill -9 at random points', () => {
  const only = process.env.BELAY_SEED;
  it.skipIf(only === undefined)(`plays the story of BELAY_SEED=${only ?? ''} again`, async () => {
    const seed = Number(only);
    const report = await playCrash(seed);
    console.log(report);
    expect(wrongsOf(seed, report)).toEqual([]);
  });

  it(
    `makes nothing twice, claims nothing false and tells every unknown in ${WANTED_DEATHS} deaths (seeds from ${FIRST_SEED})`,
    { timeout: 300_000 },
    async () => {
      const wrongs: string[] = [];
      const ends = new Map<string, number>();
      const total = { deaths: 0, powerCuts: 0, lostWrites: 0, toldUnknown: 0, unheard: 0, stories: 0 };
      for (let seed = FIRST_SEED; total.deaths < WANTED_DEATHS; seed++) {
        const report = await playCrash(seed);
        wrongs.push(...wrongsOf(seed, report));
        ends.set(report.end, (ends.get(report.end) ?? 0) + 1);
        total.stories++;
        for (const name of ['deaths', 'powerCuts', 'lostWrites', 'toldUnknown', 'unheard'] as const)
          total[name] += report[name];
      }
      console.log(JSON.stringify(total));
      if (process.env.BELAY_ENDS !== undefined) console.log([...ends].sort());
      expect(wrongs.slice(0, 20)).toEqual([]);
      // The stories are worth something only if they reach every kind of end.
      expect(total.powerCuts).toBeGreaterThan(total.deaths / 20);
      expect(total.lostWrites).toBeGreaterThan(0);
      expect(total.toldUnknown).toBeGreaterThan(total.deaths / 100);
      const states = new Set([...ends.keys()].map((end) => end.slice(end.lastIndexOf(': ') + 2)));
      for (const state of ['COMMITTED', 'UNKNOWN', 'RECONCILED_COMMITTED']) expect(states).toContain(state);
    },
  );

  it('would notice: a Belay that forgets its ledger makes effects twice', async () => {
    let duplicates = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 300; seed++) {
      duplicates += (await playCrash(seed, { forgets: true })).duplicates.length;
    }
    expect(duplicates).toBeGreaterThan(20);
  });
});
