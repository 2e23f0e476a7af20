// Rows of the ledger's database as entries, history lines and events, and back. What is read is parsed, so that a damaged
// row is told as damage and never passes as an entry.
import type { SQLInputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import type { DecisionEvent } from '../../core/events.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import type { LeaseRow } from '../../core/ledger/lease.ts';
import { followedKey } from '../../core/ledger/retention.ts';
import { ENTRY_STATES } from '../../core/ledger/transition.ts';
import type { BudgetRow, CheckpointRow, EntryHistory } from '../../engine/ports.ts';

/** A row whose checksum does not fit its values, or that is not where another says it is. */
export class DamagedRow extends Error {
  constructor() {
    super('a row is damaged or missing');
  }
}

/** A row as node:sqlite returns it. */
export type Row = Record<string, unknown>;

const stateSchema = z.enum(ENTRY_STATES);

const jsonText = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

const fileChangeSchema = z.object({
  path: z.string(),
  beforeHash: z.string().nullable(),
  afterHash: z.string().nullable(),
  mode: z.number().exactOptional(),
});

const evidenceSchema = z.object({
  source: z.string(),
  detail: z.string(),
  exitCode: z.number().nullable().exactOptional(),
  stdout: z.string().exactOptional(),
  stderr: z.string().exactOptional(),
  beforeHash: z.string().nullable().exactOptional(),
  afterHash: z.string().nullable().exactOptional(),
  files: z.array(fileChangeSchema).exactOptional(),
  leftRunning: z.literal(true).exactOptional(),
});

const ownerSchema = z.object({
  pid: z.number(),
  pidStartedAt: z.string(),
  bootId: z.string(),
  childPid: z.number().nullable(),
  childStartedAt: z.string().nullable(),
});

const idsSchema = z.object({
  client: z.string(),
  call: z.string().nullable(),
  attempt: z.string().nullable(),
  toolCall: z.string().nullable(),
});

const entrySchema = z.object({
  key: z.string(),
  tenant: z.string(),
  task: z.string(),
  step: z.number(),
  tool: z.string(),
  ids: jsonText(idsSchema),
  level: z.enum(['R0', 'R1', 'R2', 'R3']),
  args_text: z.string(),
  title: z.string(),
  paths: jsonText(z.array(z.string())),
  prepared_at_ms: z.number(),
  owner: jsonText(ownerSchema).nullable(),
  probe: jsonText(
    z.object({ kind: z.string(), exitIsShared: z.boolean().exactOptional(), data: z.record(z.string(), z.unknown()) }),
  ).nullable(),
  state: stateSchema,
  evidence: jsonText(evidenceSchema).nullable(),
  updated_at_ms: z.number(),
  fence: z.number(),
  compensates: z.string().nullable(),
  /** The followed key of a same-effect follower, so that it can be looked up. */
  follows: z.string().nullable(),
});

const historySchema = z.object({
  at_ms: z.number(),
  from_state: stateSchema.nullable(),
  to_state: stateSchema,
  evidence: jsonText(evidenceSchema).nullable(),
});

const budgetSchema = jsonText(
  z.object({ task: z.string(), stepUsed: z.record(z.string(), z.number()), taskUsed: z.number() }),
);
const leaseSchema = z.object({ key: z.string(), holder: z.string(), token: z.number(), expires_at_ms: z.number() });
const storedEvent = z.object({ atMs: z.number(), ids: z.object({ task: z.string() }), body: z.object({}) });
const documentSchema = z.object({ name: z.string(), text: z.string() });
const checkpointSchema = z.object({ task: z.string(), version: z.number(), state: z.string() });
/** Events are written by this program alone and only shown; of their inner shape only what they are stored by is checked. */
const eventSchema = jsonText(z.custom<DecisionEvent>((value) => storedEvent.safeParse(value).success));

const CHECKED_COLUMNS = Object.keys(entrySchema.shape);
/** Columns of an entry, in the order of `entryValues`. */
export const ENTRY_COLUMNS: readonly string[] = [...CHECKED_COLUMNS, 'checksum'];

/** SQLite does not see a flipped bit inside a text or number; level, fence and state must not be taken from such a row. */
function checksumOf(values: readonly unknown[]): number {
  return crc32(JSON.stringify(values));
}

/** An entry as values for its columns. */
export function entryValues(entry: LedgerEntry): readonly SQLInputValue[] {
  const { key, tenant, task, step, tool, ids, level, argsText, title, paths, preparedAtMs, owner, probe } = entry;
  const intent = [key, tenant, task, step, tool, JSON.stringify(ids), level, argsText, title, JSON.stringify(paths)];
  const began = [Math.trunc(preparedAtMs), jsonOrNull(owner), jsonOrNull(probe)];
  const now = [entry.state, jsonOrNull(entry.evidence), Math.trunc(entry.updatedAtMs), entry.fence];
  const values = [...intent, ...began, ...now, entry.compensates ?? null, followedKey(entry)];
  return [...values, checksumOf(values)];
}

/**
 * Columns that change with an entry's state, in the order of `settledValues`, which ends with the key. The JSON texts are
 * among them: what was read back is written in the schema's order of fields, and the checksum is over these texts.
 */
export const SETTLED_COLUMNS: readonly string[] = [
  ...['ids', 'paths', 'owner', 'probe'],
  ...['state', 'evidence', 'updated_at_ms', 'fence', 'checksum'],
];

/** The values of an entry that moved, then its key. */
export function settledValues(entry: LedgerEntry): readonly SQLInputValue[] {
  const all = entryValues(entry);
  return [...SETTLED_COLUMNS, 'key'].map((name) => all[ENTRY_COLUMNS.indexOf(name)] ?? null);
}

/** A value as JSON text; null stays null. */
export function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** A row of `entries`. Throws on a damaged one (zod's error or DamagedRow). Rows of schema 1 have no checksum. */
export function entryOf(row: Row): LedgerEntry {
  const { checksum = null } = row;
  if (checksum !== null && checksum !== checksumOf(CHECKED_COLUMNS.map((name) => row[name]))) throw new DamagedRow();
  const {
    args_text: argsText,
    prepared_at_ms: preparedAtMs,
    updated_at_ms: updatedAtMs,
    compensates,
    follows: _,
    ...same
  } = entrySchema.parse({ compensates: null, follows: null, ...row });
  return { ...same, argsText, preparedAtMs, updatedAtMs, ...(compensates === null ? {} : { compensates }) };
}

/** A row of `history`. Throws on a damaged one. */
export function historyOf(row: Row): EntryHistory {
  const { at_ms: atMs, from_state: from, to_state: to, evidence } = historySchema.parse(row);
  return { atMs, from, to, evidence };
}

/** The `row` column of `budgets`. Throws on a damaged one. */
export function budgetOf(row: Row): BudgetRow {
  return budgetSchema.parse(row.row);
}

/** A row of `documents`. Throws on a damaged one. */
export function documentOf(row: Row): { readonly name: string; readonly text: string } {
  return documentSchema.parse(row);
}

/** A row of `leases`. Throws on a damaged one. */
export function leaseOf(row: Row): LeaseRow {
  const { expires_at_ms: expiresAtMs, ...same } = leaseSchema.parse(row);
  return { ...same, expiresAtMs };
}

/** A row of `checkpoints`. Throws on a damaged one. */
export function checkpointOf(row: Row): CheckpointRow {
  return checkpointSchema.parse(row);
}

/** The `event` column of `events`. Throws on a damaged one. */
export function eventOf(row: Row): DecisionEvent {
  return eventSchema.parse(row.event);
}
