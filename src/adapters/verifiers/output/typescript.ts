// Reads what the TypeScript compiler says, plain (`a.ts(4,9): error TS2322: ...`) and pretty (`a.ts:4:9 - error TS2322: ...`).
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, type OutputReader } from './reading.ts';

const PLAIN = /^(\S.{0,1000}?)\((\d{1,7}),\d{1,7}\): error (TS\d{1,6}): (.*)$/;
const PRETTY = /^(\S.{0,1000}?):(\d{1,7}):\d{1,7} - error (TS\d{1,6}): (.*)$/;
const GLOBAL = /^error (TS\d{1,6}): (.*)$/;
/** Further lines of one message are indented and come at once. */
const MORE = /^ {2,}\S/;

/** Every error with its code, file and line. */
export const readTypeScript: OutputReader = ({ lines, place }) => {
  const reasons = lines.flatMap((line, index): CheckReason[] => {
    const [, file, at, code, said] = PLAIN.exec(line) ?? PRETTY.exec(line) ?? [];
    const [, globalCode, globalSaid] = file === undefined ? (GLOBAL.exec(line) ?? []) : [];
    const name = code ?? globalCode;
    if (name === undefined) return [];
    const message = inOneLine([said ?? globalSaid ?? '', ...moreLines(lines, index + 1)]);
    return [{ kind: 'type', name, file: file === undefined ? null : place(file), line: numberOf(at), message }];
  });
  return { reasons, tests: null };
};

function moreLines(lines: readonly string[], from: number): readonly string[] {
  const next = lines.slice(from, from + 3);
  const end = next.findIndex((line) => !MORE.test(line));
  return end === -1 ? next : next.slice(0, end);
}
