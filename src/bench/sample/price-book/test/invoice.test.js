import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from '../src/format.js';
import { invoiceTotal, line, refund, withDiscount } from '../src/invoice.js';
import { money } from '../src/money.js';
import { taxOn, taxWithin } from '../src/tax.js';

const lines = [line('bolts', money(25, 'EUR'), 4), line('nuts', money(50, 'EUR'), 2), line('glue', money(300, 'EUR'), 1)];

test('an invoice is the sum of its lines', () => {
  assert.equal(invoiceTotal(lines, 'EUR').minor, 500);
});

test('a discount is spread over the lines and taken off whole', () => {
  const reduced = withDiscount(lines, money(99, 'EUR'));
  assert.deepEqual(
    reduced.map((each) => each.amount.minor),
    [80, 80, 241],
  );
  assert.equal(invoiceTotal(reduced, 'EUR').minor, 401);
});

test('a full refund gives every line back', () => {
  assert.deepEqual(
    refund(lines, money(500, 'EUR')).map((each) => each.amount.minor),
    [-100, -100, -300],
  );
});

test('tax is added on net and found within gross', () => {
  assert.equal(taxOn(money(250, 'EUR'), 19).minor, 48);
  assert.equal(taxWithin(money(11_900, 'EUR'), 19).minor, 1900);
});

test('money is written with its own digits and symbol', () => {
  assert.equal(format(money(-1_234_567, 'EUR')), '-12,345.67 €');
  assert.equal(format(money(5, 'USD')), '$0.05');
  assert.equal(format(money(1200, 'JPY')), '¥1,200');
  assert.equal(format(money(1500, 'KWD')), '1.500 KD');
});
