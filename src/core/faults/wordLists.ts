// Notation for the rule tables: long lists of words and long patterns in readable pieces.

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
