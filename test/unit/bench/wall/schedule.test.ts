// The fault schedule: the same for the same seed, complete at the default level, heavier in a storm, and plain data.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../../../src/bench/wall/faults.ts';
import { makeSchedule, MOST_IN_A_ROW, parseSchedule, type ScheduleLevel } from '../../../../src/bench/wall/schedule.ts';
import { LONG_CONTEXT_STEPS, MAIN_STEPS, SIDE_STEP } from '../../../../src/bench/wall/script/steps.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const levels = fc.constantFrom<ScheduleLevel>('none', 'default', 'storm');
const faultsIn = (schedule: ReturnType<typeof makeSchedule>) =>
  Object.values(schedule.steps)
    .flat()
    .filter((kind) => kind !== null);

describe('makeSchedule', () => {
  it('gives the same schedule for the same seed and level', () => {
    fc.assert(
      fc.property(seeds, levels, (seed, level) => {
        expect(makeSchedule(seed, level)).toEqual(makeSchedule(seed, level));
      }),
    );
  });

  it('gives different schedules for different seeds', () => {
    const shown = Array.from({ length: 20 }, (_, seed) => JSON.stringify(makeSchedule(seed, 'default').steps));
    expect(new Set(shown).size).toBeGreaterThan(15);
  });

  it('meets every kind once at the default level, as the first request of a step that every run passes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { steps, lossScale } = makeSchedule(seed, 'default');
        const firsts = [...MAIN_STEPS, SIDE_STEP]
          .map((step) => steps[step]?.[0] ?? null)
          .filter((kind) => kind !== null);
        expect([...firsts].sort()).toEqual([...FAULT_KINDS].sort());
        expect(lossScale).toBe(0);
      }),
    );
  });

  it('never schedules more faults in a row than a few candidates can bear', () => {
    fc.assert(
      fc.property(seeds, levels, (seed, level) => {
        const limit = level === 'storm' ? MOST_IN_A_ROW : 1;
        for (const list of Object.values(makeSchedule(seed, level).steps))
          expect(list.length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('overflows only where the context is long enough to be compressed', () => {
    fc.assert(
      fc.property(seeds, levels, (seed, level) => {
        const { steps } = makeSchedule(seed, level);
        const overflowing = Object.keys(steps).filter((step) => steps[step]?.includes('context-overflow'));
        expect(overflowing.every((step) => LONG_CONTEXT_STEPS.some((each) => each === step))).toBe(true);
        expect(overflowing).toHaveLength(level === 'none' ? 0 : 1);
      }),
    );
  });

  it('at least doubles the faults in a storm, and loses requests', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const storm = makeSchedule(seed, 'storm');
        expect(faultsIn(storm).length).toBeGreaterThanOrEqual(2 * faultsIn(makeSchedule(seed, 'default')).length);
        expect(storm.lossScale).toBe(1);
      }),
    );
  });

  it('leaves only the refusal at level none', () => {
    expect(makeSchedule(3, 'none').steps).toEqual({ 'side-step': ['refusal'] });
  });
});

describe('parseSchedule', () => {
  it('reads back what was exported', () => {
    fc.assert(
      fc.property(seeds, levels, (seed, level) => {
        const schedule = makeSchedule(seed, level);
        expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
      }),
    );
  });

  it('names the field that is wrong', () => {
    const schedule = { ...makeSchedule(1, 'default'), steps: { finish: ['earthquake'] } };
    expect(() => parseSchedule(schedule)).toThrow(/fault schedule: steps\.finish\.0: /);
  });
});
