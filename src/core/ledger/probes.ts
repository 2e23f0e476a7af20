// The first probes: pure comparisons of what was there before an effect with what is there now.
// A probe may say COMMITTED or ABSENT only when no other story fits the facts; everything else is UNKNOWN, since a wrong
// ABSENT duplicates an effect and a wrong COMMITTED loses one (HFR document, proposition 3). Reading is the engine's part.
// What the ledger knows of other writers is weighed in rivals.ts. A baseline is stored: it holds hashes, never texts.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { ProbeBaseline } from './entry.ts';
import { sha256Hex, utf8LengthBytes } from './key.ts';
import type { ProbeResult } from './reconcile.ts';

/** Milliseconds to let the outside settle before a probe reads it. These three look at local files: at once. */
export const SETTLE_MS: Readonly<Record<string, number>> = { append: 0, edit: 0, 'git-commit': 0 };

const appendSchema = z.object({
  /** Root of the workspace that `path` is relative to. */
  workspace: z.string(),
  path: z.string(),
  /** Bytes before; null: the file did not exist. */
  sizeBytes: z.number().int().nonnegative().nullable(),
  prefixHash: z.string(),
  /** Length and hash of the exact text the command adds, never the text itself; null: not known from its words. */
  tail: z.object({ sizeBytes: z.number().int().nonnegative(), hash: z.string() }).nullable(),
  isAlone: z.boolean(),
});
const editSchema = z.object({ path: z.string(), beforeHash: z.string().nullable(), afterHash: z.string() });
const gitSchema = z.object({
  workspace: z.string(),
  gitDirectory: z.string(),
  head: z.string().nullable(),
  /** Length of HEAD's log before, in UTF-16 units. */
  logChars: z.number().int().nonnegative(),
  logHash: z.string(),
  /** What the log of HEAD will call this command's own commit (`commitTag`); null: it will not be told from others. */
  tag: z.string().nullable(),
  isAlone: z.boolean(),
});
/** No probe: only where the command ran, for telling whose effects could be mistaken for whose (rivals.ts). */
const placeSchema = z.object({ workspace: z.string().nullable() });

export type AppendBaseline = z.infer<typeof appendSchema>;
export type EditBaseline = z.infer<typeof editSchema>;
export type GitBaseline = z.infer<typeof gitSchema>;
export type PlaceBaseline = z.infer<typeof placeSchema>;

/** A baseline by its kind, checked; null for a kind or shape this version does not know (then the probe is UNKNOWN). */
export function readBaseline(
  baseline: ProbeBaseline | null,
):
  | { readonly kind: 'append'; readonly data: AppendBaseline }
  | { readonly kind: 'edit'; readonly data: EditBaseline }
  | { readonly kind: 'git-commit'; readonly data: GitBaseline }
  | { readonly kind: 'place'; readonly data: PlaceBaseline }
  | null {
  if (baseline?.kind === 'append') return checked('append', appendSchema.safeParse(baseline.data));
  if (baseline?.kind === 'edit') return checked('edit', editSchema.safeParse(baseline.data));
  if (baseline?.kind === 'git-commit') return checked('git-commit', gitSchema.safeParse(baseline.data));
  if (baseline?.kind === 'place') return checked('place', placeSchema.safeParse(baseline.data));
  return null;
}

function checked<K, T>(kind: K, parsed: z.ZodSafeParseResult<T>): { readonly kind: K; readonly data: T } | null {
  return parsed.success ? { kind, data: parsed.data } : null;
}

/** Where a command runs that has no probe; null where it may reach beyond its workspace. */
export function placeBaseline(workspace: string | null): ProbeBaseline {
  const data: PlaceBaseline = { workspace };
  return { kind: 'place', data };
}

/** What an append is: where, and what it adds. `path` is relative to `workspace`. */
export interface AppendTarget {
  readonly workspace: string;
  readonly path: string;
  /** The exact text it adds; null: not known. */
  readonly tail: string | null;
  /** False where the command has other parts, which change nothing. */
  readonly isAlone: boolean;
}

/** Before an append: `text` is the whole file, null when it does not exist yet. */
export function appendBaseline({ workspace, path, tail, isAlone }: AppendTarget, text: string | null): ProbeBaseline {
  const data: AppendBaseline = {
    workspace,
    path,
    sizeBytes: text === null ? null : utf8LengthBytes(text),
    prefixHash: sha256Hex(text ?? ''),
    tail: tail === null ? null : { sizeBytes: utf8LengthBytes(tail), hash: sha256Hex(tail) },
    isAlone,
  };
  return { kind: 'append', data };
}

