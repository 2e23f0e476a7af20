import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocate, split } from '../src/allocate.js';
import { money, negate } from '../src/money.js';

const minors = (shares) => shares.map((share) => share.minor);

test('left-over cents go to the first shares', () => {
  assert.deepEqual(minors(split(money(100, 'EUR'), 3)), [34, 33, 33]);
  assert.deepEqual(minors(allocate(money(1001, 'USD'), [50, 30, 20])), [501, 300, 200]);
});

test('a share with ratio zero gets nothing', () => {
  assert.deepEqual(minors(allocate(money(5, 'EUR'), [0, 1, 1])), [0, 3, 2]);
});

test('the shares of a charge add up to it', () => {
  for (const minor of [0, 1, 7, 99, 100, 101, 12_345]) {
    const shares = minors(allocate(money(minor, 'GBP'), [3, 2, 7, 0, 1]));
    assert.equal(
      shares.reduce((a, b) => a + b, 0),
      minor,
    );
  }
});

test('a refund is split like its charge, without losing a cent', () => {
  const charge = money(100, 'EUR');
  assert.deepEqual(minors(split(negate(charge), 3)), [-34, -33, -33]);
  assert.deepEqual(minors(allocate(money(-5, 'EUR'), [0, 1, 1])), [0, -3, -2]);
});

test('ratios must be finite, not negative, and not all zero', () => {
  assert.throws(() => allocate(money(1, 'EUR'), [1, -1]), RangeError);
  assert.throws(() => allocate(money(1, 'EUR'), [Infinity]), RangeError);
  assert.throws(() => allocate(money(1, 'EUR'), [0, 0]), RangeError);
  assert.throws(() => split(money(1, 'EUR'), 0), RangeError);
});
