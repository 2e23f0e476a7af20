// What bytes go with which parts, and what is read in a JSON text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteMeter } from '../../../../src/adapters/providers/answerLimits.ts';
import { readAll } from '../../../../src/adapters/providers/httpClient.ts';
import { parseJson } from '../../../../src/adapters/providers/json.ts';
import { DEPTH_LIMIT, hasNameVariant, isPlainJson, isTooDeep } from '../../../../src/adapters/providers/jsonText.ts';
import { argsObject } from '../../../../src/adapters/providers/portableHistory.ts';
import { rawPassage } from '../../../../src/adapters/providers/rawPassage.ts';
import { trackAnswer } from '../../../../src/adapters/providers/answerTracker.ts';
import { untilFinished } from '../../../../src/adapters/providers/untilFinished.ts';
import type { StreamPart } from '../../../../src/core/chat.ts';

const text: StreamPart = { type: 'text-delta', text: 'x' };
const progress: StreamPart = { type: 'tool-call-progress', chars: 3 };
const call: StreamPart = { type: 'tool-call', id: 'a', name: 'run', argsText: '{}' };
const finish: StreamPart = { type: 'finish', reason: 'tool-calls' };
const bytes = (value: string): Uint8Array => Buffer.from(value);
const rawOf = (event: { readonly raw?: { readonly bytes: Uint8Array } }): string | null =>
  event.raw ? Buffer.from(event.raw.bytes).toString() : null;

describe('the raw passage', () => {
  it('passes bytes on beside faithful parts, and no others', () => {
    const passage = rawPassage('openai-chat');
    expect(rawOf(passage.pass([text], bytes('1')))).toBe('1');
    expect(passage.pass([text], null)).toEqual({ parts: [text] });
    expect(rawOf(passage.pass([], bytes('3')))).toBe('3');
  });

  it('holds the bytes of a tool call back until the finish, and passes all of them on there', () => {
    const passage = rawPassage('openai-chat');
    expect(passage.pass([progress], bytes('1'))).toEqual({ parts: [progress] });
    const held = passage.pass([text], bytes('2'));
    expect(held.parts.map(({ type }) => type)).toEqual(['tool-call-progress']);
    expect(rawOf(held)).toBeNull();
    const last = passage.pass([call, finish], bytes('3'));
    expect(last.parts).toEqual([text, call, finish]);
    expect(rawOf(last)).toBe('123');
    expect(rawOf(passage.pass([], bytes('4')))).toBe('4');
  });

  it('passes none of them on where one is unfaithful', () => {
    for (const unfaithful of [0, 1, 2]) {
      const passage = rawPassage('openai-chat');
      const own = (at: number): Uint8Array | null => (at === unfaithful ? null : bytes(String(at)));
      const events = [
        passage.pass([progress], own(0)),
        passage.pass([text], own(1)),
        passage.pass([call, finish], own(2)),
      ];
      expect(events.map(rawOf)).toEqual([null, null, null]);
      expect(events[2]?.parts).toEqual([text, call, finish]);
    }
  });

  it('is told of a finish that is held back as unfaithful', () => {
    const tracker = trackAnswer();
    expect(tracker.accept([{ type: 'thinking-delta', text: 'hm' }])).toMatchObject({ isFaithful: true });
    expect(tracker.accept([{ type: 'finish', reason: 'stop' }])).toEqual({ parts: [], isFaithful: false });
    const second = trackAnswer();
    second.accept([text, { type: 'finish', reason: 'stop' }]);
    expect(second.accept([{ type: 'finish', reason: 'stop' }])).toEqual({ parts: [], isFaithful: false });
  });
});

