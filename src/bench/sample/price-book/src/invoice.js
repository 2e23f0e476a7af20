// Invoices: lines, a discount spread over them, and the refund that undoes one.
import { allocate } from './allocate.js';
import { add, money, negate, total } from './money.js';

/** A line: `quantity` pieces at `unitPrice`. */
export function line(name, unitPrice, quantity) {
  return { name, amount: money(unitPrice.minor * quantity, unitPrice.code) };
}

/** Takes `discount` (an amount above zero) off the lines, in proportion to what each costs. */
export function withDiscount(lines, discount) {
  const cuts = allocate(
    discount,
    lines.map((each) => each.amount.minor),
  );
  return lines.map((each, i) => ({ ...each, amount: add(each.amount, negate(cuts[i])) }));
}

/** What the lines cost together. */
export function invoiceTotal(lines, code) {
  return total(
    lines.map((each) => each.amount),
    code,
  );
}

/** Gives `amount` back over the lines of an invoice: one entry below zero for each line. */
export function refund(lines, amount) {
  const shares = allocate(
    negate(amount),
    lines.map((each) => each.amount.minor),
  );
  return lines.map((each, i) => ({ name: `refund: ${each.name}`, amount: shares[i] }));
}
