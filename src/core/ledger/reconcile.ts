// From what was seen of a run (its exit, the gate's marks, a probe) to the states its entry goes through.
// FAILED is confirmed not committed; a non-zero exit of R2/R3 is UNKNOWN until a probe has spoken (DESIGN 7). Anything
// less than certain stays UNKNOWN (HFR document 4.5, step 3). Does no IO.
import type { EffectLevel, EntryState, Evidence, LedgerEntry } from './entry.ts';

const KILLED_TEXT = {
  timeout: 'stopped after its time limit',
  cancelled: 'cancelled and stopped while it ran',
  prompt: 'stopped while it waited for an answer that nobody can give',
} as const;

/** How a run ended, as far as its parent saw it (the command port's `CommandExit`). */
export type RunExit =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal: string | null }
  | { readonly kind: 'killed'; readonly because: keyof typeof KILLED_TEXT }
  | { readonly kind: 'lost'; readonly message: string };

/** What is left of an earlier run (the command port's `GateTrace`). */
export type RunTrace =
  | { readonly kind: 'running'; readonly detail: string }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'never-started' }
  | { readonly kind: 'started' }
  | { readonly kind: 'other-boot' };

/** What a probe says; UNKNOWN is the answer whenever it is not certain. `probe` names it for the evidence. */
export interface ProbeResult {
  readonly says: 'COMMITTED' | 'ABSENT' | 'UNKNOWN';
  readonly probe: string;
  readonly detail: string;
  /** What a COMMITTED has to add where the run was stopped on its way (runEnd.ts). */
  readonly ifStopped?: string | undefined;
}

/** One state to go to, with what proves it. */
export interface Move {
  readonly to: EntryState;
  readonly evidence: Evidence;
}

/**
 * Death by signal n is exit code 128 + n to a POSIX shell, and no system has more than 64; Windows reports crashes as large
 * numbers. Then it is not known how far the command got. Codes like 254 and 255 are chosen by programs.
 */
export function mayBeDeath(exitCode: number): boolean {
  return (exitCode > 128 && exitCode <= 128 + 64) || exitCode > 255;
}

/**
 * The state a run's end leads to, by level. R0 has nothing to commit, so it is never UNKNOWN. `doubt`: why exit
 * code 0 may prove nothing. Of R1, which may be repeated, it is believed all the same, unless its work goes on.
 */
export function exitToState(
  level: EffectLevel,
  exit: RunExit,
  doubt: ExitDoubt = false,
): 'COMMITTED' | 'FAILED' | 'UNKNOWN' {
  if (exit.kind === 'exited' && exit.exitCode === 0 && exit.signal === null) {
    const isDoubtful = level === 'R1' ? doubt === 'left-running' : level !== 'R0' && doubt !== false;
    return isDoubtful ? 'UNKNOWN' : 'COMMITTED';
  }
  if (level === 'R0') return 'FAILED';
  if (level === 'R1' && exit.kind === 'exited') {
    return exit.signal === null && !mayBeDeath(exit.exitCode) ? 'FAILED' : 'UNKNOWN';
  }
  return 'UNKNOWN';
}

/** Exit code 0 may be that of another part (`true`), or what it started went on after its end and may have been killed since. */
export type ExitDoubt = boolean | 'left-running';

/** Why the exit code of an entry's run says too little; false: it says enough. */
export function exitDoubt({ probe, evidence }: Pick<LedgerEntry, 'probe' | 'evidence'>): ExitDoubt {
  return evidence?.leftRunning === true ? 'left-running' : probe?.exitIsShared === true;
}

/** The end of a run in words for a person. */
export function exitText(exit: RunExit): string {
  switch (exit.kind) {
    case 'exited':
      return exit.signal === null
        ? `exit code ${exit.exitCode}`
        : `ended by ${exit.signal} (exit code ${exit.exitCode})`;
    case 'killed':
      return KILLED_TEXT[exit.because];
    case 'lost':
      return `lost: ${exit.message}`;
  }
}

/** Needs the trace a probe to be settled? */
export function needsProbe(level: EffectLevel, trace: RunTrace, doubt: ExitDoubt = false): boolean {
  if (level === 'R0' || trace.kind === 'running' || trace.kind === 'never-started') return false;
  return trace.kind !== 'exited' || exitToState(level, exitOf(trace.exitCode), doubt) === 'UNKNOWN';
}

/**
 * The moves of an open entry (PREPARED or UNKNOWN) after its run was looked at, in order. `probe` is null where none exists
 * or none was needed. Empty: still running, or nothing new is known. A state that is not open never moves.
 */
export function reconcileOutcome(
  state: EntryState,
  level: EffectLevel,
  trace: RunTrace,
  probe: ProbeResult | null,
  doubt: ExitDoubt = false,
): readonly Move[] {
  if (state !== 'PREPARED' && state !== 'UNKNOWN') return [];
  switch (trace.kind) {
    case 'running':
      return [];
    case 'never-started':
      return viaUnknown(state, 'RECONCILED_ABSENT', { source: 'gate', detail: 'the command never started' });
    case 'exited':
      return fromExitCode(state, exitToState(level, exitOf(trace.exitCode), doubt), trace.exitCode, probe);
    case 'started':
      return fromProbe(state, probe, { source: 'gate', detail: 'started, its end was not seen' });
    case 'other-boot':
      return fromProbe(state, probe, { source: 'gate', detail: 'the machine was restarted since' });
  }
}

function fromExitCode(
  state: 'PREPARED' | 'UNKNOWN',
  ended: 'COMMITTED' | 'FAILED' | 'UNKNOWN',
  exitCode: number,
  probe: ProbeResult | null,
): readonly Move[] {
  const evidence = { source: 'gate', detail: `the gate recorded exit code ${exitCode}`, exitCode };
  if (ended === 'UNKNOWN') return fromProbe(state, probe, evidence);
  if (state === 'PREPARED') return [{ to: ended, evidence }];
  return [{ to: ended === 'COMMITTED' ? 'RECONCILED_COMMITTED' : 'RECONCILED_ABSENT', evidence }];
}

function fromProbe(state: 'PREPARED' | 'UNKNOWN', probe: ProbeResult | null, seen: Evidence): readonly Move[] {
  const probed = probe ? { ...seen, source: `probe:${probe.probe}`, detail: probe.detail } : seen;
  if (probe?.says === 'COMMITTED') return viaUnknown(state, 'RECONCILED_COMMITTED', probed, seen);
  if (probe?.says === 'ABSENT') return viaUnknown(state, 'RECONCILED_ABSENT', probed, seen);
  return state === 'PREPARED' ? [{ to: 'UNKNOWN', evidence: probed }] : [];
}

function viaUnknown(
  state: EntryState,
  to: EntryState,
  evidence: Evidence,
  first: Evidence = evidence,
): readonly Move[] {
  const last: Move = { to, evidence };
  return state === 'PREPARED' ? [{ to: 'UNKNOWN', evidence: first }, last] : [last];
}

function exitOf(exitCode: number): RunExit {
  return { kind: 'exited', exitCode, signal: null };
}
