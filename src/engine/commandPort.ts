// The port through which commands run: a child that waits at a gate until its intent is on the disk (DESIGN, Running a command
// exactly once), and the read-only queries of probes.
import type { Criticality } from '../core/context.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { Result } from './result.ts';
import type { StoreFault } from './storeFault.ts';

/** A command to run through the gate. */
export interface GatedCommand {
  /** The ledger key: the gate's marker files and the process tag are named after it. */
  readonly key: string;
  /** `cmd` is Windows' own and runs nowhere else. */
  readonly shell: 'bash' | 'pwsh' | 'cmd' | 'none';
  /** The text for a shell, or the argv when `shell` is `none`. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** At most this many bytes of each output stream are kept (the full length is reported). */
  readonly outputLimitBytes: number;
  /** A command that printed a question and was silent for so long is stopped: nobody can answer it. Default 10,000. */
  readonly promptQuietMs?: number;
  /** True: it has no ledger entry, so no marks are kept for one. Default false. */
  readonly isUnrecorded?: boolean;
  /** Who waits for it: decides its place in the queue (HFR 4.7), and leaves it when cancelled. Absent: a medium one of nobody. */
  readonly caller?: { readonly tenant: string; readonly criticality: Criticality; readonly signal: AbortSignal };
}

/**
 * A child at the gate, or why there is none; nothing has run then. `fault`: the marks that belong to the ledger cannot be
 * written, which counts as trouble of the ledger itself.
 */
export type HoldResult =
  | { readonly ok: true; readonly value: HeldCommand }
  | {
      readonly ok: false;
      readonly error: string;
      readonly fault?: StoreFault;
      /** It was not even tried: its breaker is open, or no place came free. Absent: the gate could not be made. */
      readonly withheld?: {
        readonly why: 'breaker-open' | 'queue-full' | 'waited-too-long' | 'cancelled';
        readonly retryAfterMs: number | null;
      };
    };

export type CommandExit =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal: string | null }
  /** The command outlived its timeout, waited for an answer or was cancelled, and its group was killed: what it did is unknown. */
  | { readonly kind: 'killed'; readonly because: 'timeout' | 'cancelled' | 'prompt' }
  /** The gate itself was lost: nothing is known. */
  | { readonly kind: 'lost'; readonly message: string };

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** How a released command went. */
export interface ReleasedRun {
  readonly exit: CommandExit;
  readonly output: CommandOutput;
  /** Processes of the command that are still alive after its end, with what they run. */
  readonly background?: readonly { readonly pid: number; readonly command: string }[];
  /** The question that the command printed last and that nobody can answer, e.g. `Overwrite? [y/N]`. */
  readonly prompt?: string;
}

/** A read-only program that a probe runs: not gated and not recorded. Its output is cut at 1 MiB. */
export interface ProbeQuery {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** A child that exists but waits at the gate; nothing of the command has run. */
export interface HeldCommand {
  readonly pid: number;
  readonly pidStartedAt: string;
  /** Lets the command run and waits for its end. May be called once. */
  release(signal: AbortSignal, onOutput: (stream: 'stdout' | 'stderr', text: string) => void): Promise<ReleasedRun>;
  /** Ends the child unrun. */
  discard(): Promise<void>;
}

/** What the gate's marks and the process table say of an earlier run of a key. */
export type GateTrace =
  | { readonly kind: 'running'; readonly detail: string }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'never-started' }
  | { readonly kind: 'started' }
  | { readonly kind: 'other-boot' };

export interface CommandPort {
  /** Starts the child blocked on a pipe (DESIGN, Running a command exactly once). */
  hold(command: GatedCommand): Promise<HoldResult>;
  /** Reads what is left of an earlier run. */
  trace(entry: LedgerEntry): Promise<GateTrace>;
  /** Runs a probe's query; an error where it could not be started or did not end in time. */
  query(query: ProbeQuery): Promise<Result<{ readonly exitCode: number; readonly stdout: string }, string>>;
  /** This process, as the owner of new entries. */
  self(): Promise<{ readonly pid: number; readonly pidStartedAt: string; readonly bootId: string }>;
}
