// What all readers of a program's output share: the text without colours and in lines, names of files as the workspace knows
// them, and the shape of what is read. Output is somebody else's text: every line is cut before a pattern sees it.
import type { CheckReason } from '../../../core/recovery/checks.ts';

/** Tests as a runner counted them. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a reader found. `tests` null: it says nothing of a number. */
export interface Reading {
  readonly reasons: readonly CheckReason[];
  readonly tests: TestCounts | null;
  /** Indices of the lines that are wholly in the reasons; absent: the reader does not say. */
  readonly understood?: ReadonlySet<number>;
}

/** A program's output, made ready for readers. */
export interface OutputText {
  readonly lines: readonly string[];
  /** Not all that was printed stands in the lines. */
  readonly isCut: boolean;
  /** A file as the workspace names it: relative, with `/`; one that lies elsewhere stays as it is. */
  readonly place: (path: string) => string;
}

/** Reads what it knows and passes over everything else. */
export type OutputReader = (output: OutputText) => Reading;

/** Nothing that the reader knows. */
export const nothingRead: Reading = { reasons: [], tests: null };

const MAX_LINES = 60_000;
const MAX_LINE_CHARS = 2000;
/** JSON reports are one long line. */
const MAX_JSON_CHARS = 8_000_000;

/** Makes `stdout` and `stderr` ready. `workspace` is the absolute root; a report may name files below it absolutely. */
export function outputText(stdout: string, stderr: string, workspace: string): OutputText {
  const text = `${stdout}\n${stderr}`
    // eslint-disable-next-line no-control-regex -- colours and cursor moves of a terminal
    .replace(/\u001b\[[0-9;?]{0,20}[A-Za-z]/g, '');
  const whole = text.split(/\r?\n/);
  // What failed stands at the beginning or at the end.
  const kept = whole.length <= MAX_LINES ? whole : [...whole.slice(0, MAX_LINES / 2), ...whole.slice(-MAX_LINES / 2)];
  const lines = kept.map((line) => line.slice(0, /^[[{]/.test(line) ? MAX_JSON_CHARS : MAX_LINE_CHARS));
  const isCut = kept.length < whole.length || lines.some((line, index) => line.length < (kept[index]?.length ?? 0));
  return { lines, isCut, place: placeIn(workspace) };
}

function placeIn(workspace: string): OutputText['place'] {
  const root = slashes(workspace).replace(/\/+$/, '');
  return (path) => {
    const plain = slashes(path.replace(/^file:\/\//, '')).replace(/^\/(?=[A-Za-z]:\/)/, '');
    const isInside = root !== '' && plain.startsWith(`${root}/`);
    return (isInside ? plain.slice(root.length + 1) : plain).replace(/^(?:\.\/)+/, '');
  };
}

const slashes = (path: string): string => path.replaceAll('\\', '/');

/** The text of a message that goes over several lines, in one. */
export function inOneLine(lines: readonly string[], most = 4): string {
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .slice(0, most)
    .join(' ');
}

/** The sum of what several lines count; null where there is no such line. */
export function sumOf(counts: readonly TestCounts[]): TestCounts | null {
  const [first] = counts;
  if (!first) return null;
  return counts.slice(1).reduce(
    (sum, each) => ({
      passed: sum.passed + each.passed,
      failed: sum.failed + each.failed,
      skipped: sum.skipped + each.skipped,
    }),
    first,
  );
}

/** A whole number from a match, or null. */
export function numberOf(text: string | undefined): number | null {
  const value = Number(text);
  return text === undefined || !Number.isSafeInteger(value) ? null : value;
}

/** JSON that stands alone in a line; undefined for anything else. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Cut off or no JSON: other readers, or the exit code, have to do.
    return undefined;
  }
}
