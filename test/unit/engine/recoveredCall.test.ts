import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../src/core/chat.ts';
import type { DecisionEvent } from '../../../src/core/events.ts';
import { call, request } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails, type ScriptStep } from '../../support/scriptedProvider.ts';

const types = (log: readonly DecisionEvent[]): readonly string[] => log.map((event) => event.body.type);
const a = candidate('a');
const b = candidate('b');
const c = candidate('c');

describe('a recovered call', () => {
  it('answers from the best candidate alone when it is healthy', async () => {
    const { events, text, seen } = await call([a, b], { a: [answers('good')], b: [answers('other')] });
    expect(text).toBe('good');
    expect(seen.map((attempt) => attempt.candidate)).toEqual(['a']);
    expect(events[0]).toMatchObject({ type: 'committed', candidate: 'a', rung: 'L0', attempts: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'finished', summary: { outcome: 'answered', costUsd: 0.0048 } });
  });

  it('goes to the next candidate at once when one fails before its first token', async () => {
    const { text, seen } = await call([a, b], { a: [fails(503)], b: [answers('rescued')] });
    expect(text).toBe('rescued');
    expect(seen.map(({ candidate: id, atMs }) => ({ id, atMs }))).toEqual([
      { id: 'a', atMs: 0 },
      { id: 'b', atMs: 50 },
    ]);
  });

  it('hedges a slow first token and cancels the loser', async () => {
    const { text, seen, log } = await call([a, b], { a: [answers('late', 30_000)], b: [answers('hedge')] });
    expect(text).toBe('hedge');
    expect(seen[1]).toMatchObject({ candidate: 'b', atMs: 6071 });
    expect(seen[0]!.isAborted).toBe(true);
    expect(types(log)).toContain('attempt-cancelled');
  });

  it('takes a silent candidate for failed after the first-token timer', async () => {
    const { text, log } = await call(
      [a, b],
      { a: [[{ hang: true }]], b: [fails(500), answers('after all')] },
      { raw: { 'belay.advanced': { timers: { firstTokenMs: 2000 } } } },
    );
    expect(text).toBe('after all');
    const failed = log.find((event) => event.body.type === 'attempt-failed');
    expect(failed?.body).toMatchObject({ candidate: 'a', fault: { class: 'T3' } });
  });

  it('retries with jittered waits when every candidate fails, within the step budget', async () => {
    const { events, seen, log } = await call([a, b], { a: [fails(500)], b: [fails(500)] });
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { status: 502, afterCommit: false } });
    // K = 3 equal faults without new evidence: the third round is the last.
    expect(seen).toHaveLength(6);
    const decisions = log.flatMap((event) => (event.body.type === 'decision-made' ? [event.body.action] : []));
    expect(decisions).toEqual(['RETRY', 'RETRY', 'FAIL']);
  });

  it('waits as long as Retry-After asks when there is nowhere else to go', async () => {
    const { text, seen } = await call([a], {
      a: [fails(429, { headers: { 'retry-after': '3' } }), answers('patient')],
    });
    expect(text).toBe('patient');
    expect(seen[1]!.atMs).toBeGreaterThanOrEqual(3050);
  });

  const limited = (seconds: number): readonly ScriptStep[] =>
    fails(429, { headers: { 'retry-after': String(seconds) } });

  it.each([
    ['first', [a, b], { a: [fails(503)], b: [limited(30)] }],
    ['last', [b, a], { a: [fails(503)], b: [limited(30)] }],
  ])(
    'never asks who wants 30 s before they are over, failing %s, and waits for nobody else',
    async (_, pool, scripts) => {
      const { seen } = await call(pool, scripts);
      expect(seen.filter(({ candidate: id }) => id === 'b').map(({ atMs }) => atMs <= 50)).toEqual([true]);
      const retries = seen.filter(({ candidate: id }) => id === 'a');
      expect(retries.length).toBeGreaterThan(1);
      for (const { atMs } of retries) expect(atMs).toBeLessThan(10_000);
    },
  );

  it('waits for the first of several that ask for time, and asks it alone', async () => {
    const { text, seen } = await call([a, b], { a: [limited(30), answers('slow')], b: [limited(5), answers('soon')] });
    expect(text).toBe('soon');
    expect(seen.map(({ candidate: id }) => id)).toEqual(['a', 'b', 'b']);
    expect(seen[2]!.atMs).toBeGreaterThanOrEqual(5050);
    expect(seen[2]!.atMs).toBeLessThan(6000);
  });

  it('sends nothing again to a key without permission while another candidate is left', async () => {
    const { text, seen } = await call([a, b], { a: [fails(401)], b: [fails(503), answers('after all')] });
    expect(text).toBe('after all');
    expect(seen.map(({ candidate: id }) => id)).toEqual(['a', 'b', 'b']);
  });

  it('surfaces a refusal and asks nobody else', async () => {
    const refusing: readonly ScriptStep[] = [
      {
        afterMs: 50,
        parts: [
          { type: 'refusal-delta', text: 'I will not' },
          { type: 'finish', reason: 'refusal' },
        ],
      },
    ];
    const { events, seen } = await call([a, b], { a: [refusing], b: [answers('should not be asked')] });
    expect(seen.map((attempt) => attempt.candidate)).toEqual(['a']);
    expect(events.at(-1)).toMatchObject({ type: 'finished', summary: { outcome: 'refused', candidate: 'a' } });
  });

  it('never resends an overflow unchanged: it shortens old tool results first', async () => {
    const asked: ChatRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: [{ type: 'tool-call', id: '1', name: 'read_file', argsText: '{"path":"log"}' }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', callId: '1', content: [{ type: 'text', text: 'x'.repeat(20_000) }], isError: false },
          ],
        },
      ],
    };
    const overflow = fails(400, { body: { error: { message: 'too many tokens', code: 'context_length_exceeded' } } });
    const { events, text, seen } = await call(
      [a, b],
      { a: [overflow, answers('fits')], b: [overflow, answers('fits')] },
      { asked },
    );
    expect(text).toBe('fits');
    expect(seen.map((attempt) => JSON.stringify(attempt.request.messages).length < 5000)).toEqual([false, true]);
    expect(events[0]).toMatchObject({ type: 'committed', rung: 'L1' });
  });

  it('does not ask a smaller window after an overflow', async () => {
    const overflow = fails(400, { body: { error: { code: 'context_length_exceeded' } } });
    const { seen } = await call([a, candidate('small', { contextWindowTokens: 8000 })], {
      a: [overflow],
      small: [answers('no')],
    });
    expect(seen.map((attempt) => attempt.candidate)).toEqual(['a']);
  });

  it('ends a broken stream with a failure and never repeats its text', async () => {
    const cut: readonly ScriptStep[] = [
      { afterMs: 50, parts: [{ type: 'text-delta', text: 'half an ' }] },
      { afterMs: 50, failed: { httpStatus: 200, streamPhase: 'mid_stream', clientError: { code: 'ECONNRESET' } } },
    ];
    const { events, text, seen } = await call([a, b], { a: [cut], b: [answers('whole')] });
    expect(text).toBe('half an ');
    expect(seen).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { afterCommit: true } });
  });

  it('mends a cut invisibly when the answer is held', async () => {
    const cut: readonly ScriptStep[] = [
      { afterMs: 50, parts: [{ type: 'text-delta', text: 'half an ' }] },
      { afterMs: 50, failed: { httpStatus: 200, streamPhase: 'mid_stream', clientError: { code: 'ECONNRESET' } } },
    ];
    const { events, text } = await call([a, b], { a: [cut], b: [answers('whole')] }, { policy: 'hold' });
    expect(text).toBe('whole');
    expect(events.filter((event) => event.type === 'committed')).toHaveLength(1);
  });

  it('takes an end without the terminal marker for a failure', async () => {
    const early: readonly ScriptStep[] = [{ afterMs: 50, parts: [{ type: 'text-delta', text: 'so ' }] }];
    const { text } = await call([a, b], { a: [early], b: [answers('complete')] }, { policy: 'hold' });
    expect(text).toBe('complete');
  });

  it('hands tool calls on only complete and valid', async () => {
    const toolCall = (argsText: string): readonly ScriptStep[] => [
      { afterMs: 50, parts: [{ type: 'text-delta', text: 'let me look' }] },
      { afterMs: 50, parts: [{ type: 'tool-call-progress', chars: 5 }] },
      { afterMs: 50, parts: [{ type: 'tool-call', id: '1', name: 'read_file', argsText }] },
      { afterMs: 50, parts: [{ type: 'finish', reason: 'tool-calls' }] },
    ];
    const { events } = await call(
      [a, b],
      { a: [toolCall('{"path":')], b: [toolCall('{"path":"x"}')] },
      { policy: 'hold' },
    );
    const calls = events
      .flatMap((event) => (event.type === 'event' ? event.event.parts : []))
      .filter((part) => part.type === 'tool-call');
    expect(calls).toEqual([{ type: 'tool-call', id: '1', name: 'read_file', argsText: '{"path":"x"}' }]);
  });

  it('sends text on while a tool call behind it is still being written', async () => {
    const slowTool: readonly ScriptStep[] = [
      { afterMs: 50, parts: [{ type: 'text-delta', text: 'first' }] },
      { afterMs: 50, parts: [{ type: 'tool-call-progress', chars: 5 }] },
      { afterMs: 50, failed: { httpStatus: 200, streamPhase: 'mid_stream', clientError: { code: 'ECONNRESET' } } },
    ];
    const { events, text } = await call([a], { a: [slowTool] });
    expect(text).toBe('first');
    const parts = events.flatMap((event) => (event.type === 'event' ? event.event.parts : []));
    expect(parts.every((part) => part.type === 'text-delta')).toBe(true);
  });

  it('starts the whole hedge set at once in literal mode and waits for the better-ranked', async () => {
    const { text, seen } = await call(
      [a, b, c],
      { a: [answers('best', 2000)], b: [answers('faster', 100)], c: [answers('third', 100)] },
      { settings: { mode: 'literal' } },
    );
    expect(text).toBe('best');
    expect(seen.map((attempt) => attempt.atMs)).toEqual([0, 0, 0]);
    expect(seen.some((attempt) => attempt.isAborted)).toBe(false);
  });

  it('goes on to those outside the hedge set of literal mode at once, and waits for nobody in it', async () => {
    const raw = { 'belay.advanced': { scheduler: { tauLow: 0.01, tauMedium: 0.01, tauHigh: 0.01 } } };
    const { text, seen } = await call(
      [a, b],
      { a: [limited(60)], b: [answers('elsewhere')] },
      { raw, settings: { mode: 'literal' } },
    );
    expect(text).toBe('elsewhere');
    expect(seen.map(({ candidate: id, atMs }) => ({ id, atMs }))).toEqual([
      { id: 'a', atMs: 0 },
      { id: 'b', atMs: 50 },
    ]);
  });

  it('does not go on from literal mode’s hedge set to the account of a key that was refused in it', async () => {
    // Two of which nothing is known promise .51.
    const raw = { 'belay.advanced': { scheduler: { tauLow: 0.5, tauMedium: 0.5, tauHigh: 0.5 } } };
    const twin = candidate('twin', { providerId: 'b' });
    const { text, seen } = await call(
      [a, b, twin, c],
      { a: [fails(503)], b: [fails(401)], twin: [answers('never')], c: [answers('elsewhere')] },
      { raw, settings: { mode: 'literal' } },
    );
    expect({ text, seen: seen.map((attempt) => attempt.candidate) }).toEqual({
      text: 'elsewhere',
      seen: ['a', 'b', 'c'],
    });
  });

  it('lets the losers of literal mode run on to their end, for their traces', async () => {
    const { text, log, clock } = await call(
      [a, b],
      { a: [answers('best', 100)], b: [answers('later', 9000)] },
      { settings: { mode: 'literal' } },
    );
    expect(text).toBe('best');
    expect(log.filter((event) => event.body.type === 'attempt-succeeded')).toHaveLength(1);
    await clock.advance(20_000);
    expect(log.filter((event) => event.body.type === 'attempt-succeeded')).toHaveLength(2);
  });

  it('uses a lower tier only when nobody at the asked tier answers, and says L3', async () => {
    const small = candidate('small', { tier: 'small' });
    const { events, text } = await call([small, a], { a: [fails(529)], small: [answers('weaker')] });
    expect(text).toBe('weaker');
    expect(events[0]).toMatchObject({ type: 'committed', candidate: 'small', rung: 'L3' });
  });

  it('never puts a lower tier in for a critical task or a pinned model', async () => {
    const small = candidate('small', { tier: 'small' });
    const critical = await call(
      [small, a],
      { a: [fails(529)], small: [answers('weaker')] },
      { context: { criticality: 'high' } },
    );
    expect(critical.seen.every((attempt) => attempt.candidate === 'a')).toBe(true);
    const pinned = await call([a], { a: [fails(529)] }, { pinned: true });
    expect(pinned.events.at(-1)).toMatchObject({ type: 'failed', failure: { status: 503 } });
  });

  it('leaves out the same account after a wrong key and tells what to mend when none is left', async () => {
    const twin = candidate('a2', { providerId: 'a' });
    const { events, seen } = await call([a, twin], { a: [fails(401)], a2: [answers('no')] });
    expect(seen.map((attempt) => attempt.candidate)).toEqual(['a']);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { status: 403 } });
  });

  it('cancels everything when the caller goes', async () => {
    const { events, seen, log } = await call(
      [a, b],
      { a: [[{ hang: true }]], b: [[{ hang: true }]] },
      { abortAtMs: 9000 },
    );
    expect(seen.map((attempt) => attempt.isAborted)).toEqual([true, true]);
    expect(events).toEqual([]);
    expect(log.at(-1)?.body.type === 'attempt-cancelled' || types(log).includes('call-finished')).toBe(true);
  });

  it('says what to do when no provider is configured', async () => {
    const { events } = await call([], {});
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'failed', failure: { status: 404, fault: null } });
    expect(events[0]!.type === 'failed' && events[0]!.failure.message).toContain('Belay: Add Provider');
  });

  it('keeps a tool call in a refusal to itself: it was never judged', async () => {
    const refusing: readonly ScriptStep[] = [
      { afterMs: 50, parts: [{ type: 'text-delta', text: 'well, ' }] },
      { afterMs: 50, parts: [{ type: 'tool-call-progress', chars: 9 }] },
      { afterMs: 50, parts: [{ type: 'tool-call', id: '1', name: 'evil', argsText: '{"cmd":"rm' }] },
      {
        afterMs: 50,
        parts: [
          { type: 'refusal-delta', text: 'no' },
          { type: 'finish', reason: 'content-filter' },
        ],
      },
    ];
    for (const policy of ['stream', 'hold'] as const) {
      const { events } = await call([a, b], { a: [refusing], b: [answers('never')] }, { policy });
      const parts = events.flatMap((event) => (event.type === 'event' ? event.event.parts : []));
      expect(parts.map((part) => part.type)).toEqual(['text-delta', 'refusal-delta', 'finish']);
      expect(events.at(-1)).toMatchObject({ type: 'finished', summary: { outcome: 'refused' } });
    }
  });

  it('runs no attempt past its deadline, whenever it was started', async () => {
    const slow = (ms: number): readonly ScriptStep[] => fails(500, {}, ms);
    const { events, seen, clock } = await call(
      [a, b, c],
      { a: [slow(1800)], b: [slow(1900)], c: [[{ hang: true }]] },
      { context: { deadlineMs: 2000 } },
    );
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { afterCommit: false } });
    expect(clock.nowMs()).toBeLessThanOrEqual(2000);
    // The last calls come at .3 of so short a time, when either may still answer.
    expect(seen.map(({ candidate, atMs }) => [candidate, atMs])).toEqual([
      ['a', 0],
      ['b', 600],
      ['c', 600],
    ]);
  });

  it('names who failed and how', async () => {
    const { events } = await call([a, b], {
      a: [fails(401)],
      b: [fails(429, { body: { error: { code: 'insufficient_quota' } } })],
    });
    const last = events.at(-1);
    expect(last?.type === 'failed' && last.failure.message).toContain(
      'a is not permitted (T7); b has no quota left (T7)',
    );
  });

  it('ends in the log also when its caller stops reading in the middle', async () => {
    const { log } = await call([a], { a: [answers('long enough')] }, { stopAfter: 2 });
    expect(log.filter((event) => event.body.type === 'call-finished').map((event) => event.body)).toMatchObject([
      { outcome: 'cancelled' },
    ]);
  });
});
