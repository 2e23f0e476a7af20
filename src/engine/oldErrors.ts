// Errors of types that were there before a task changed anything are no reason to reject it. They excuse only what was wholly
// read: that all that could be read is old does not say that all is. What cannot be told apart stays a reason.
import { redactSecrets } from '../core/ledger/redact.ts';
import { boundedReasons, normalReason, type CheckReason } from '../core/recovery/checks.ts';
import type { Checked, CheckEnd } from './checkRun.ts';

/** How a check of types ended before the first change. */
export interface FirstLook {
  /** The command that was run. */
  readonly command: string;
  readonly exitCode: number;
  /** Its errors of types, all of them. */
  readonly reasons: readonly CheckReason[];
}

/** What a check of types says now, for later; none where it was not run to its end. */
export function firstLook({ end, all }: Checked): readonly FirstLook[] {
  if (end === null) return [];
  return [{ command: end.command, exitCode: end.exitCode, reasons: all.filter(({ kind }) => kind === 'type') }];
}

/** Exit codes from here on say that a signal ended the program. */
const FIRST_SIGNAL_CODE = 128;

/** The check without the errors that were there before; each old error of the same command excuses one. */
export function withoutOld(one: Checked, before: readonly FirstLook[]): Checked {
  const { end } = one;
  const look = before.find(({ command }) => command === end?.command);
  if (!look || end === null) return one;
  const old = look.reasons.map(normalReason);
  const fresh = one.all.filter((reason) => {
    const at = reason.kind === 'type' ? old.indexOf(normalReason(reason)) : -1;
    if (at !== -1) old.splice(at, 1);
    return at === -1;
  });
  const excused = one.all.length - fresh.length;
  if (excused === 0) return one;
  const doubt = doubtOf(end, look);
  const reasons = doubt === null ? fresh : [...fresh, exitReason(end, doubt)];
  const evidence = `${one.result.evidence}; ${excused} of them were there before${doubt === null ? '' : `, but ${doubt}`}`;
  const passed = reasons.length === 0;
  return {
    ...one,
    all: reasons,
    result: { ...one.result, passed, reasons: boundedReasons(reasons, redactSecrets), evidence },
  };
}

/** Why old errors are not all that the run may have failed for; null: they are. */
function doubtOf({ exitCode, unread }: CheckEnd, look: FirstLook): string | null {
  if (exitCode >= FIRST_SIGNAL_CODE) return `exit code ${exitCode} says that it did not end by itself`;
  if (exitCode !== look.exitCode) return `its exit code was ${look.exitCode} then and is ${exitCode} now`;
  return unread === null ? null : `not all that it printed could be read: ${shortened(redactSecrets(unread))}`;
}

function exitReason({ command, exitCode }: CheckEnd, doubt: string): CheckReason {
  return { kind: 'exit', name: command, file: null, line: null, message: `exit code ${exitCode}: ${doubt}` };
}

const MAX_SHOWN_CHARS = 200;

function shortened(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS - 1).toWellFormed()}…`;
}
