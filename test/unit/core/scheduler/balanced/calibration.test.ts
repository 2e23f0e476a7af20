import { describe, expect, it } from 'vitest';
import { calibrationReport, learnStart } from '../../../../../src/core/scheduler/balanced/calibration.ts';
import { balancedConstants as constants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { independentFailure, jointFailure } from '../../../../../src/core/scheduler/balanced/jointFailure.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { SchedulerState } from '../../../../../src/core/scheduler/balanced/types.ts';
import { viewOf } from '../../../../../src/core/scheduler/balanced/view.ts';
import { seededRandom } from '../../../../support/random.ts';
import { learned, START_MS, studyPool, traceOf } from './samples.ts';

describe('calibration', () => {
  it('shows what was promised to single attempts beside what came, by bin', () => {
    const traces = Array.from({ length: 400 }, (_, index) =>
      traceOf(
        'L-ge',
        index % 10 === 0 ? { outcome: 'invalid-output', promisedSuccess: 0.89 } : { promisedSuccess: 0.89 },
      ),
    );
    const { attempts, attemptGap } = calibrationReport(learned(traces));
    const row = attempts.find(({ n }) => n > 0)!;
    expect(row).toMatchObject({ from: 0.85, to: 0.9 });
    expect(row.promised).toBeCloseTo(0.89, 9);
    expect(row.observed).toBeCloseTo(0.9, 2);
    expect(row.standardError).toBeCloseTo(Math.sqrt(0.09 / row.n), 3);
    expect(attemptGap).toBeCloseTo(0.01, 2);
  });

  it('does not count what says nothing: cancelled, hung, neutral, pings', () => {
    const quiet = (['cancelled', 'hang-cut', 'neutral'] as const).map((outcome) =>
      traceOf('L-ge', { outcome, promisedSuccess: 0.9 }),
    );
    const state = learned([...quiet, traceOf('L-ge', { isPing: true, promisedSuccess: 0.9 })]);
    expect(calibrationReport(state)).toMatchObject({ attemptGap: null, startGap: null, independentStartGap: null });
  });

  it('is good for sets that share a region, and visibly worse where independence is supposed', () => {
    const pool = poolOf(studyPool, constants);
    const set = [6, 7];
    // The region is down a fifth of the time, and that is known; each draw is one state of the world.
    const believed: SchedulerState = { ...emptyState, sources: { 'region:global-east': { p: 0.2, atMs: START_MS } } };
    const view = viewOf(believed, pool, 'chat', START_MS);
    const random = seededRandom(20_260_601);
    let state: SchedulerState = emptyState;
    for (let step = 0; step < 20_000; step++) {
      const isDown = pool.sources.map((_, source) => random.next() < view.down[source]!);
      const isKept = set.some((position) => {
        const downs = pool.members[position]!.sources.filter((source) => isDown[source]).length;
        return random.next() < (1 - view.baseFail[position]!) * (1 - constants.delta) ** downs;
      });
      const pledge = {
        success: 1 - jointFailure(view, set),
        independentSuccess: 1 - independentFailure(view, set),
        isKept,
      };
      state = learnStart(state, pledge, constants);
    }
    const { startGap, independentStartGap, starts } = calibrationReport(state);
    expect(startGap!).toBeLessThan(0.015);
    expect(independentStartGap!).toBeGreaterThan(0.1);
    const row = starts.find(({ n }) => n > 0)!;
    expect(row).toMatchObject({ from: 0.1, to: 0.2 });
    expect((1 - row.promised!) / (1 - row.observed!)).toBeGreaterThan(0.5);
    expect((1 - row.promised!) / (1 - row.observed!)).toBeLessThan(2);
  });

  it('leaves a promise that is no number out', () => {
    const state = learnStart(emptyState, { success: NaN, independentSuccess: 1, isKept: true }, constants);
    expect(calibrationReport(state).startGap).toBeNull();
  });
});
