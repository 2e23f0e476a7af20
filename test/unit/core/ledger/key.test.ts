import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalText, idempotencyKey, sha256Hex, utf8LengthBytes } from '../../../../src/core/ledger/key.ts';

const parts = { tenant: 't', task: 'k', step: 1, tool: 'shell', args: { b: [1, 'é'], a: null } };

describe('the idempotency key', () => {
  it('is SHA-256 over one canonical JSON array', () => {
    const text = '["belay/1","t","k",1,"shell",{"a":null,"b":[1,"é"]}]';
    expect(idempotencyKey(parts)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('does not depend on the order of keys or the spelling of numbers', () => {
    expect(idempotencyKey({ ...parts, args: { a: null, b: [1.0, 'é'] } })).toBe(idempotencyKey(parts));
  });

  it('differs when any part differs, also where joined texts would be equal', () => {
    const keys = [
      parts,
      { ...parts, tenant: 'tk', task: '' },
      { ...parts, tenant: '', task: 'tk' },
      { ...parts, step: 2 },
      { ...parts, step: '1' },
      { ...parts, tool: 'edit' },
      { ...parts, args: { b: [1, 'é'], a: 'null' } },
    ].map(idempotencyKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('treats what JSON cannot hold as a bug', () => {
    expect(() => canonicalText(undefined)).toThrow(TypeError);
    expect(() => canonicalText({ a: NaN })).toThrow();
    expect(() => canonicalText('\ud800')).toThrow();
  });

  it('hashes and counts UTF-8 bytes', () => {
    expect(utf8LengthBytes('é€😀')).toBe(9);
    expect(sha256Hex('é€😀')).toBe(createHash('sha256').update('é€😀', 'utf8').digest('hex'));
  });
});
