import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, compare, money, negate, total } from '../src/money.js';
import { halfEven, halfUp } from '../src/rounding.js';

test('money is whole minor units of a known currency', () => {
  assert.throws(() => money(0.5, 'EUR'), TypeError);
  assert.throws(() => money(1, 'XXX'), RangeError);
  assert.throws(() => money(1, 'toString'), RangeError);
});

test('amounts of one currency add, negate and compare', () => {
  assert.equal(add(money(150, 'EUR'), money(-50, 'EUR')).minor, 100);
  assert.equal(negate(money(7, 'JPY')).minor, -7);
  assert.ok(compare(money(1, 'EUR'), money(2, 'EUR')) < 0);
  assert.equal(total([], 'EUR').minor, 0);
});

test('currencies do not mix', () => {
  assert.throws(() => add(money(1, 'EUR'), money(1, 'USD')), TypeError);
});

test('half-up rounds away from zero on both sides', () => {
  assert.deepEqual([2.5, -2.5, 2.4, -2.6].map(halfUp), [3, -3, 2, -3]);
});

test('half-even goes to the even neighbour', () => {
  assert.deepEqual([2.5, 3.5, -2.5, 2.6].map(halfEven), [2, 4, -2, 3]);
});
