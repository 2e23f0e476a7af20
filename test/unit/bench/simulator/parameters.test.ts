import { describe, expect, it } from 'vitest';
import { PARAMETER_SETS } from '../../../../src/bench/simulator/parameterSets.ts';
import { readParameters } from '../../../../src/bench/simulator/parameters.ts';
import { parameterSet } from './parameterSet.ts';

const errorOf = (change: Readonly<Record<string, unknown>>): string => {
  const read = readParameters({ ...PARAMETER_SETS.J, ...change });
  return read.ok ? 'taken' : read.error;
};

describe('a parameter file', () => {
  it('is taken with or without a note', () => {
    expect(errorOf({})).toBe('taken');
    expect(errorOf({ note: 'mine' })).toBe('taken');
  });

  it('is answered by one message that names the wrong field', () => {
    expect(errorOf({ lam: 1.5 })).toMatch(/^field "lam": /);
    expect(errorOf({ dp: undefined })).toMatch(/^field "dp": /);
    expect(errorOf({ faultModel: { ...PARAMETER_SETS.J.faultModel, T4: 'few' } })).toMatch(/^field "faultModel.T4": /);
    expect(errorOf({ stepWeights4to8: [1, 1] })).toMatch(/^field "stepWeights4to8": /);
    expect(errorOf({ lamb: 1 })).toBe('field "lamb": is not a parameter');
    expect(errorOf({ incMode: 1 })).toMatch(/^field "incMode": /);
    expect(errorOf({ stepWeights4to8: [0, 0, 0, 0, 0] })).toBe(
      'field "stepWeights4to8": at least one number must be above 0',
    );
    expect(readParameters('J')).toMatchObject({ ok: false, error: expect.stringMatching(/^the document: /) as string });
  });

  it('has its shares scaled to add up to 1', () => {
    const doubled = readParameters({
      ...PARAMETER_SETS.J,
      stepWeights4to8: PARAMETER_SETS.J.stepWeights4to8.map((weight) => 2 * weight),
    });
    const steps = doubled.ok ? doubled.value.stepShares : [];
    expect(steps.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    for (const set of ['J', 'A'] as const) {
      const { faultShares } = parameterSet(set);
      for (const shares of [faultShares.model, faultShares.tool])
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });
});
