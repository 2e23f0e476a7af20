// From the output of a check to its reasons. What ran inside `npm test` is not asked: every reader looks for what it knows, and
// where none finds anything the exit code and the last lines are the reason. The exit code alone says whether it passed.
import type { CheckReason } from '../../../core/recovery/checks.ts';
import type { CheckReading, CheckRun, PlannedCheck } from '../../../engine/ports.ts';
import { readCargo } from './cargo.ts';
import { readEslint } from './eslint.ts';
import { readGoTest } from './goTest.ts';
import { readJestJson } from './jestJson.ts';
import { readJestText } from './jestText.ts';
import { readNodeTest } from './nodeTest.ts';
import { readPytest } from './pytest.ts';
import { inOneLine, outputText, type OutputReader, type TestCounts } from './reading.ts';
import { readTypeScript } from './typescript.ts';

/** Version of the readers. */
export const readersVersion = '1';

const READERS: readonly OutputReader[] = [
  readTypeScript,
  readEslint,
  readJestJson,
  readJestText,
  readNodeTest,
  readPytest,
  readGoTest,
  readCargo,
];

/** Reads one run of a check. `workspace` is the absolute root. */
export function readOutput(
  { command }: Pick<PlannedCheck, 'command'>,
  { exitCode, stdout, stderr }: CheckRun,
  workspace: string,
): CheckReading {
  const output = outputText(stdout, stderr, workspace);
  const readings = READERS.map((read) => read(output));
  const tests = total(readings.flatMap((reading) => reading.tests ?? []));
  const ran = tests === null ? null : tests.passed + tests.failed;
  if (exitCode === 0) return { reasons: [], quality: 1, ranTests: ran };
  const found = distinct(readings.flatMap(({ reasons }) => reasons));
  const said = lastLines(output.lines);
  const why = `exit code ${exitCode}${said === '' ? '' : `: ${said}`}`;
  const isShare = tests !== null && tests.failed > 0;
  return {
    reasons: found.length > 0 ? found : [{ kind: 'exit', name: command, file: null, line: null, message: why }],
    quality: isShare ? tests.passed / (tests.passed + tests.failed) : null,
    ranTests: ran,
  };
}

/** Several runners may run in one command; each counts its own. */
function total(counts: readonly TestCounts[]): TestCounts | null {
  const [first] = counts;
  if (!first) return null;
  return counts.reduce((sum, each) => ({
    passed: sum.passed + each.passed,
    failed: sum.failed + each.failed,
    skipped: sum.skipped + each.skipped,
  }));
}

function distinct(reasons: readonly CheckReason[]): readonly CheckReason[] {
  const seen = new Set<string>();
  return reasons.filter((reason) => {
    const key = JSON.stringify(reason);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function lastLines(lines: readonly string[]): string {
  return inOneLine(lines.filter((line) => line.trim() !== '').slice(-6), 6).slice(0, 600);
}
