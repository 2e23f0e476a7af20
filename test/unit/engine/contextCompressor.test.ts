// L1 around a call: near the limit, after a refusal, with a summary that comes, fails, or is too long. The writer is played.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ChatMessage, ChatRequest } from '../../../src/core/chat.ts';
import type { RequestContext } from '../../../src/core/context.ts';
import { isNote } from '../../../src/core/recovery/turns.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { sizeOfRequest, totalChars } from '../../../src/core/textSize.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { CallEvent } from '../../../src/engine/call.ts';
import { ContextCompressor, SUMMARY_ROLE } from '../../../src/engine/contextCompressor.ts';
import { SummaryBook } from '../../../src/engine/summaryBook.ts';
import { call } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { conversations, isPaired, requestsOf } from '../../support/conversations.ts';
import { summaryOf } from '../../support/fakeController.ts';
import { intentOf, must } from '../../support/memoryEntries.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

const context: RequestContext = {
  tenant: 't',
  client: 'c',
  task: 'task-1',
  step: 3,
  role: 'coder',
  criticality: 'medium',
  qualityFloor: 0.8,
  deadlineMs: 1e9,
};

interface Asked {
  readonly request: ChatRequest;
  readonly context: RequestContext;
}

function bench({
  answer = 'They looked at everything.',
  window = 10_000,
  more = {},
  retries = 10,
  role = 'coder',
  summaries = new SummaryBook(),
  change = {},
}: {
  /** What the writer says; `fails`: nothing. */
  answer?: string;
  window?: number;
  more?: Readonly<Record<string, unknown>>;
  retries?: number;
  role?: string;
  summaries?: SummaryBook;
  change?: Partial<RequestContext>;
} = {}) {
  const { settings } = parseSettings({
    'belay.advanced': { compression: more, retry: { maxRetriesPerTask: retries } },
  });
  const clock = virtualClock();
  const store = memoryStore();
  const asked: Asked[] = [];
  const complete = async function* (request: ChatRequest, given: RequestContext): AsyncGenerator<CallEvent> {
    await Promise.resolve();
    asked.push({ request, context: given });
    const summary = summaryOf({ requestId: 'r', costUsd: 0.01 });
    if (answer === 'fails') {
      yield {
        type: 'failed',
        failure: { fault: null, message: 'no', status: 503, retryAfterMs: null, afterCommit: false, summary },
      };
      return;
    }
    yield { type: 'event', event: { parts: [{ type: 'text-delta', text: answer }] } };
    yield { type: 'finished', summary };
  };
  const cheap = {
    ...candidate('cheap'),
    contextWindowTokens: window,
    price: { inputUsdPerMTok: 0.1, outputUsdPerMTok: 0.2 },
  };
  const dear = {
    ...candidate('dear'),
    contextWindowTokens: window,
    price: { inputUsdPerMTok: 9, outputUsdPerMTok: 9 },
  };
  const budgets = new BudgetBook(store, settings.advanced.retry);
  const compressor = new ContextCompressor({
    ports: { clock, store },
    complete,
    summaries,
    budgets,
    settings: settings.advanced.compression,
    context: { ...context, role, ...change },
    stepMs: () => 1000,
    signal: new AbortController().signal,
    pool: { candidates: () => [dear, cheap], tokensOf: totalChars },
  });
  return { compressor, asked, store, summaries, cheap, budgets };
}

