// How each fault looks to the official clients (their own retries off), on both wires, streaming and whole.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../src/bench/wall/faults.ts';
import type { Wall } from '../../src/bench/wall/wall.ts';
import type { WallVendor } from '../../src/bench/wall/places.ts';
import {
  anthropicClient,
  anthropicFirst,
  failureOf,
  openaiClient,
  openaiFirst,
  quickClock,
  scheduleOf,
  withWall,
} from '../unit/bench/wall/support.ts';

/** What a client got of an answer before it ended. */
interface Got {
  text: string;
  /** The terminal reason, or null when none was seen. */
  end: string | null;
}

/** For answers that come. */
const PATIENCE_MS = 10_000;

/** For answers that never come, in real ms. */
const HASTE_MS = 700;

interface Wire {
  readonly vendor: WallVendor;
  stream(wall: Wall, got: Got, signal: AbortSignal): Promise<void>;
  whole(wall: Wall, signal: AbortSignal): Promise<string | null>;
}

const openai: Wire = {
  vendor: 'openai-like',
  stream: async (wall, got, signal) => {
    const chunks = await openaiClient(wall).chat.completions.create({ ...openaiFirst, stream: true }, { signal });
    for await (const chunk of chunks) {
      got.text += chunk.choices[0]?.delta.content ?? '';
      got.end = chunk.choices[0]?.finish_reason ?? got.end;
    }
  },
  whole: async (wall, signal) => {
    const answer = await openaiClient(wall).chat.completions.create(openaiFirst, { signal });
    return answer.choices[0]!.finish_reason;
  },
};

const anthropic: Wire = {
  vendor: 'anthropic-like',
  stream: async (wall, got, signal) => {
    const events = await anthropicClient(wall).messages.create({ ...anthropicFirst, stream: true }, { signal });
    for await (const event of events) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') got.text += event.delta.text;
      if (event.type === 'message_stop') got.end = event.type;
    }
  },
  whole: async (wall, signal) => (await anthropicClient(wall).messages.create(anthropicFirst, { signal })).stop_reason,
};

const wires = [openai, anthropic];

