// The parts of the contention world by themselves: its clock, an upstream under load, and how two policies are compared.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentionClock } from '../../../../src/bench/simulator/contentionClock.ts';
import {
  CONTENTION_FIGURES,
  differences,
  type ContentionFigures,
} from '../../../../src/bench/simulator/contentionFigures.ts';
import {
  ContentionUpstream,
  newOrder,
  type UpstreamAnswer,
} from '../../../../src/bench/simulator/contentionUpstream.ts';
import { CONTENTION_WORLD } from '../../../../src/bench/simulator/contentionWorld.ts';
import { createGenerator } from '../../../../src/bench/simulator/generator.ts';

describe('the clock', () => {
  it('does everything once, in order of time, and what is due together in the order it was asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), (waits) => {
        const clock = new ContentionClock();
        const done: (readonly [atMs: number, index: number])[] = [];
        waits.forEach((waitMs, index) => clock.after(waitMs, () => done.push([clock.nowMs, index])));
        clock.run();
        const due = waits.map((waitMs, index) => [waitMs, index] as const);
        expect(done).toEqual(due.sort(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });

  it('takes up what is asked for while it runs', () => {
    const clock = new ContentionClock();
    const seen: number[] = [];
    clock.after(5, () => clock.after(5, () => seen.push(clock.nowMs)));
    clock.after(7, () => seen.push(clock.nowMs));
    clock.run();
    expect(seen).toEqual([7, 10]);
  });
});

interface Load {
  readonly answers: readonly UpstreamAnswer[];
  readonly upstream: ContentionUpstream;
  readonly endMs: number;
}

/** Sends `count` requests at once to an upstream of 2 places that loses no answer. */
function load(count: number, change: { readonly queueLength?: number; readonly limitPerSecond?: number } = {}): Load {
  const clock = new ContentionClock();
  const own = { name: 'a', places: 2, serviceMs: 1000, queueLength: 50, limitPerSecond: 1000, ...change };
  const world = { ...CONTENTION_WORLD, lostShare: 0, errorShare: 0, errorGrowth: 0 };
  const upstream = new ContentionUpstream(clock, createGenerator(3), world, own);
  const answers: UpstreamAnswer[] = [];
  for (let sent = 0; sent < count; sent++) upstream.send(newOrder(1, (answer) => answers.push(answer)));
  clock.run();
  return { answers, upstream, endMs: clock.nowMs };
}

const counted = (answers: readonly UpstreamAnswer[], which: UpstreamAnswer): number =>
  answers.filter((answer) => answer === which).length;

describe('an upstream', () => {
  it('answers 529 when its queue is full', () => {
    const { answers } = load(10, { queueLength: 3 });
    expect([counted(answers, 'served'), counted(answers, 'overloaded')]).toEqual([5, 5]);
  });

  it('answers 429 beyond its rate', () => {
    const { answers } = load(10, { limitPerSecond: 4 });
    expect([counted(answers, 'served'), counted(answers, 'limited')]).toEqual([4, 6]);
  });

  it('takes longer for each request as its queue fills', () => {
    const short = load(2).upstream.tally;
    const long = load(50).upstream.tally;
    expect(long.workMs / 50).toBeGreaterThan(short.workMs / 2);
    expect(long.wastedMs).toBe(0);
  });

  it('works on what was given up, wastes it, and tells nobody', () => {
    const clock = new ContentionClock();
    const upstream = new ContentionUpstream(clock, createGenerator(3), CONTENTION_WORLD, CONTENTION_WORLD.tool);
    const order = newOrder(1, () => expect.unreachable('nobody waits for it'));
    upstream.send(order);
    order.isGivenUp = true;
    clock.run();
    expect(order).toMatchObject({ isPending: false, isDone: true });
    expect(upstream.tally.wastedMs).toBe(upstream.tally.workMs);
    expect(upstream.tally.workMs).toBeGreaterThan(0);
  });

  it('serves nobody without a place, and everybody once it has them back', () => {
    const clock = new ContentionClock();
    const upstream = new ContentionUpstream(clock, createGenerator(3), CONTENTION_WORLD, CONTENTION_WORLD.tool);
    let answeredMs = 0;
    upstream.setPlaces(0);
    upstream.send(newOrder(1, () => (answeredMs = clock.nowMs)));
    clock.after(10_000, () => upstream.setPlaces(1));
    clock.run();
    expect(answeredMs).toBeGreaterThan(10_000);
  });
});

const blank = Object.fromEntries(Object.keys(CONTENTION_FIGURES).map((name) => [name, 50])) as ContentionFigures;
const withWaste = (...values: readonly number[]): readonly ContentionFigures[] =>
  values.map((wasted) => ({ ...blank, wasted }));

describe('comparing two policies', () => {
  it('tells what differs by more than three standard errors of the paired difference, and which way is worse', () => {
    const found = differences(withWaste(1, 11, 21, 31), withWaste(5, 15, 25, 36));
    expect(found).toEqual([{ figure: 'wasted', from: 16, to: 20.25, isWorse: true }]);
    expect(differences(withWaste(5, 15), withWaste(1, 11))[0]?.isWorse).toBe(false);
  });

  it('says nothing of what is within the noise or too small to matter', () => {
    // Mean 4, standard deviation 8, error 4: within three of them.
    expect(differences(withWaste(0, 0, 0, 0), withWaste(16, 0, 0, 0))).toEqual([]);
    expect(differences(withWaste(1, 1), withWaste(1.1, 1.1))).toEqual([]);
  });
});
