import { describe, expect, it } from 'vitest';
import { FULL_CALL_TOKENS } from '../../../../src/bench/world/constants.ts';
import { worldRow } from '../../../../src/bench/world/figures.ts';
import { RunRecord } from '../../../../src/bench/world/record.ts';
import { outageFigures } from '../../../../src/bench/world/recovery.ts';
import { scenarioOf } from '../../../../src/bench/world/scenarios.ts';

interface Line {
  readonly atS?: number;
  readonly latencyS?: number;
  readonly tokens?: number;
  readonly primary?: number;
  readonly winner?: number;
}

function recordOf(lines: readonly Line[], change: Partial<RunRecord> = {}): RunRecord {
  const record = new RunRecord();
  for (const { atS = 0, latencyS = 1, tokens = 0, primary = 0, winner = 0 } of lines) {
    const ordinal = record.add(atS);
    record.latencyS[ordinal] = latencyS;
    record.tokens[ordinal] = tokens;
    record.primary[ordinal] = primary;
    record.winner[ordinal] = winner;
  }
  return Object.assign(record, { workflows: 1, ...change });
}

describe('figures of the world', () => {
  it('are sums and quantiles over all steps, failed ones included', () => {
    const lines = [
      { latencyS: 2, tokens: FULL_CALL_TOKENS },
      { latencyS: 4, tokens: 2 * FULL_CALL_TOKENS },
      { latencyS: 40, tokens: 0 },
      { latencyS: 60, tokens: FULL_CALL_TOKENS, winner: -1 },
    ];
    const record = recordOf(lines, { quality: 2.4, pricedTokens: 3600, workflows: 4, failedWorkflows: 1, attempts: 6 });
    const base = recordOf(lines.map((line) => ({ ...line, tokens: FULL_CALL_TOKENS })));
    const row = worldRow('some', [{ record, base, scenario: scenarioOf('static', 1) }]);
    expect(row).toMatchObject({ policy: 'some', scenario: 'static', allFailedPct: 25, workflowSuccessPct: 75 });
    expect(row).toMatchObject({
      miss30Pct: 50,
      p50: 22,
      mean: 26.5,
      quality: 0.6,
      shiftSteps: null,
      calibration: null,
    });
    expect(row.fullCalls).toBeCloseTo(1, 9);
    expect(row.timesBestOne).toBeCloseTo(1, 9);
    // .6 - .01 * 26.5 - .02 * (3600 / 4) / 3600
    expect(row.j).toBeCloseTo(0.33, 9);
    expect(row.details.calls).toBe(1.5);
    expect(row.se.mean).toBeNull();
  });

  it('have the standard error of their mean over seeds', () => {
    const runs = [1, 3, 5].map((latencyS, seed) => ({
      record: recordOf([{ latencyS }]),
      base: null,
      scenario: scenarioOf('static', seed),
    }));
    const row = worldRow('some', runs);
    expect(row.mean).toBe(3);
    expect(row.se.mean).toBeCloseTo(2 / Math.sqrt(3), 9);
  });

  it('compare what was expected of the start set with what came', () => {
    const record = recordOf([{}, {}, {}, {}]);
    [0.1, 0.2, Number.NaN, 0.3].forEach((each, index) => (record.predicted[index] = each));
    record.startSetFailed[1] = 1;
    record.startSetFailed[2] = 1;
    const { calibration, details } = worldRow('some', [{ record, base: null, scenario: scenarioOf('static', 1) }]);
    expect(calibration).toBeCloseTo(0.6, 9);
    expect(details.predictedFailPct).toBeCloseTo(20, 9);
  });

  it('count the steps to shift away from an outage and to come back', () => {
    const scenario = scenarioOf('outage-900', 1);
    const lGe = 7;
    const local = 0;
    const lines = [
      ...Array.from({ length: 40 }, (_, index) => ({ atS: index, primary: lGe, winner: lGe })),
      // Seven steps still go there, then one stray in a while.
      ...Array.from({ length: 60 }, (_, index) => ({
        atS: 900 + index,
        primary: index < 7 || index === 15 ? lGe : local,
        winner: local,
      })),
      // Three steps later ten of twenty are back.
      ...Array.from({ length: 60 }, (_, index) => ({
        atS: 2400 + index,
        primary: local,
        winner: index >= 13 ? lGe : local,
      })),
    ];
    const figures = outageFigures(recordOf(lines), scenario)!;
    // From step 6 on a window holds step 6 and the stray: two. Earlier ones hold more.
    expect(figures.shiftSteps).toBe(6);
    expect(figures.healSteps).toBe(3);
    expect(figures.primaryPct).toEqual([100, (100 * 8) / 60, 0]);
  });

  it('say never where a policy stays or does not come back', () => {
    const scenario = scenarioOf('outage-900', 1);
    const lines = [
      ...Array.from({ length: 30 }, (_, index) => ({ atS: index, primary: 7, winner: 7 })),
      ...Array.from({ length: 30 }, (_, index) => ({ atS: 900 + index, primary: 7, winner: -1 })),
      ...Array.from({ length: 30 }, (_, index) => ({ atS: 2400 + index, primary: 0, winner: 0 })),
    ];
    const runs = [{ record: recordOf(lines), base: null, scenario }];
    const { shiftSteps, healSteps, details } = worldRow('some', runs);
    expect([shiftSteps, healSteps, details.neverShifted, details.neverHealed]).toEqual([null, null, 1, 1]);
    expect(details.outageAllFailedPct).toBe(100);
  });
});