describe('a JSON text', () => {
  it('is plain as anybody writes it', () => {
    const names = fc.string().filter((name) => name.toLowerCase() === name);
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.dictionary(names, fc.jsonValue()), (value, record) => {
        fc.pre(!JSON.stringify([value, record]).includes('\uFFFD'));
        const folded = JSON.stringify(record);
        expect(isPlainJson(folded, record)).toBe(true);
        const compact = JSON.stringify(value);
        expect(isPlainJson(compact, JSON.parse(compact))).toBe(true);
      }),
    );
    expect(isPlainJson('{ "a" : [ {"b": "\\u00e9"}, {"b": 1.0} ] , "c":{"a":"a\\"b" } }', {})).toBe(true);
  });

  it.each([
    '{"a":1,"a":2}',
    '{"choices":[], "Choices":[{}]}',
    '{"x":{"tool_calls":[],"\\u0074ool_calls":[1]}}',
    '{"a":"lost \uFFFD"}',
    '{"a\\\\":1, "a\\\\" :2}',
  ])('is not plain where two readers differ: %s', (json) => {
    expect(isPlainJson(json, JSON.parse(json))).toBe(false);
  });

  it('tells a name that another reader would fold', () => {
    expect(hasNameVariant({ Choices: [] }, new Set(['choices']))).toBe(true);
    expect(hasNameVariant({ choices: [], Other: 1 }, new Set(['choices']))).toBe(false);
  });

  it('is not parsed where it nests too deep, as an answer or as arguments', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseJson(nested(DEPTH_LIMIT))).toBeDefined();
    expect(parseJson(nested(DEPTH_LIMIT + 1))).toBeUndefined();
    expect(isTooDeep(`"${'['.repeat(999)}"`)).toBe(false);
    expect(isTooDeep('{"a":'.repeat(10_000_000))).toBe(true);
    const args = `{"a":${nested(1000)}}`;
    expect(argsObject(args)).toEqual({ malformed_arguments: args });
  });
});

describe('a body', () => {
  async function* chunks(count: number): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < count; i++) yield await Promise.resolve(new Uint8Array(100));
  }

  it('is read to its limit and no further', async () => {
    const cuts: string[] = [];
    expect((await readAll(chunks(10), 1000, () => cuts.push('cut'))).length).toBe(1000);
    await expect(readAll(chunks(11), 1000, () => cuts.push('cut'))).rejects.toMatchObject({
      trouble: { code: 'belay_event_too_large' },
    });
    expect(cuts).toEqual(['cut']);
    const count = byteMeter('It', 5);
    count(5);
    expect(() => {
      count(1);
    }).toThrow('It is larger');
  });
});

describe('a stream that has finished', () => {
  const rules = (hasFinished: () => boolean, log: string[], isBreak = true) => ({
    hasFinished,
    isBreak: () => isBreak,
    graceMs: 5,
    giveUp: () => log.push('given up'),
  });

  async function* breaking(): AsyncGenerator<number> {
    yield await Promise.resolve(1);
    throw new Error('reset');
  }

  async function read(source: AsyncIterable<number>, isFinishedAt: number, isBreak = true) {
    const seen: number[] = [];
    const log: string[] = [];
    const all = untilFinished(
      source,
      rules(() => seen.length >= isFinishedAt, log, isBreak),
    );
    try {
      for await (const item of all) seen.push(item);
    } catch (error) {
      log.push(String(error));
    }
    return { seen, log };
  }

  it('is complete though the connection breaks, and not before', async () => {
    expect(await read(breaking(), 1)).toEqual({ seen: [1], log: [] });
    expect(await read(breaking(), 2)).toEqual({ seen: [1], log: ['Error: reset'] });
    expect(await read(breaking(), 1, false)).toEqual({ seen: [1], log: ['Error: reset'] });
  });

  it('is complete after a short silence, and not before', async () => {
    async function* silent(): AsyncGenerator<number> {
      yield await Promise.resolve(1);
      await new Promise(() => undefined);
    }
    expect(await read(silent(), 1)).toEqual({ seen: [1], log: ['given up'] });
    const open = read(silent(), 2);
    const first = await Promise.race([open, new Promise((resolve) => setTimeout(resolve, 30, 'still open'))]);
    expect(first).toBe('still open');
  });

  it('closes its source when its reader leaves', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (;;) yield await Promise.resolve(1);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of untilFinished(
      endless(),
      rules(() => false, []),
    ))
      break;
    expect(isClosed).toBe(true);
  });
});
