// Names what is different about two lines that look alike: the agent (and often a person) cannot see it in the text itself.

/** Characters that are hard or impossible to see, by code point. */
const UNSEEN: readonly (readonly [RegExp, string])[] = [
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu, 'a special space'],
  [/[\u200b\u2060\u180e]/gu, 'a zero-width space'],
  [/\u200c|\u200d/gu, 'a zero-width joiner'],
  [/\ufeff/gu, 'a byte order mark'],
  [/\u00ad/gu, 'a soft hyphen'],
  [/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu, 'a text direction mark'],
  [/[\u2028\u2029\u0085]/gu, 'a Unicode line separator'],
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu, 'a control character'],
  [/\r/gu, 'a carriage return'],
];

/** Ways in which lines differ that are easily overlooked: with this taken away they are equal. */
const KINDS: readonly (readonly [(line: string) => string, string])[] = [
  [(line) => line.trimEnd(), 'white space at the end of the line'],
  [(line) => line.replaceAll('\t', ' '), 'tabs where the other has spaces'],
  [(line) => line.trim(), 'indentation'],
  [(line) => line.replaceAll(/\s+/gu, ' ').trim(), 'the amount of white space'],
  [
    (line) =>
      line.replaceAll(/[\u2018\u2019\u201a\u201b\u2032]/gu, "'").replaceAll(/[\u201c\u201d\u201e\u201f\u2033]/gu, '"'),
    'typographic quotes',
  ],
  [(line) => line.replaceAll(/["`]/gu, "'"), 'the kind of quotes'],
  [(line) => line.replaceAll(/[\u2010-\u2015\u2212]/gu, '-').replaceAll('\u2026', '...'), 'typographic dashes or dots'],
  [(line) => UNSEEN.reduce((text, [pattern]) => text.replaceAll(pattern, ' '), line), 'characters that cannot be seen'],
  [(line) => line.normalize('NFC'), 'composed and decomposed letters (Unicode normalization)'],
  [(line) => line.replaceAll('\\"', '"').replaceAll("\\'", "'").replaceAll('\\\\', '\\'), 'backslashes (escaping)'],
  [unescapedEntities, 'HTML entities'],
  [(line) => line.toLowerCase(), 'letter case'],
  [(line) => line.replaceAll(/\s+/gu, ''), 'white space'],
];

/** Only so much of a line is compared. */
const MAX_CHARS = 2000;

/** How the wanted line differs from the one that is there, for the agent: the kind, and the first place with its characters. */
export function describeDifference(wanted: string, actual: string): string {
  if (wanted === actual) return '';
  const [a, b] = [wanted.slice(0, MAX_CHARS), actual.slice(0, MAX_CHARS)];
  const kind = KINDS.find(([plain]) => plain(a) === plain(b))?.[1];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const where = `at column ${at + 1} the file has ${named(b, at)}, the search text ${named(a, at)}`;
  return kind ? `they differ in ${kind}: ${where}` : where;
}

function unescapedEntities(line: string): string {
  return line
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#39;|&apos;/gu, "'")
    .replaceAll('&amp;', '&');
}

function named(line: string, at: number): string {
  const point = line.codePointAt(at);
  if (point === undefined) return 'nothing more';
  const character = String.fromCodePoint(point);
  if (character === '\t') return 'a tab';
  if (character === ' ') return 'a space';
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  const unseen = UNSEEN.find(([pattern]) => character.search(pattern) === 0)?.[1];
  if (unseen) return `${unseen} (${code})`;
  return point < 127 ? `"${character}"` : `"${character}" (${code})`;
}
