import { describe, expect, it } from 'vitest';
import { LinkMeter } from '../../../src/engine/linkMeter.ts';

/** Figures of pieces that come at [ms, bytes in all]. */
function measured(...pieces: readonly (readonly [number, number])[]): ReturnType<LinkMeter['figures']> {
  const meter = new LinkMeter();
  for (const [atMs, bytes] of pieces) meter.take(bytes, atMs);
  return meter.figures();
}

describe('the pace of an answer', () => {
  it('is not known of an answer that came at once, or in less than a tenth of a second', () => {
    expect(measured([500, 4000])).toBeNull();
    expect(measured([500, 10], [599, 4000])).toBeNull();
  });

  it('is its bytes per ms without the wait for the first piece, and steady where it is steady', () => {
    expect(measured([9000, 50], [9100, 100], [9200, 150], [9300, 200])).toEqual({ bandwidth: 0.5, jitter: 0 });
  });

  it('joins what arrives together', () => {
    expect(measured([0, 0], [10, 40], [100, 50], [101, 90], [200, 100])).toEqual({ bandwidth: 0.5, jitter: 0 });
  });

  it('has a jitter where pieces come by fits and starts', () => {
    const uneven = measured([0, 0], [100, 100], [200, 100], [300, 200], [400, 200]);
    expect(uneven!.bandwidth).toBeCloseTo(0.5, 12);
    expect(uneven!.jitter).toBeGreaterThan(0.3);
    expect(uneven!.jitter).toBeLessThanOrEqual(0.6);
  });

  it('takes a count that falls for nothing new', () => {
    expect(measured([0, 100], [100, 50])).toBeNull();
  });
});
