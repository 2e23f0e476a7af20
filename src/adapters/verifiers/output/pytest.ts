// Reads what pytest prints: its sections of errors and failures and the short summary at the end.
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, sumOf, type OutputReader, type OutputText, type TestCounts } from './reading.ts';

const HEADER = /^_{3,} (.{1,500}?) _{3,}$/;
const SUMMARY = /^(FAILED|ERROR) (\S.*)$/;
const PLACE = /^(\S{1,500}\.py):(\d{1,7}): /;

interface Section {
  /** `TestTotal.test_adds`, or the file of an `ERROR collecting`. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** Every failed test, every error of a fixture, every file that could not be loaded. */
export const readPytest: OutputReader = (output) => {
  const sections = sectionsOf(output.lines);
  const reasons = output.lines.flatMap((line): CheckReason[] => {
    const [, kind, rest = ''] = SUMMARY.exec(line) ?? [];
    // Other programs begin lines with ERROR, too; pytest's name a file of Python.
    return kind !== undefined && /^\S{1,500}\.py\b/.test(rest) ? [reasonOf(rest, sections, output)] : [];
  });
  return { reasons, tests: countsOf(output.lines) };
};

function sectionsOf(lines: readonly string[]): readonly Section[] {
  const starts = lines.flatMap((line, index) => {
    const title = HEADER.exec(line)?.[1];
    return title === undefined ? [] : [{ title, index }];
  });
  return starts.map(({ title, index }, nth) => {
    const rest = lines.slice(index + 1, starts[nth + 1]?.index ?? lines.length);
    const end = rest.findIndex((line) => /^={3,} /.test(line));
    return {
      title: title.replace(/^ERROR (?:collecting|at \w+ of) /, ''),
      lines: end === -1 ? rest : rest.slice(0, end),
    };
  });
}

function reasonOf(summary: string, sections: readonly Section[], { place }: OutputText): CheckReason {
  const dash = summary.indexOf(' - ');
  const id = dash === -1 ? summary : summary.slice(0, dash);
  const [path = '', ...names] = id.split('::');
  const name = names.length === 0 ? path : names.join('::');
  const section = sections.find(({ title }) => title === names.join('.') || (names.length === 0 && title === path));
  const said = (section?.lines ?? []).filter((line) => line.startsWith('E  ')).map((line) => line.slice(1));
  const message = said.length > 0 ? inOneLine(said) : dash === -1 ? '' : summary.slice(dash + 3);
  return { kind: 'test', name, file: place(path), line: lineIn(section, path), message };
}

function lineIn(section: Section | undefined, path: string): number | null {
  const at = section?.lines.findLast((line) => PLACE.exec(line)?.[1] === path);
  return at === undefined ? null : numberOf(PLACE.exec(at)?.[2]);
}

/** The last line of each run: `4 failed, 1 passed in 0.95s`, between `=` or, quietly, alone. */
function countsOf(lines: readonly string[]): TestCounts | null {
  const last = lines.filter((line) => /^(?:=+ )?(?:\d{1,9} \w+(?:, \d{1,9} \w+)*|no tests ran) in \d/.test(line));
  return sumOf(
    last.map((line) => {
      const count = (words: string): number =>
        Number(new RegExp(String.raw`(\d{1,9}) (?:${words})\b`).exec(line)?.[1] ?? 0);
      return {
        // What passes against a mark and must not is told as failed.
        passed: count('passed') + count('xfailed') + count('xpassed'),
        failed: count('failed') + count('errors?'),
        skipped: count('skipped') + count('deselected'),
      };
    }),
  );
}
