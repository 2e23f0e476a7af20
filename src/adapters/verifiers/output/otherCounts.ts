// Numbers of tests as further runners tell them, which have no reader of their own: whether tests were run, and whether any
// failed, is known of them as well. What fails is then told by the exit code or by the number.
import { nothingRead, type OutputReader, type TestCounts } from './reading.ts';

type Part = keyof TestCounts | 'all';
/** A line that tells numbers, and what each of them counts; `all`: with those that failed. */
type CountLine = readonly [form: RegExp, parts: readonly Part[]];

const LINES: readonly CountLine[] = [
  // Mocha
  [/^ {2}(\d{1,9}) passing \(.{1,40}\)$/, ['passed']],
  [/^ {2}(\d{1,9}) failing$/, ['failed']],
  [/^ {2}(\d{1,9}) pending$/, ['skipped']],
  // AVA
  [/^ {2}(\d{1,9}) tests? passed$/, ['passed']],
  [/^ {2}(\d{1,9}) (?:tests?|hooks?) failed$/, ['failed']],
  // Playwright
  [/^ {2}(\d{1,9}) passed \(.{1,40}\)$/, ['passed']],
  [/^ {2}(\d{1,9}) failed$/, ['failed']],
  // Bun
  [/^ (\d{1,9}) pass$/, ['passed']],
  [/^ (\d{1,9}) fail$/, ['failed']],
  // Deno
  [/^(?:ok|FAILED) \| (\d{1,9}) passed(?: \(.{1,40}\))? \| (\d{1,9}) failed\b/, ['passed', 'failed']],
  // Jasmine and RSpec
  [/^(\d{1,9}) (?:specs?|examples?), (\d{1,9}) failures?\b/, ['all', 'failed']],
  // unittest
  [/^Ran (\d{1,9}) tests? in \d/, ['all']],
  [/^FAILED \(failures=(\d{1,9}), errors=(\d{1,9})\b/, ['failed', 'failed']],
  [/^FAILED \((?:failures|errors)=(\d{1,9})(?:\)|, (?!errors))/, ['failed']],
];

/** Numbers only. */
export const readOtherCounts: OutputReader = ({ lines }) => {
  const sums = { passed: 0, failed: 0, skipped: 0, all: 0 };
  let isTold = false;
  for (const line of lines) {
    for (const [form, parts] of LINES) {
      const match = form.exec(line);
      if (!match) continue;
      isTold = true;
      for (const [index, part] of parts.entries()) sums[part] += Number(match[index + 1]);
      break;
    }
  }
  if (!isTold) return nothingRead;
  const { failed, skipped, all } = sums;
  return { reasons: [], tests: { passed: sums.passed + Math.max(0, all - (all > 0 ? failed : 0)), failed, skipped } };
};
