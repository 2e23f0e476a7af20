// Ids of tool calls in each grammar: they fit, are always the same, never shared, and turn back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableIds } from '../../../../src/adapters/providers/portableIds.ts';
import { dialectOf, type IdGrammar } from '../../../../src/core/providers/dialects.ts';

const grammarOf = (family: string, wire: 'openai-chat' | 'anthropic-messages' = 'openai-chat'): IdGrammar =>
  dialectOf({ family, model: 'm', wire }).callIds;
const GRAMMARS: readonly (readonly [string, IdGrammar, RegExp])[] = [
  ['mistral', grammarOf('mistral'), /^[a-zA-Z0-9]{9}$/],
  ['openai', grammarOf('openai'), /^[a-zA-Z0-9_-]{1,40}$/],
  ['anthropic', grammarOf('anthropic', 'anthropic-messages'), /^[a-zA-Z0-9_-]{1,64}$/],
  ['vllm', grammarOf('vllm'), /^[a-zA-Z0-9_.:-]{1,64}$/],
];

const anyId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constantFrom(
    '',
    'call_0',
    'toolu_01AbC',
    'bly_',
    'blyh_x',
    'functions.bash:0',
    'AbCdEf012',
    '\uD800',
    'a\u00001',
    'x'.repeat(40),
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(100_000),
  ),
);

describe.each(GRAMMARS)('ids for %s', (_, grammar, shape) => {
  it('fit, are always the same text, and turn back', () => {
    fc.assert(
      fc.property(anyId, fc.nat(3), (id, occurrence) => {
        const ids = portableIds(grammar);
        const wireId = ids.outgoing(id, occurrence);
        expect(wireId).toMatch(shape);
        expect(ids.outgoing(id, occurrence)).toBe(wireId);
        expect(portableIds(grammar).outgoing(id, occurrence)).toBe(wireId);
        expect(ids.original(wireId)).toEqual({ id, occurrence });
      }),
      { numRuns: 500 },
    );
  });

  it('are never shared by two calls, and each turns back to its own', () => {
    const call = fc.tuple(anyId, fc.nat(2));
    const calls = fc.uniqueArray(call, { selector: ([id, n]) => JSON.stringify([id, n]), maxLength: 30 });
    fc.assert(
      fc.property(calls, (all) => {
        const ids = portableIds(grammar);
        const sent = all.map(([id, n]) => ids.outgoing(id, n));
        expect(new Set(sent).size).toBe(all.length);
        expect(sent.map((text) => ids.original(text))).toEqual(all.map(([id, occurrence]) => ({ id, occurrence })));
      }),
      { numRuns: 300 },
    );
  });

  it('stay unshared where one id is the text that another one became', () => {
    const before = portableIds(grammar).outgoing('ünicode', 0);
    const ids = portableIds(grammar);
    const first = ids.outgoing('ünicode', 0);
    const second = ids.outgoing(before, 0);
    expect(first).toBe(before);
    expect(second).not.toBe(first);
    expect(second).toMatch(shape);
    expect(ids.original(second)).toEqual({ id: before, occurrence: 0 });
    expect(ids.original(first)).toEqual({ id: 'ünicode', occurrence: 0 });
  });
});

describe('portableIds', () => {
  it.each([
    ['mistral', 'AbCdEf012'],
    ['openai', 'call_abcDEF-0123456789'],
    ['vllm', 'chatcmpl-tool-0123456789abcdef0123456789abcdef'],
    ['vllm', 'functions.bash:0'],
  ])('sends %s its own id %s unchanged', (family, id) => {
    expect(portableIds(grammarOf(family)).outgoing(id, 0)).toBe(id);
  });

  it('gives an id of the nine-letter grammar that is taken to the later call only', () => {
    // The earlier call keeps its text when the conversation grows: prompt caches hold.
    const short = portableIds(grammarOf('mistral'));
    const text = short.outgoing('call_1', 0);
    const long = portableIds(grammarOf('mistral'));
    expect([long.outgoing('call_1', 0), long.outgoing(text, 0)]).toEqual([text, expect.not.stringMatching(text)]);
  });

  it('turns nothing back that it did not send', () => {
    const ids = portableIds(grammarOf('openai'));
    expect(ids.original('not an id')).toBeNull();
    expect(ids.original('call_1')).toBeNull();
  });
});
