import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ChatRequest, StreamPart } from '../../../src/core/chat.ts';
import { sizeOfRequest, sizeOfText } from '../../../src/core/textSize.ts';
import { carefulEstimator, estimateTokens } from '../../../src/core/tokens.ts';
import { runAttempt, type AttemptMessage } from '../../../src/engine/attempt.ts';
import type { AttemptFigures } from '../../../src/engine/attemptTally.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { TokenBook } from '../../../src/engine/tokenBook.ts';
import type { ProviderEvent, ProviderPort } from '../../../src/engine/ports.ts';
import { call, request as small } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails, observation, type ScriptStep } from '../../support/scriptedProvider.ts';

const asked: ChatRequest = {
  ...small,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Why is the sum of the shares off by one cent? '.repeat(40) }] },
  ],
};
const PROMPT_TOKENS = estimateTokens(carefulEstimator, sizeOfRequest(asked));
const careful = (text: string): number => estimateTokens(carefulEstimator, sizeOfText(text));
const timers = { firstTokenMs: 1000, idleMs: 1000, totalMs: 5000 };

/** One attempt whose provider yields `events` and then waits for its end; cancelled at `cancelAtMs`. */
async function attempt(
  events: readonly (ProviderEvent | { readonly waitMs: number })[],
  options: { cancelAtMs?: number; sent?: readonly boolean[]; hangs?: boolean } = {},
): Promise<AttemptFigures> {
  const clock = virtualClock();
  const stop = new AbortController();
  const provider: ProviderPort = {
    async *stream(_request, _candidate, signal, _attemptId, tellSent) {
      for (const isSent of options.sent ?? []) tellSent?.(isSent);
      try {
        for (const event of events) {
          if ('waitMs' in event) await clock.sleep(event.waitMs, signal);
          else yield event;
        }
        if (options.hangs !== false) await clock.sleep(1e9, signal);
      } catch {
        // Aborted: the iterator ends, as the port says.
      }
    },
  };
  if (options.cancelAtMs !== undefined) void clock.sleep(options.cancelAtMs).then(() => stop.abort());
  let last: AttemptMessage | null = null;
  const post = (message: AttemptMessage): Promise<void> => {
    last = message;
    return Promise.resolve();
  };
  const input = { clock, provider, timers, request: asked, candidate: candidate('a'), tokens: new TokenBook() };
  await clock.run(runAttempt({ ...input, attemptId: 'att-1', signal: stop.signal }, post));
  const ended = last as AttemptMessage | null; // assigned in the callback, which the type checker cannot see
  if (!ended || ended.type === 'event') throw new Error('the attempt has not ended');
  return ended.figures;
}

const text = (words: string): ProviderEvent => ({ parts: [{ type: 'text-delta', text: words }] });
const usage = (inputTokens: number, outputTokens: number): StreamPart => ({
  type: 'usage',
  usage: { inputTokens, outputTokens },
});

describe('an attempt that was cut off', () => {
  it('costs its whole prompt when it was cancelled before anything came', async () => {
    expect(await attempt([], { cancelAtMs: 500 })).toMatchObject({ billedTokens: PROMPT_TOKENS, usage: null });
  });

  it('costs nothing when it was cancelled, or ran out of time, before its request had left', async () => {
    for (const cancelAtMs of [500, undefined]) {
      const options = { sent: [false], ...(cancelAtMs === undefined ? {} : { cancelAtMs }) };
      expect(await attempt([], options)).toMatchObject({ billedTokens: 0, costUsd: 0 });
    }
  });

  it('costs its prompt as soon as the request has left, or where nobody can say', async () => {
    for (const sent of [[false, true], []])
      expect((await attempt([], { cancelAtMs: 500, sent })).billedTokens).toBe(PROMPT_TOKENS);
  });

  it('costs its prompt and what came when it ran out of time', async () => {
    const words = 'The rounding is at fault.';
    expect((await attempt([text(words)])).billedTokens).toBe(PROMPT_TOKENS + careful(words));
  });

  it('costs also a tool call that was still being written', async () => {
    const figures = await attempt([{ parts: [{ type: 'tool-call-progress', chars: 100 }] }], { cancelAtMs: 500 });
    expect(figures.billedTokens).toBeGreaterThan(PROMPT_TOKENS + 20);
    const parts: StreamPart[] = [
      { type: 'tool-call', id: '1', name: 'read', argsText: `{"path":"${'a'.repeat(85)}"}` },
    ];
    const whole = await attempt([{ parts: [{ type: 'tool-call-progress', chars: 100 }, ...parts] }], {
      cancelAtMs: 500,
    });
    expect(whole.billedTokens, 'counted once').toBe(PROMPT_TOKENS + careful(`read{"path":"${'a'.repeat(85)}"}`));
  });

  it('costs the prompt that the provider had counted, and no placeholder of output', async () => {
    const figures = await attempt([{ parts: [usage(1234, 9)] }], { cancelAtMs: 500 });
    expect(figures.billedTokens).toBe(1234);
    const running = await attempt([text('some'), { parts: [usage(1234, 300)] }], { cancelAtMs: 500 });
    expect(running.billedTokens, 'hidden reasoning counts').toBe(1534);
  });

  it('costs what was under way to us at the pace of the answer, and no silence', async () => {
    const steady = Array.from({ length: 10 }, () => [text('a few more words '), { waitMs: 20 }]).flat();
    const words = careful('a few more words '.repeat(10));
    const early = await attempt(steady, { cancelAtMs: 10 * 20 + 15 });
    expect(early.billedTokens - PROMPT_TOKENS).toBeGreaterThan(words);
    expect(early.billedTokens - PROMPT_TOKENS).toBeLessThan(words * 1.4);
    const silent = await attempt(steady, { cancelAtMs: 10 * 20 + 700 });
    expect(silent.billedTokens - PROMPT_TOKENS).toBe(words);
    expect(silent.receivedChars).toBe(170);
  });
});

