// What a wall model writes when it mends the sample: the right block or one of three plausible wrong ones.
// Every wrong one really leaves the test failing (tests run them), and none of them loops for ever.

/** The file the sample's bug is in. */
export const BUGGY_FILE = 'src/allocate.js';

/** The block with the bug, as the sample ships it: left-over units are handed out only when they are above zero. */
export const ORIGINAL_BLOCK = `  const shares = ratios.map((ratio) => Math.trunc((amount.minor * ratio) / whole));
  let left = shares.reduce((rest, share) => rest - share, amount.minor);
  for (let i = 0; left > 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += 1;
    left -= 1;
  }`;

/** The cause is gone: units are handed out in the amount's own direction. */
export const RIGHT_BLOCK = `  const shares = ratios.map((ratio) => Math.trunc((amount.minor * ratio) / whole));
  let left = shares.reduce((rest, share) => rest - share, amount.minor);
  const unit = Math.sign(left);
  for (let i = 0; left !== 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += unit;
    left -= unit;
  }`;

/** A wrong idea and the words it comes with. */
export interface WrongFix {
  readonly block: string;
  readonly reason: string;
}

/** In the order in which they are tried. */
export const WRONG_FIXES: readonly WrongFix[] = [
  {
    // The sum is right again, but a refund's left-over lands on the last shares: it does not mirror its charge.
    block: `  const shares = ratios.map((ratio) => Math.floor((amount.minor * ratio) / whole));
  let left = shares.reduce((rest, share) => rest - share, amount.minor);
  for (let i = 0; left > 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += 1;
    left -= 1;
  }`,
    reason:
      'Math.trunc cuts towards zero, so below zero the shares are too big and nothing is left to hand out. With Math.floor there is always something at or above zero left.',
  },
  {
    // The last share swallows all that is left, whatever its ratio.
    block: `  const shares = ratios.map((ratio) => Math.trunc((amount.minor * ratio) / whole));
  let left = shares.reduce((rest, share) => rest - share, amount.minor);
  for (let i = 0; left > 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += 1;
    left -= 1;
  }
  shares[shares.length - 1] += left;`,
    reason: 'What is left of a refund is below zero and the loop never sees it. The last share can take it.',
  },
  {
    // The count is right, the direction is not: the refund shrinks.
    block: `  const shares = ratios.map((ratio) => Math.trunc((amount.minor * ratio) / whole));
  let left = Math.abs(shares.reduce((rest, share) => rest - share, amount.minor));
  for (let i = 0; left > 0; i = (i + 1) % shares.length) {
    if (ratios[i] === 0) continue;
    shares[i] += 1;
    left -= 1;
  }`,
    reason:
      'The loop tests for left-over units above zero, and those of a refund are below. Counting them by size covers both.',
  },
];

/** Why the right fix is right, in the model's words. */
export const RIGHT_REASON =
  'For a refund what is left is below zero, so the loop never runs and the cents are lost. Handing out units in the direction of the amount mends it, and keeps the order of the charge.';

/** Every block the file may hold, the longer before the shorter that it contains. */
const KNOWN_BLOCKS: readonly string[] = [RIGHT_BLOCK, ...WRONG_FIXES.map((fix) => fix.block), ORIGINAL_BLOCK].sort(
  (a, b) => b.length - a.length,
);

/** Which known block a text of the file holds; `null` when none is there whole. */
export function blockIn(text: string): string | null {
  const plain = text.replaceAll('\r\n', '\n');
  return KNOWN_BLOCKS.find((block) => plain.includes(block)) ?? null;
}

/** The number (from 0) of a wrong fix; -1 for any other block. */
export function wrongIndex(block: string): number {
  return WRONG_FIXES.findIndex((fix) => fix.block === block);
}
