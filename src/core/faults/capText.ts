// How much of a text is looked at. An error says what it is at its beginning or its end; what lies between in a body of
// megabytes is an answer, a page or padding, and reading it would cost more than the call that failed.

const HEAD_CHARS = 64 * 1024;
const TAIL_CHARS = 16 * 1024;

/** A text, cut to its beginning and its end where it is long. */
export interface CappedText {
  readonly text: string;
  readonly isCut: boolean;
}

/** At most 80 KiB (in UTF-16 units) of a text; the two parts of a cut one are set apart by an empty line. */
export function capText(text: string): CappedText {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return { text, isCut: false };
  return { text: `${text.slice(0, HEAD_CHARS)}\n\n${text.slice(-TAIL_CHARS)}`, isCut: true };
}

/** The same for a text of lines: none is cut, so that what is left of an event stream still consists of whole events. */
export function capLines(text: string): CappedText {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return { text, isCut: false };
  const head = text.slice(0, text.lastIndexOf('\n', HEAD_CHARS) + 1);
  const from = text.indexOf('\n', text.length - TAIL_CHARS);
  return { text: `${head}\n\n${from < 0 ? '' : text.slice(from + 1)}`, isCut: true };
}
