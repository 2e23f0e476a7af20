import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../src/core/faults/fault.ts';
import { decidingFault, isRefusal, isUsefulAfter, notRuledOut } from '../../../../src/core/scheduler/raceFaults.ts';
import { candidate } from '../../../support/candidates.ts';

const fault = (change: Partial<Fault>): Fault => ({
  class: 'T1',
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
  ...change,
});
const denied = fault({ class: 'T7', detail: 'permission' });
const unreadable = fault({ class: 'T7', detail: 'fixable' });
const overflow = fault({ class: 'T6' });

const a = candidate('a');
const sameAccount = candidate('a2', { providerId: 'a' });
const otherAccount = candidate('a3', { providerId: 'a', account: 'second' });
const sameVendor = candidate('a4', { domains: { own: 'a4', region: 'x:r1', vendor: 'a' } });
const large = candidate('large', { contextWindowTokens: 200_000 });

describe('after a failure', () => {
  it('a refusal is one also as the second class, and nothing else is', () => {
    expect([fault({ class: 'T8' }), fault({ secondary: 'T8' })].map(isRefusal)).toEqual([true, true]);
    expect([fault({}), fault({ class: 'T7', secondary: 'T6' })].map(isRefusal)).toEqual([false, false]);
  });

  it('an account whose key was refused is not asked again, another account of the same provider is', () => {
    expect(isUsefulAfter(denied, a, sameAccount)).toBe(false);
    expect(isUsefulAfter(denied, a, otherAccount)).toBe(true);
  });

  it('a request that a vendor cannot read goes to another vendor only', () => {
    expect(isUsefulAfter(unreadable, a, sameVendor)).toBe(false);
    expect(isUsefulAfter(unreadable, a, candidate('b'))).toBe(true);
  });

  it('an overflow leaves larger windows only', () => {
    expect(isUsefulAfter(overflow, a, candidate('b'))).toBe(false);
    expect(isUsefulAfter(overflow, a, large)).toBe(true);
  });

  it('those that no race of the call has asked are left, without the account of a refused key', () => {
    const failures = new Map([
      ['a', denied],
      ['b', fault({})],
    ]);
    const pool = [a, candidate('b'), sameAccount, otherAccount, candidate('c')];
    expect(notRuledOut(pool, failures).map(({ id }) => id)).toEqual(['a3', 'c']);
  });

  it('an overflow of an earlier round rules out nobody, since the request may be smaller now', () => {
    expect(notRuledOut([a, candidate('b')], new Map([['a', overflow]])).map(({ id }) => id)).toEqual(['b']);
  });

  it('of several failures the overflow decides, then what may pass, then what will not; of equals the first', () => {
    const first = fault({ evidence: ['first'] });
    expect(decidingFault([denied, first, fault({ class: 'T3' })])).toBe(first);
    expect(decidingFault([first, overflow, denied])).toBe(overflow);
    expect(decidingFault([])).toBeNull();
  });
});
