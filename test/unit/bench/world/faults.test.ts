import { describe, expect, it } from 'vitest';
import { FaultTimeline, backboneMask, regionMask, vendorMask } from '../../../../src/bench/world/faults.ts';
import { scenarioOf } from '../../../../src/bench/world/scenarios.ts';

describe('faults of the world', () => {
  it('hold from their start until before their end, and add up', () => {
    const timeline = new FaultTimeline(
      [
        { startS: 10, endS: 20, targets: 1, effect: { kind: 'slow', factor: 10 } },
        { startS: 15, endS: 30, targets: 3, effect: { kind: 'lossy', loss: 0.25, factor: 3 } },
        { startS: 40, endS: 50, targets: 1, effect: { kind: 'outage', hang: 0.5 } },
        { startS: 45, endS: 60, targets: 1, effect: { kind: 'outage', hang: 0.2 } },
      ],
      0,
    );
    const at = (nowS: number): readonly unknown[] => {
      const { isDown, hang, factor, loss } = timeline.at(nowS);
      return [isDown, hang, factor, loss];
    };
    expect(at(9.99)).toEqual([false, 0, 1, 0]);
    expect(at(10)).toEqual([false, 0, 10, 0]);
    expect(at(15)).toEqual([false, 0, 30, 0.25]);
    expect(at(20)).toEqual([false, 0, 3, 0.25]);
    expect(at(30)).toEqual([false, 0, 1, 0]);
    expect(timeline.nextOutageS(30)).toBe(40);
    expect(at(47)).toEqual([true, 0.5, 1, 0]);
    // The second outage begins in the first: no call can be running that it would end.
    expect(timeline.nextOutageS(47)).toBe(Infinity);
    expect(at(55)).toEqual([true, 0.2, 1, 0]);
    expect(at(60)).toEqual([false, 0, 1, 0]);
  });

  it('name regions, vendors without the local candidates, and the backbone', () => {
    expect(regionMask('local')).toBe(0b11);
    expect(regionMask('global-east')).toBe(0b11100000);
    expect(vendorMask('L')).toBe((1 << 4) | (1 << 7) | (1 << 9));
    expect(vendorMask('S')).toBe((1 << 2) | (1 << 5));
    expect(backboneMask()).toBe(0b1111100000);
  });

  it('come as the dynamic scenario lists them, with bursts in three regions', () => {
    const { faults } = scenarioOf('dynamic', 1);
    const fixed = faults.filter(({ effect }) => effect.kind !== 'lossy');
    expect(fixed.map(({ startS, endS, effect }) => [startS, endS, effect.kind]).slice(0, 6)).toEqual([
      [2400, 3600, 'outage'],
      [4800, 6000, 'slow'],
      [7200, 8700, 'outage'],
      [9600, 10_500, 'rate'],
      [11_400, 12_600, 'outage'],
      [13_200, 13_260, 'outage'],
    ]);
    expect(fixed).toHaveLength(15);
    const bursts = Array.from({ length: 40 }, (_, seed) => scenarioOf('dynamic', seed).faults)
      .flat()
      .filter(({ effect }) => effect.kind === 'lossy');
    const lengths = bursts.map(({ startS, endS }) => endS - startS);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(3);
    expect(lengths.reduce((sum, each) => sum + each, 0) / lengths.length).toBeCloseTo(28, -0.7);
    const inGe = bursts.filter(({ targets }) => targets === regionMask('global-east'));
    // 16,200 s of a gap of 600 s and 28 s of burst each.
    expect(inGe.length / 40).toBeCloseTo(16_200 / 628, -0.7);
  });

  it('keep candidates of the random scenario within what can be', () => {
    for (let seed = 1; seed <= 30; seed++)
      for (const { quality, internalFailureShare, lossShare, slowShare } of scenarioOf('random', seed).candidates) {
        expect(quality).toBeGreaterThan(0.4);
        expect(quality).toBeLessThan(1);
        for (const share of [internalFailureShare, lossShare, slowShare]) {
          expect(share).toBeGreaterThan(0);
          expect(share).toBeLessThanOrEqual(0.5);
        }
      }
  });
});
