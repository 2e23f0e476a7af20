// V1, really run: the task's own command, the type checker, the linter and the tests of the workspace (checkRun). It fails
// closed: where a check has not passed, none could be made or what passed cannot be believed by itself (checkDoubts), the result
// has not passed, and says so. V0 is core/recovery/answerCheck; V2 and V3 are not built in.
import type { CheckLevel } from '../core/events.ts';
import { checksVersion, type CheckReason, type CheckResult } from '../core/recovery/checks.ts';
import type { ToolScope } from './agentTools.ts';
import { checkDoubts } from './checkDoubts.ts';
import { checkPlan, namedCheck, type CheckPlanParts } from './checkPlan.ts';
import { notRunReason, runCheck, type Checked, type CheckRunParts } from './checkRun.ts';
import { firstLook, withoutOld, type FirstLook } from './oldErrors.ts';
import type { CheckPlan, PlannedCheck, Ports } from './ports.ts';
import { CHECK_TOOL, SUCCESS_TOOL, touchedFiles } from './touchedFiles.ts';

/** What checks need: a way to run commands as guarded as any, and who knows the workspace. */
export interface VerifierParts extends CheckPlanParts, CheckRunParts {
  readonly ports: Pick<Ports, 'clock' | 'store' | 'verifier'>;
}

/** What is to be checked. */
export interface CheckRequest {
  readonly level: CheckLevel;
  /** Changed files, relative to the workspace; null: not known, everything is looked at. */
  readonly touched: readonly string[] | null;
  /** The task's own command; it stands for the tests of the workspace. */
  readonly success?: string;
  /** Errors of types that were there before anything was changed: they are no reason to reject. */
  readonly before?: readonly FirstLook[];
}

/** What all checks of one result say together. */
export interface Verdict {
  /** Every check up to the needed level was made and passed. */
  readonly passed: boolean;
  /** The highest level that was reached: V0 is that of the call. */
  readonly reached: 'V0' | 'V1';
  /** The level that was asked for; V3, a person, where the checks passed and cannot be believed by themselves. */
  readonly needed: CheckLevel;
  /** The task's own command was run and passed. */
  readonly isOwnPassed: boolean;
  /** Least share that a check told, 0-1; null: none told one. */
  readonly quality: number | null;
  readonly reasons: readonly CheckReason[];
  readonly results: readonly CheckResult[];
  readonly evidence: string;
  /** What the failing checks printed, for the model. */
  readonly output: string;
}

/** The checks of one task. */
export interface Verifiers {
  check(request: CheckRequest, scope: ToolScope): Promise<Verdict>;
  /** Errors of types as they are now, for `CheckRequest.before`; empty where there is no such check. */
  typesNow(scope: ToolScope): Promise<readonly FirstLook[]>;
  /** Files that the task is known to have changed; null where the ledger cannot tell. */
  touched(task: string): Promise<readonly string[] | null>;
}

const LEVELS: readonly CheckLevel[] = ['V0', 'V1', 'V2', 'V3'];

/** The checks of a workspace. */
export function verifiers(parts: VerifierParts): Verifiers {
  return {
    check: (request, scope) => check(parts, request, scope),
    typesNow: async (scope) => {
      const untilMs = parts.ports.clock.nowMs() + parts.settings.timeoutMs;
      const { checks } = await checkPlan(parts, null, scope.signal);
      const looks: FirstLook[] = [];
      for (const planned of checks.filter(({ kind }) => kind === 'types'))
        looks.push(...firstLook(await runCheck(parts, planned, { tool: CHECK_TOOL, untilMs }, scope)));
      return looks;
    },
    touched: (task) => touchedFiles(parts.ports.store, task),
  };
}

const NO_CHECKS: CheckPlan = { checks: [], lacking: [] };

