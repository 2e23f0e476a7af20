// Reads what `go test`, `go vet` and the Go compiler print, as text and as the events of `-json`.
import * as z from 'zod';
import type { CheckReason } from '../../../core/recovery/checks.ts';
import {
  inOneLine,
  jsonOf,
  nothingRead,
  numberOf,
  type OutputReader,
  type OutputText,
  type TestCounts,
} from './reading.ts';

const FAIL = /^( *)--- FAIL: (\S+) \(\d[\d.]*s\)$/;
const SAID = /^ +(\S{1,300}\.go):(\d{1,7}): (.*)$/;
const COMPILER = /^(?:vet: )?(\S{1,500}\.go):(\d{1,7}):\d{1,7}: (.*)$/;
/** A package is told with tabs; `ok 1` is of TAP. */
const PACKAGE = /^(?:ok {2}|FAIL|\? {3})\t\S+/;

const eventSchema = z.object({ Action: z.string(), Test: z.string().optional(), Output: z.string().optional() });
type TestEvent = z.infer<typeof eventSchema>;

/** Every failed test with what it said, and every error of compiler or vet. */
export const readGoTest: OutputReader = ({ lines, place }) => {
  const events = lines.filter((line) => line.startsWith('{"') && line.includes('"Action"')).flatMap(eventOf);
  // Errors of the compiler may stand beside the events.
  const beside = lines.filter((line) => !line.startsWith('{"'));
  const said = events
    .map(({ Output = '' }) => Output)
    .join('')
    .split('\n');
  const text = events.length === 0 ? lines : [...said, ...beside];
  if (!text.some((line) => FAIL.test(line) || PACKAGE.test(line) || COMPILER.test(line))) return nothingRead;
  return {
    reasons: [...testReasons(text, place), ...compilerReasons(text, place)],
    tests: events.length === 0 ? countsOf(text) : eventCounts(events),
  };
};

function eventOf(line: string): readonly TestEvent[] {
  const event = eventSchema.safeParse(jsonOf(line));
  return event.success ? [event.data] : [];
}

function testReasons(lines: readonly string[], place: OutputText['place']): readonly CheckReason[] {
  const failed = lines.flatMap((line, index) => {
    const [, indent = '', name] = FAIL.exec(line) ?? [];
    return name === undefined ? [] : [{ indent: indent.length, name, index }];
  });
  return failed.flatMap(({ indent, name, index }): CheckReason[] => {
    const said = saidBy(lines, index, indent);
    const isParent = failed.some((other) => other.name.startsWith(`${name}/`));
    if (said.length === 0 && isParent) return [];
    const [, file, at, first = ''] = SAID.exec(said[0] ?? '') ?? [];
    const message = inOneLine([first, ...said.slice(1)]);
    return [{ kind: 'test', name, file: file === undefined ? null : place(file), line: numberOf(at), message }];
  });
}

/** What a test said: after its line, deeper; with `-v` before it, since its `=== RUN`. */
function saidBy(lines: readonly string[], index: number, indent: number): readonly string[] {
  const isDeeper = (line: string): boolean => /^ */.exec(line)?.[0].length !== undefined && line.search(/\S/) > indent;
  const after: string[] = [];
  for (const line of lines.slice(index + 1, index + 40)) {
    if (!isDeeper(line) || FAIL.test(line)) break;
    after.push(line);
  }
  if (after.some((line) => SAID.test(line))) return after.slice(after.findIndex((line) => SAID.test(line)));
  const before: string[] = [];
  for (const line of lines.slice(Math.max(0, index - 40), index).toReversed()) {
    if (!isDeeper(line) || line.includes('--- ')) break;
    before.unshift(line);
  }
  const start = before.findIndex((line) => SAID.test(line));
  return start === -1 ? after : before.slice(start);
}

function compilerReasons(lines: readonly string[], place: OutputText['place']): readonly CheckReason[] {
  const errors = lines.flatMap((line): CheckReason[] => {
    const [, file, at, message = ''] = COMPILER.exec(line) ?? [];
    return file === undefined ? [] : [{ kind: 'type', name: 'go', file: place(file), line: numberOf(at), message }];
  });
  const panic = lines.find((line) => line.startsWith('panic: '));
  if (panic === undefined) return errors;
  return [...errors, { kind: 'test', name: 'panic', file: null, line: null, message: panic.slice('panic: '.length) }];
}

/** Text tells numbers only with `-v`; else each package that is `ok` has run one test at least, or says that it has none. */
function countsOf(lines: readonly string[]): TestCounts | null {
  const count = (word: string): number => lines.filter((line) => line.trimStart().startsWith(`--- ${word}: `)).length;
  const counts = { passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
  if (counts.passed > 0) return counts;
  const packages = lines.filter((line) => PACKAGE.test(line));
  if (counts.failed > 0 || packages.some((line) => line.startsWith('FAIL'))) return null;
  const tested = packages.filter((line) => !/\[no test files\]|\[no tests to run\]/.test(line));
  return packages.length === 0 ? null : { ...counts, passed: tested.length };
}

function eventCounts(events: readonly TestEvent[]): TestCounts {
  const count = (action: string): number =>
    events.filter(({ Action, Test }) => Action === action && Test !== undefined).length;
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') };
}
