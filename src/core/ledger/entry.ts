// The words of the idempotency ledger (HFR document 4.5, tables 6 and 7; DESIGN, fixed semantics 4, 7, 8, 12).

/** Side-effect level (table 7): R0 read only, R1 idempotent write, R2 queryable write, R3 irreversible or not queryable. */
export type EffectLevel = 'R0' | 'R1' | 'R2' | 'R3';

export type EntryState =
  'PREPARED' | 'COMMITTED' | 'FAILED' | 'UNKNOWN' | 'RECONCILED_COMMITTED' | 'RECONCILED_ABSENT' | 'COMPENSATED';

/** What is known of how an effect ended. */
export interface Evidence {
  /** Rule or source of the knowledge: exit-code, probe:append, person, ... */
  readonly source: string;
  readonly detail: string;
  readonly exitCode?: number | null;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly beforeHash?: string | null;
  readonly afterHash?: string | null;
  /** Every file the effect is known to have changed, in the order it was changed. */
  readonly files?: readonly FileChange[];
  /** Processes that it started went on after its end: what becomes of their work is not known. */
  readonly leftRunning?: true;
}

/** One file as an effect found it and left it. Hashes are SHA-256 hex of the bytes; null: there is no such file. */
export interface FileChange {
  /** Workspace path, as the file port names it. */
  readonly path: string;
  /** The bytes under this hash are kept as a before-image. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  /** Permission bits before (after, for a file that was made); absent where they are not known. */
  readonly mode?: number;
}

/** Where an effect was asked for, so that a row can be followed to its events. Not part of the key. */
export interface EffectIds {
  readonly client: string;
  /** The logical call, its attempt and the tool call that asked; null where no model did. */
  readonly call: string | null;
  readonly attempt: string | null;
  readonly toolCall: string | null;
}

/** What must be known before an effect starts. */
export interface Intent {
  /** SHA-256 hex of tenant, task, step, tool and canonical arguments. */
  readonly key: string;
  readonly tenant: string;
  readonly task: string;
  readonly step: number;
  readonly tool: string;
  readonly ids: EffectIds;
  readonly level: EffectLevel;
  /** Canonical JSON (RFC 8785) of the arguments; secrets are redacted before it is stored. */
  readonly argsText: string;
  /** Short words for a person: `npm test`, `edit src/price.ts`. */
  readonly title: string;
  /** Files the effect is known to touch, relative to the workspace. */
  readonly paths: readonly string[];
  readonly preparedAtMs: number;
  /** Who runs it: pid with start time, boot id; null where no process is involved. */
  readonly owner: EntryOwner | null;
  /** What the probe needs to tell later whether the effect happened, e.g. size and hash of a file before an append. */
  readonly probe: ProbeBaseline | null;
  /** Key of the entry whose effect this one takes back (a compensation has a key, a state and an audit of its own). */
  readonly compensates?: string;
}

export interface EntryOwner {
  readonly pid: number;
  readonly pidStartedAt: string;
  readonly bootId: string;
  readonly childPid: number | null;
  readonly childStartedAt: string | null;
}

/** Data a probe recorded before the effect; `kind` names the probe. */
export interface ProbeBaseline {
  readonly kind: string;
  /** The exit code may be that of another part of the command (`a | b`, `a; b`): 0 does not say that the effect was made. */
  readonly exitIsShared?: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LedgerEntry extends Intent {
  readonly state: EntryState;
  readonly evidence: Evidence | null;
  readonly updatedAtMs: number;
  /** Grows by one with every change; a writer with an older number is refused (fencing). */
  readonly fence: number;
}