async function check(parts: VerifierParts, request: CheckRequest, scope: ToolScope): Promise<Verdict> {
  const { level, success, touched } = request;
  const isRun = LEVELS.indexOf(level) >= 1;
  const untilMs = parts.ports.clock.nowMs() + parts.settings.timeoutMs;
  const plan = isRun ? await checkPlan(parts, touched, scope.signal) : NO_CHECKS;
  const own =
    isRun && success !== undefined
      ? [await runCheck(parts, namedCheck(success, 'the task'), { tool: SUCCESS_TOOL, untilMs }, scope)]
      : [];
  const others: Checked[] = [];
  for (const planned of plan.checks.filter((each) => isBesides(each, success))) {
    const one = await runCheck(parts, planned, { tool: CHECK_TOOL, untilMs }, scope);
    others.push(withoutOld(one, request.before ?? []));
  }
  const done = [...own, ...others];
  const isOwnPassed = own.some(({ result }) => result.passed);
  const verdict = { ...verdictOf(isRun, done, plan), needed: level, isOwnPassed };
  if (!isRun) return verdict;
  tell(scope, 'V1', verdict);
  const doubts = verdict.passed ? await checkDoubts(parts, plan, done, touched, scope.signal) : [];
  return withMissing(verdict, missingLevel(level, doubts), scope);
}

/** A level above V1 that was not reached; null: V1 is enough. */
function withMissing(verdict: Verdict, missing: CheckResult | null, scope: ToolScope): Verdict {
  if (!missing) return verdict;
  const { check: needed, evidence } = missing;
  tell(scope, needed, { passed: false, evidence });
  return {
    ...verdict,
    ...joined([...verdict.results, missing]),
    passed: false,
    needed,
    evidence: `${verdict.evidence}; ${evidence}`,
  };
}

/** The task's command is its owner's test (table 5, L0: as the task says): the workspace's own tests are not run beside it. */
function isBesides({ kind, command }: PlannedCheck, success: string | undefined): boolean {
  return success === undefined || (kind !== 'tests' && command !== success);
}

function verdictOf(
  isRun: boolean,
  done: readonly Checked[],
  { lacking, unsure = [] }: CheckPlan,
): Omit<Verdict, 'needed' | 'isOwnPassed'> {
  const told = done.filter(({ isEmpty }) => !isEmpty);
  const counted = told.length > 0 ? told : done;
  const skipped = lacking.map(({ reason }) => `not run: ${reason}`);
  const output = counted.flatMap(({ result, output: text }) => (result.passed ? [] : [text])).join('\n\n');
  if (isRun && counted.length === 0) {
    const evidence = ['no check of the workspace could be run', ...skipped, ...unsure].join('; ');
    const missing = { ...missingResult('V1', evidence), reasons: [notRunReason('V1', evidence)] };
    return { ...joined([missing]), passed: false, reached: 'V0', evidence, output: evidence };
  }
  const results = counted.map(({ result }) => result);
  const passed = results.every((each) => each.passed);
  // Of what passed they are told as doubts.
  const unknown = passed ? [] : unsure;
  const evidence = [...done.map(({ result }) => result.evidence), ...skipped, ...unknown].join('; ');
  return { ...joined(results), passed, reached: isRun && passed ? 'V1' : 'V0', evidence, output };
}

function joined(results: readonly CheckResult[]): Pick<Verdict, 'results' | 'reasons' | 'quality'> {
  const shares = results.flatMap(({ quality }) => quality ?? []);
  return {
    results,
    reasons: results.flatMap(({ reasons }) => reasons),
    quality: shares.length === 0 ? null : Math.min(...shares),
  };
}

/** V2 and V3 have no verifier yet: where one is required, it has not passed. Doubts need a person, who is V3. */
function missingLevel(level: CheckLevel, doubts: readonly string[]): CheckResult | null {
  const what = level === 'V2' ? 'a semantic check' : 'the check by a person';
  const isAbove = level === 'V2' || level === 'V3';
  const why = [...(isAbove ? [`${level} is required, but ${what} is not built in`] : []), ...doubts];
  if (why.length === 0) return null;
  const needed = doubts.length > 0 ? 'V3' : level;
  const evidence = `somebody has to look at the result: ${why.join('; ')}`;
  return { ...missingResult(needed, evidence), reasons: [notRunReason(needed, evidence)] };
}

function missingResult(level: CheckLevel, evidence: string): CheckResult {
  const version = checksVersion;
  return {
    check: level,
    verifier: 'none',
    version,
    passed: false,
    quality: null,
    reasons: [],
    evidence,
    durationMs: 0,
  };
}

function tell(scope: ToolScope, level: CheckLevel, { passed, evidence }: Pick<Verdict, 'passed' | 'evidence'>): void {
  scope.emit({ type: 'verification-finished', check: level, passed, evidence });
}
