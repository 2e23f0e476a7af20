// Which shell words are whole numbers whatever happens: digits, `$#`, `$?`, `${#name}`, an arithmetic expansion (judged where it
// stands), and names that every setting gives a number. Everything else may hold `a[$(command)]`, which arithmetic runs.
// Text in, yes or no out; what follows from it is decided in arithmetic.ts.
import type { Word, WordPart } from 'unbash';

const COUNTERS = /^\$(?:[#?$!]|\{[#?$!]\})$/;
const RANGE = /^\{-?\d+\.\.-?\d+(\.\.-?\d+)?\}$/;

/** True for a word that is a whole number by itself, whatever any name holds. */
export function readsWholeNumber(word: Word): boolean {
  return isNumeric(word, new Set());
}

/** True for an expansion that gives digits and nothing else. */
export function isCounter(text: string): boolean {
  return COUNTERS.test(text) || /^\$\{#[A-Za-z_@*]\w*(\[[@*]\])?\}$/.test(text);
}

/** True for a word made of digits and of names in `numeric`. */
export function isNumeric(word: Word, numeric: ReadonlySet<string>): boolean {
  if (word.parts === undefined) return /^ ?-?\d+$/.test(word.value);
  if (word.parts.length === 0) return false;
  return word.parts.every((part, i) => isNumericPart(part, numeric, i === 0));
}

/** The same for one part of a word; a sign may stand in the first only. */
export function isNumericPart(part: WordPart, numeric: ReadonlySet<string>, first: boolean): boolean {
  switch (part.type) {
    case 'ArithmeticExpansion':
      return true;
    case 'BraceExpansion':
      return RANGE.test(part.text);
    case 'Literal':
      return (first ? /^ ?-?\d+#?$/ : /^\d+$/).test(part.value);
    case 'SingleQuoted':
      return /^\d+$/.test(part.value);
    case 'DoubleQuoted':
      return part.parts.length > 0 && part.parts.every((child, i) => isNumericPart(child, numeric, first && i === 0));
    case 'SimpleExpansion':
      return isCounter(part.text) || numeric.has(part.text.slice(1));
    case 'ParameterExpansion':
      if (isCounter(part.text)) return true;
      return (
        part.prefix === undefined &&
        part.index === undefined &&
        part.operation === undefined &&
        numeric.has(part.parameter)
      );
    default:
      return false;
  }
}

/** True for text that runs a command once it is used as a name or number: an index with a substitution in it. */
export function holdsIndexCode(text: string): boolean {
  for (let open = text.indexOf('['); open >= 0; open = text.indexOf('[', open + 1)) {
    const close = text.indexOf(']', open);
    const inside = text.slice(open, Math.min(close < 0 ? text.length : close, open + 1_000));
    if (/\$[({]|`/.test(inside)) return true;
    if (close < 0) return false;
  }
  return false;
}
