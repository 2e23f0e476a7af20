// Finds which of some hundred short phrases occur in a text, in one pass over the text instead of one a phrase.
// Every place of the text is looked up by a hash of its next characters; only phrases with that hash are compared.

/** A phrase with its last letter, which is looked at first: most phrases differ there. */
interface Entry<Value> {
  readonly hint: string;
  readonly value: Value;
  readonly lastAt: number;
  readonly lastCode: number;
}

/** Phrases arranged for `findHints`: at each hash the phrases that begin so. */
export interface HintIndex<Value> {
  readonly startChars: 2 | 3;
  readonly rows: readonly (readonly Entry<Value>[])[];
}

/** A power of two. */
const HASHES = 0x4000;

/**
 * Arranges phrases by their first two or three characters: three where letters are few (Latin), two where a word may have
 * no more (Chinese). A shorter phrase is a mistake in a table and throws when the tables load.
 */
export function indexHints<Value>(
  hints: Iterable<readonly [hint: string, value: Value]>,
  startChars: 2 | 3 = 3,
): HintIndex<Value> {
  const rows: Entry<Value>[][] = Array.from({ length: HASHES }, () => []);
  for (const [hint, value] of hints) {
    if (hint.length < startChars) throw new RangeError(`Hint "${hint}" is shorter than ${startChars} characters.`);
    const third = startChars === 3 ? hint.charCodeAt(2) : 0;
    const lastAt = hint.length - 1;
    rows[hashOf(hint.charCodeAt(0), hint.charCodeAt(1), third)]?.push({
      hint,
      value,
      lastAt,
      lastCode: hint.charCodeAt(lastAt),
    });
  }
  return { startChars, rows };
}

/** Calls `found` with the value and place of every occurrence of every phrase in the text. */
export function findHints<Value>(
  { startChars, rows }: HintIndex<Value>,
  text: string,
  found: (value: Value, at: number) => void,
): void {
  const isLong = startChars === 3;
  const last = text.length - startChars;
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let at = 0; at <= last; at += 1) {
    const third = text.charCodeAt(at + 2);
    const row = rows[hashOf(first, second, isLong ? third : 0)];
    first = second;
    second = third;
    if (row === undefined || row.length === 0) continue;
    for (const { hint, value, lastAt, lastCode } of row) {
      if (text.charCodeAt(at + lastAt) === lastCode && text.startsWith(hint, at)) found(value, at);
    }
  }
}

function hashOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & (HASHES - 1);
}
