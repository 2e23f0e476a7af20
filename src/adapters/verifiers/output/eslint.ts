// Reads what ESLint says, as JSON (one line) and in its usual form for people. Warnings are no reasons to reject.
import * as z from 'zod';
import type { CheckReason } from '../../../core/recovery/checks.ts';
import { jsonOf, numberOf, type OutputReader, type OutputText } from './reading.ts';

const reportSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullish(),
        severity: z.number(),
        message: z.string(),
        line: z.number().nullish(),
      }),
    ),
  }),
);

/** Every error with its rule, file and line. */
export const readEslint: OutputReader = (output) => {
  const reported = output.lines
    .filter((line) => line.startsWith('[{"filePath"'))
    .flatMap((line) => fromJson(line, output));
  return { reasons: [...reported, ...fromText(output)], tests: null };
};

function fromJson(line: string, { place }: OutputText): readonly CheckReason[] {
  const report = reportSchema.safeParse(jsonOf(line));
  if (!report.success) return [];
  return report.data.flatMap(({ filePath, messages }) =>
    messages
      .filter(({ severity }) => severity > 1)
      .map((each): CheckReason => ({
        kind: 'lint',
        name: each.ruleId ?? 'parsing',
        file: place(filePath),
        line: each.line ?? null,
        message: each.message,
      })),
  );
}

const PROBLEM = /^ {2,10}(\d{1,7}):\d{1,7} {2,10}error {2,10}(\S.*)$/;
/** The rule stands last, behind two blanks at least. */
const RULE = /^(.*\S) {2,}([\w@/-]{1,200})$/;
const FILE = /^(?:\/|[A-Za-z]:[\\/]|\.{0,2}[\w@-])\S*\.\w{1,10}$/;

function fromText({ lines, place }: OutputText): readonly CheckReason[] {
  let file: string | null = null;
  const reasons: CheckReason[] = [];
  for (const line of lines) {
    if (FILE.test(line)) file = place(line);
    const [, at, said = ''] = (file === null ? null : PROBLEM.exec(line)) ?? [];
    if (at === undefined) continue;
    const [, message = said, name = 'parsing'] = RULE.exec(said) ?? [];
    reasons.push({ kind: 'lint', name, file, line: numberOf(at), message });
  }
  return reasons;
}
