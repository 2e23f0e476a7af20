// The currencies we bill in. `digits` is the number of decimals of the major unit (ISO 4217).
const CURRENCIES = {
  EUR: { digits: 2, symbol: '€', symbolFirst: false },
  USD: { digits: 2, symbol: '$', symbolFirst: true },
  GBP: { digits: 2, symbol: '£', symbolFirst: true },
  JPY: { digits: 0, symbol: '¥', symbolFirst: true },
  KWD: { digits: 3, symbol: 'KD', symbolFirst: false },
};

/** The entry of a currency code; throws a RangeError for a currency we do not bill in. */
export function currency(code) {
  const found = Object.hasOwn(CURRENCIES, code) ? CURRENCIES[code] : undefined;
  if (!found) throw new RangeError(`unknown currency: ${code}`);
  return found;
}
