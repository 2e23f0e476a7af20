// A text cut into lines whose endings are kept, so that an edit can put every untouched byte back as it was.
// A line ends with LF or CRLF; only a text without any LF is cut at CR (files of old Macs).

/** Lines of a text, the last one without an ending (empty when the text ends with one). `texts.join` with `ends` is the text. */
export interface TextLines {
  readonly text: string;
  /** Lines without their endings. */
  readonly texts: readonly string[];
  /** `\n`, `\r\n` or `\r`; of the last line always empty. */
  readonly ends: readonly string[];
  /** Where each line starts in `text`. */
  readonly starts: readonly number[];
  /** Lines that hold something or are ended: without the empty rest after the last ending. */
  readonly count: number;
  /** The ending that most lines have; LF for a text of one line. */
  readonly usualEnd: string;
  readonly isMixed: boolean;
}

export function cutLines(text: string): TextLines {
  const mark = text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
  const texts: string[] = [];
  const ends: string[] = [];
  const starts: number[] = [];
  const uses = new Map<string, number>();
  let start = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, start)) {
    const isCrlf = mark === '\n' && at > start && text.charCodeAt(at - 1) === 13;
    const end = isCrlf ? '\r\n' : mark;
    texts.push(text.slice(start, isCrlf ? at - 1 : at));
    ends.push(end);
    starts.push(start);
    uses.set(end, (uses.get(end) ?? 0) + 1);
    start = at + 1;
  }
  texts.push(text.slice(start));
  ends.push('');
  starts.push(start);
  const [usual] = [...uses].sort((a, b) => b[1] - a[1]);
  const count = start === text.length ? texts.length - 1 : texts.length;
  return { text, texts, ends, starts, count, usualEnd: usual?.[0] ?? '\n', isMixed: uses.size > 1 };
}

/** The lines of a text that an agent wrote: endings do not matter, and a last ending makes no further line. */
export function plainLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text with LF as its only line ending. */
export function withLf(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** The ending of a line, or of the nearest line above or below that has one. */
export function endNear({ ends, usualEnd }: TextLines, line: number): string {
  return [ends[line], ends[line - 1], ends[line + 1]].find((end) => end !== undefined && end !== '') ?? usualEnd;
}

/** Number (from 0) of the line that holds an offset. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
