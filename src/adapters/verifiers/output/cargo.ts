// Reads what cargo prints: failed tests with their panic, and errors of the compiler in the long and the short form.
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, type OutputReader, type OutputText, type TestCounts } from './reading.ts';

const BLOCK = /^---- (\S.{0,500}?) stdout ----$/;
const PANIC = /^thread '.{0,500}?'(?: \(\d{1,20}\))? panicked at (\S{1,500}?):(\d{1,7}):\d{1,7}:?$/;
/** Before Rust 1.73 the message stands in the same line. */
const OLD_PANIC = /^thread '.{0,500}?' panicked at '(.*)', (\S{1,500}?):(\d{1,7}):\d{1,7}$/;
const ERROR = /^error(?:\[(E\d{1,6})\])?: (.*)$/;
const ARROW = /^ *--> (\S{1,500}?):(\d{1,7}):\d{1,7}$/;
const SHORT = /^(\S{1,500}\.rs):(\d{1,7}):\d{1,7}: error(?:\[(E\d{1,6})\])?: (.*)$/;

/** Every failed test and every error. */
export const readCargo: OutputReader = (output) => ({
  reasons: [...testReasons(output), ...compilerReasons(output)],
  tests: countsOf(output.lines),
});

function testReasons({ lines, place }: OutputText): readonly CheckReason[] {
  return lines.flatMap((line, index): CheckReason[] => {
    const name = BLOCK.exec(line)?.[1];
    if (name === undefined) return [];
    const rest = lines.slice(index + 1, index + 60);
    const end = rest.findIndex((next) => BLOCK.test(next) || next === 'failures:');
    return [{ kind: 'test', name, ...panicIn(end === -1 ? rest : rest.slice(0, end), place) }];
  });
}

function panicIn(block: readonly string[], place: OutputText['place']): Pick<CheckReason, 'file' | 'line' | 'message'> {
  const at = block.findIndex((line) => PANIC.test(line));
  const [, file, line] = PANIC.exec(block[at] ?? '') ?? [];
  if (file !== undefined) {
    const said = block.slice(at + 1);
    const end = said.findIndex((each) => /^(?:stack backtrace:|note: )/.test(each));
    return { file: place(file), line: numberOf(line), message: inOneLine(end === -1 ? said : said.slice(0, end), 8) };
  }
  const old = block.map((each) => OLD_PANIC.exec(each)).find((match) => match !== null);
  if (old) return { file: place(old[2] ?? ''), line: numberOf(old[3]), message: old[1] ?? '' };
  return { file: null, line: null, message: inOneLine(block) };
}

function compilerReasons({ lines, place }: OutputText): readonly CheckReason[] {
  return lines.flatMap((line, index): CheckReason[] => {
    const [, file, at, code, said] = SHORT.exec(line) ?? [];
    if (file !== undefined)
      return [{ kind: 'type', name: code ?? 'rustc', file: place(file), line: numberOf(at), message: said ?? '' }];
    const [, longCode, message] = ERROR.exec(line) ?? [];
    const [, path, row] = message === undefined ? [] : (ARROW.exec(lines[index + 1] ?? '') ?? []);
    if (path === undefined || message === undefined) return [];
    return [{ kind: 'type', name: longCode ?? 'rustc', file: place(path), line: numberOf(row), message }];
  });
}

/** One line for every test program of the package; all of them together. */
function countsOf(lines: readonly string[]): TestCounts | null {
  const results = lines.flatMap((line) => {
    const match = /^test result: \w+\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(line);
    return match ? [match] : [];
  });
  if (results.length === 0) return null;
  const sum = (group: 1 | 2 | 3): number => results.reduce((total, match) => total + Number(match[group]), 0);
  return { passed: sum(1), failed: sum(2), skipped: sum(3) };
}
