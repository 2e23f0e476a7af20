// The stream encoder: what a client may and may not see, whatever mixture of bytes and parts an answer comes as.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { StreamEvent, StreamPart } from '../../../src/core/chat.ts';
import { openaiChatStream } from '../../../src/gateway/wires/openaiChatStream.ts';
import { jsonBytes, sseBytes } from '../../../src/gateway/wires/rawEvents.ts';
import type { AnswerChunk } from '../../../src/gateway/wires/wire.ts';
import { summaryOf } from '../../support/fakeController.ts';

const facts = { requestId: 'r1', createdSeconds: 7 };
const problem = { status: 502, message: 'broken', code: 'x', param: null, retryAfterMs: null };
const chunkSchema = z.looseObject({
  id: z.string().optional(),
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({ content: z.string().optional(), role: z.string().optional() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  error: z.unknown().optional(),
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (chunks: readonly AnswerChunk[]): string =>
  chunks.map((chunk) => (typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk))).join('');

function rawChunk(part: StreamPart): string {
  const choice =
    part.type === 'text-delta'
      ? { index: 0, delta: { content: part.text } }
      : { index: 0, delta: {}, finish_reason: part.type === 'finish' ? 'stop' : null };
  return `data: ${JSON.stringify({ id: 'up-1', choices: [choice] })}\n\n`;
}

const raw = (text: string, ...parts: readonly StreamPart[]): StreamEvent => ({
  parts,
  raw: { wire: 'openai-chat', bytes: encode(text) },
});

/** What an SSE client reads; throws where the framing is broken. */
function read(stream: string): { text: string; finishes: number; dones: number; errors: number } {
  expect(stream === '' || stream.endsWith('\n\n')).toBe(true);
  const result = { text: '', finishes: 0, dones: 0, errors: 0 };
  for (const block of stream.split('\n\n').filter((each) => each !== '')) {
    expect(block).toMatch(/^data: /);
    const data = block.slice('data: '.length);
    if (data === '[DONE]') {
      result.dones++;
      continue;
    }
    const chunk = chunkSchema.parse(JSON.parse(data));
    if (chunk.error !== undefined) result.errors++;
    for (const choice of chunk.choices ?? []) {
      result.text += choice.delta.content ?? '';
      if (choice.finish_reason != null) result.finishes++;
    }
  }
  return result;
}

describe('any mixture of bytes and parts', () => {
  const pieces = fc.array(fc.record({ text: fc.string({ minLength: 1 }), isRaw: fc.boolean() }), { maxLength: 12 });
  const endings = fc.record({ finishIsRaw: fc.boolean(), doneIsRaw: fc.boolean(), includeUsage: fc.boolean() });
  const event = (part: StreamPart, isRaw: boolean): StreamEvent =>
    isRaw ? raw(rawChunk(part), part) : { parts: [part] };

  it('gives each text once, in order, one finish and one terminal marker', () => {
    fc.assert(
      fc.property(pieces, endings, (texts, ending) => {
        const encoder = openaiChatStream(facts, { model: 'm', includeUsage: ending.includeUsage });
        const chunks = texts.flatMap(({ text, isRaw }) => encoder.encode(event({ type: 'text-delta', text }, isRaw)));
        chunks.push(...encoder.encode(event({ type: 'finish', reason: 'stop' }, ending.finishIsRaw)));
        if (ending.doneIsRaw) chunks.push(...encoder.encode(raw('data: [DONE]\n\n')));
        const end = encoder.finish(summaryOf());
        if (!end.ok) throw new Error(end.error.message);
        const seen = read(textOf([...chunks, ...end.value]));
        expect(seen).toEqual({ text: texts.map(({ text }) => text).join(''), finishes: 1, dones: 1, errors: 0 });
        expect(textOf(end.value).endsWith('data: [DONE]\n\n')).toBe(true);
      }),
    );
  });

  it('never shows a finish or a terminal marker when it fails, wherever it was cut', () => {
    fc.assert(
      fc.property(pieces, endings, fc.nat(14), (texts, ending, cut) => {
        const encoder = openaiChatStream(facts, { model: 'm', includeUsage: ending.includeUsage });
        const events = [
          ...texts.map(({ text, isRaw }) => event({ type: 'text-delta', text }, isRaw)),
          event({ type: 'finish', reason: 'stop' }, ending.finishIsRaw),
          ...(ending.doneIsRaw ? [raw('data: [DONE]\n\n')] : []),
        ].slice(0, cut);
        const seen = read(textOf([...events.flatMap((each) => encoder.encode(each)), encoder.fail(problem)]));
        expect(seen).toMatchObject({ finishes: 0, dones: 0, errors: 1 });
      }),
    );
  });

  it('is no good answer without a finish part', () => {
    fc.assert(
      fc.property(pieces, (texts) => {
        const encoder = openaiChatStream(facts, { model: 'm', includeUsage: true });
        for (const { text, isRaw } of texts) encoder.encode(event({ type: 'text-delta', text }, isRaw));
        encoder.encode(raw('data: [DONE]\n\n'));
        expect(encoder.finish(summaryOf()).ok).toBe(false);
      }),
    );
  });
});

describe('an answer that turns from bytes to parts', () => {
  it('goes on under the provider’s id, without a second role', () => {
    const encoder = openaiChatStream(facts, { model: 'm', includeUsage: false });
    const first = encoder.encode(
      raw(
        'data: {"id":"up-1"}\n\n',
        { type: 'response-start', responseId: 'up-1', servedModel: 'served' },
        { type: 'text-delta', text: 'a' },
      ),
    );
    const second = encoder.encode({ parts: [{ type: 'text-delta', text: 'b' }] });
    expect(textOf([...first, ...second])).toBe(
      `data: {"id":"up-1"}\n\ndata: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 7, model: 'served', choices: [{ index: 0, delta: { content: 'b' }, finish_reason: null }] })}\n\n`,
    );
  });
});

describe('parts', () => {
  const written = (includeUsage: boolean, ...parts: readonly StreamPart[]): string => {
    const encoder = openaiChatStream(facts, { model: 'm', includeUsage });
    const chunks = encoder.encode({ parts });
    const end = encoder.finish(summaryOf({ usage: null }));
    return textOf([...chunks, ...(end.ok ? end.value : [])]);
  };

  it('are not passed on as bytes of another wire or as a JSON body', () => {
    for (const bad of [
      { wire: 'anthropic-messages', bytes: encode('event: x\n\n') } as const,
      { wire: 'openai-chat', bytes: encode(' {"choices":[]}') } as const,
    ]) {
      const encoder = openaiChatStream(facts, { model: 'm', includeUsage: false });
      const text = textOf(encoder.encode({ parts: [{ type: 'text-delta', text: 'hi' }], raw: bad }));
      expect(read(text).text).toBe('hi');
    }
  });

  it('tell a refusal without text as content_filter, with text as stop', () => {
    expect(written(false, { type: 'finish', reason: 'refusal' })).toContain('"finish_reason":"content_filter"');
    const told = written(false, { type: 'refusal-delta', text: 'no' }, { type: 'finish', reason: 'refusal' });
    expect(told).toContain('"delta":{"role":"assistant","refusal":"no"}');
    expect(told).toContain('"finish_reason":"stop"');
  });

  it('have usage only where the provider said it, null on the way and once at the end', () => {
    const text = written(
      true,
      { type: 'text-delta', text: 'x' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    );
    expect(text.match(/"usage":null/g)).toHaveLength(2);
    expect(text).toContain(
      '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}',
    );
    expect(written(true, { type: 'finish', reason: 'stop' }).match(/"usage":null/g)).toHaveLength(2);
  });
});

describe('raw bytes', () => {
  it('are passed on only as whole frames of JSON, never as comments, an end mark or another frame', () => {
    for (const text of ['data: {"choices":[]}\n\n', 'data: {"a":1}\n\ndata: {"b":2}\n\n'])
      expect(sseBytes(raw(text), 'openai-chat')).toEqual(encode(text));
    for (const text of [
      ...['data: [DONE]\n\n', 'data:[DONE]\n\n', `: ${'a'.repeat(80)}\ndata: [DONE]\n\n`, 'data:\u00a0[DONE]\n\n'],
      ...[': c\n\n', 'id: 1\ndata: {}\n\n', '\uFEFFdata: {}\n\n', 'data: {}', 'data: {}\n', 'data: {}\r\r', ''],
      '{"choices":[]}',
    ])
      expect(sseBytes(raw(text), 'openai-chat'), text).toBeNull();
    expect(jsonBytes(raw('{"choices":[]}'), 'openai-chat')).not.toBeNull();
    expect(jsonBytes(raw('data: {}\n\n'), 'openai-chat')).toBeNull();
  });

  it('stay what they are beside events that have only parts a client does not see', () => {
    const encoder = openaiChatStream(facts, { model: 'm', includeUsage: false });
    const chunks = [
      ...encoder.encode({ parts: [{ type: 'response-start', responseId: 'up-1' }] }),
      ...encoder.encode(raw(rawChunk({ type: 'text-delta', text: 'a' }), { type: 'text-delta', text: 'a' })),
      ...encoder.encode({ parts: [{ type: 'tool-call-progress', chars: 3 }] }),
      ...encoder.encode({ parts: [] }),
      ...encoder.encode(raw(rawChunk({ type: 'text-delta', text: 'b' }), { type: 'text-delta', text: 'b' })),
    ];
    expect(chunks.every((chunk) => typeof chunk !== 'string')).toBe(true);
    expect(read(textOf(chunks)).text).toBe('ab');
    const written = textOf(encoder.encode({ parts: [{ type: 'text-delta', text: 'c' }] }));
    expect(written).toContain('"id":"up-1"');
    expect(written).not.toContain('role');
  });

  it('of a finish are held however long, and what follows it is dropped where it is long', () => {
    const encoder = openaiChatStream(facts, { model: 'm', includeUsage: false });
    const calls = `data: {"pad":"${'p'.repeat(200_000)}"}\n\n`;
    const finish = rawChunk({ type: 'finish', reason: 'tool-calls' });
    expect(encoder.encode(raw(calls + finish, { type: 'finish', reason: 'tool-calls' }))).toEqual([]);
    for (let i = 0; i < 10; i++) expect(encoder.encode(raw(`data: {"late":"${'x'.repeat(20_000)}"}\n\n`))).toEqual([]);
    const end = encoder.finish(summaryOf());
    if (!end.ok) throw new Error(end.error.message);
    const text = textOf(end.value);
    expect(text.startsWith(calls + finish)).toBe(true);
    expect(text.length).toBeLessThan(200_000 + 66_000);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('are followed by one finish, told as parts or as bytes', () => {
    for (const second of [raw(rawChunk({ type: 'finish', reason: 'stop' })), { parts: [] }]) {
      const encoder = openaiChatStream(facts, { model: 'm', includeUsage: true });
      const finish: StreamPart = { type: 'finish', reason: 'stop' };
      const chunks = [
        ...encoder.encode(raw(rawChunk({ type: 'text-delta', text: 'a' }), { type: 'text-delta', text: 'a' })),
        ...encoder.encode({ parts: [finish] }),
        ...encoder.encode({ ...second, parts: [finish] }),
      ];
      const end = encoder.finish(summaryOf());
      if (!end.ok) throw new Error(end.error.message);
      expect(read(textOf([...chunks, ...end.value]))).toEqual({ text: 'a', finishes: 1, dones: 1, errors: 0 });
    }
  });
});
