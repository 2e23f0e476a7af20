// Brings a text into the one spelling that the tables are written in: lower case, without accents, without invisible
// characters, full-width and look-alike letters as plain ones. A refusal that is spelled oddly stays a refusal.
// Confusables: Unicode TS 39, only inside words that mix two alphabets; Cyrillic and Greek words keep their letters.

const NOT_ASCII = /[^\0-\x7f]/;
// Soft hyphen, joiners, marks of direction, variation selectors, byte order mark.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
// Latin letters with marks, and marks that stand alone.
const MARKED_LATIN = /[\u00df-\u024f\u1e00-\u1eff]|\p{Script=Inherited}/gu;
const MARKED_LETTER = /[\u00df-\u024f\u1e00-\u1eff]/;
const QUOTES = /[‘’‚‛“”„«»]/g;
const OTHER_ALPHABET = /[\u0370-\u03ff\u0400-\u052f]/;
const WORD = /[a-z0-9_\u0370-\u03ff\u0400-\u052f]{2,80}/g;

// Letters that are not a plain letter with a mark.
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

// Each pair: a Cyrillic or Greek letter and the Latin one it looks like.
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  (
    'аa еe оo рp сc уy хx іi ѕs јj һh ԁd ԛq ԝw мm тt кk вb нh гr иu пn лn зe бb чy ѵv ' +
    'οo αa εe ιi νv υu ρp τt κk χx ηn ωw ϲc'
  )
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

/** True when every character is ASCII. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** The text in lower case and plain spelling. Runs in one pass over texts that are ASCII already. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const plain = text
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(MARKED_LATIN, plainLetter)
    .replace(QUOTES, (quote) => ('‘’‚‛'.includes(quote) ? "'" : '"'))
    .replaceAll('ё', 'е');
  return OTHER_ALPHABET.test(plain) && /[a-z]/.test(plain) ? plain.replace(WORD, unmask) : plain;
}

function plainLetter(letter: string): string {
  if (!MARKED_LETTER.test(letter)) return '';
  return SPELLED[letter] ?? letter.normalize('NFD').charAt(0);
}

// A word of two alphabets is no word of either.
function unmask(word: string): string {
  if (!/[a-z]/.test(word) || !OTHER_ALPHABET.test(word)) return word;
  let plain = '';
  for (const letter of word) plain += LOOK_ALIKES.get(letter) ?? letter;
  return plain;
}
