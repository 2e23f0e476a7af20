// The options that the `belay ledger` commands share, read once and checked; every wrong value is named before anything is
// opened. A ledger that does not exist is empty, and no command makes one.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ENTRY_STATES } from '../core/ledger/transition.ts';
import type { EntryState } from '../core/ledger/entry.ts';
import type { ApprovalPort, Ports, Result } from '../engine/ports.ts';
import type { CommandIo } from './io.ts';
import { plain } from './ledgerEntries.ts';
import { denyAll, ledgerPlace, ledgerPorts } from './ports.ts';
import type { LedgerPlace } from './ports.ts';
import { wholeNumber } from './wholeNumber.ts';

/** Options as commander gives them. */
export type RawOptions = Readonly<Record<string, string | boolean | undefined>>;

/** Where a command of the ledger runs. */
export interface LedgerContext {
  readonly io: CommandIo;
  /** Where the person stands; absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
  /** Standard output is a terminal: tables instead of JSON lines. */
  readonly isTextDefault: boolean;
  /** Standard input is a terminal: a person can be asked. */
  readonly canAsk: boolean;
  readonly signal: AbortSignal;
}

export type LedgerPorts = Pick<Ports, 'clock' | 'store' | 'command' | 'files' | 'approval'>;

/** Ledger, workspace and form of output. */
export interface Basics {
  readonly place: LedgerPlace;
  readonly workspace: string;
  readonly isText: boolean;
  /** Where the ledger was named and is not: what is to be said about that. */
  readonly missing: string | null;
}

/** Reads `--db`, `--workspace` and `--text`; an empty `--task` is refused here, since it names none. */
export function basicsOf({ cwd, env, isTextDefault }: LedgerContext, options: RawOptions): Result<Basics, string> {
  if (textOf(options.task)?.trim() === '') return bad('--task is empty; name a task as "belay ledger list" does');
  const folder = resolve(cwd, textOf(options.workspace) ?? '.');
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return bad(`--workspace ${folder} is not a folder; name one that exists`);
  const db = textOf(options.db);
  const place = ledgerPlace(env, db === undefined ? null : resolve(cwd, db));
  if (existsSync(place.db) && !statSync(place.db).isFile())
    return bad(`${place.db} is not a file; name the ledger with --db`);
  const isMissing = db !== undefined && !existsSync(place.db);
  const missing = isMissing ? `there is no ledger at ${place.db}; check what --db names` : null;
  const isText = options.text === true || isTextDefault;
  return { ok: true, value: { place, workspace: realpathSync(folder), isText, missing } };
}

/** Opens the ledger for one piece of work and closes it again. `nothing` is the answer where there is no ledger yet. */
export async function withLedger<T>(
  { place, workspace }: Basics,
  mode: { readonly isReading: boolean; readonly approval?: ApprovalPort },
  nothing: T,
  work: (ports: LedgerPorts) => Promise<T>,
): Promise<T> {
  if (!existsSync(place.db)) return nothing;
  const ports = ledgerPorts(place, workspace, mode.approval ?? denyAll, mode.isReading);
  try {
    return await work(ports);
  } finally {
    await ports.store.close();
  }
}

/** Says on standard error that the named ledger does not exist, where that is no error: nothing there is an answer, too. */
export function tellMissing({ io }: LedgerContext, command: string, { missing }: Basics): void {
  if (missing !== null) io.err(`belay ledger ${command}: ${plain(missing)}.`);
}

export function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** One of the seven states, in any case of letters. */
export function stateOf(value: string | undefined): Result<EntryState | undefined, string> {
  if (value === undefined) return { ok: true, value: undefined };
  const state = ENTRY_STATES.find((each) => each === value.toUpperCase());
  return state ? { ok: true, value: state } : bad(`--state must be one of ${ENTRY_STATES.join(', ')}, not "${value}"`);
}

/** A whole number from `least`. */
export function numberOf(name: string, value: string | undefined, least: number): Result<number | undefined, string> {
  if (value === undefined) return { ok: true, value: undefined };
  const number = wholeNumber(value);
  if (number !== null && number >= least) return { ok: true, value: number };
  return bad(`${name} must be a whole number from ${least}, not "${value}"`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A length of time such as `90m`, `2h` or `30d`, in ms. */
export function spanOf(name: string, value: string | undefined): Result<number | undefined, string> {
  if (value === undefined) return { ok: true, value: undefined };
  const [, count = '', unit = ''] = /^(\d{1,9})([smhdw])$/.exec(value) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs === undefined) return bad(`${name} must be a time such as 90m, 2h or 30d, not "${value}"`);
  return { ok: true, value: Number(count) * unitMs };
}

const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** A point in time: `2h` ago, or ISO 8601, in ms since the epoch. */
export function momentOf(name: string, value: string | undefined, nowMs: number): Result<number | undefined, string> {
  if (value === undefined) return { ok: true, value: undefined };
  const span = spanOf(name, value);
  if (span.ok) return { ok: true, value: nowMs - (span.value ?? 0) };
  const atMs = ISO.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(atMs)) return { ok: true, value: atMs };
  return bad(`${name} must be a time ago such as 2h or 30d, or a date such as 2026-03-01T12:00, not "${value}"`);
}

export function bad(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}
