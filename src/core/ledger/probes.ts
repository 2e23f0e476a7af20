// The first probes: pure comparisons of what was there before an effect with what is there now.
// A probe may say COMMITTED or ABSENT only when no other story fits the facts; everything else is UNKNOWN, since a wrong
// ABSENT duplicates an effect and a wrong COMMITTED loses one (HFR document, proposition 3). Reading is the engine's part.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { ProbeBaseline } from './entry.ts';
import { sha256Hex, utf8LengthBytes } from './key.ts';
import type { ProbeResult } from './reconcile.ts';

/** Milliseconds to let the outside settle before a probe reads it. These three look at local files: at once. */
export const SETTLE_MS: Readonly<Record<string, number>> = { append: 0, edit: 0, 'git-commit': 0 };

const appendSchema = z.object({
  path: z.string(),
  /** Bytes before; null: the file did not exist. */
  sizeBytes: z.number().int().nonnegative().nullable(),
  prefixHash: z.string(),
  /** The exact text the command adds; null: not known from its words. */
  tail: z.string().nullable(),
});
const editSchema = z.object({ path: z.string(), beforeHash: z.string().nullable(), afterHash: z.string() });
const gitSchema = z.object({
  gitDirectory: z.string(),
  head: z.string().nullable(),
  /** Length of HEAD's log before, in UTF-16 units. */
  logChars: z.number().int().nonnegative(),
  logHash: z.string(),
  subject: z.string().nullable(),
});

export type AppendBaseline = z.infer<typeof appendSchema>;
export type EditBaseline = z.infer<typeof editSchema>;
export type GitBaseline = z.infer<typeof gitSchema>;

/** A baseline by its kind, checked; null for a kind or shape this version does not know (then the probe is UNKNOWN). */
export function readBaseline(
  baseline: ProbeBaseline | null,
):
  | { readonly kind: 'append'; readonly data: AppendBaseline }
  | { readonly kind: 'edit'; readonly data: EditBaseline }
  | { readonly kind: 'git-commit'; readonly data: GitBaseline }
  | null {
  if (baseline?.kind === 'append') return checked('append', appendSchema.safeParse(baseline.data));
  if (baseline?.kind === 'edit') return checked('edit', editSchema.safeParse(baseline.data));
  if (baseline?.kind === 'git-commit') return checked('git-commit', gitSchema.safeParse(baseline.data));
  return null;
}

function checked<K, T>(kind: K, parsed: z.ZodSafeParseResult<T>): { readonly kind: K; readonly data: T } | null {
  return parsed.success ? { kind, data: parsed.data } : null;
}

/** Before an append: `text` is the whole file, null when it does not exist yet. */
export function appendBaseline(path: string, text: string | null, tail: string | null): ProbeBaseline {
  const data: AppendBaseline = {
    path,
    sizeBytes: text === null ? null : utf8LengthBytes(text),
    prefixHash: sha256Hex(text ?? ''),
    tail,
  };
  return { kind: 'append', data };
}

/** After an append: same size and bytes is ABSENT, exactly the old bytes and the literal tail is COMMITTED. */
export function compareAppend(before: AppendBaseline, now: string | null): ProbeResult {
  const result = (says: ProbeResult['says'], detail: string): ProbeResult => ({ says, probe: 'append', detail });
  if (now === null) {
    if (before.sizeBytes === null) return result('ABSENT', `${before.path} still does not exist`);
    return result('UNKNOWN', `${before.path} has disappeared`);
  }
  const bytes = utf8ToBytes(now);
  const size = before.sizeBytes ?? 0;
  if (bytesToHex(sha256(bytes.subarray(0, size))) !== before.prefixHash || bytes.length < size) {
    return result('UNKNOWN', `what was in ${before.path} before has changed`);
  }
  if (bytes.length === size) {
    if (before.sizeBytes === null) return result('UNKNOWN', `${before.path} was created but is empty`);
    return result('ABSENT', `${before.path} is as it was (${size} bytes)`);
  }
  const grown = bytes.length - size;
  if (before.tail !== null && before.tail.length > 0) {
    const tail = utf8ToBytes(before.tail);
    if (tail.length === grown && bytesToHex(sha256(bytes.subarray(size))) === bytesToHex(sha256(tail))) {
      return result('COMMITTED', `${before.path} grew by exactly the ${grown} bytes of this command`);
    }
  }
  return result('UNKNOWN', `${before.path} grew by ${grown} bytes that this command alone does not explain`);
}

/** Before an edit: hash of the bytes that are there (null: no file) and of those that will be. */
export function editBaseline(path: string, beforeHash: string | null, afterHash: string): ProbeBaseline {
  return { kind: 'edit', data: { path, beforeHash, afterHash } };
}

/** After an edit, by the hash of the file now (null: it does not exist). */
export function compareEdit(before: EditBaseline, nowHash: string | null): ProbeResult {
  const result = (says: ProbeResult['says'], detail: string): ProbeResult => ({ says, probe: 'edit', detail });
  if (nowHash === before.afterHash) return result('COMMITTED', `${before.path} has the content of the edit`);
  if (nowHash === before.beforeHash) return result('ABSENT', `${before.path} is as it was before the edit`);
  return result('UNKNOWN', `${before.path} is neither as before nor as after the edit`);
}

/** HEAD and its log as text; `head` is null before the first commit. */
export interface GitState {
  readonly head: string | null;
  readonly headLog: string;
}

/** Before a commit; `subject` is the first line of its message where the command says it literally. */
export function gitBaseline(gitDirectory: string, state: GitState, subject: string | null): ProbeBaseline {
  const { head, headLog } = state;
  const data: GitBaseline = {
    gitDirectory,
    head,
    logChars: headLog.length,
    logHash: sha256Hex(headLog),
    subject,
  };
  return { kind: 'git-commit', data };
}

const LOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*\tcommit(?: \(initial\))?: (.*)$/;

/**
 * After a commit: HEAD and log as before is ABSENT. COMMITTED needs exactly one new log line that leads from the old HEAD
 * to the present one with this command's own subject; somebody else's commit, a reset or an amend is UNKNOWN.
 */
export function compareGit(before: GitBaseline, now: GitState): ProbeResult {
  const result = (says: ProbeResult['says'], detail: string): ProbeResult => ({ says, probe: 'git-commit', detail });
  if (sha256Hex(now.headLog.slice(0, before.logChars)) !== before.logHash) {
    return result('UNKNOWN', 'the log of HEAD was rewritten');
  }
  const added = now.headLog
    .slice(before.logChars)
    .split('\n')
    .filter((line) => line !== '');
  if (now.head === before.head && added.length === 0) return result('ABSENT', `HEAD is still ${short(now.head)}`);
  const match = added.length === 1 ? LOG_LINE.exec(added[0] ?? '') : null;
  const from = /^0+$/.test(match?.[1] ?? '') ? null : match?.[1];
  const ours = match && from === before.head && match[2] === now.head && match[3] === before.subject;
  if (ours) return result('COMMITTED', `HEAD moved from ${short(before.head)} to ${short(now.head)} with this message`);
  return result(
    'UNKNOWN',
    `HEAD moved from ${short(before.head)} to ${short(now.head)} in a way this command alone does not explain`,
  );
}

function short(head: string | null): string {
  return head === null ? 'without a commit' : head.slice(0, 10);
}
