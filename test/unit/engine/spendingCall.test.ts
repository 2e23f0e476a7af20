import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { Candidate } from '../../../src/core/candidate.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { SpendingBook } from '../../../src/engine/spendingBook.ts';
import { call, request, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

// Input $4, output $8 a million: an answer of the script costs $0.0048, the worst case of an attempt a little over $0.0327.
const [a, b, c] = [candidate('a'), candidate('b'), candidate('c')];
const WORST_USD = (4096 * 8) / 1e6;
const hang = [[{ hang: true } as const]];

type Limits = Partial<Record<'perCallUsd' | 'perTaskUsd' | 'perDayUsd', number>>;
const raw = (spending: Limits, more: Record<string, unknown> = {}, mode = 'balanced') => ({
  'belay.mode': mode,
  'belay.advanced': { spending, ...more },
});
const two = { scheduler: { balanced: { minStart: 2 } } };

function bodies<T extends EventBody['type']>(outcome: Outcome, type: T): readonly Extract<EventBody, { type: T }>[] {
  // The type was just compared.
  return outcome.log.flatMap(({ body }) => (body.type === type ? [body as Extract<EventBody, { type: T }>] : []));
}

const launched = (outcome: Outcome): readonly (readonly [string, string])[] =>
  bodies(outcome, 'attempt-launched').map(({ candidate: id, reason }) => [id, reason]);

const failure = ({ events }: Outcome) => {
  const last = events.at(-1);
  return last?.type === 'failed' ? last.failure : null;
};

/** A book in which the task has cost so much. */
function spent(usd: number): SpendingBook {
  const book = new SpendingBook(virtualClock(), 'earlier');
  const body = { type: 'attempt-cancelled', candidate: 'a', elapsedMs: 1, costUsd: usd, billedTokens: 1 } as const;
  book.hear({ seq: 1, atMs: 0, ids: { tenant: 't', client: 'c', task: 'k', step: 1, call: 'x', attempt: 'x' }, body });
  return book;
}

describe('an attempt', () => {
  it('tells its worst case: the prompt in full and the longest answer', async () => {
    for (const mode of ['balanced', 'literal']) {
      const [first] = bodies(await call([a], { a: [answers('x')] }, { raw: raw({}, {}, mode) }), 'attempt-launched');
      expect(first!.worstUsd).toBeGreaterThan(WORST_USD);
      expect(first!.worstUsd).toBeLessThan(WORST_USD + 0.001);
      const asked = { ...request, maxOutputTokens: 1000 };
      const short = bodies(
        await call([a], { a: [answers('x')] }, { asked, raw: raw({}, {}, mode) }),
        'attempt-launched',
      );
      expect(first!.worstUsd! - short[0]!.worstUsd!).toBeCloseTo((3096 * 8) / 1e6, 12);
    }
  });

  it('that is a hedge and does not fit is not started, which is told once', async () => {
    const slow = { a: [answers('late', 50_000)], b: [answers('b')], c: [answers('c')] };
    const tight = await call([a, b, c], slow, { raw: raw({ perTaskUsd: 0.05 }) });
    expect(launched(tight)).toEqual([['a', 'first']]);
    expect(tight.text).toBe('late');
    expect(bodies(tight, 'attempt-withheld')).toEqual([
      { type: 'attempt-withheld', candidate: 'b', why: 'spending', target: 'task', untilMs: null },
    ]);
    const wide = await call([a, b, c], slow, { raw: raw({ perTaskUsd: 0.1 }) });
    expect(launched(wide)).toEqual([
      ['a', 'first'],
      ['b', 'hedge'],
    ]);
    expect(bodies(wide, 'attempt-withheld')).toEqual([]);
  });

  it('that is needed starts though its worst case does not fit', async () => {
    const outcome = await call([a, b], { a: [fails(503)], b: [answers('b')] }, { raw: raw({ perCallUsd: 0.001 }) });
    expect(outcome.text).toBe('b');
    expect(launched(outcome).map(([id]) => id)).toEqual(['a', 'b']);
    expect(bodies(outcome, 'attempt-withheld')).toEqual([]);
  });

  it('beside the first of a start set is left out where it does not fit, and nothing is promised of it', async () => {
    const scripts = { a: [answers('x')], b: [answers('x')] };
    const tight = await call([a, b], scripts, { raw: raw({ perCallUsd: 0.06 }, two) });
    expect(launched(tight)).toEqual([['a', 'first']]);
    expect(bodies(tight, 'attempt-withheld')).toMatchObject([{ candidate: 'b', target: 'call' }]);
    const [plan] = bodies(tight, 'plan-made');
    const [alone] = bodies(await call([a, b], scripts, { raw: raw({}) }), 'plan-made');
    expect(plan!.hedgeSet).toEqual(['a']);
    expect(plan!.promisedSuccess).toBe(alone!.promisedSuccess);
    expect(launched(await call([a, b], scripts, { raw: raw({ perCallUsd: 0.07 }, two) }))).toHaveLength(2);
  });

  it('of a literal hedge set is left out likewise; the next round still asks the first of those left', async () => {
    const pool = [a, b, c];
    const high = { context: { criticality: 'high' as const } };
    const scripts = { a: [fails(503)], b: [answers('b')], c: [answers('c')] };
    const free = await call(pool, scripts, { raw: raw({}, {}, 'literal'), ...high });
    expect(launched(free)).toHaveLength(3);
    const [whole] = bodies(free, 'plan-made');
    const tight = await call(pool, scripts, { raw: raw({ perCallUsd: 0.07 }, {}, 'literal'), ...high });
    const [plan] = bodies(tight, 'plan-made');
    expect(plan!.hedgeSet).toEqual(['a', 'b']);
    expect(plan!.failureProbability).toBeGreaterThan(whole!.failureProbability);
    expect(bodies(tight, 'attempt-withheld')).toMatchObject([{ candidate: 'c', why: 'spending', target: 'call' }]);
    const alone = await call(pool, scripts, { raw: raw({ perCallUsd: 0.06 }, {}, 'literal'), ...high });
    expect(launched(alone).map(([id]) => id)).toEqual(['a', 'b']);
    expect(alone.text).toBe('b');
    // Once in each of the two rounds.
    expect(bodies(alone, 'attempt-withheld').map(({ candidate: id }) => id)).toEqual(['b', 'c']);
  });

  it('without a known price, or of a free one, is no matter of money', async () => {
    const unpriced = (id: string): Candidate =>
      candidate(id, { priceSource: 'unknown', price: { inputUsdPerMTok: 0, outputUsdPerMTok: 0 } });
    const free = candidate('b', { price: { inputUsdPerMTok: 0, outputUsdPerMTok: 0 } });
    const scheduler = new SchedulerBook(virtualClock());
    const constants = scheduler.constantsOf((await call([a], { a: [answers('x')] })).settings);
    // So that `a` leads though it costs something.
    for (let count = 0; count < 20; count++) scheduler.learnQuality(a, 'chat', { source: 'verifier', q: 1 }, constants);
    for (const beside of [unpriced('b'), free]) {
      const scripts = { a: [answers('late', 50_000)], b: [answers('b')] };
      const outcome = await call([a, beside], scripts, { raw: raw({ perCallUsd: 0.001 }), scheduler });
      expect(launched(outcome)).toContainEqual(['b', 'hedge']);
    }
    const route = await call(
      [unpriced('b')],
      { b: [answers('b')] },
      { raw: raw({ perTaskUsd: 1 }), spending: spent(2) },
    );
    expect(route.text).toBe('b');
  });
});

describe('a call', () => {
  it('whose budget is spent ends at once, with the limit, what was spent and the remedy', async () => {
    const scripts = { a: [answers('a')] };
    const outcome = await call([a, b], scripts, { raw: raw({ perTaskUsd: 1 }), spending: spent(1.02) });
    expect(outcome.seen).toEqual([]);
    expect(failure(outcome)).toMatchObject({
      status: 402,
      retryAfterMs: null,
      afterCommit: false,
      message:
        "The task's budget of $1.00 is spent ($1.02). Raise belay.advanced.spending.perTaskUsd, or set it to 0 for no limit.",
      fault: { class: 'T7', detail: 'quota' },
      decision: { action: 'FAIL', rule: 'T7/spending-task' },
    });
    expect(bodies(outcome, 'decision-made')).toHaveLength(1);
    expect(bodies(outcome, 'call-finished')).toMatchObject([{ outcome: 'failed', attempts: 0 }]);
    expect(bodies(outcome, 'breaker-changed')).toEqual([]);
    const high = { context: { criticality: 'high' as const } };
    const person = await call([a], scripts, { raw: raw({ perTaskUsd: 1 }), spending: spent(1), ...high });
    expect(failure(person)?.decision?.action).toBe('ESCALATE');
    const other = await call([a], scripts, { raw: raw({ perTaskUsd: 1 }), spending: spent(2), context: { task: 'o' } });
    expect(other.text).toBe('a');
  });

  it('names the day with its end', async () => {
    const outcome = await call([a], {}, { raw: raw({ perDayUsd: 5 }), spending: spent(5.02) });
    expect(failure(outcome)?.message).toBe(
      "The day's budget of $5.00 is spent ($5.02). Raise belay.advanced.spending.perDayUsd, or set it to 0 for no limit; the day ends at 00:00 UTC.",
    );
  });

  it('that spends its budget on the way goes nowhere else, and says what had failed', async () => {
    // Breaks after the model has worked, which is billed.
    const worked = [
      { afterMs: 0, parts: [{ type: 'usage', usage: { inputTokens: 1000, outputTokens: 0 } } as const] },
      { afterMs: 50, failed: { httpStatus: 503 } },
    ];
    const outcome = await call([a, b], { a: [worked], b: [answers('b')] }, { raw: raw({ perCallUsd: 0.003 }) });
    expect(outcome.seen.map(({ candidate: id }) => id)).toEqual(['a']);
    expect(failure(outcome)?.status).toBe(402);
    expect(failure(outcome)?.message).toMatch(
      /^No answer after 1 attempt: a .+ \(T\d\)\. The call's budget of \$0\.0030 is spent \(\$0\.0040\)\. Raise/,
    );
    expect(bodies(outcome, 'decision-made').map(({ rule }) => rule)).toEqual(['T7/spending-call']);
    expect(bodies(outcome, 'attempt-withheld')).toMatchObject([{ candidate: 'b', target: 'call' }]);
  });

  it('that is refused says so, whatever it has cost', async () => {
    const refuses = [
      { afterMs: 50, parts: [{ type: 'refusal-delta', text: 'no' } as const] },
      {
        afterMs: 0,
        parts: [
          { type: 'usage', usage: { inputTokens: 1000, outputTokens: 9 } } as const,
          { type: 'finish', reason: 'refusal' } as const,
        ],
      },
    ];
    const outcome = await call([a, b], { a: [refuses] }, { raw: raw({ perCallUsd: 0.001 }) });
    expect(bodies(outcome, 'call-finished')).toMatchObject([{ outcome: 'refused' }]);
    expect(failure(outcome)?.status ?? 400).toBe(400);
  });

  it('that was answered has been paid for, however much that was', async () => {
    const spending = new SpendingBook(virtualClock(), 'one');
    const limits = raw({ perTaskUsd: 0.004 });
    expect((await call([a], { a: [answers('x')] }, { raw: limits, spending })).text).toBe('x');
    expect(spending.today).toEqual({ usd: 0.0048, extraUsd: 0 });
    expect(failure(await call([a], { a: [answers('x')] }, { raw: limits, spending }))?.status).toBe(402);
  });

  it('whose caller has gone ends as cancelled, spent or not', async () => {
    const outcome = await call([a], { a: hang }, { raw: raw({ perTaskUsd: 1 }), spending: spent(2), abortAtMs: 0 });
    expect(outcome.events.length).toBeLessThanOrEqual(1);
  });

  it('leaves nothing pledged behind, won or lost', async () => {
    const spending = new SpendingBook(virtualClock(), 'one');
    await call([a, b, c], { a: hang, b: [fails(503)], c: [answers('x')] }, { spending, raw: raw({}) });
    const ids = { tenant: 't', client: 'c', task: 'k', step: 1 };
    const { usd } = spending.today;
    const asked = { isExtra: true, worstUsd: 1 };
    for (const name of ['perTaskUsd', 'perDayUsd'] as const) {
      const limits = { perCallUsd: 0, perTaskUsd: 0, perDayUsd: 0, [name]: usd + 1 };
      expect(spending.refusal(ids, limits, asked)).toBeNull();
    }
  });
});
