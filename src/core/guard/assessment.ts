// What the guard says of a command or tool call (CONTRACTS, assess). Unsure is R3; a guard that fails, fails closed.
import type { EffectLevel } from '../ledger/entry.ts';

export type Shell = 'bash' | 'pwsh';

/** One thing a command does. `kind` is kebab-case: read-file, write-file, delete-file, run-program, network-write, ... */
export interface Effect {
  readonly kind: string;
  readonly target?: string;
}

export interface CommandToAssess {
  readonly shell: Shell;
  readonly command: string;
  /** Absolute directory the command starts in; absent: unknown, relative targets count as outside. */
  readonly cwd?: string;
  /** Absolute root of the workspace. */
  readonly workspace?: string;
}

export interface Assessment {
  readonly level: EffectLevel;
  /** In words for a person, most severe first. */
  readonly reasons: readonly string[];
  readonly effects: readonly Effect[];
  /** False when the text could not be understood completely; the level is then R3. */
  readonly parsed: boolean;
}
