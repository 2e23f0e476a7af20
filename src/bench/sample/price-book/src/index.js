// What users of the library may import.
export { allocate, split } from './allocate.js';
export { currency } from './currency.js';
export { format } from './format.js';
export { invoiceTotal, line, refund, withDiscount } from './invoice.js';
export { add, compare, money, negate, total } from './money.js';
export { halfEven, halfUp } from './rounding.js';
export { taxOn, taxWithin } from './tax.js';
