// Last quarter's settlement log of the sample library: long, dull and deterministic, so that a model that reads it has a big
// context. It is written when the sample is copied, not kept in the repository. Its refunds drift by the sample's real bug.

const LINES = 774;
const MERCHANTS = ['harbour-books', 'north-mill', 'copper-kettle', 'lantern-post', 'old-quarry', 'tidewater'] as const;
const CURRENCIES = ['EUR', 'USD', 'GBP'] as const;

/** About 60 KB of text, the same in every run. */
export function settlementLog(): string {
  const lines = ['# Settlement log, third quarter. Amounts are minor units. drift = amount - sum of shares.', ''];
  let state = 20_260_701;
  const draw = (below: number): number => {
    // Lehmer generator (Park and Miller 1988): 48271 and 2^31 - 1 keep the product a safe integer.
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let i = 0; i < LINES; i++) lines.push(settlement(i, draw));
  return `${lines.join('\n')}\n`;
}

function settlement(index: number, draw: (below: number) => number): string {
  const month = 7 + Math.floor(index / 240);
  const day = 1 + Math.floor((index % 240) / 8);
  const isRefund = draw(9) === 0;
  const parts = 2 + draw(3);
  const amount = (isRefund ? -1 : 1) * (100 + draw(90_000));
  const each = Math.trunc(amount / parts);
  const left = amount - each * parts;
  const shares = Array.from({ length: parts }, (_, i) => each + (i < left ? 1 : 0));
  const drift = amount - shares.reduce((sum, share) => sum + share, 0);
  const kind = isRefund ? 'refund' : 'charge';
  const merchant = MERCHANTS[draw(MERCHANTS.length)] ?? MERCHANTS[0];
  const code = CURRENCIES[draw(CURRENCIES.length)] ?? CURRENCIES[0];
  const date = `2026-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return `${date} ${kind} ${merchant} #${10_000 + index} ${code} ${amount} into ${shares.join('/')} drift ${drift}`;
}
