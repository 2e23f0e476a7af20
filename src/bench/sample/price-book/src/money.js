// A money value: whole minor units of one currency. Frozen; every operation makes a new one.
import { currency } from './currency.js';

/** `minor` must be a safe integer (cents, not euros). */
export function money(minor, code) {
  currency(code);
  if (!Number.isSafeInteger(minor)) throw new TypeError(`not a whole number of minor units: ${minor}`);
  return Object.freeze({ minor: minor === 0 ? 0 : minor, code });
}

/** Sum of two amounts of the same currency. */
export function add(a, b) {
  sameCurrency(a, b);
  return money(a.minor + b.minor, a.code);
}

/** The same amount the other way: a charge becomes a refund. */
export function negate(a) {
  return money(-a.minor, a.code);
}

/** Below zero, zero or above zero, as `a` is less than, equal to or more than `b`. */
export function compare(a, b) {
  sameCurrency(a, b);
  return a.minor - b.minor;
}

/** Sum of a list; `code` is the currency of an empty one. */
export function total(amounts, code) {
  return amounts.reduce(add, money(0, code));
}

function sameCurrency(a, b) {
  if (a.code !== b.code) throw new TypeError(`cannot mix ${a.code} and ${b.code}`);
}