const sizeOf = (request: ChatRequest): number => totalChars(sizeOfRequest(request));
const turn = (index: number, result: string): readonly ChatMessage[] => [
  { role: 'assistant', content: [{ type: 'tool-call', id: `c${index}`, name: 'look', argsText: '{}' }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', callId: `c${index}`, content: [{ type: 'text', text: result }], isError: false }],
  },
];
const conversation = (count: number, chars: number, more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'asked',
  system: [{ type: 'text', text: 'You are careful.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'mend it' }] },
    ...Array.from({ length: count }, (_, index) => turn(index, `${index}`.padEnd(chars, 'x'))).flat(),
  ],
  tools: [],
  toolChoice: { type: 'auto' },
  ...more,
});
const notesOf = (request: ChatRequest | undefined): readonly string[] =>
  (request?.messages ?? []).filter(isNote).map((message) => JSON.stringify(message));

describe('near the limit', () => {
  it('does nothing while there is room', async () => {
    const { compressor, asked } = bench();
    expect(await compressor.beforeCall(conversation(10, 500))).toBeNull();
    expect(asked).toEqual([]);
  });

  it('shortens long results first, without a model', async () => {
    const { compressor, asked } = bench();
    const smaller = await compressor.beforeCall(conversation(5, 2000));
    expect(smaller?.how).toBe('long results were shortened');
    expect(sizeOf(smaller!.request)).toBeLessThanOrEqual(5000);
    expect(asked).toEqual([]);
  });

  it('has the cheapest candidate write a summary where that is not enough, as a call of its own role', async () => {
    const { compressor, asked, cheap } = bench();
    const request = conversation(30, 400);
    const smaller = await compressor.beforeCall(request);
    expect(smaller?.how).toBe('earlier turns were replaced by a summary (form 1)');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      request: { model: cheap.id },
      context: { role: SUMMARY_ROLE, criticality: 'low', deadlineMs: 30_000 },
    });
    expect(notesOf(smaller?.request)[0]).toContain('> They looked at everything.');
    expect(sizeOf(smaller!.request)).toBeLessThanOrEqual(5000);
    expect(isPaired(smaller!.request.messages)).toBe(true);
    expect(compressor.spentUsd).toBe(0.01);
  });

  it('uses the model that the settings name for it', async () => {
    const { compressor, asked } = bench({ more: { summaryModel: 'tiny' } });
    await compressor.beforeCall(conversation(30, 400));
    expect(asked[0]?.request.model).toBe('tiny');
  });

  it("writes no summary of a summary's own call", async () => {
    const { compressor, asked } = bench({ role: SUMMARY_ROLE });
    expect(await compressor.beforeCall(conversation(30, 400))).toBeNull();
    expect(await compressor.canCompress(conversation(30, 400))).toBe(false);
    expect(asked).toEqual([]);
  });

  it.each<[string, Parameters<typeof bench>[0]]>([
    ['fails', { answer: 'fails' }],
    ['is empty', { answer: '  ' }],
    ['is not smaller', { answer: 'x'.repeat(50_000) }],
    ['has no budget', { retries: 0 }],
    ['is switched off', { more: { hasSummary: false } }],
  ])('leaves turns out where the summary %s and the request does not fit', async (_, parts) => {
    const { compressor } = bench(parts);
    const request = conversation(30, 400);
    const smaller = await compressor.beforeCall(request);
    expect(smaller?.how).toBe('earlier turns were left out');
    expect(sizeOf(smaller!.request)).toBeLessThanOrEqual(5000);
    expect(smaller!.request.messages.at(-1)).toBe(request.messages.at(-1));
  });

  it('sends as it is what fits all the same where the summary fails', async () => {
    const { compressor } = bench({ answer: 'fails' });
    expect(await compressor.beforeCall(conversation(23, 400))).toBeNull();
  });

  it('counts what a failed summary has cost', async () => {
    const { compressor } = bench({ answer: 'fails' });
    await compressor.beforeCall(conversation(30, 400));
    expect(compressor.spentUsd).toBe(0.01);
  });

  it('leaves turns out besides where even the summary does not fit', async () => {
    const { compressor } = bench({ answer: 'y'.repeat(4000) });
    const smaller = await compressor.beforeCall(conversation(40, 400));
    expect(smaller?.how).toBe('earlier turns were left out');
    expect(sizeOf(smaller!.request)).toBeLessThan(6000);
    // The summary is worth more than the turns behind it.
    expect(notesOf(smaller?.request)[0]).toContain('> yyy');
  });

  it('says of every open effect that it may have happened', async () => {
    const { compressor, store } = bench();
    must(await store.write({ prepare: { ...intentOf('a'), task: 'task-1', title: 'npm publish' } }));
    const smaller = await compressor.beforeCall(conversation(30, 400));
    expect(notesOf(smaller?.request)[0]).toContain('npm publish (step');
    const shortened = await bench().compressor.beforeCall(conversation(5, 2000));
    expect(notesOf(shortened?.request)).toEqual([]);
  });
});

describe('the next call of a task', () => {
  it('gets the same summary again for nothing, and a longer one when it has grown', async () => {
    const summaries = new SummaryBook();
    const first = await bench({ summaries }).compressor.beforeCall(conversation(30, 400));
    const second = bench({ summaries });
    const again = await second.compressor.beforeCall(conversation(31, 400));
    expect(second.asked).toEqual([]);
    expect(notesOf(again?.request)).toEqual(notesOf(first?.request));
    const third = bench({ summaries, answer: 'And then some more.' });
    const later = await third.compressor.beforeCall(conversation(60, 400));
    expect(third.asked).toHaveLength(1);
    expect(JSON.stringify(third.asked[0]?.request)).toContain('They looked at everything.');
    expect(notesOf(later?.request)).toHaveLength(1);
    const fourth = bench({ summaries });
    const last = await fourth.compressor.beforeCall(conversation(61, 400));
    expect(fourth.asked).toEqual([]);
    expect(notesOf(last?.request)).toEqual(notesOf(later?.request));
  });

  it('gets none of another conversation', async () => {
    const summaries = new SummaryBook();
    await bench({ summaries }).compressor.beforeCall(conversation(30, 400));
    const other = bench({ summaries });
    await other.compressor.beforeCall(conversation(30, 401));
    expect(other.asked).toHaveLength(1);
  });
});

