// Tools in the grammar of the receiver: names there and back, and schemas without what is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withCallerNames } from '../../../../src/adapters/providers/callerNames.ts';
import { portableNames } from '../../../../src/adapters/providers/portableNames.ts';
import { toolSchema } from '../../../../src/adapters/providers/toolSchema.ts';
import type { ChatRequest, StreamPart } from '../../../../src/core/chat.ts';
import { dialectOf } from '../../../../src/core/providers/dialects.ts';
import type { ProviderEvent } from '../../../../src/engine/ports.ts';
import { candidate } from '../../../support/candidates.ts';

const namesOf = (family: string, names: readonly string[]): ReturnType<typeof portableNames> =>
  portableNames(
    { tools: names.map((name) => ({ name, parameters: {} })), messages: [] },
    dialectOf({ family, model: 'm', wire: 'openai-chat' }).toolNames,
  );

describe('names of tools', () => {
  it('fit, stay apart and turn back, whatever they were', () => {
    const anyName = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.constantFrom('', 'read', 'a.b', 'a_b', 'a b', '1st', 'x'.repeat(64), 'x'.repeat(65), '\uD800'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 12 }), fc.constantFrom('openai', 'gemini'), (all, family) => {
        const names = namesOf(family, all);
        const sent = all.map((name) => names.outgoing(name));
        const shape = family === 'gemini' ? /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/ : /^[a-zA-Z0-9_-]{1,64}$/;
        for (const name of sent) expect(name).toMatch(shape);
        expect(new Set(sent).size).toBe(all.length);
        expect(sent.map((name) => names.original(name))).toEqual(all);
        expect(all.map((name) => namesOf(family, all).outgoing(name))).toEqual(sent);
      }),
      { numRuns: 500 },
    );
  });

  it('that fit are left alone, also where another one would become them', () => {
    const taken = namesOf('openai', ['a.b']).outgoing('a.b');
    const names = namesOf('openai', ['a.b', taken]);
    expect(names.outgoing(taken)).toBe(taken);
    expect(names.outgoing('a.b')).not.toBe(taken);
  });

  it('come back to the caller in the answer, and the bytes that hold the others do not', async () => {
    const receiver = candidate('a', { family: 'openai' });
    const asked = (name: string): ChatRequest => ({
      model: 'm',
      system: [],
      messages: [],
      tools: [{ name, parameters: {} }],
      toolChoice: { type: 'auto' },
    });
    const called = (name: string): StreamPart => ({ type: 'tool-call', id: 'c', name, argsText: '{}' });
    const answer = async (request: ChatRequest, wireName: string): Promise<ProviderEvent[]> => {
      // eslint-disable-next-line @typescript-eslint/require-await -- everything is there already
      async function* events(): AsyncGenerator<ProviderEvent, void, undefined> {
        yield { parts: [called(wireName)], raw: { wire: 'openai-chat', bytes: new Uint8Array(1) } };
      }
      const all: ProviderEvent[] = [];
      for await (const event of withCallerNames(events(), request, receiver)) all.push(event);
      return all;
    };
    const wireName = namesOf('openai', ['server.read file']).outgoing('server.read file');
    expect(await answer(asked('server.read file'), wireName)).toEqual([{ parts: [called('server.read file')] }]);
    expect(await answer(asked('server.read file'), 'invented')).toEqual([{ parts: [called('invented')] }]);
    expect(await answer(asked('read'), 'read')).toEqual([
      { parts: [called('read')], raw: { wire: 'openai-chat', bytes: new Uint8Array(1) } },
    ]);
  });
});

describe('the schema of a tool', () => {
  it('always is an object with properties', () => {
    for (const rule of ['any', 'plain-root', 'subset'] as const)
      expect(toolSchema({}, rule)).toEqual({ type: 'object', properties: {} });
  });

  it('is sent as it is where nothing is known to be refused', () => {
    const schema = {
      $schema: 'x',
      type: 'object',
      properties: { a: { exclusiveMinimum: 0 } },
      additionalProperties: false,
    };
    expect(toolSchema(schema, 'any')).toEqual(schema);
    expect(toolSchema(schema, 'plain-root')).toEqual(schema);
  });

  it('without a choice at the top offers the properties of all branches and says what held', () => {
    const schema = {
      description: 'Moves.',
      properties: { a: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['b'] }],
      allOf: [{ properties: { c: {} }, required: ['c'] }],
    };
    const plain = toolSchema(schema, 'plain-root');
    expect(plain).toMatchObject({ type: 'object', required: ['c'] });
    expect(Object.keys(plain.properties as object).toSorted()).toEqual(['a', 'b', 'c']); // An object by the test above.
    expect(plain.description).toMatch(/^Moves\.\n.*"oneOf":\[\{"required":\["a"\]\}/s);
    expect(plain).not.toHaveProperty('oneOf');
  });

  it.each<readonly [string, object, object]>([
    [
      'a whole bound',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    ['a constant', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['a type that may be null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['several types', { type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['one of', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { nullable: true }] }],
    ['a known format', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['marks for tools', { type: 'string', $comment: 'x', examples: ['y'] }, { type: 'string' }],
    [
      'a property named like a keyword',
      { properties: { const: { type: 'string' } } },
      { type: 'object', properties: { const: { type: 'string' } } },
    ],
  ])('for Google has %s in its own form', (_, told, expected) => {
    expect(toolSchema({ properties: { a: told } }, 'subset')).toEqual({ type: 'object', properties: { a: expected } });
  });

  it.each<readonly [string, object, string]>([
    ['a bound of a number', { type: 'number', exclusiveMinimum: 0 }, '{"exclusiveMinimum":0}'],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }, '{"enum":[1,2]}'],
    ['a format', { type: 'string', format: 'uri' }, '{"format":"uri"}'],
    ['multiples', { type: 'number', multipleOf: 5 }, '{"multipleOf":5}'],
  ])('for Google says %s in words', (_, told, words) => {
    expect(toolSchema({ properties: { a: told } }, 'subset')).toMatchObject({
      properties: { a: { description: `Also holds (JSON Schema): ${words}` } },
    });
  });

  it('for Google follows references, also of a schema to itself', () => {
    const schema = {
      properties: { tree: { $ref: '#/$defs/node' }, gone: { $ref: '#/nowhere' } },
      required: ['tree', 'unknown'],
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    expect(toolSchema(schema, 'subset')).toEqual({
      type: 'object',
      properties: {
        tree: { type: 'object', properties: { next: { type: 'object', description: 'The same again.' } } },
        gone: { type: 'object' },
      },
      required: ['tree'],
    });
  });
});
