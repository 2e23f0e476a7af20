// Reads what the TypeScript compiler says, plain (`a.ts(4,9): error TS2322: ...`) and pretty (`a.ts:4:9 - error TS2322: ...`).
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, type OutputReader } from './reading.ts';

const PLAIN = /^(\S.{0,1000}?)\((\d{1,7}),\d{1,7}\): error (TS\d{1,6}): (.*)$/;
const PRETTY = /^(\S.{0,1000}?):(\d{1,7}):\d{1,7} - error (TS\d{1,6}): (.*)$/;
const GLOBAL = /^error (TS\d{1,6}): (.*)$/;
/** Further lines of one message are indented and come at once. */
const MORE = /^ {2,}\S/;
const MAX_MORE_LINES = 30;

/** Every error with its code, file and line. The code that the pretty form shows below an error is not understood. */
export const readTypeScript: OutputReader = ({ lines, place }) => {
  const reasons: CheckReason[] = [];
  const understood = new Set<number>();
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const [, file, at, code, said] = PLAIN.exec(line) ?? PRETTY.exec(line) ?? [];
    const [, globalCode, globalSaid] = file === undefined ? (GLOBAL.exec(line) ?? []) : [];
    const name = code ?? globalCode;
    if (name === undefined) continue;
    const more = moreLines(lines, index + 1);
    for (let nth = index; nth <= index + more.length; nth++) understood.add(nth);
    const all = [line, ...more].join('\n');
    // Compilers of several projects tell an error of a shared file again, at the same column; two columns are two errors.
    if (seen.has(all)) continue;
    seen.add(all);
    const message = inOneLine([said ?? globalSaid ?? '', ...more], MAX_MORE_LINES + 1);
    reasons.push({
      kind: 'type',
      name,
      file: file === undefined ? null : place(file),
      line: numberOf(at),
      message,
    });
  }
  return { reasons, tests: null, understood };
};

function moreLines(lines: readonly string[], from: number): readonly string[] {
  const next = lines.slice(from, from + MAX_MORE_LINES);
  const end = next.findIndex((line) => !MORE.test(line));
  return end === -1 ? next : next.slice(0, end);
}
