// The contract adapter of L2: which of its checks fails, and what that makes of the substitute (HFR 4.4).
import { describe, expect, it } from 'vitest';
import {
  checkContract,
  type ContractField,
  type ToolContractShape,
} from '../../../../src/core/recovery/rules/contractAdapter.ts';

const field = (change: Partial<ContractField> = {}): ContractField => ({
  type: 'string',
  unit: null,
  isRequired: true,
  ...change,
});
const weather: ToolContractShape = {
  takes: { place: field(), days: field({ type: 'integer', isRequired: false }) },
  gives: {
    temperature: field({ type: 'number', unit: 'celsius' }),
    note: field({ isRequired: false }),
  },
  errors: { unknown_place: 'T7', busy: 'T4' },
  level: 'R0',
  effect: null,
};
const order: ToolContractShape = {
  takes: { item: field() },
  gives: { id: field() },
  errors: { sold_out: 'T7' },
  level: 'R2',
  effect: 'order.create',
};

describe('a substitute', () => {
  it('that promises the same is equivalent, also a write', () => {
    expect(checkContract(weather, weather)).toEqual({ match: 'equivalent', failures: [] });
    expect(checkContract(order, order).match).toBe('equivalent');
  });

  it('may call its fields otherwise where the names are given', () => {
    const other = {
      ...weather,
      takes: { city: field(), days: field({ type: 'number', isRequired: false }) },
      gives: { celsius: field({ type: 'integer', unit: 'celsius' }) },
    };
    expect(checkContract(weather, other).match).toBe('unusable');
    const names = { takes: { place: 'city' }, gives: { temperature: 'celsius' } };
    expect(checkContract(weather, other, names)).toEqual({ match: 'equivalent', failures: [] });
  });

  it('that has one place for two fields of the original must not be used, however they come there', () => {
    const copy = { ...order, takes: { source: field(), target: field() }, effect: 'file.copy' };
    const one = { ...copy, takes: { path: field() } };
    const taken = checkContract(copy, one, { takes: { source: 'path', target: 'path' }, gives: {} });
    expect(taken).toEqual({
      match: 'unusable',
      failures: [{ check: 'shared-field', subject: 'target', detail: 'source has the same place, path' }],
    });
    // One by its own name, the other by a given one.
    const onto = checkContract(
      copy,
      { ...copy, takes: { target: field() } },
      { takes: { source: 'target' }, gives: {} },
    );
    expect(onto.failures.map(({ check }) => check)).toContain('shared-field');
    const dates = { ...weather, gives: { made: field(), changed: field() } };
    const date = { ...weather, gives: { at: field() } };
    expect(checkContract(dates, date, { takes: {}, gives: { made: 'at', changed: 'at' } }).match).toBe('unusable');
  });

  it.each([
    ['required-field', 'key', { takes: { ...weather.takes, key: field() } }],
    ['required-field', 'days', { takes: { ...weather.takes, days: field({ type: 'integer' }) } }],
    ['required-field', 'place', { takes: { days: field({ type: 'integer', isRequired: false }) } }],
    ['required-field', 'temperature', { gives: {} }],
    [
      'required-field',
      'temperature',
      { gives: { temperature: field({ type: 'number', unit: 'celsius', isRequired: false }) } },
    ],
    ['type', 'temperature', { gives: { temperature: field({ unit: 'celsius' }) } }],
    ['type', 'place', { takes: { ...weather.takes, place: field({ type: 'object' }) } }],
    ['unit', 'temperature', { gives: { temperature: field({ type: 'number', unit: 'fahrenheit' }) } }],
    ['unit', 'temperature', { gives: { temperature: field({ type: 'number' }) } }],
    ['effect', 'level', { level: 'R1' }],
    ['effect', 'effect', { effect: 'log.append' }],
  ] as const)('that fails the check %s of %s must not be used', (check, subject, change) => {
    const { match, failures } = checkContract(weather, { ...weather, ...change });
    expect(match).toBe('unusable');
    expect(failures.map((failure) => [failure.check, failure.subject])).toContainEqual([check, subject]);
  });

  it('that reports errors nobody can map is similar for a read and unusable for a write', () => {
    const errors = { busy: 'T4', odd: 'T1', strange: 'unknown' } as const;
    const read = checkContract(weather, { ...weather, errors });
    expect(read.match).toBe('similar');
    expect(read.failures.map(({ subject }) => subject)).toEqual(['odd', 'strange']);
    expect(checkContract(order, { ...order, errors }).match).toBe('unusable');
  });

  it('of a write whose effect has no name is never taken for the same', () => {
    const nameless = { ...order, effect: null };
    expect(checkContract(nameless, nameless).match).toBe('unusable');
  });

  it('does not find fields that every object has', () => {
    const { failures } = checkContract({ ...weather, gives: { toString: field() } }, weather);
    expect(failures).toHaveLength(1);
  });
});
