// How the patterns of disclosure rules are held against names. A rule that lets something pass matches only what is written,
// a rule that stops something also matches what looks like it: in doubt nothing is sent unasked.

/** `*` stands for any characters, also none; everything else for itself. Linear in practice, never exponential. */
function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inText = 0;
  let star = -1;
  let afterStar = 0;
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      afterStar = inText;
    } else if (at < pattern.length && pattern[at] === text[inText]) {
      at++;
      inText++;
    } else if (star !== -1) {
      at = star + 1;
      inText = ++afterStar;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Only A-Z: other alphabets have letters whose lower case is a Latin one. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** For rules that allow: the name as it is written, upper and lower case of a-z being one. */
export function matchesStrictly(pattern: string, text: string): boolean {
  return matchesGlob(lower(pattern), lower(text));
}

/** Letters of other alphabets that look like Latin ones. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  х: 'x',
  у: 'y',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  υ: 'u',
  ı: 'i',
};

/** A name as a person sees it: no blanks or invisible characters, one kind of dash, one width, Latin letters. */
function seen(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Cc}\p{Mn}\s]/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[^\p{ASCII}]/gu, (letter) => LOOK_ALIKES[letter] ?? letter);
}

const PLAIN = /^[a-z0-9*:._/-]*$/;

/** For rules that stop: also what looks like the name. */
export function matchesGenerously(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  if (PLAIN.test(pattern) && PLAIN.test(text)) return matchesGlob(pattern, text);
  return matchesStrictly(pattern, text) || matchesGlob(seen(pattern), seen(text));
}
