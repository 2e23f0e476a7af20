// The words of a process table, and what is the same on every system.

/** Every process of a gated command carries this environment variable with the key of its ledger entry. */
export const ENTRY_TAG = 'BELAY_ENTRY';

/** A process identified beyond reuse of its pid. */
export interface ProcessId {
  readonly pid: number;
  /** Opaque; equal only for the same process on the same boot. */
  readonly startedAt: string;
}

/** A process of a command that is alive, with what it runs (at most 300 characters, as the system tells it). */
export interface Straggler extends ProcessId {
  readonly command: string;
}

export interface ProcessTable {
  /** Changes with every boot of the machine. */
  bootId(): Promise<string>;
  /** Start time of a living process (a zombie is dead); null when there is none of this pid. */
  startedAt(pid: number): Promise<string | null>;
  /**
   * What is alive of the command whose gate was `leader`: its session or group, and what carries the tag with `key`, as far
   * as the system shows them. This process itself never counts. Rejects where the system does not answer.
   */
  stragglers(leader: ProcessId, key: string): Promise<readonly Straggler[]>;
}

/** States in which a process has ended (proc(5), ps(1)): zombie and dead. */
export function isDead(state: string): boolean {
  return /^[ZXx]/.test(state);
}

const COMMAND_CHARS = 300;

/** A command line as it is shown: one line, not too long. */
export function shownCommand(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return line.length > COMMAND_CHARS ? `${line.slice(0, COMMAND_CHARS - 1).toWellFormed()}…` : line;
}
