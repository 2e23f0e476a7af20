import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableIds } from '../../../../src/adapters/providers/portableIds.ts';

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
    '\uD800',
    'a\u00001',
    'x'.repeat(64),
    'x'.repeat(65),
  ),
);

describe('portableIds', () => {
  it('leaves ids alone that every provider accepts', () => {
    const ids = portableIds();
    for (const id of ['call_0', 'toolu_01AbC-d', 'x'.repeat(64)]) expect(ids.outgoing(id, 0)).toBe(id);
  });

  it('always gives an id that both wires accept, always the same, and turns it back', () => {
    fc.assert(
      fc.property(anyId, fc.nat(3), (id, occurrence) => {
        const ids = portableIds();
        const wireId = ids.outgoing(id, occurrence);
        expect(wireId).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(portableIds().outgoing(id, occurrence)).toBe(wireId);
        expect(ids.original(wireId)).toEqual({ id, occurrence });
      }),
      { numRuns: 1_000 },
    );
  });

  it('never gives two calls the same id', () => {
    const call = fc.tuple(anyId, fc.nat(2));
    const calls = fc.uniqueArray(call, { selector: ([id, n]) => JSON.stringify([id, n]), maxLength: 30 });
    fc.assert(
      fc.property(calls, (all) => {
        const ids = portableIds();
        expect(new Set(all.map(([id, n]) => ids.outgoing(id, n))).size).toBe(all.length);
      }),
      { numRuns: 300 },
    );
  });

  it('turns nothing back that it did not send', () => {
    expect(portableIds().original('not an id')).toBeNull();
    expect(portableIds().original(`blyh_${'a'.repeat(43)}`)).toBeNull();
  });
});
