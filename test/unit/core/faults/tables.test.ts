// The rule tables themselves: mistakes in data that no example would show.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHints, indexHints } from '../../../../src/core/faults/hints.ts';
import { allRules } from '../../../../src/core/faults/rules/tables.ts';
import { anyOf, listOf } from '../../../../src/core/faults/wordLists.ts';

describe('rule tables', () => {
  it('give every rule its own id', () => {
    const ids = allRules.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('say fixable, permission or quota of every T7 and of nothing else', () => {
    expect(
      allRules.filter((rule) => (rule.class === 'T7') !== (rule.detail !== undefined)).map(({ id }) => id),
    ).toEqual([]);
  });

  it('name something that can be looked up', () => {
    const without = allRules.filter(
      ({ tokens, hints, finishes, facts, statuses, stem }) =>
        !(tokens ?? hints ?? finishes ?? facts ?? statuses ?? stem),
    );
    expect(without).toEqual([]);
  });

  it('keep words in lower case, since signals are', () => {
    const words = allRules.flatMap(({ tokens, hints, finishes }) => [
      ...(tokens ?? []),
      ...(hints ?? []),
      ...(finishes ?? []),
    ]);
    expect(words.filter((word) => word !== word.toLowerCase() || word === '')).toEqual([]);
  });

  it('give every pattern its hints and every set of hints its pattern', () => {
    const uneven = allRules.filter(
      ({ hints, pattern, tokens }) => tokens === undefined && (hints === undefined) !== (pattern === undefined),
    );
    expect(uneven.map(({ id }) => id)).toEqual([]);
  });

  it('use no pattern that remembers where it stopped', () => {
    expect(allRules.filter(({ pattern }) => pattern !== undefined && (pattern.global || pattern.sticky))).toEqual([]);
  });

  it('never let a refusal be generic or carry a permissive second class', () => {
    const refusals = allRules.filter((rule) => rule.class === 'T8');
    expect(refusals.length).toBeGreaterThan(5);
    expect(
      refusals.filter(({ tier, secondary }) => tier === 'generic' || !['T7', 'V1', undefined].includes(secondary)),
    ).toEqual([]);
  });
});

describe('findHints', () => {
  it('finds exactly the phrases that a text includes', () => {
    const phrases = ['limit', 'limit reached', 'rate', 'ate', 'té l', 'no ', '---'];
    const index = indexHints(phrases.map((phrase) => [phrase, phrase] as const));
    const texts = fc
      .array(fc.oneof(fc.constantFrom(...phrases, 'li', 'mit', ' '), fc.string({ maxLength: 3 })))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const found = new Set<string>();
        findHints(index, text, (phrase, at) => {
          expect(text.startsWith(phrase, at)).toBe(true);
          found.add(phrase);
        });
        expect([...found].sort()).toEqual(phrases.filter((phrase) => text.includes(phrase)).sort());
      }),
    );
  });

  it('refuses a phrase that is too short to look up', () => {
    expect(() => indexHints([['ab', 1]])).toThrow('Hint "ab" is shorter than 3 characters.');
  });
});

describe('notation', () => {
  it('reads lists over several lines', () => {
    expect(listOf(`one, two words,\n      three`)).toEqual(['one', 'two words', 'three']);
  });

  it('joins patterns and keeps the line flag', () => {
    expect(anyOf(/a|b/, /^c/m).test('x\nc')).toBe(true);
    expect(anyOf(/a|b/, /^c/).test('x\nc')).toBe(false);
  });
});