describe('after a refusal', () => {
  it('gets to at most half each time, and comes to an end', async () => {
    const { compressor } = bench({ answer: 'fails' });
    let request = conversation(40, 3000);
    let rounds = 0;
    while (await compressor.canCompress(request)) {
      const smaller = await compressor.afterRefusal(request);
      expect(sizeOf(smaller!.request)).toBeLessThanOrEqual(sizeOf(request) / 2);
      request = smaller!.request;
      rounds++;
    }
    expect(rounds).toBe(3);
  });

  it('is made smaller exactly where that was said before, however much is open', async () => {
    const many = fc.integer({ min: 0, max: 120 });
    await fc.assert(
      fc.asyncProperty(conversations, many, fc.constantFrom('fails', 'short', ''), async (request, count, answer) => {
        const { compressor, store, asked } = bench({ answer });
        for (let index = 0; index < count; index++)
          must(await store.write({ prepare: { ...intentOf(`e${index}`), task: 'task-1', title: `push ${index}` } }));
        const can = await compressor.canCompress(request);
        const smaller = await compressor.afterRefusal(request);
        // A summary that is shorter than the turns is smaller than leaving them out may be.
        if (can || asked.length === 0 || answer !== 'short') expect(smaller !== null).toBe(can);
      }),
      { numRuns: 40 },
    );
  });

  it('takes nothing more for its summary, and near the limit one of the task and none of the step', async () => {
    for (const way of ['before', 'after'] as const) {
      const { compressor, budgets, asked } = bench();
      if (way === 'before') await compressor.beforeCall(conversation(30, 400));
      else await compressor.afterRefusal(conversation(30, 400));
      expect(asked).toHaveLength(1);
      expect(asked[0]?.context).toMatchObject({ isHelper: true });
      expect(budgets.left(context, 0)).toMatchObject({ step: 3, task: way === 'before' ? 9 : 10 });
      // What it is asked with has nothing to retry with.
      expect(budgets.left(asked[0]!.context, 0)).toEqual({ step: 0, task: 0, tenant: 0 });
      expect(await budgets.take(asked[0]!.context, 0)).toBe(false);
    }
  });

  it.each<[string, Partial<RequestContext>, number[]]>([
    ['its own limit where there is time', {}, [30_000]],
    ['half of what is left', { deadlineMs: 8000 }, [4000]],
    ['nothing where the answer needs it all', { deadlineMs: 2400 }, []],
    ['nothing where the check behind the answer needs it', { deadlineMs: 20_000, verifyMs: 18_000 }, []],
  ])('gives the summary %s', async (_, change, deadlines) => {
    const { compressor, asked } = bench({ change });
    const smaller = await compressor.afterRefusal(conversation(30, 400));
    expect(asked.map(({ context: given }) => given.deadlineMs)).toEqual(deadlines);
    expect(smaller).not.toBeNull();
  });

  it('is strictly smaller, paired, and keeps what the person said first and last, for every conversation and summary', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        fc.constantFrom('fails', 'short', 'x'.repeat(9000), ''),
        fc.integer({ min: 100, max: 40_000 }),
        async (request, answer, window) => {
          for (const way of ['before', 'after'] as const) {
            const { compressor } = bench({ answer, window });
            const smaller =
              way === 'before' ? await compressor.beforeCall(request) : await compressor.afterRefusal(request);
            if (!smaller) continue;
            expect(sizeOf(smaller.request)).toBeLessThan(sizeOf(request));
            expect(isPaired(smaller.request.messages)).toBe(true);
            const [was, is] = [requestsOf(request.messages), requestsOf(smaller.request.messages)];
            expect(is[0]).toStrictEqual(was[0]);
            expect(is.at(-1)).toStrictEqual(was.at(-1));
          }
        },
      ),
    );
  });
});

describe('a whole call', () => {
  it('near the limit goes out smaller, says so, and is answered at L1', async () => {
    const small = candidate('a', { contextWindowTokens: 4000 });
    const asked = { ...conversation(40, 400), tools: [] };
    const done = await call([small], { a: [answers('fine')] }, { asked });
    expect(sizeOf(done.seen[0]!.request)).toBeLessThan(sizeOf(asked) / 2);
    expect(done.seen[0]!.request.messages[0]).toBe(asked.messages[0]);
    const decided = done.log.flatMap(({ body }) =>
      body.type === 'decision-made' ? [`${body.action} ${body.rule}`] : [],
    );
    expect(decided).toEqual(['COMPRESS T6/near-limit']);
    expect(done.events.at(-1)).toMatchObject({ type: 'finished', summary: { rung: 'L1' } });
  });

  it('that is refused as too large again and again gets smaller each time, and ends', async () => {
    const tooLarge = fails(400, { body: { error: { code: 'context_length_exceeded', message: 'too long' } } });
    const asked = { ...conversation(40, 3000), tools: [] };
    const done = await call([candidate('a')], { a: Array.from({ length: 9 }, () => tooLarge) }, { asked });
    const sizes = done.seen.map(({ request }) => sizeOf(request));
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.length).toBeLessThanOrEqual(4);
    for (const [index, size] of sizes.entries()) if (index > 0) expect(size).toBeLessThanOrEqual(sizes[index - 1]! / 2);
    expect(done.events.at(-1)).toMatchObject({ type: 'failed' });
  });
});
