// Reads what Vitest and Jest print for people: the blocks of their failures and the line that counts tests.
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, sumOf, type OutputReader, type OutputText, type TestCounts } from './reading.ts';

/** ` FAIL  test/a.test.js > suite > name`, with a blank or more before it; of a project also `FAIL  |name| file`. */
const VITEST_FAIL = /^ +FAIL +(?:\|[^|]{1,100}\| )?(\S+)(?: > (.+)| \[ .* \])?$/;
const VITEST_PLACE = /^ *❯ .{0,300}?([^\s()]{1,500}):(\d{1,7}):\d{1,7}\)?$/;
const JEST_FAIL = /^FAIL (\S+)(?: \(.*\))?$/;
const JEST_TEST = /^ {2}● (.+)$/;
const FRAME = /^\s+at .{0,500}?\(?([^\s()]{1,500}):(\d{1,7}):\d{1,7}\)?$/;

/** Every failed test and every file that could not be run. */
export const readJestText: OutputReader = (output) => {
  const found = [...vitestReasons(output), ...jestReasons(output)];
  return { reasons: found.length > 0 ? found : fileReasons(output.lines), tests: countsOf(output.lines) };
};

function vitestReasons({ lines, place }: OutputText): readonly CheckReason[] {
  return lines.flatMap((line, index): CheckReason[] => {
    const [, path, name] = VITEST_FAIL.exec(line) ?? [];
    if (path === undefined) return [];
    const block = blockAfter(lines, index + 1, (next) => /^⎯{5,}/.test(next) || VITEST_FAIL.test(next));
    const file = place(path);
    return [
      {
        kind: 'test',
        name: name ?? file,
        file,
        line: lineIn(block, VITEST_PLACE, file, place),
        message: inOneLine(
          upTo(block, (next) => next.trim() === '' || next.startsWith(' ❯')),
          3,
        ),
      },
    ];
  });
}

function jestReasons({ lines, place }: OutputText): readonly CheckReason[] {
  let file: string | null = null;
  const reasons: CheckReason[] = [];
  for (const [index, line] of lines.entries()) {
    const [, path] = JEST_FAIL.exec(line) ?? [];
    if (path !== undefined) file = place(path);
    const [, title] = (file === null ? null : JEST_TEST.exec(line)) ?? [];
    if (title === undefined || file === null || title.startsWith('Console')) continue;
    const block = blockAfter(lines, index + 1, (next) => JEST_TEST.test(next) || /^\S/.test(next));
    const name = title === 'Test suite failed to run' ? file : title.replaceAll(' › ', ' > ');
    const message = inOneLine(upTo(block, (next) => /^\s+(?:>? *\d+ \||at )/.test(next)));
    const reason: CheckReason = { kind: 'test', name, file, line: lineIn(block, FRAME, file, place), message };
    // With several files the failures are repeated in a summary.
    if (!reasons.some((each) => each.name === name && each.file === file)) reasons.push(reason);
  }
  return reasons;
}

const MAX_BLOCK_LINES = 200;

function blockAfter(lines: readonly string[], from: number, isEnd: (line: string) => boolean): readonly string[] {
  return upTo(lines.slice(from, from + MAX_BLOCK_LINES), isEnd);
}

/** Lines before the first that ends them; blank ones at the beginning do not. */
function upTo(lines: readonly string[], isEnd: (line: string) => boolean): readonly string[] {
  const start = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ''),
  );
  const end = lines.findIndex((line, index) => index >= start && isEnd(line));
  return end === -1 ? lines.slice(start) : lines.slice(start, end);
}

/** The line of the test's own file, else none: a frame of a library is no place to look at. */
function lineIn(block: readonly string[], frame: RegExp, file: string, place: OutputText['place']): number | null {
  for (const line of block) {
    const [, path, at] = frame.exec(line) ?? [];
    if (path !== undefined && place(path) === file) return numberOf(at);
  }
  return null;
}

/** `Tests  2 failed | 1 passed (3)` and `Tests:  2 failed, 1 passed, 3 total`, of every run in the command. */
function countsOf(lines: readonly string[]): TestCounts | null {
  const told = lines.filter((line) => /^ *Tests:? {2,}(?:\d|no tests)/.test(line));
  return sumOf(
    told.map((line) => {
      const count = (word: string): number => Number(new RegExp(String.raw`(\d{1,9}) ${word}`).exec(line)?.[1] ?? 0);
      return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') + count('todo') };
    }),
  );
}

const FILES = /^ *Test (?:Files|Suites):? {1,10}(\d{1,9} failed\b.*)$/;

/** Files that could not be run, where no block says which. */
function fileReasons(lines: readonly string[]): readonly CheckReason[] {
  const told = lines.map((line) => FILES.exec(line)?.[1]).find((said) => said !== undefined);
  return told === undefined ? [] : [{ kind: 'test', name: 'test files', file: null, line: null, message: told }];
}
