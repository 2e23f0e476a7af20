// V1, really run: the task's own command, the type checker, the linter and the tests of the workspace, each through the guarded
// command path (ledger, level, time limit, process group), read into reasons. It fails closed: a check that was denied, ran out
// of time or cannot be run has not passed, and says so. V0 is core/recovery/answerCheck; V2 and V3 are not built in.
import type { CheckLevel } from '../core/events.ts';
import {
  boundedReasons,
  checksVersion,
  normalReason,
  reasonText,
  type CheckReason,
  type CheckResult,
} from '../core/recovery/checks.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import type { VerificationSettings } from '../core/settingsRecovery.ts';
import type { CommandRequest, ToolScope } from './agentTools.ts';
import type { CommandOutcome } from './guardedCommand.ts';
import type { CheckPlan, CheckReading, PlannedCheck, Ports } from './ports.ts';

/** What checks need: a way to run commands as guarded as any, and who knows the workspace. */
export interface VerifierParts {
  readonly ports: Pick<Ports, 'clock' | 'store' | 'verifier'>;
  readonly run: (request: CommandRequest, scope: ToolScope) => Promise<CommandOutcome>;
  /** Absolute root. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: VerificationSettings;
  readonly newId: (prefix: string) => string;
}

/** What is to be checked. */
export interface CheckRequest {
  readonly level: CheckLevel;
  /** Changed files, relative to the workspace; null: not known, everything is looked at. */
  readonly touched: readonly string[] | null;
  /** The task's own command; it stands for the tests of the workspace. */
  readonly success?: string;
  /** Errors of types that were there before anything was changed: they are no reason to reject. */
  readonly before?: readonly CheckReason[];
}

/** What all checks of one result say together. */
export interface Verdict {
  /** Every check up to the required level was made and passed. */
  readonly passed: boolean;
  /** The highest level that was reached: V0 is that of the call. */
  readonly reached: 'V0' | 'V1';
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
  typesNow(scope: ToolScope): Promise<readonly CheckReason[]>;
  /** Files that the task is known to have changed; null where the ledger cannot tell. */
  touched(task: string): Promise<readonly string[] | null>;
}

const LEVELS: readonly CheckLevel[] = ['V0', 'V1', 'V2', 'V3'];
/** With less time than this nothing is started. */
const LEAST_MS = 1000;
/** Name in the ledger of the task's own command, and of the checks of the workspace. */
const SUCCESS_TOOL = 'verify';
const CHECK_TOOL = 'check';

/** A result and what was printed; `isEmpty`: it ended well without testing anything, which says nothing. */
interface Checked {
  readonly result: CheckResult;
  /** Every reason; the result has as many as can be shown. */
  readonly all: readonly CheckReason[];
  readonly output: string;
  readonly isEmpty: boolean;
}

/** The checks of a workspace. */
export function verifiers(parts: VerifierParts): Verifiers {
  return {
    check: (request, scope) => check(parts, request, scope),
    typesNow: async (scope) => {
      const { checks } = await planOf(parts, null);
      const untilMs = parts.ports.clock.nowMs() + parts.settings.timeoutMs;
      const reasons: CheckReason[] = [];
      for (const planned of checks.filter(({ kind }) => kind === 'types'))
        reasons.push(...(await checked(parts, planned, { tool: CHECK_TOOL, untilMs }, scope)).all);
      return reasons.filter(({ kind }) => kind === 'type');
    },
    touched: (task) => touchedBy(parts, task),
  };
}

async function check(parts: VerifierParts, request: CheckRequest, scope: ToolScope): Promise<Verdict> {
  const { level, success } = request;
  const isRun = LEVELS.indexOf(level) >= 1;
  const plan = isRun ? await planOf(parts, request.touched) : { checks: [], lacking: [] };
  const untilMs = parts.ports.clock.nowMs() + parts.settings.timeoutMs;
  const done: Checked[] = [];
  if (isRun && success !== undefined)
    done.push(await checked(parts, ownCheck(success), { tool: SUCCESS_TOOL, untilMs }, scope));
  for (const planned of plan.checks.filter((each) => isBesides(each, success))) {
    const one = await checked(parts, planned, { tool: CHECK_TOOL, untilMs }, scope);
    done.push(withoutOld(one, request.before ?? []));
  }
  const verdict = verdictOf(isRun, done, plan);
  if (isRun) tell(scope, 'V1', verdict);
  const missing = missingLevel(level);
  if (!missing) return verdict;
  const above = { ...verdict, ...joined([...verdict.results, missing]), passed: false };
  tell(scope, level, { passed: false, evidence: missing.evidence });
  return { ...above, evidence: `${verdict.evidence}; ${missing.evidence}` };
}

/** The task's command is its owner's test (table 5, L0: as the task says): the workspace's own tests are not run beside it. */
function isBesides({ kind, command }: PlannedCheck, success: string | undefined): boolean {
  return success === undefined || (kind !== 'tests' && command !== success);
}

function ownCheck(command: string): PlannedCheck {
  return { kind: 'named', verifier: command, version: '', command, why: 'the task' };
}

async function planOf(
  { ports, workspace, env, settings }: VerifierParts,
  touched: CheckRequest['touched'],
): Promise<CheckPlan> {
  if (settings.commands.length > 0) {
    const why = 'belay.advanced.verification.commands';
    return { checks: settings.commands.map((command) => ({ ...ownCheck(command), why })), lacking: [] };
  }
  if (!settings.isFound) {
    const reason = 'belay.advanced.verification.isFound is off, so the checks of the workspace are not run';
    return { checks: [], lacking: [{ kind: 'named', reason }] };
  }
  return (await ports.verifier?.plan({ workspace, touched, env })) ?? { checks: [], lacking: [] };
}

interface RunAs {
  readonly tool: string;
  readonly untilMs: number;
}

async function checked(parts: VerifierParts, planned: PlannedCheck, as: RunAs, scope: ToolScope): Promise<Checked> {
  const { clock } = parts.ports;
  const startedAtMs = clock.nowMs();
  const leftMs = Math.min(as.untilMs, scope.context.deadlineMs) - startedAtMs;
  const ended = (
    result: Omit<CheckResult, 'check' | 'verifier' | 'version' | 'durationMs'>,
    output: string,
  ): Checked => ({
    result: {
      check: 'V1',
      verifier: planned.verifier,
      version: versionOf(parts, planned),
      ...result,
      reasons: boundedReasons(result.reasons, redactSecrets),
      durationMs: clock.nowMs() - startedAtMs,
    },
    all: result.reasons,
    output,
    isEmpty: false,
  });
  const notRun = (message: string): Checked =>
    ended(
      { passed: false, quality: null, reasons: [notRunReason(planned.command, message)], evidence: message },
      message,
    );
  if (leftMs < LEAST_MS) return notRun(`${planned.command} was not run: no time is left for it`);
  const outcome = await parts.run(requestOf(parts, planned, as.tool, leftMs), scope);
  if (outcome.exitCode === null) return notRun(`${planned.command}: it did not end by itself. ${outcome.reason}`);
  const { exitCode } = outcome;
  const reading = readingOf(parts, planned, { ...outcome, exitCode });
  const isEmpty = planned.kind === 'tests' && exitCode === 0 && reading.ranTests === 0;
  if (isEmpty && planned.wide !== undefined) {
    const { wide, ...rest } = planned;
    return checked(parts, { ...rest, command: wide }, as, scope);
  }
  if (isEmpty) return { ...notRun(`${planned.command} ended well, but no test was run`), isEmpty };
  const ran = reading.ranTests === null ? '' : `, ${reading.ranTests} tests`;
  const evidence = `${planned.command}: exit code ${exitCode}${ran}${firstReason(reading)}`;
  return ended({ passed: exitCode === 0, quality: reading.quality, reasons: reading.reasons, evidence }, outcome.text);
}

/** Checks of the workspace are made anew each time; the task's own command is one action of its step. */
function requestOf(
  { newId }: VerifierParts,
  { command }: PlannedCheck,
  tool: string,
  timeoutMs: number,
): CommandRequest {
  return { command, tool, timeoutMs, ...(tool === CHECK_TOOL ? { toolCall: newId('check') } : {}) };
}

function readingOf(
  { ports: { verifier }, workspace }: VerifierParts,
  planned: PlannedCheck,
  run: { readonly exitCode: number; readonly stdout: string; readonly stderr: string },
): CheckReading {
  if (verifier) return verifier.read(planned, run, workspace);
  const last = `${run.stdout}\n${run.stderr}`.trim().slice(-400);
  const message = `exit code ${run.exitCode}${last === '' ? '' : `: ${last}`}`;
  const reasons =
    run.exitCode === 0 ? [] : [{ kind: 'exit' as const, name: planned.command, file: null, line: null, message }];
  return { reasons, quality: run.exitCode === 0 ? 1 : null, ranTests: null };
}

function versionOf({ ports }: VerifierParts, { version }: PlannedCheck): string {
  const rules = `checks ${checksVersion}${ports.verifier ? `, readers ${ports.verifier.version}` : ''}`;
  return version === '' ? rules : `${version} (${rules})`;
}

function notRunReason(name: string, message: string): CheckReason {
  return { kind: 'not-run', name, file: null, line: null, message };
}

function firstReason({ reasons }: Pick<CheckReading, 'reasons'>): string {
  const [first] = reasons;
  if (!first) return '';
  const text = redactSecrets(reasonText(first));
  return `; ${text.length > 200 ? `${text.slice(0, 199)}…` : text}${reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : ''}`;
}

/** What was wrong before is nobody's fault now; each old error excuses one. Only types are compared so. */
function withoutOld(one: Checked, before: readonly CheckReason[]): Checked {
  const old = before.map(normalReason);
  const fresh = one.all.filter((reason) => {
    const at = reason.kind === 'type' ? old.indexOf(normalReason(reason)) : -1;
    if (at !== -1) old.splice(at, 1);
    return at === -1;
  });
  const excused = one.all.length - fresh.length;
  if (excused === 0) return one;
  const evidence = `${one.result.evidence}; ${excused} of them were there before`;
  const result = { ...one.result, passed: fresh.length === 0, reasons: boundedReasons(fresh, redactSecrets), evidence };
  return { ...one, result, all: fresh };
}

function verdictOf(isRun: boolean, done: readonly Checked[], { lacking }: CheckPlan): Verdict {
  const told = done.filter(({ isEmpty }) => !isEmpty);
  const counted = told.length > 0 ? told : done;
  const skipped = lacking.map(({ reason }) => `not run: ${reason}`);
  const output = counted.flatMap(({ result, output: text }) => (result.passed ? [] : [text])).join('\n\n');
  if (isRun && counted.length === 0) {
    const evidence = ['no check of the workspace could be run', ...skipped].join('; ');
    const missing = { ...missingResult('V1', evidence), reasons: [notRunReason('V1', evidence)] };
    return { ...joined([missing]), passed: false, reached: 'V0', evidence, output: evidence };
  }
  const evidence = [...done.map(({ result }) => result.evidence), ...skipped].join('; ');
  const results = counted.map(({ result }) => result);
  const passed = results.every((each) => each.passed);
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

/** V2 and V3 have no verifier yet: where one is required, it has not passed. */
function missingLevel(level: CheckLevel): CheckResult | null {
  if (level === 'V0' || level === 'V1') return null;
  const what = level === 'V2' ? 'a semantic check' : 'the check by a person';
  const evidence = `${level} is required, but ${what} is not built in: somebody has to look at the result`;
  return { ...missingResult(level, evidence), reasons: [notRunReason(level, evidence)] };
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

async function touchedBy({ ports }: VerifierParts, task: string): Promise<readonly string[] | null> {
  const entries = await ports.store.entries({ task });
  if (!entries.ok) return null;
  const changed = entries.value.filter(
    ({ tool, level, state }) =>
      tool !== CHECK_TOOL &&
      tool !== SUCCESS_TOOL &&
      level !== 'R0' &&
      state !== 'FAILED' &&
      state !== 'RECONCILED_ABSENT',
  );
  const paths = changed.flatMap((entry) => [...entry.paths, ...(entry.evidence?.files ?? []).map(({ path }) => path)]);
  return [...new Set(paths)];
}
