// One check, really run through the guarded command path (ledger, level, time limit, process group) and read into reasons. It
// fails closed: what was denied, ran out of time or cannot be run has not passed, and neither has what reports a failure with
// exit code 0 (HFR document, rule table: exit code or test failure).
import { redactSecrets } from '../core/ledger/redact.ts';
import {
  boundedReasons,
  checksVersion,
  reasonText,
  type CheckReason,
  type CheckResult,
} from '../core/recovery/checks.ts';
import type { CommandRequest, ToolScope } from './agentTools.ts';
import { shownCommand } from './checkPlan.ts';
import type { CommandOutcome } from './guardedCommand.ts';
import type { CheckReading, PlannedCheck, Ports } from './ports.ts';
import { CHECK_TOOL } from './touchedFiles.ts';

/** What running a check needs. */
export interface CheckRunParts {
  readonly ports: Pick<Ports, 'clock' | 'verifier'>;
  readonly run: (request: CommandRequest, scope: ToolScope) => Promise<CommandOutcome>;
  /** Absolute root. */
  readonly workspace: string;
  readonly newId: (prefix: string) => string;
}

/** How a check is run. */
export interface RunAs {
  /** Name in the ledger. */
  readonly tool: string;
  /** Nothing is begun after this, on the clock. */
  readonly untilMs: number;
}

/** How the command of a check ended by itself. */
export interface CheckEnd {
  readonly command: string;
  readonly exitCode: number;
  readonly unread: CheckReading['unread'];
  readonly ranTests: CheckReading['ranTests'];
}

/** A result and what was printed. */
export interface Checked {
  readonly planned: PlannedCheck;
  readonly result: CheckResult;
  /** Every reason; the result has as many as can be shown. */
  readonly all: readonly CheckReason[];
  readonly output: string;
  /** Null: it was not run, or not to its end. */
  readonly end: CheckEnd | null;
  /** It ended well without testing anything, which says nothing. */
  readonly isEmpty: boolean;
}

/** With less time than this nothing is started. */
const LEAST_MS = 1000;

/** Runs one check; where it looks at some files only and finds no test of theirs, its wide form. */
export async function runCheck(
  parts: CheckRunParts,
  planned: PlannedCheck,
  as: RunAs,
  scope: ToolScope,
): Promise<Checked> {
  const { clock } = parts.ports;
  const startedAtMs = clock.nowMs();
  const leftMs = Math.min(as.untilMs, scope.context.deadlineMs) - startedAtMs;
  const shown = shownCommand(planned.command);
  const ended = (found: Found): Checked => ({
    planned,
    result: {
      check: 'V1',
      verifier: planned.verifier,
      version: versionOf(parts, planned),
      passed: found.passed,
      quality: found.quality,
      reasons: boundedReasons(found.reasons, redactSecrets),
      evidence: found.evidence,
      durationMs: clock.nowMs() - startedAtMs,
    },
    all: found.reasons,
    output: found.output,
    end: found.end,
    isEmpty: found.isEmpty ?? false,
  });
  const notRun = (message: string, isEmpty = false): Checked => {
    const reasons = [notRunReason(shown, message)];
    return ended({ passed: false, quality: null, reasons, evidence: message, output: message, end: null, isEmpty });
  };
  if (leftMs < LEAST_MS) return notRun(`${shown} was not run: no time is left for it`);
  const outcome = await parts.run(requestOf(parts, planned, as.tool, leftMs), scope);
  const { exitCode } = outcome;
  if (exitCode === null) return notRun(`${shown}: it did not end by itself. ${redactSecrets(outcome.reason)}`);
  const reading = readingOf(parts, planned, { ...outcome, exitCode });
  const { reasons, quality, ranTests, unread } = reading;
  const passed = exitCode === 0 && reasons.length === 0;
  const isEmpty = planned.kind === 'tests' && passed && ranTests === 0;
  if (isEmpty && planned.wide !== undefined) {
    const { wide, ...rest } = planned;
    return runCheck(parts, { ...rest, command: wide }, as, scope);
  }
  if (isEmpty) return notRun(`${shown} ended well, but no test was run`, true);
  const ran = ranTests === null ? '' : `, ${ranTests} tests`;
  const evidence = `${shown}: exit code ${exitCode}${ran}${firstReason(reading)}`;
  const end = { command: planned.command, exitCode, unread, ranTests };
  return ended({ passed, quality, reasons, evidence, output: outcome.text, end });
}

interface Found extends Pick<CheckResult, 'passed' | 'quality' | 'reasons' | 'evidence'> {
  readonly output: string;
  readonly end: CheckEnd | null;
  readonly isEmpty?: boolean;
}

/** A check that is required and was not made. */
export function notRunReason(name: string, message: string): CheckReason {
  return { kind: 'not-run', name, file: null, line: null, message };
}

/** Checks of the workspace are made anew each time; the task's own command is one action of its step. */
function requestOf(
  { newId }: CheckRunParts,
  { command }: PlannedCheck,
  tool: string,
  timeoutMs: number,
): CommandRequest {
  return { command, tool, timeoutMs, ...(tool === CHECK_TOOL ? { toolCall: newId('check') } : {}) };
}

function readingOf(
  { ports: { verifier }, workspace }: CheckRunParts,
  planned: PlannedCheck,
  run: { readonly exitCode: number; readonly stdout: string; readonly stderr: string },
): CheckReading {
  if (verifier) return verifier.read(planned, run, workspace);
  const last = `${run.stdout}\n${run.stderr}`.trim().slice(-400).toWellFormed();
  const message = `exit code ${run.exitCode}${last === '' ? '' : `: ${last}`}`;
  const reasons =
    run.exitCode === 0 ? [] : [{ kind: 'exit' as const, name: planned.command, file: null, line: null, message }];
  const unread = last === '' ? null : last;
  return { reasons, quality: run.exitCode === 0 ? 1 : null, ranTests: null, unread };
}

function versionOf({ ports }: CheckRunParts, { version }: PlannedCheck): string {
  const rules = `checks ${checksVersion}${ports.verifier ? `, readers ${ports.verifier.version}` : ''}`;
  return version === '' ? rules : `${version} (${rules})`;
}

function firstReason({ reasons }: Pick<CheckReading, 'reasons'>): string {
  const [first] = reasons;
  if (!first) return '';
  const text = redactSecrets(reasonText(first));
  const shown = text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text;
  return `; ${shown}${reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : ''}`;
}
