import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { SchedulerState } from '../../../src/core/scheduler/balanced/types.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { call, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

const [a, b, c] = [candidate('a'), candidate('b'), candidate('c')];

function bodies<T extends EventBody['type']>(outcome: Outcome, type: T): readonly Extract<EventBody, { type: T }>[] {
  // The type was just compared.
  return outcome.log.flatMap(({ body }) => (body.type === type ? [body as Extract<EventBody, { type: T }>] : []));
}

const book = (): SchedulerBook => new SchedulerBook(virtualClock());
const down = (state: SchedulerState, id: string): number => state.sources[`own:${id}`]?.p ?? 0;

describe('a call in mode balanced', () => {
  it('tells what each index is made of, and what the start set promises', async () => {
    const outcome = await call([a, b], { a: [answers('hi')] });
    const [plan] = bodies(outcome, 'plan-made');
    expect(plan).toMatchObject({ mode: 'balanced', hedgeSet: ['a'], targetReached: true });
    const { parts, utility } = plan!.ranking[0]!;
    const { quality, latency, money, failure, affinity } = parts!;
    expect(quality - latency - money - failure + affinity).toBeCloseTo(utility, 12);
    expect(plan!.promisedSuccess).toBeCloseTo(1 - plan!.failureProbability, 12);
    expect(plan!.promisedSuccess).toBeCloseTo(plan!.independentSuccess!, 12);
  });

  it('tells why each attempt was launched and what losers have cost', async () => {
    const scripts = { a: [[{ hang: true } as const]], b: [fails(503)], c: [answers('hi')] };
    const outcome = await call([a, b, c], scripts);
    expect(
      bodies(outcome, 'attempt-launched').map(({ candidate: id, reason, trigger }) => [id, reason, trigger]),
    ).toEqual([
      ['a', 'first', undefined],
      ['b', 'hedge', 'first-token'],
      ['c', 'failover', 'failure'],
    ]);
    const [finished] = bodies(outcome, 'call-finished');
    const won = bodies(outcome, 'attempt-succeeded')[0]!.costUsd;
    expect(finished!.loserUsd! + won).toBeCloseTo(finished!.costUsd, 12);
  });

  it('learns each attempt once: a failure, a loser that hung, and the answer', async () => {
    const scheduler = book();
    const scripts = { a: [[{ hang: true } as const]], b: [fails(503)], c: [answers('hi')] };
    await call([a, b, c], scripts, { scheduler });
    const { sources, candidates } = scheduler.state;
    expect(Object.keys(candidates).sort()).toEqual(['a', 'b', 'c']);
    expect(down(scheduler.state, 'b')).toBeGreaterThan(0.05);
    expect(down(scheduler.state, 'a')).toBeGreaterThan(0.005);
    expect(down(scheduler.state, 'a')).toBeLessThan(down(scheduler.state, 'b'));
    expect(candidates.c!.total.n).toBe(2);
    expect(candidates.a!.total.n).toBe(1);
    expect(Object.keys(sources).length).toBeGreaterThan(3);
  });

  it('charges nobody for a loser that was in time, a caller that went, or the deadline of the caller', async () => {
    const gone = book();
    await call([a], { a: [[{ hang: true }]] }, { scheduler: gone, abortAtMs: 50_000 });
    expect(gone.state.candidates).toEqual({});
    const late = book();
    await call([a], { a: [[{ hang: true }]] }, { scheduler: late, context: { deadlineMs: 5000 } });
    expect(late.state.candidates).toEqual({});
    const loser = book();
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    await call([a, b], { a: [answers('hi', 900)], b: [answers('ho', 100)] }, { scheduler: loser, raw });
    expect(down(loser.state, 'a')).toBe(0);
    expect(loser.state.candidates.a!.baseFail).toBe(0.05);
  });

  it('keeps books of its promises', async () => {
    const scheduler = book();
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    await call([a, b, c], { a: [fails(500)], b: [fails(503)], c: [answers('x')] }, { scheduler, raw });
    await call([a, b], { a: [answers('x')], b: [answers('x')] }, { scheduler });
    const counted = (bins: readonly { n: number; observed: number }[]): readonly number[] => [
      Math.round(bins.reduce((sum, { n }) => sum + n, 0)),
      Math.round(bins.reduce((sum, { observed }) => sum + observed, 0)),
    ];
    expect(counted(scheduler.state.calibration.starts)).toEqual([2, 1]);
    expect(counted(scheduler.state.calibration.attempts)[0]).toBe(4);
  });

  it('passes over whoever asked to be left alone, and asks it where nobody else is left', async () => {
    const scheduler = book();
    const limited = fails(429, { headers: { 'retry-after': '60' } });
    const pool = [a, b, c];
    const profiles = new ProfileBook();
    await call(pool, { a: [limited], b: [answers('x')] }, { scheduler, profiles });
    const next = await call(pool, { b: [fails(503)], c: [answers('x')] }, { scheduler, profiles });
    expect(next.seen.map((each) => each.candidate)).toEqual(['b', 'c']);
    const only = await call([a], { a: [answers('x')] }, { scheduler, profiles });
    expect(only.seen.map((each) => each.candidate)).toEqual(['a']);
  });

  it('never goes beyond a pinned model', async () => {
    const outcome = await call([a], { a: [fails(503)], b: [answers('x')] }, { pinned: true, others: [b] });
    expect(new Set(outcome.seen.map((each) => each.candidate))).toEqual(new Set(['a']));
    expect(outcome.events.at(-1)?.type).toBe('failed');
  });

  it('holds a whole answer for a better one and tells for how long', async () => {
    const scheduler = book();
    const learn = { source: 'verifier' } as const;
    const constants = scheduler.constantsOf((await call([a], { a: [answers('x')] })).settings);
    for (let count = 0; count < 60; count++) {
      scheduler.learnQuality(a, 'chat', { ...learn, q: 1 }, constants);
      scheduler.learnQuality(b, 'chat', { ...learn, q: 0.1 }, constants);
    }
    const scripts = { a: [answers('good', 3000, 200)], b: [answers('poor', 1000, 10)] };
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    const outcome = await call([a, b], scripts, { scheduler, policy: 'hold', raw });
    expect(outcome.text).toBe('good');
    const [finished] = bodies(outcome, 'call-finished');
    expect(finished).toMatchObject({ heldFor: 'a', candidate: 'a' });
    expect(finished!.heldMs).toBeGreaterThan(300);
    expect(finished!.heldMs).toBeLessThanOrEqual(8000);
  });

  it('starts two at once in mode fast where the best one is not reliable enough for it', async () => {
    const advanced = { scheduler: { balanced: { f0: 0.12 } } };
    const launched = async (mode: string): Promise<number> => {
      const raw = { 'belay.mode': mode, 'belay.advanced': advanced };
      const outcome = await call([a, b], { a: [answers('x')], b: [answers('x')] }, { raw });
      expect(bodies(outcome, 'plan-made')[0]).toMatchObject({ mode });
      return bodies(outcome, 'attempt-launched').length;
    };
    expect(await launched('balanced')).toBe(1);
    expect(await launched('fast')).toBe(2);
  });
});
