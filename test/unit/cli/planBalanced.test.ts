import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { planBalancedDocument } from '../../../src/cli/planBalanced.ts';
import { onStore } from '../../../src/cli/planStore.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { candidate } from '../../support/candidates.ts';

const answer = z.object({
  ranking: z.array(z.object({ id: z.string(), utility: z.number(), rho: z.number() }).loose()),
  hedgeSet: z.array(z.string()),
  failureProbability: z.number(),
  targetReached: z.boolean(),
  index: z.record(z.string(), z.number()),
  availability: z.record(z.string(), z.number()),
  start: z.array(z.string()),
  hedgeTimers: z.record(z.string(), z.object({ firstTokenMs: z.number(), totalMs: z.number() }).loose()),
  why: z.array(z.string()),
});

function planned(document: unknown): z.output<typeof answer> {
  const plan = planBalancedDocument(document);
  if (!plan.ok) throw new Error(plan.errors.join('\n'));
  return answer.parse(JSON.parse(plan.text));
}

const large = { id: 'a', tier: 'L', sources: ['own:a', 'region:x', 'vendor:v'], price: { relative: 1 } };
const small = { id: 'b', tier: 'S', price: { relative: 0.1 } };

describe('belay plan in mode balanced', () => {
  it('ranks by the index and says what starts, when it would be late, and why', () => {
    const plan = planned({ mode: 'balanced', candidates: [small, large] });
    expect(plan.ranking.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(plan.index.a).toBe(plan.ranking[0]!.utility);
    // f .05, three sources at .005, δ .97
    expect(plan.availability.a).toBeCloseTo(0.95 * (1 - 0.97 * 0.005) ** 3, 12);
    expect(plan.start).toEqual(['a']);
    expect(plan.failureProbability).toBeCloseTo(1 - plan.availability.a!, 12);
    expect(plan.hedgeTimers.a!.firstTokenMs).toBeCloseTo(1500 * Math.exp(2.33 * 0.6), 6);
    expect(plan.why.join(' ')).toContain('a leads');
  });

  it('takes constants by their names in the study, and starts two in mode fast where one is not enough', () => {
    const params = { c_t: 0.5, f: 0.15 };
    expect(planned({ mode: 'balanced', params, candidates: [large, small] }).ranking[0]!.id).toBe('b');
    expect(planned({ mode: 'fast', params: { f: 0.12 }, candidates: [large, small] }).start).toHaveLength(2);
  });

  it('names what is wrong', () => {
    const errors = (document: unknown): readonly string[] => {
      const plan = planBalancedDocument(document);
      return plan.ok ? [] : plan.errors;
    };
    expect(errors({ mode: 'balanced', params: { nonsense: 1, c_t: 'x' }, candidates: [] })).toEqual([
      'params.nonsense: is no constant of the balanced scheduler',
      expect.stringContaining('params.c_t'),
    ]);
    expect(errors({ mode: 'balanced', candidates: [{ id: 'a', tier: 'XL' }] })[0]).toContain('candidates.0.tier');
  });

  it('plans what --export prints, and forgets with --reset', async () => {
    const store = memoryStore();
    const clock = virtualClock();
    const book = new SchedulerBook(clock);
    const constants = book.constantsOf(parseSettings({}).settings);
    for (const id of ['a', 'b'])
      book.learn(
        candidate(id),
        {
          candidate: id,
          role: 'chat',
          outcome: id === 'a' ? 'hard-failure' : 'success',
          totalMs: 900,
          firstTokenMs: id === 'a' ? null : 200,
          outputTokens: 10,
          quality: [],
          isPing: false,
          promisedSuccess: 0.9,
        },
        constants,
      );
    await book.save(store);
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: (text: string) => void out.push(text) };
    expect(await onStore(store, { export: true }, 5, io)).toBe(0);
    const plan = planned(JSON.parse(out[0]!));
    expect(plan.ranking.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(await onStore(store, { reset: 'nobody' }, 5, io)).toBe(2);
    expect(await onStore(store, { reset: 'a' }, 5, io)).toBe(0);
    expect(await onStore(store, { export: true }, 5, io)).toBe(0);
    expect(planned(JSON.parse(out.at(-1)!)).ranking.length).toBe(1);
    expect(await onStore(store, { reset: 'all' }, 5, io)).toBe(0);
    await book.save(store);
    const fresh = new SchedulerBook(clock);
    await fresh.load(store);
    expect(fresh.state.candidates).toEqual({});
  });
});