/**
 * After an append: same size and bytes is ABSENT, exactly the old bytes and the command's own tail is COMMITTED. Another
 * writer of the same bytes looks the same: the caller must rule that out (rivals.ts) before COMMITTED is believed.
 */
export function compareAppend(before: AppendBaseline, now: string | null): ProbeResult {
  const result = (says: ProbeResult['says'], detail: string): ProbeResult => ({ says, probe: 'append', detail });
  if (now === null) {
    if (before.sizeBytes === null) return result('ABSENT', `${before.path} still does not exist`);
    return result('UNKNOWN', `${before.path} has disappeared`);
  }
  const bytes = utf8ToBytes(now);
  const size = before.sizeBytes ?? 0;
  if (bytes.length < size || hashOf(bytes.subarray(0, size)) !== before.prefixHash) {
    return result('UNKNOWN', `what was in ${before.path} before has changed`);
  }
  if (bytes.length === size) {
    if (before.sizeBytes === null) return result('UNKNOWN', `${before.path} was created but is empty`);
    return result('ABSENT', `${before.path} is as it was (${size} bytes)`);
  }
  const grown = bytes.length - size;
  if (before.tail?.sizeBytes === grown && hashOf(bytes.subarray(size)) === before.tail.hash) {
    return result('COMMITTED', `${before.path} grew by exactly the ${grown} bytes of this command${restOf(before)}`);
  }
  return result('UNKNOWN', `${before.path} grew by ${grown} bytes that this command alone does not explain`);
}

function hashOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}

/** What a probe of one part cannot know of the others. */
function restOf({ isAlone }: { readonly isAlone: boolean }): string {
  return isAlone ? '' : '; whether its other parts, which change nothing, ran to their end is not known';
}

/** Before an edit: hash of the bytes that are there (null: no file) and of those that will be. */
export function editBaseline(path: string, beforeHash: string | null, afterHash: string): ProbeBaseline {
  return { kind: 'edit', data: { path, beforeHash, afterHash } };
}

/**
 * After an edit, by the hash of the file now (null: it does not exist). The effect of an edit is a state, not an event: it
 * stands where the file has its content, whoever wrote that.
 */
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

/** The name by which git's log of HEAD calls a commit made for a ledger key, set by GIT_REFLOG_ACTION (git(1)). */
export function commitTag(key: string): string {
  return `commit (belay ${key.slice(0, 16)})`;
}

/** Before a commit. `gitDirectory` is relative to `workspace`. */
export function gitBaseline(
  where: Pick<GitBaseline, 'workspace' | 'gitDirectory' | 'tag' | 'isAlone'>,
  { head, headLog }: GitState,
): ProbeBaseline {
  const data: GitBaseline = { ...where, head, logChars: headLog.length, logHash: sha256Hex(headLog) };
  return { kind: 'git-commit', data };
}

const LOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t(.*)$/;

/**
 * After a commit: HEAD and log as before is ABSENT. COMMITTED needs a new log line with this command's own tag, in an
 * unbroken chain of commits from the old HEAD to the present one: a commit of the same message by anybody else has no such
 * tag. Everything else (no tag, a reset, an amend, a rewritten log) is UNKNOWN.
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
  const own = before.tag === null ? null : ownCommit(added, before.head, now.head, before.tag);
  if (own !== null) {
    return result('COMMITTED', `commit ${short(own)} is marked as made by this command${restOf(before)}`);
  }
  return result(
    'UNKNOWN',
    `HEAD moved from ${short(before.head)} to ${short(now.head)} in a way this command alone does not explain`,
  );
}

/** The commit with the tag among log lines that lead from one HEAD to the other by commits alone; null for none. */
function ownCommit(lines: readonly string[], from: string | null, to: string | null, tag: string): string | null {
  let head = from;
  let own: string | null = null;
  for (const line of lines) {
    const [, before = '', after = '', action = ''] = LOG_LINE.exec(line) ?? [];
    const isCommit =
      action.startsWith(`${tag}: `) || /^commit(?: \((?:initial|merge|belay [0-9a-f]+)\))?: /.test(action);
    if (!isCommit || (/^0+$/.test(before) ? null : before) !== head) return null;
    if (action.startsWith(`${tag}: `)) own = after;
    head = after;
  }
  return head === to ? own : null;
}

function short(head: string | null): string {
  return head === null ? 'without a commit' : head.slice(0, 10);
}
