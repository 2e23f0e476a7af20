// Reads what Node's own test runner prints: the form for people (`spec`) and TAP, which older versions write into a pipe.
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { inOneLine, numberOf, type OutputReader, type OutputText, type TestCounts } from './reading.ts';

/** Every failed test; a suite that failed only by its tests is not told again. */
export const readNodeTest: OutputReader = (output) => ({
  reasons: [...specReasons(output), ...tapReasons(output)],
  tests: countsOf(output.lines),
});

const SPEC_PLACE = /^test at (.{1,1000}?):(\d{1,7}):\d{1,7}$/;
const SPEC_NAME = /^\s*✖ (.*?)(?: \(\d[\d.]*ms\))?$/;

/** The summary at the end: `test at FILE:LINE:COLUMN`, the name, then the error, indented. */
function specReasons({ lines, place }: OutputText): readonly CheckReason[] {
  return lines.flatMap((line, index): CheckReason[] => {
    const [, file, at] = SPEC_PLACE.exec(line) ?? [];
    const [, name] = file === undefined ? [] : (SPEC_NAME.exec(lines[index + 1] ?? '') ?? []);
    if (file === undefined || name === undefined) return [];
    const block = lines.slice(index + 2, index + 60);
    const end = block.findIndex((next) => /^ {6,}at |^\S/.test(next));
    const said = inOneLine(end === -1 ? block : block.slice(0, end), 12).replace(/^'(.*)'$/, '$1');
    return [{ kind: 'test', name, file: place(file), line: numberOf(at), message: said }];
  });
}

const NOT_OK = /^ *not ok \d{1,9}(?: - (.*))?$/;
const FIELD = /^ *(\w{1,40}): ?(.*)$/;

function tapReasons({ lines, place }: OutputText): readonly CheckReason[] {
  return lines.flatMap((line, index): CheckReason[] => {
    const [whole, title = ''] = NOT_OK.exec(line) ?? [];
    if (whole === undefined || / # (?:TODO|SKIP)\b/i.test(title)) return [];
    const fields = yamlAfter(lines, index + 1);
    if (fields.get('failureType') === 'subtestsFailed') return [];
    const [, file, at] = /^(.*?):(\d{1,7})(?::\d{1,7})?$/.exec(fields.get('location') ?? fields.get('at') ?? '') ?? [];
    const place_ = file === undefined ? null : place(file.replace(/^.*\(/, ''));
    const message = fields.get('error') ?? fields.get('message') ?? '';
    return [{ kind: 'test', name: title.replaceAll('\\#', '#'), file: place_, line: numberOf(at), message }];
  });
}

/** The block between `---` and `...` that follows a line of TAP: plain fields, and texts over several lines (`|-`). */
function yamlAfter(lines: readonly string[], from: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const indent = /^( *)---$/.exec(lines[from] ?? '')?.[1];
  if (indent === undefined) return fields;
  const block = lines.slice(from + 1, from + 200);
  const end = block.indexOf(`${indent}...`);
  const inside = end === -1 ? block : block.slice(0, end);
  for (const [index, line] of inside.entries()) {
    if (!line.startsWith(indent) || line.startsWith(`${indent}  `)) continue;
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined || fields.has(name)) continue;
    const rest = inside.slice(index + 1);
    const next = rest.findIndex((each) => each.trim() !== '' && !each.startsWith(`${indent}  `));
    const text = /^[|>]-?$/.test(value) ? inOneLine(next === -1 ? rest : rest.slice(0, next), 12) : unquoted(value);
    fields.set(name, text);
  }
  return fields;
}

function unquoted(value: string): string {
  return value.replace(/^'(.*)'$|^"(.*)"$/, (_all, single?: string, double?: string) => single ?? double ?? '');
}

/** `ℹ pass 1` and `# pass 1`, of every run in the command; else the lines of a TAP stream. Suites are not tests. */
function countsOf(lines: readonly string[]): TestCounts | null {
  const count = (word: string): number | null => {
    const form = new RegExp(`^[ℹ#] ${word} {1,3}(\\d{1,9})$`);
    const told = lines.flatMap((line) => form.exec(line)?.[1] ?? []);
    return told.length === 0 ? null : told.reduce((sum, each) => sum + Number(each), 0);
  };
  const passed = count('pass');
  const failed = count('fail');
  if (passed === null && failed === null) return tapCounts(lines);
  return {
    passed: passed ?? 0,
    failed: (failed ?? 0) + (count('cancelled') ?? 0),
    skipped: (count('skipped') ?? 0) + (count('todo') ?? 0),
  };
}

function tapCounts(lines: readonly string[]): TestCounts | null {
  if (!lines.some((line) => /^(?:TAP version \d|1\.\.\d)/.test(line))) return null;
  const points = lines.filter((line) => /^(?:not )?ok\b/.test(line));
  const isSkipped = (line: string): boolean => / # (?:TODO|SKIP)\b/i.test(line);
  const failed = points.filter((line) => line.startsWith('not') && !isSkipped(line)).length;
  const skipped = points.filter(isSkipped).length;
  return { passed: points.length - failed - skipped, failed, skipped };
}
