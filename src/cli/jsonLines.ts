// JSON lines in, JSON lines out. A bad line is answered by its number, the field and what was expected, and the rest still
// runs. Lines may be of any length, may end in CRLF, and the last one needs no newline.
import type * as z from 'zod';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';

/**
 * Answers every line of a UTF-8 JSON lines input.
 * @param input chunks as they come; a character may be split between two
 * @param write takes one line of output, without its newline
 * @param schema what a line must be; unknown fields are ignored as the schema says
 * @param handler makes the answer, a value that JSON can hold; it must not throw (a throw is a bug and is passed on)
 * @returns 2 when a line was bad, else 0
 */
export async function runJsonLines<Line>(
  input: AsyncIterable<string | Uint8Array>,
  write: (line: string) => void,
  schema: z.ZodType<Line>,
  handler: (line: Line) => unknown,
): Promise<ExitCode> {
  let lineNumber = 0;
  let exitCode: ExitCode = EXIT_CODES.done;
  for await (const text of readLines(input)) {
    lineNumber += 1;
    if (text.trim() === '') continue;
    const line = parseLine(text, schema);
    if ('error' in line) {
      exitCode = EXIT_CODES.badInput;
      write(JSON.stringify({ line: lineNumber, error: line.error }));
    } else {
      write(JSON.stringify(handler(line.value)));
    }
  }
  return exitCode;
}

/** Splits chunks into lines without their ends. A byte order mark at the beginning is dropped. */
async function* readLines(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Pieces of a line are kept apart until it ends: joining at each chunk would cost the square of a long line.
  let pieces: string[] = [];
  let isFirst = true;
  const finish = (last: string): string => {
    const text = pieces.length === 0 ? last : pieces.join('') + last;
    pieces = [];
    const line = isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
    isFirst = false;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield finish(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
  const rest = decoder.decode();
  if (pieces.length > 0 || rest !== '') yield finish(rest);
}

type Parsed<Line> = { readonly value: Line } | { readonly error: string };

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Parsed<Line> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser quotes the text it stumbled on; of a long line only its reason and place are of use.
    return { error: `not JSON: ${jsonReason(error)}` };
  }
  const result = schema.safeParse(value);
  return result.success ? { value: result.data } : { error: describeIssues(result.error) };
}

const POSITION = /(.*?)(?:, ".*is not valid JSON| in JSON)?(?: at position (\d+))?(?: \(.*)?$/s;

function jsonReason(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, reason = '', position] = POSITION.exec(message) ?? [];
  const place = position === undefined ? '' : ` at character ${Number(position) + 1}`;
  return `${reason.slice(0, 120)}${place}; expected one JSON object a line`;
}

const MAX_ISSUES = 5;

function describeIssues(error: z.ZodError): string {
  const issues = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = issue.path.map(String).join('.');
    return `${path === '' ? 'line' : path}: ${issue.message}`;
  });
  const more = error.issues.length - issues.length;
  return issues.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
