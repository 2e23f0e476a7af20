// What a command of the command line reads and writes. Commands take it as an argument, so that tests run them in memory;
// only the program itself (src/cli) ties it to the process.

export interface CommandIo {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Writes one line (without its newline) to standard output: results only. */
  out(line: string): void;
  /** Writes one line to standard error: messages for people. */
  err(line: string): void;
}

/** Exit codes of every command but `hook` (CONTRACTS.md). */
export const EXIT_CODES = { done: 0, no: 1, badInput: 2, internal: 3 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
