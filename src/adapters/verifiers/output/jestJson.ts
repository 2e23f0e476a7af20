// Reads the JSON report of Jest (`--json`), which Vitest writes in the same form.
import * as z from 'zod';
import type { CheckReason } from '../../../core/recovery/checks.ts';
import {
  inOneLine,
  jsonOf,
  nothingRead,
  numberOf,
  sumOf,
  type OutputReader,
  type OutputText,
  type Reading,
} from './reading.ts';

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number().default(0),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string().optional(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

type FileReport = z.infer<typeof reportSchema>['testResults'][number];

/** Every failed test, and every file that could not be run. */
export const readJestJson: OutputReader = (output) => {
  const readings = output.lines.filter((line) => line.startsWith('{"num')).map((line) => fromReport(line, output));
  return {
    reasons: readings.flatMap(({ reasons }) => reasons),
    tests: sumOf(readings.flatMap(({ tests }) => tests ?? [])),
  };
};

function fromReport(line: string, { place }: OutputText): Reading {
  const report = reportSchema.safeParse(jsonOf(line));
  if (!report.success) return nothingRead;
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, testResults } = report.data;
  return { reasons: testResults.flatMap((file) => fileReasons(file, place)), tests: { passed, failed, skipped } };
}

function fileReasons(
  { name, status, message, assertionResults }: FileReport,
  place: OutputText['place'],
): readonly CheckReason[] {
  const file = place(name);
  const failures = assertionResults.filter((each) => each.status === 'failed');
  if (failures.length === 0 && status === 'failed')
    return [{ kind: 'test', name: file, file, line: null, message: inOneLine(message.split('\n')) }];
  return failures.map(({ fullName, failureMessages }): CheckReason => {
    const text = failureMessages?.join('\n') ?? '';
    const lines = text.split('\n');
    const stack = lines.findIndex((line) => /^ {4}at /.test(line));
    return {
      kind: 'test',
      name: fullName.trim(),
      file,
      line: lineIn(lines, name),
      message: inOneLine(stack === -1 ? lines : lines.slice(0, stack)),
    };
  });
}

/** The line of the test's own file in a stack. */
function lineIn(stack: readonly string[], file: string): number | null {
  const frame = stack.find((line) => line.includes(`${file}:`));
  if (frame === undefined) return null;
  const rest = frame.slice(frame.indexOf(`${file}:`) + file.length + 1);
  return numberOf(/^\d{1,7}/.exec(rest)?.[0]);
}
