// A shell word after quote removal: what its text is known to be, and what it may still turn into when the shell expands it.
// Rules match words, never source text. What is not known is never taken for harmless.

/**
 * One argument as the program will see it.
 * `known` is the text that is certain: all of it for a literal or a glob, the part before the first expansion for an opaque word.
 */
export interface ShellWord {
  readonly kind: 'literal' | 'glob' | 'opaque';
  readonly known: string;
  /** True where the word starts, or may start once expanded, with `-` and so be taken for an option. */
  readonly canBeOption: boolean;
  /** True where any expansion (variable, substitution, brace) took part, even if its value is known. */
  readonly expanded: boolean;
  /** An unquoted expansion: may become several words or none. */
  readonly splits: boolean;
  /** All the texts an opaque word can have, where they are known (a loop over literal names). */
  readonly choices?: readonly ShellWord[];
}

/** A word whose text is completely known. */
export function literalWord(text: string, expanded = false): ShellWord {
  return { kind: 'literal', known: text, canBeOption: text.startsWith('-'), expanded, splits: false };
}

/** A word nobody can know before it runs: whatever xargs appends, `"$@"`, and the like. */
export const UNKNOWN_WORD: ShellWord = { kind: 'opaque', known: '', canBeOption: true, expanded: true, splits: true };

/** The text of a fully known word, else undefined. */
export function literalText(word: ShellWord | undefined): string | undefined {
  return word?.kind === 'literal' ? word.known : undefined;
}

/** The word's tail from `start` on, as after the `=` of `--output=x`; meaningful while `start` lies in the known part. */
export function wordTail(word: ShellWord, start: number): ShellWord {
  const { choices: _dropped, ...rest } = word;
  return { ...rest, known: word.known.slice(start), canBeOption: false };
}
