// Whether lines that differ only in their indentation differ by one clear rule, so that new lines can be indented by the
// same rule without a guess: the same white space everywhere more or less, or tabs for a fixed number of spaces.

/** Turns a line as the agent indents it into one as the file does; null: not without doubt. */
type Rule = (line: string) => string | null;

/** New lines indented as the file is, or null where any of them would need a guess. `actual[i]` stands for `wanted[i]`. */
export function reindent(
  actual: readonly string[],
  wanted: readonly string[],
  added: readonly string[],
): readonly string[] | null {
  const pairs = actual.flatMap((line, i) => {
    const other = wanted[i] ?? '';
    return line.trim() === '' || other.trim() === '' ? [] : [[indentOf(line), indentOf(other)] as const];
  });
  if (pairs.length === 0) return null;
  const rule = [moreRule, lessRule, unitRule].map((make) => make(pairs)).find((found) => found !== null);
  if (!rule) return null;
  const lines = added.map((line) => (line.trim() === '' ? line : rule(line)));
  return lines.every((line) => line !== null) ? lines : null;
}

type Pairs = readonly (readonly [actual: string, wanted: string])[];

export function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

/** The file has the same white space more in front of every line. */
function moreRule(pairs: Pairs): Rule | null {
  const [first] = pairs;
  if (!first?.[0].endsWith(first[1])) return null;
  const more = first[0].slice(0, first[0].length - first[1].length);
  return pairs.every(([actual, wanted]) => actual === more + wanted) ? (line) => more + line : null;
}

/** The file has the same white space less in front of every line. */
function lessRule(pairs: Pairs): Rule | null {
  const [first] = pairs;
  if (!first?.[1].endsWith(first[0])) return null;
  const less = first[1].slice(0, first[1].length - first[0].length);
  if (!pairs.every(([actual, wanted]) => less + actual === wanted)) return null;
  return (line) => (line.startsWith(less) ? line.slice(less.length) : null);
}

/** One side is indented by tabs, the other by the same number of spaces for each; at least one line must show the number. */
function unitRule(pairs: Pairs): Rule | null {
  for (let width = 1; width <= 8; width++) {
    const spaces = ' '.repeat(width);
    const toTabs = pairs.every(([actual, wanted]) => wanted === spaces.repeat(tabsIn(actual)) && isTabs(actual));
    const toSpaces = pairs.every(([actual, wanted]) => actual === spaces.repeat(tabsIn(wanted)) && isTabs(wanted));
    if (toTabs) return (line) => converted(line, spaces, '\t');
    if (toSpaces) return (line) => converted(line, '\t', spaces);
  }
  return null;
}

function isTabs(indent: string): boolean {
  return tabsIn(indent) === indent.length;
}

function tabsIn(indent: string): number {
  return indent.split('\t').length - 1;
}

function converted(line: string, from: string, to: string): string | null {
  const indent = indentOf(line);
  const units = indent.length / from.length;
  return Number.isInteger(units) && indent === from.repeat(units) ? to.repeat(units) + line.slice(indent.length) : null;
}