describe('an attempt that failed', () => {
  const failed = (change: Parameters<typeof observation>[0]) => [{ failed: observation(change) }];

  it.each([
    ['refused with a status', failed({ httpStatus: 503 })],
    ['reset before any header', failed({ clientError: { code: 'ECONNRESET' } })],
    ['turned away inside a 200', failed({ httpStatus: 200, clientError: { code: 'belay_in_band_error' } })],
  ])('costs nothing when it was %s', async (_how, events) => {
    expect(await attempt(events, { sent: [false, true] })).toMatchObject({ billedTokens: 0, costUsd: 0 });
  });

  it('costs its prompt when the connection broke without an answer, but late enough for work to have begun', async () => {
    const reset = failed({ clientError: { code: 'ECONNRESET' } });
    expect((await attempt([{ waitMs: 600 }, ...reset], { sent: [false, true] })).billedTokens).toBe(PROMPT_TOKENS);
    expect((await attempt([{ waitMs: 600 }, ...reset], { sent: [false] })).billedTokens, 'never sent').toBe(0);
  });

  it('costs its prompt when the answer broke off right after its headers', async () => {
    expect((await attempt(failed({ httpStatus: 200, clientError: { code: 'ECONNRESET' } }))).billedTokens).toBe(
      PROMPT_TOKENS,
    );
  });

  it('costs what came before it broke off, and a broken piece like the one before it', async () => {
    const cut = await attempt([text('twelve chars'), ...failed({ httpStatus: 200 })]);
    const broken = await attempt([
      text('twelve chars'),
      ...failed({ httpStatus: 200, clientError: { code: 'belay_malformed_chunk' } }),
    ]);
    expect(cut.billedTokens).toBe(PROMPT_TOKENS + careful('twelve chars'));
    expect(broken.billedTokens).toBe(PROMPT_TOKENS + careful('twelve charstwelve chars'));
  });

  it('costs the prompt when the provider said nothing at all and closed', async () => {
    expect((await attempt([], { hangs: false })).billedTokens).toBe(PROMPT_TOKENS);
  });
});

const model = (name: string) => candidate(name, { model: 'shared' });
/** A good answer of a provider that counts `inputTokens`. */
const counts = (inputTokens: number): readonly ScriptStep[] => [
  {
    afterMs: 10,
    parts: [{ type: 'text-delta', text: 'well' }, usage(inputTokens, 1), { type: 'finish', reason: 'stop' }],
  },
];
const corrections = (log: Awaited<ReturnType<typeof call>>['log']) =>
  log.flatMap(({ body, ids }) =>
    body.type === 'cost-corrected' ? [{ ...body, attempt: ids.attempt, call: ids.call }] : [],
  );

