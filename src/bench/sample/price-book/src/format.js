// Money as text: sign, grouping, the currency's own number of digits.
import { currency } from './currency.js';

/** `-1234567` cents of EUR is `-12,345.67 €`. */
export function format(amount) {
  const { digits, symbol, symbolFirst } = currency(amount.code);
  const padded = String(Math.abs(amount.minor)).padStart(digits + 1, '0');
  const cut = padded.length - digits;
  const major = padded.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, ',');
  const number = digits === 0 ? major : `${major}.${padded.slice(cut)}`;
  const sign = amount.minor < 0 ? '-' : '';
  return symbolFirst ? `${sign}${symbol}${number}` : `${sign}${number} ${symbol}`;
}
