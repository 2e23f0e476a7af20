// From the output of a check to its reasons. What ran inside `npm test` is not asked: every reader looks for what it knows, and
// where none finds anything the exit code and the last lines are the reason. It has passed where the exit code is 0 and nothing
// reports a failure: a script may end well whatever the tests in it say (HFR document, rule table: exit code or test failure).
import type { CheckReason } from '../../../core/recovery/checks.ts';
import type { CheckReading, CheckRun, PlannedCheck } from '../../../engine/ports.ts';
import { MASK } from '../../../core/ledger/redact.ts';
import { readCargo } from './cargo.ts';
import { readEslint } from './eslint.ts';
import { readGoTest } from './goTest.ts';
import { readJestJson } from './jestJson.ts';
import { readJestText } from './jestText.ts';
import { readNodeTest } from './nodeTest.ts';
import { readOtherCounts } from './otherCounts.ts';
import { readPytest } from './pytest.ts';
import { inOneLine, outputText, sumOf, type OutputReader, type OutputText, type Reading } from './reading.ts';
import { runnerLines } from './runnerLines.ts';
import { readTypeScript } from './typescript.ts';

/** Version of the readers. */
export const readersVersion = '2';

const READERS: readonly OutputReader[] = [
  readTypeScript,
  readEslint,
  readJestJson,
  readJestText,
  readNodeTest,
  readPytest,
  readGoTest,
  readCargo,
  readOtherCounts,
];

/** Reads one run of a check. `workspace` is the absolute root. */
export function readOutput(
  { command }: Pick<PlannedCheck, 'command'>,
  { exitCode, stdout, stderr }: CheckRun,
  workspace: string,
): CheckReading {
  const output = outputText(stdout, stderr, workspace);
  const readings = READERS.map((read) => read(output));
  const tests = sumOf(readings.flatMap((reading) => reading.tests ?? []));
  const failed = tests?.failed ?? 0;
  const told = {
    ranTests: tests === null ? null : tests.passed + failed,
    unread: unreadOf(output, readings, exitCode),
  };
  const found = distinct(readings.map(({ reasons }) => reasons));
  if (exitCode === 0 && failed === 0 && found.length === 0) return { reasons: [], quality: 1, ...told };
  const said = lastLines(output.lines);
  const exit: CheckReason = {
    kind: exitCode === 0 ? 'test' : 'exit',
    name: command,
    file: null,
    line: null,
    message: `exit code ${exitCode}${exitCode === 0 ? `, but ${failed} tests failed` : ''}${said === '' ? '' : `: ${said}`}`,
  };
  return {
    reasons: found.length > 0 ? found : [exit],
    quality: tests !== null && failed > 0 ? tests.passed / (tests.passed + failed) : null,
    ...told,
  };
}

/** What is neither an error of types nor a package manager's own line, or why nobody knows. */
function unreadOf({ lines, isCut }: OutputText, readings: readonly Reading[], exitCode: number): string | null {
  const runner = runnerLines(lines, exitCode);
  const isRead = (line: string, index: number): boolean =>
    line.trim() === '' || runner.has(index) || readings.some(({ understood }) => understood?.has(index) === true);
  const unread = lines.filter((line, index) => !isRead(line, index));
  if (unread.length > 0) return lastLines(unread);
  if (isCut) return 'the output is too long';
  // A mask may stand for several lines.
  return lines.some((line) => line.includes(MASK)) ? 'a part of it was masked as a secret' : null;
}

/** Several readers may know the same line; one that tells errors of types has looked at each itself. */
function distinct(found: readonly (readonly CheckReason[])[]): readonly CheckReason[] {
  const seen = new Set<string>();
  return found.flatMap((reasons) => {
    const before = new Set(seen);
    return reasons.filter((reason) => {
      const key = JSON.stringify(reason);
      const isNew = !(reason.kind === 'type' ? before : seen).has(key);
      seen.add(key);
      return isNew;
    });
  });
}

function lastLines(lines: readonly string[]): string {
  return inOneLine(lines.filter((line) => line.trim() !== '').slice(-6), 6).slice(0, 600);
}
