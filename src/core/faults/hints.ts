// Finds which of some hundred short phrases occur in a text, in one pass over the text instead of one a phrase.
// Every place of the text is looked up by a hash of its next three characters; only phrases with that hash are compared.

type Row<Value> = readonly (readonly [hint: string, value: Value])[];

/** Phrases arranged for `findHints`: at each hash the phrases that begin so. */
export type HintIndex<Value> = readonly (Row<Value> | null)[];

const START_CHARS = 3;
const HASHES = 0x2000;

/** Arranges phrases of three or more characters; a shorter one is a mistake in a table and throws when the tables load. */
export function indexHints<Value>(hints: Iterable<readonly [hint: string, value: Value]>): HintIndex<Value> {
  const index: ((readonly [string, Value])[] | null)[] = Array.from({ length: HASHES }, () => null);
  for (const entry of hints) {
    const [hint] = entry;
    if (hint.length < START_CHARS) throw new RangeError(`Hint "${hint}" is shorter than ${START_CHARS} characters.`);
    const hash = hashOf(hint.charCodeAt(0), hint.charCodeAt(1), hint.charCodeAt(2));
    (index[hash] ??= []).push(entry);
  }
  return index;
}

/** Calls `found` with the value and place of every occurrence of every phrase in the text. */
export function findHints<Value>(
  index: HintIndex<Value>,
  text: string,
  found: (value: Value, at: number) => void,
): void {
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let at = 0; at + START_CHARS <= text.length; at += 1) {
    const third = text.charCodeAt(at + 2);
    const row = index[hashOf(first, second, third)] ?? null;
    first = second;
    second = third;
    if (row === null) continue;
    for (const [hint, value] of row) if (text.startsWith(hint, at)) found(value, at);
  }
}

function hashOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) % HASHES;
}