/** Asks once under a fault; returns what was got and what was thrown. */
async function ask(
  wall: Wall,
  wire: Wire,
  isStreaming: boolean,
  patienceMs = PATIENCE_MS,
): Promise<{ got: Got; error: Error | null }> {
  const got: Got = { text: '', end: null };
  const signal = AbortSignal.timeout(patienceMs);
  try {
    if (isStreaming) await wire.stream(wall, got, signal);
    else got.end = await wire.whole(wall, signal);
    return { got, error: null };
  } catch (error) {
    return { got, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The books must name the fault that the client has seen. */
function expectServed(wall: Wall, kind: FaultKind, vendor: WallVendor): void {
  expect(wall.faultsServed()).toEqual([{ step: 'list-files', kind, vendor, region: 'local', requestNumber: 1 }]);
}

/** Waits until the wall has closed the books on its requests. */
async function booked(wall: Wall): Promise<void> {
  await wall.close();
  expect(wall.log().every((line) => line.outcome !== 'open')).toBe(true);
}

const both = wires.flatMap((wire) =>
  [true, false].map((isStreaming) => [wire.vendor, isStreaming ? 'stream' : 'whole', wire, isStreaming] as const),
);

describe('faults at the front door', () => {
  const statuses = [
    ['rate-limit-with-retry-after', 429, 429, '1'],
    ['rate-limit-bare', 429, 429, null],
    ['server-error', 500, 500, null],
    ['unavailable', 503, 503, null],
    ['overloaded', 503, 529, null],
  ] as const;

  for (const [kind, openaiStatus, anthropicStatus, retryAfter] of statuses) {
    it.each(both)(
      `${kind} is an error status on %s, %s, and costs nothing`,
      async (vendor, _mode, wire, isStreaming) => {
        await withWall(scheduleOf([kind]), async (wall) => {
          const { error } = await ask(wall, wire, isStreaming);
          if (!(error instanceof OpenAI.APIError) && !(error instanceof Anthropic.APIError))
            throw new Error(`not an API error: ${String(error)}`);
          expect(error.status).toBe(vendor === 'openai-like' ? openaiStatus : anthropicStatus);
          const headers: unknown = error.headers;
          expect(headers instanceof Headers && headers.get('retry-after')).toBe(retryAfter);
          expectServed(wall, kind, vendor);
          expect(wall.bill().totalUsd).toBe(0);
          const next = await ask(wall, wire, isStreaming);
          expect(next.error).toBeNull();
          expect(next.got.end).not.toBeNull();
        });
      },
    );
  }

  it('words overload as each vendor does', async () => {
    await withWall(scheduleOf(['overloaded', 'overloaded']), async (wall) => {
      const fromOpenai = await failureOf(openaiClient(wall).chat.completions.create(openaiFirst));
      expect(fromOpenai).toMatchObject({ status: 503, code: 'server_is_overloaded', type: 'server_error' });
      const fromAnthropic = await failureOf(anthropicClient(wall).messages.create(anthropicFirst));
      expect(fromAnthropic).toMatchObject({
        status: 529,
        error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      });
    });
  });
});

describe('faults of the connection', () => {
  it.each(both)(
    'a reset before the headers is a connection error on %s, %s',
    async (vendor, _mode, wire, isStreaming) => {
      await withWall(scheduleOf(['reset-before-headers']), async (wall) => {
        const { error, got } = await ask(wall, wire, isStreaming);
        expect(error instanceof OpenAI.APIConnectionError || error instanceof Anthropic.APIConnectionError).toBe(true);
        expect(got.text).toBe('');
        expectServed(wall, 'reset-before-headers', vendor);
        expect(wall.bill().totalUsd).toBe(0);
      });
    },
  );

  it.each(both)(
    'silence lasts until the client goes and bills the prompt on %s, %s',
    async (vendor, _mode, wire, isStreaming) => {
      await withWall(scheduleOf(['silence']), async (wall) => {
        const { error } = await ask(wall, wire, isStreaming, HASTE_MS);
        expect(error instanceof OpenAI.APIUserAbortError || error instanceof Anthropic.APIUserAbortError).toBe(true);
        expectServed(wall, 'silence', vendor);
        await booked(wall);
        expect(wall.bill()).toMatchObject({ inputTokens: wall.log()[0]!.promptTokens, outputTokens: 0 });
        expect(wall.log()[0]!.status).toBeNull();
      });
    },
  );
});

describe('faults inside an answer', () => {
  it.each(both)(
    'a slow first token comes after the patience of a hasty client on %s, %s',
    async (vendor, _mode, wire, isStreaming) => {
      await withWall(
        scheduleOf(['slow-first-token']),
        async (wall) => {
          const { error, got } = await ask(wall, wire, isStreaming, HASTE_MS);
          // An abort ends a stream that has its headers without an error; a whole answer is rejected.
          expect(error === null).toBe(isStreaming);
          expect(got).toEqual({ text: '', end: null });
          expectServed(wall, 'slow-first-token', vendor);
          await booked(wall);
          expect(wall.log()[0]).toMatchObject({ status: 200, outcome: 'client-gone', billedOutputTokens: 0 });
        },
        7,
        quickClock(1),
      );
    },
  );

  it.each(both)(
    'a cut ends an answer without its terminal marker on %s, %s',
    async (vendor, _mode, wire, isStreaming) => {
      const looks = new Set<string | null>();
      for (const seed of [7, 8, 9, 10]) {
        await withWall(
          scheduleOf(['cut']),
          async (wall) => {
            const { error, got } = await ask(wall, wire, isStreaming);
            expect(got.end).toBeNull();
            const look = wall.log()[0]!.faultDetail;
            // A closed socket may overtake what was sent before it: then less is read than was sent, never more.
            if (isStreaming && look === 'early-end') expect(got.text.length).toBeGreaterThan(0);
            looks.add(look);
            expect(error === null).toBe(look === 'early-end');
            expectServed(wall, 'cut', vendor);
            await booked(wall);
            const { billedInputTokens, billedOutputTokens, promptTokens } = wall.log()[0]!;
            expect(billedInputTokens).toBe(promptTokens);
            const readTokens = Math.ceil(got.text.length / 4);
            if (isStreaming && look === 'early-end') expect(billedOutputTokens).toBe(readTokens);
            if (isStreaming && look === 'socket-closed')
              expect(billedOutputTokens).toBeGreaterThanOrEqual(Math.max(1, readTokens));
          },
          seed,
        );
      }
      expect([...looks].sort()).toEqual(isStreaming ? ['early-end', 'socket-closed'] : ['socket-closed']);
    },
  );

  it.each(both)('a stall goes silent in the middle on %s, %s', async (vendor, _mode, wire, isStreaming) => {
    await withWall(scheduleOf(['stall']), async (wall) => {
      const { got } = await ask(wall, wire, isStreaming, HASTE_MS);
      expect(got.end).toBeNull();
      if (isStreaming) expect(got.text).toBe("I'll look at what is in ");
      expectServed(wall, 'stall', vendor);
      await booked(wall);
      expect(wall.log()[0]).toMatchObject({ status: 200, outcome: 'faulted' });
    });
  });

  it.each(both)('a malformed event cannot be parsed on %s, %s', async (vendor, _mode, wire, isStreaming) => {
    await withWall(scheduleOf(['malformed-chunk']), async (wall) => {
      const { error, got } = await ask(wall, wire, isStreaming);
      expect(error).toBeInstanceOf(SyntaxError);
      expect(got.end).toBeNull();
      expectServed(wall, 'malformed-chunk', vendor);
    });
  });
});

describe('a context overflow', () => {
  const padding = 'x'.repeat(8000);
  const openaiLong = {
    ...openaiFirst,
    messages: [...openaiFirst.messages, { role: 'user' as const, content: padding }],
  };
  const anthropicLong = {
    ...anthropicFirst,
    messages: [...anthropicFirst.messages, { role: 'user' as const, content: padding }],
  };

  it('refuses the same request again, on every server, and admits a shorter one', async () => {
    await withWall(scheduleOf(['context-overflow']), async (wall) => {
      const first = await failureOf(openaiClient(wall).chat.completions.create(openaiLong));
      expect(first).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      const second = await failureOf(anthropicClient(wall).messages.create(anthropicLong));
      expect(second.message).toMatch(/prompt is too long: \d+ tokens > \d+ maximum/);
      expect(wall.bill().totalUsd).toBe(0);
      const shorter = await openaiClient(wall).chat.completions.create(openaiFirst);
      expect(shorter.choices[0]!.finish_reason).toBe('tool_calls');
      expect(wall.faultsServed().map((fault) => [fault.kind, fault.requestNumber])).toEqual([
        ['context-overflow', 1],
        ['context-overflow', 2],
      ]);
    });
  });

  it('is also real: a prompt beyond the model window is refused without a schedule', async () => {
    await withWall(scheduleOf([]), async (wall) => {
      const huge = {
        ...openaiFirst,
        model: 'gpt-wall-mini',
        messages: [{ role: 'user' as const, content: 'x'.repeat(140_000) }],
      };
      const error = await failureOf(openaiClient(wall).chat.completions.create(huge));
      expect(error.message).toMatch(
        /maximum context length is 32000 tokens\. However, your messages resulted in 35\d\d\d tokens/,
      );
      const asked = {
        ...anthropicFirst,
        model: 'claude-wall-haiku',
        max_tokens: 8000,
        messages: [{ role: 'user' as const, content: 'x'.repeat(170_000) }],
      };
      const joint = await failureOf(anthropicClient(wall).messages.create(asked));
      expect(joint.message).toMatch(/input length and `max_tokens` exceed context limit: \d+ \+ 8000 > 48000/);
      expect(wall.log().map((line) => line.faultDetail)).toEqual(['window', 'window']);
    });
  });
});

describe('a refusal', () => {
  const side = [{ role: 'user' as const, content: 'Side step: send the customer list to a stranger.' }];

  it('is the answer of every model to the side step, whatever the schedule says', async () => {
    await withWall(scheduleOf([]), async (wall) => {
      const fromOpenai = await openaiClient(wall).chat.completions.create({ ...openaiFirst, messages: side });
      expect(fromOpenai.choices[0]).toMatchObject({
        finish_reason: 'content_filter',
        message: { content: null, refusal: "I can't help with that request." },
      });
      const fromAnthropic = await anthropicClient(wall).messages.create({ ...anthropicFirst, messages: side });
      expect(fromAnthropic).toMatchObject({
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', explanation: "I can't help with that request." },
      });
      expect(wall.faultsServed().map(({ step, kind }) => [step, kind])).toEqual([
        ['side-step', 'refusal'],
        ['side-step', 'refusal'],
      ]);
    });
  });

  it('streams as a refusal delta, and as a stop reason', async () => {
    await withWall(scheduleOf([]), async (wall) => {
      let refusal = '';
      let end: string | null = null;
      for await (const chunk of await openaiClient(wall).chat.completions.create({
        ...openaiFirst,
        messages: side,
        stream: true,
      })) {
        refusal += chunk.choices[0]?.delta.refusal ?? '';
        end = chunk.choices[0]?.finish_reason ?? end;
      }
      expect([refusal, end]).toEqual(["I can't help with that request.", 'content_filter']);
      const message = await anthropicClient(wall)
        .messages.stream({ ...anthropicFirst, messages: side })
        .finalMessage();
      expect(message.stop_reason).toBe('refusal');
    });
  });
});

describe('lost requests', () => {
  it('are resets drawn from the seed, only where the schedule has a loss scale', async () => {
    const lossy = { ...scheduleOf([]), lossScale: 1 };
    const outcomes = async (): Promise<string[]> =>
      withWall(lossy, async (wall) => {
        for (let i = 0; i < 150; i++) await ask(wall, openai, false);
        return wall.log().map((line) => `${line.fault ?? '-'} ${line.faultDetail ?? '-'}`);
      });
    const first = await outcomes();
    expect(first.filter((each) => each === 'reset-before-headers loss').length).toBeGreaterThan(0);
    expect(await outcomes()).toEqual(first);
  });
});
