// How a guarded command's end reads as the end of a tool: what is to be classified, and what the ledger says of its effect by
// then. Null: there is nothing to decide, since it was done, forbidden, cancelled, or is a matter of the ledger itself.
import type { EffectLevel, EntryState } from '../core/ledger/entry.ts';
import { probeOf } from '../core/ledger/probes.ts';
import { exitToState } from '../core/ledger/reconcile.ts';
import type { ToolEnd } from '../core/recovery/toolFault.ts';
import type { CommandRun } from './effectOutcome.ts';
import type { FlowEnd } from './effectRequest.ts';

export interface CommandFailure {
  readonly end: ToolEnd;
  /** What the ledger says of its effect. */
  readonly entry: EntryState | null;
  readonly canProbe: boolean;
  readonly isProbed: boolean;
  readonly stderr: string;
  /** What it answered: another one is new evidence. */
  readonly answer: string;
}

/** Nothing has run: as sure as a look afterwards could make it. */
const NOT_BEGUN: EntryState = 'RECONCILED_ABSENT';

const NO_LOOK = { canProbe: false, isProbed: false } as const;

/** Of a request that has ended. */
export function failureOfCommand(end: FlowEnd<CommandRun>, level: EffectLevel): CommandFailure | null {
  switch (end.kind) {
    case 'settled': {
      const failure = failureOfRun(end.ran, end.entry.state);
      // What stayed open, or was found absent, was looked at on the way.
      return failure && { ...failure, canProbe: probeOf(end.entry.probe) !== null, isProbed: true };
    }
    case 'off-ledger':
      return failureOfRun(end.ran, exitToState(level, end.ran.exit));
    case 'unrecorded': {
      const canProbe = probeOf(end.entry.probe) !== null;
      return { ...unseen(end.entry.state), canProbe };
    }
    case 'withheld':
      // One that is being made, here or elsewhere, has not failed.
      return end.entry.state === 'UNKNOWN' ? { ...unseen('UNKNOWN'), isProbed: true } : null;
    case 'impossible':
      if (!end.end) return null;
      return { ...unseen(end.entry?.state ?? NOT_BEGUN), end: end.end };
    case 'needless':
    case 'stored':
    case 'denied':
    case 'unstored':
      return null;
  }
}

/** Of a run alone; null where its caller has ended it. */
export function failureOfRun({ exit, output, prompt }: CommandRun, entry: EntryState | null): CommandFailure | null {
  const end = endOf(exit, output.stderr);
  if (!end) return null;
  const answer = `${output.stdout}\n${output.stderr}\n${prompt ?? ''}`;
  return { end, entry, ...NO_LOOK, stderr: output.stderr, answer };
}

function endOf(exit: CommandRun['exit'], stderr: string): ToolEnd | null {
  if (exit.kind === 'exited') return { ...exit, stderr };
  if (exit.kind === 'lost') return { kind: 'unseen' };
  if (exit.because === 'cancelled') return null;
  return { kind: exit.because === 'timeout' ? 'timed-out' : 'asked' };
}

function unseen(entry: EntryState): CommandFailure {
  return { end: { kind: 'unseen' }, entry, ...NO_LOOK, stderr: '', answer: '' };
}
