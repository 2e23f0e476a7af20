import { describe, expect, it } from 'vitest';
import {
  balancedConstants,
  constantsOf,
  constantSymbols,
  presetChanges,
  schedulerConstantsSchema,
} from '../../../../../src/core/scheduler/balanced/constants.ts';

/** Scheduler-study 6.2, typed off the page a second time. */
const printed = {
  p0: 0.005,
  p0Backbone: 0.0025,
  delta: 0.97,
  beliefHalfLifeMs: 180_000,
  hangWeight: 0.6,
  pMin: 1e-4,
  pMax: 0.995,
  f0: 0.05,
  fGain: 0.005,
  qualityMass: 6,
  qualityHalfLife: 300,
  ucb: 0.2,
  latencyVariance: 0.36,
  firstTokenShare: 0.25,
  latencyGain: 0.01,
  meanClip: 2,
  varianceClip: 2.5,
  varianceMin: 0.04,
  varianceMax: 1,
  fastGain: 0.2,
  fastHalfLifeMs: 180_000,
  fastFloor: -0.5,
  fastCap: 4,
  meanFactor: 1.15,
  latencyCapMs: 60_000,
  censorSd: 0.5,
  censorLead: 0.25,
  ct: 0.01,
  cc: 0.02,
  cf: 0.05,
  availabilityFloor: 0.002,
  detectShare: 0.5,
  detectCapMs: 20_000,
  detectAddMs: 500,
  startThreshold: 0.8,
  maxStart: 3,
  firstTokenSd: 2.33,
  firstTokenMinMs: 300,
  firstTokenMaxMs: 20_000,
  totalSd: 2.045,
  totalMaxMs: 30_000,
  decodeFactor: 3,
  decodeAfterMs: 1500,
  ctH: 0.02,
  isHedgeCapped: true,
  bucketSize: 10,
  bucketRefill: 0.15,
  bucketPatience: 2,
  maxLive: 3,
  maxRunning: 5,
  callLimitMs: 120_000,
  cw: 0.01,
  residualFactor: 2,
  residualAddMs: 200,
  survivalMin: 0.05,
  pingBelow: 0.7,
  pingFastAbove: 1,
  pingEveryMs: 10_000,
  pingJitter: 0.2,
  pingTimeoutMs: 5000,
  pingGain: 0.5,
  lastCallFactor: 1.2,
  finalCallFactor: 0.6,
  lastCallShare: 0.3,
  lastCallSd: 1.645,
  lastCallBase: 0.5,
};

describe('the constants', () => {
  it('have the defaults that the study prints', () => {
    expect(balancedConstants).toMatchObject(printed);
    expect(balancedConstants.tiers).toMatchObject({
      S: { mu: 0.6, totalMs: 2000 },
      M: { mu: 0.75, totalMs: 3500 },
      L: { mu: 0.85, totalMs: 6000 },
    });
  });

  it('describe every constant', () => {
    const undescribed = Object.entries(schedulerConstantsSchema.shape).filter(([, field]) => !field.description);
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });

  it('have the presets of the study, and a fast that also hedges earlier', () => {
    expect(presetChanges.fast).toMatchObject({ startThreshold: 0.9, isHedgeCapped: false });
    expect(constantsOf('fast').firstTokenSd).toBeLessThan(balancedConstants.firstTokenSd);
    expect(constantsOf('qualityFirst').ctH).toBe(0.01);
    expect(constantsOf('latencyFirst')).toMatchObject({ ct: 0.03, cw: 0.03, ctH: 0.04 });
    expect(constantsOf('costFirst').cc).toBe(0.1);
  });

  it("take a user's own value over the preset, and refuse one that is out of range", () => {
    expect(constantsOf('fast', { startThreshold: 0.95 }).startThreshold).toBe(0.95);
    expect(() => constantsOf('balanced', { delta: 1.5 })).toThrow();
    expect(() => constantsOf('balanced', { cw: NaN })).toThrow();
  });

  it("know the study's spellings", () => {
    for (const name of Object.values(constantSymbols)) expect(balancedConstants).toHaveProperty(name);
    expect(constantSymbols.c_tH).toBe('ctH');
  });
});
