// Notation for the rule tables: long lists of words, long patterns in readable pieces, and one row a language.
import type { Rule } from './rule.ts';

/** The words of a comma-separated list; line breaks count as spaces. */
export function listOf(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim().replace(/\s+/g, ' '));
}

/** One pattern that matches where any of the given ones does. Flags are not carried over: rules need none but `m`. */
export function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(
    patterns.map((pattern) => pattern.source).join('|'),
    patterns.some((pattern) => pattern.multiline) ? 'm' : '',
  );
}

/** One pattern for two kinds of words that stand near each other, in either order, in one line. */
export function near(one: string, other: string, chars = 60): RegExp {
  const gap = `[^\\n]{0,${chars}}?`;
  return new RegExp(`(?:${one})${gap}(?:${other})|(?:${other})${gap}(?:${one})`);
}

/** How one language tells of something: hints as a comma-separated list, and the pattern (plain spelling, foldText.ts). */
export type Telling = readonly [language: string, hints: string, pattern: RegExp];

/** One rule for each language, so that a text is only held against the languages whose words it has. */
export function inEachLanguage(rule: Omit<Rule, 'hints' | 'pattern'>, tellings: readonly Telling[]): readonly Rule[] {
  return tellings.map(([language, hints, pattern]) => ({
    ...rule,
    id: `${rule.id}-${language}`,
    hints: listOf(hints),
    pattern,
  }));
}
