// Splits an amount by ratios. The shares always add up to the amount (rules 2 to 5 of the README).
import { money } from './money.js';

/**
 * Shares of `amount` in the proportion of `ratios` (finite, not negative, at least one above zero).
 * What is left after cutting to whole units goes to the first shares, one unit each.
 */
export function allocate(amount, ratios) {
  const whole = checkedSum(ratios);
  const shares = ratios.map((ratio) => Math.trunc((amount.minor * ratio) / whole));
  let left = shares.reduce((rest, share) => rest - share, amount.minor);
  for (let i = 0; left > 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += 1;
    left -= 1;
  }
  return shares.map((share) => money(share, amount.code));
}

/** Equal parts: `split(money(100, 'EUR'), 3)` is 34, 33 and 33 cents. */
export function split(amount, parts) {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`cannot split into ${parts} parts`);
  return allocate(amount, new Array(parts).fill(1));
}

function checkedSum(ratios) {
  const bad = ratios.find((ratio) => !Number.isFinite(ratio) || ratio < 0);
  if (bad !== undefined) throw new RangeError(`not a ratio: ${bad}`);
  const sum = ratios.reduce((a, b) => a + b, 0);
  if (sum === 0) throw new RangeError('no ratio is above zero');
  return sum;
}
