// Tax on an amount. Rates are in percent.
import { money } from './money.js';
import { halfEven, halfUp } from './rounding.js';

/** Tax that comes on top of a net amount. */
export function taxOn(net, ratePercent) {
  return money(halfUp((net.minor * ratePercent) / 100), net.code);
}

/** Tax that a gross amount already contains. */
export function taxWithin(gross, ratePercent) {
  return money(halfEven((gross.minor * ratePercent) / (100 + ratePercent)), gross.code);
}
