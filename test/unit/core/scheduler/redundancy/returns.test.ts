import { describe, expect, it } from 'vitest';
import { newCall, noteReplica, type CallReplicas } from '../../../../../src/core/scheduler/redundancy/callReplicas.ts';
import {
  addReturn,
  noReturn,
  returnFigure,
  type CopyReturn,
  type ReturnOptions,
} from '../../../../../src/core/scheduler/redundancy/returns.ts';
import { eventsOf, type Tried } from './eventsOf.ts';

const callOf = (tried: readonly Tried[], outcome?: 'failed' | 'cancelled'): CallReplicas =>
  eventsOf('x', tried, outcome).reduce(noteReplica, newCall);
const returned = (tried: readonly Tried[], options: ReturnOptions = { baseline: 'single' }): CopyReturn =>
  addReturn(noReturn, callOf(tried), options);

describe('what copies brought', () => {
  it('is nothing for a call without copies, failovers among them', () => {
    expect(
      returned([
        { from: 0, to: 100, how: 'failed' },
        { from: 100, to: 900, how: 'succeeded' },
      ]),
    ).toBe(noReturn);
  });

  it('is only money where the first one won: the loser is billed for its prompt', () => {
    expect(
      returned([
        { from: 0, to: 900, how: 'succeeded', costUsd: 1 },
        { from: 500, to: 900, how: 'cancelled', costUsd: 0.25 },
      ]),
    ).toEqual({ ...noReturn, redundantCalls: 1, spentUsd: 0.25 });
  });

  it('is a failure averted where the first one failed and the copy answered', () => {
    const tried: readonly Tried[] = [
      { from: 0, to: 5000, how: 'failed', costUsd: 0.2 },
      { from: 2000, to: 6000, how: 'succeeded', costUsd: 1 },
    ];
    expect(returned(tried)).toMatchObject({ failuresAverted: 1, spentUsd: 1, savedS: 0 });
    // A chain would have asked the second one at 5 s: it answered 3 s earlier, for the same money.
    expect(returned(tried, { baseline: 'chain' })).toMatchObject({ failuresAverted: 0, spentUsd: 0, savedS: 3 });
  });

  it('is time that is not known where the first one was cut off, unless something says how long it would have taken', () => {
    const tried: readonly Tried[] = [
      { from: 0, to: 6000, how: 'cancelled', costUsd: 0.25 },
      { from: 2000, to: 6000, how: 'succeeded', costUsd: 1 },
    ];
    // The answer is paid once in any case: what the copy cost more is the first one's prompt.
    expect(returned(tried)).toMatchObject({ spentUsd: 0.25, savedS: 0, unknownSavings: 1 });
    const leftS = (candidate: string, elapsedMs: number): number => (candidate === 'c0' ? 10 - elapsedMs / 1000 : 99);
    expect(returned(tried, { baseline: 'single', leftS })).toMatchObject({ savedS: 4, unknownSavings: 0 });
  });

  it('counts the money of a call that its caller gave up, and of one that failed with all its copies', () => {
    const lost = callOf(
      [
        { from: 0, to: 900, how: 'cancelled', costUsd: 0.5 },
        { from: 500, to: 900, how: 'cancelled', costUsd: 0.25 },
      ],
      'cancelled',
    );
    expect(addReturn(noReturn, lost, { baseline: 'single' })).toMatchObject({
      spentUsd: 0.25,
      failuresAverted: 0,
      unknownSavings: 0,
    });
    const failed = callOf(
      [
        { from: 0, to: 900, how: 'failed' },
        { from: 500, to: 800, how: 'failed' },
      ],
      'failed',
    );
    expect(addReturn(noReturn, failed, { baseline: 'single' })).toMatchObject({ spentUsd: 1, failuresAverted: 0 });
  });
});

describe('the ROI figure', () => {
  it('weighs failures averted and seconds saved against the money', () => {
    const sum = { ...noReturn, redundantCalls: 9, spentUsd: 0.2, failuresAverted: 1, savedS: 4 };
    const figure = returnFigure(sum, { lossUsd: 1, usdPerS: 0.05 });
    expect(figure.valueUsd).toBeCloseTo(1.2, 12);
    expect(figure.netUsd).toBeCloseTo(1, 12);
    expect(figure.roi).toBeCloseTo(5, 12);
    expect(returnFigure(noReturn, { lossUsd: 1, usdPerS: 1 }).roi).toBeNull();
  });
});
