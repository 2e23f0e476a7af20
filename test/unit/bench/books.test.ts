import { describe, expect, it } from 'vitest';
import { compareBooks } from '../../../src/bench/drill/books.ts';
import { eventLine } from '../../../src/bench/report/lines.ts';
import type { WallLine } from '../../../src/bench/wall/books.ts';
import type { DecisionEvent, EventBody } from '../../../src/core/events.ts';
import { emptySnapshot, reduceSnapshot } from '../../../src/core/snapshot.ts';

const CANDIDATE = 'openai/main/gpt@us';
let seq = 0;
const event = (attempt: string, body: EventBody): DecisionEvent => ({
  seq: ++seq,
  atMs: seq,
  ids: { tenant: 't', client: 'c', task: 'k', step: 1, call: 'r', attempt },
  body,
});
const launched = (attempt: string): DecisionEvent =>
  event(attempt, { type: 'attempt-launched', candidate: CANDIDATE, reason: 'first' });
const cancelled = (attempt: string, costUsd: number, billedTokens: number, unpriced = {}): DecisionEvent =>
  event(attempt, { type: 'attempt-cancelled', candidate: CANDIDATE, elapsedMs: 5, costUsd, billedTokens, ...unpriced });
const corrected = (attempt: string): DecisionEvent =>
  event(attempt, {
    type: 'cost-corrected',
    candidate: CANDIDATE,
    ending: 'cancelled',
    costUsd: 0.5,
    billedTokens: 50,
    changeUsd: -0.1,
    changeTokens: -10,
  });
const line = (attempt: string | null, costUsd: number, number = 1): WallLine => ({
  ...{ number, vendor: 'openai-like', region: 'local', model: 'm', step: null, requestNumber: 1, attempt },
  ...{
    isStreaming: true,
    startedAtMs: 0,
    endedAtMs: 1,
    status: 200,
    fault: null,
    faultDetail: null,
    isFaultShown: false,
  },
  ...{ outcome: 'client-gone', promptTokens: 40, billedInputTokens: 40, billedOutputTokens: 10, costUsd },
});

describe('two books side by side', () => {
  it('are linked by the attempt and hold the corrected cost', () => {
    const books = compareBooks([launched('a'), cancelled('a', 0.6, 60), corrected('a')], [line('a', 0.4)]);
    expect(books.rows).toEqual([
      {
        attempt: 'a',
        candidate: CANDIDATE,
        ending: 'cancelled',
        ours: { tokens: 50, usd: 0.5 },
        bill: { tokens: 50, usd: 0.4 },
      },
    ]);
    expect(books.difference).toBeCloseTo(0.25);
    expect(books.hedgesUsd).toBe(0.5);
  });

  it('show what only one of them knows', () => {
    const books = compareBooks([launched('a'), cancelled('a', 0.6, 60)], [line('b', 0.2), line(null, 0.2, 7)]);
    expect(books.rows.map(({ attempt, ending, ours, bill }) => [attempt, ending, ours.usd, bill.usd])).toEqual([
      ['a', 'cancelled', 0.6, 0],
      ['b', null, 0, 0.2],
      ['request 7', null, 0, 0.2],
    ]);
  });

  it('are infinitely apart where something was booked and nothing billed, and not at all where nothing was', () => {
    expect(compareBooks([cancelled('a', 0.6, 60)], []).difference).toBe(Infinity);
    expect(compareBooks([], []).difference).toBe(0);
  });
});

describe('the snapshot', () => {
  it('holds corrected costs, and how many attempts have no known price', () => {
    const events = [launched('a'), cancelled('a', 0.6, 60), corrected('a'), cancelled('b', 0, 9, { isUnpriced: true })];
    const { totals } = events.reduce(reduceSnapshot, emptySnapshot);
    expect(totals.costUsd).toBeCloseTo(0.5);
    expect(totals.hedgeCostUsd).toBeCloseTo(0.5);
    expect(totals.unpricedAttempts).toBe(1);
  });
});

describe('a line', () => {
  it('tells a changed model, and keeps quiet about corrected costs', () => {
    const change = { candidate: CANDIDATE, from: 'gpt-1', to: 'gpt-2', why: 'it says so' };
    expect(eventLine(event('a', { type: 'model-changed', ...change }))?.text).toContain(
      'openai/gpt@us is another one: gpt-1 -> gpt-2',
    );
    expect(eventLine(corrected('a'))).toBeNull();
  });
});