describe('a cost that stood on an estimate', () => {
  const raw = { 'belay.advanced': { timers: { firstTokenMs: 500 } } };

  it('is put right by the count of the same prompt at another candidate of the model', async () => {
    const { log, events } = await call(
      [model('a'), model('b')],
      { a: [[{ hang: true }]], b: [counts(400)] },
      { asked, raw },
    );
    const failed = log.find(({ body }) => body.type === 'attempt-failed');
    expect(failed?.body).toMatchObject({ candidate: 'a', billedTokens: PROMPT_TOKENS });
    expect(corrections(log)).toMatchObject([
      {
        candidate: 'a',
        ending: 'failed',
        billedTokens: 400,
        changeTokens: 400 - PROMPT_TOKENS,
        attempt: failed?.ids.attempt,
      },
    ]);
    // $4 a million in, $8 out: twice the prompt and one token of output.
    const last = events.at(-1);
    expect(last?.type === 'finished' && last.summary.costUsd).toBeCloseTo((800 * 4 + 8) / 1e6, 12);
  });

  it('is put right for a later call too, under the ids of the attempt it is about', async () => {
    const profiles = new ProfileBook();
    const first = await call(
      [model('a')],
      { a: [[{ hang: true }]] },
      { asked, raw, profiles, context: { deadlineMs: 600 } },
    );
    const attemptId = first.log.find(({ body }) => body.type === 'attempt-failed')?.ids.attempt;
    const longer = { ...asked, system: [{ type: 'text' as const, text: 'Be brief. '.repeat(100) }] };
    const second = await call([model('a')], { a: [counts(700)] }, { asked: longer, profiles, requestId: 'later' });
    expect(corrections(second.log)).toMatchObject([{ candidate: 'a', attempt: attemptId }]);
    const last = second.events.at(-1);
    expect(last?.type === 'finished' && last.summary.costUsd, 'not a part of this call').toBeCloseTo(
      (700 * 4 + 8) / 1e6,
      12,
    );
  });

  it('is left alone by models that have counted little, and moved by one that is known well', async () => {
    const profiles = new ProfileBook();
    const others = { x: [counts(400)], lost: [[{ hang: true }] as readonly ScriptStep[]] };
    const lost = candidate('lost');
    const turn = (i: number): ChatRequest => ({
      ...asked,
      system: [{ type: 'text', text: 'Be brief. '.repeat(i + 1) }],
    });
    const first = await call([lost], others, { asked, raw, profiles, context: { deadlineMs: 600 } });
    expect(corrections(first.log)).toEqual([]);
    const seen: number[] = [];
    for (let i = 0; i < 8; i++)
      seen.push(corrections((await call([candidate('x')], others, { asked: turn(i), profiles })).log).length);
    expect(seen.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(seen.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(0);
  });
});

describe('a price that is not known', () => {
  it('is said at each attempt that cost something, and at the call', async () => {
    const free = candidate('a', { priceSource: 'unknown', price: { inputUsdPerMTok: 0, outputUsdPerMTok: 0 } });
    const { log, events } = await call(
      [free, candidate('b')],
      { a: [fails(503), [{ hang: true }]], b: [fails(500), counts(400)] },
      {
        asked,
        raw: { 'belay.advanced': { timers: { firstTokenMs: 500 } } },
      },
    );
    const unpriced = log.filter(({ body }) => 'isUnpriced' in body).map(({ body }) => body);
    expect(unpriced).toMatchObject([{ type: 'attempt-cancelled', candidate: 'a', costUsd: 0 }]);
    expect(events.at(-1)).toMatchObject({ type: 'finished', summary: { unpricedAttempts: 1 } });
    expect(log.find(({ body }) => body.type === 'call-finished')?.body).toMatchObject({ unpricedAttempts: 1 });
    const priced = await call([candidate('b')], { b: [answers('x')] });
    expect(priced.events.at(-1)).not.toHaveProperty('summary.unpricedAttempts');
  });
});

describe('what was learned of models', () => {
  it('is saved with the profiles and shared by name, however it is written', async () => {
    const store = memoryStore();
    const book = new ProfileBook();
    for (const tokens of [400, 405, 402])
      await call(
        [candidate('a', { model: 'openai/GPT-4o' })],
        { a: [counts(tokens)] },
        { asked: { ...asked }, profiles: book },
      );
    await book.save(store);
    const next = new ProfileBook();
    expect(await next.load(store)).toBeNull();
    const size = sizeOfRequest(asked);
    expect(next.tokens.estimate('gpt-4o', size)).toBe(book.tokens.estimate('gpt-4o', size));
    expect(next.tokens.estimate('gpt-4o', size)).toBeLessThan(PROMPT_TOKENS);
    expect(next.tokens.estimate('gpt-5', size)).toBe(PROMPT_TOKENS);
  });
});
