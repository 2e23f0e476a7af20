// What git's log of HEAD says was done since a baseline, and whether a commit still stands. The log's newest lines are the
// baseline: what is above them later is new. A command's own commit is known by the mark that Belay has git write into it.
import * as z from 'zod';
import { sha256Hex } from '../key.ts';
import { commitAt, git, gitSays } from './git.ts';
import type { Looking } from './reading.ts';

export const headSchema = z.object({
  /** The commit of HEAD; null before the first one. */
  head: z.string().nullable(),
  /** How many of the log's newest lines were seen, and their hash. */
  logCount: z.number().int().nonnegative(),
  logHash: z.string(),
  /** Before the first commit: what `storeHash` says. Absent or null: not known. */
  storeHash: z.string().nullable().optional(),
});

/** HEAD and the newest lines of its log. */
export type HeadState = z.infer<typeof headSchema>;

interface LogLine {
  readonly commit: string;
  /** What git says was done: `commit: message`. */
  readonly action: string;
  readonly text: string;
}

const BASELINE_LINES = 20;
/** New lines beyond this are more than one command can be told among. */
const MAX_LINES = 500;

/** HEAD as it is now; null where git cannot say. */
export function* headState(folder: string): Looking<HeadState | null> {
  const head = yield* commitAt(folder, 'HEAD');
  if (head === undefined) return null;
  const lines = yield* headLog(folder, head, BASELINE_LINES);
  if (!lines) return null;
  const state = { head, logCount: lines.length, logHash: hashOf(lines) };
  return head === null ? { ...state, storeHash: yield* storeHash(folder) } : state;
}

/** More of a list of all objects than this is cut off on the way here. */
const MAX_LIST_LENGTH = 1_000_000;

/**
 * Hash of every commit object that there is, and whether HEAD has a log: without a commit git shows no log, but a commit that
 * was made and taken back leaves both. Null where git cannot say, or there is too much to go through (some 20,000 objects).
 */
function* storeHash(folder: string): Looking<string | null> {
  const isLogged = yield* gitSays(folder, ['reflog', 'exists', 'HEAD']);
  const format = '--batch-check=%(objecttype) %(objectname)';
  const text = yield* git(folder, ['cat-file', '--batch-all-objects', '--unordered', format]);
  if (isLogged === null || text === null || text.length >= MAX_LIST_LENGTH) return null;
  const commits = text.split('\n').filter((line) => line.startsWith('commit '));
  return sha256Hex([String(isLogged), ...commits.sort()].join('\n'));
}

/** What has happened to HEAD since a baseline. */
export type HeadNews =
  | { readonly kind: 'still' }
  /** `added`: newest first. */
  | { readonly kind: 'moved'; readonly head: string | null; readonly added: readonly LogLine[] }
  | { readonly kind: 'unclear'; readonly detail: string };

const UNREADABLE: HeadNews = { kind: 'unclear', detail: 'the repository cannot be read' };

export function* headNews(folder: string, before: HeadState): Looking<HeadNews> {
  const head = yield* commitAt(folder, 'HEAD');
  if (head === undefined) return UNREADABLE;
  const lines = yield* headLog(folder, head, MAX_LINES + BASELINE_LINES);
  if (!lines) return UNREADABLE;
  const added = linesSince(lines, before);
  if (!added) return { kind: 'unclear', detail: 'the log of HEAD was rewritten' };
  if (added.length > 0 || head !== before.head) return { kind: 'moved', head, added };
  if (head === null) return yield* unbornNews(folder, before);
  // A repository that keeps no log would not show a commit that was taken back.
  return before.logCount > 0 ? { kind: 'still' } : { kind: 'unclear', detail: 'this repository keeps no log of HEAD' };
}

/** No commit before and none now. */
function* unbornNews(folder: string, before: HeadState): Looking<HeadNews> {
  const now = typeof before.storeHash === 'string' ? yield* storeHash(folder) : null;
  if (now !== null && now === before.storeHash) return { kind: 'still' };
  const why = now === null ? 'cannot be ruled out' : 'may be one of those that are new in the repository or its log';
  return { kind: 'unclear', detail: `HEAD is still without a commit, but one that was made and taken back ${why}` };
}

/** The lines above those of the baseline; null where the baseline's are not there any more. */
function linesSince(lines: readonly LogLine[], { logCount, logHash }: HeadState): readonly LogLine[] | null {
  if (logCount === 0) return lines;
  for (let i = 0; i + logCount <= lines.length; i++) {
    if (hashOf(lines.slice(i, i + logCount)) === logHash) return lines.slice(0, i);
  }
  return null;
}

function hashOf(lines: readonly LogLine[]): string {
  return sha256Hex(lines.map(({ text }) => text).join('\n'));
}

function* headLog(folder: string, head: string | null, count: number): Looking<readonly LogLine[] | null> {
  // Without a commit git has no log to show.
  if (head === null) return [];
  const format = '--format=%H%x09%gd%x09%gs';
  const text = yield* git(folder, ['log', '-g', '-n', `${count}`, '--date=raw', format, 'HEAD', '--']);
  return text === null ? null : parseLog(text);
}

function parseLog(text: string): readonly LogLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [commit = '', , action = ''] = line.split('\t');
    return { commit, action, text: line };
  });
}

/** The name by which git's log of HEAD calls a commit made for a ledger key, set by GIT_REFLOG_ACTION (git(1)). */
export function commitTag(key: string): string {
  return `commit (belay ${key.slice(0, 16)})`;
}

/** The newest commit with the mark among new lines; null for none. */
export function ownCommit(added: readonly LogLine[], mark: string | null): string | null {
  return mark === null ? null : (added.find(({ action }) => action.startsWith(`${mark}: `))?.commit ?? null);
}

/** Where a commit stands now, in words; null: no branch and no HEAD has it any longer; undefined: git cannot say. */
export function* standingOf(folder: string, commit: string): Looking<string | null | undefined> {
  const isOnHead = yield* gitSays(folder, ['merge-base', '--is-ancestor', commit, 'HEAD']);
  if (isOnHead) return 'is part of HEAD';
  const format = '--format=%(refname:short)';
  const branches = yield* git(folder, [
    'for-each-ref',
    '--count=1',
    format,
    '--contains',
    commit,
    'refs/heads',
    'refs/remotes',
  ]);
  if (branches === null) return undefined;
  const branch = branches.trim();
  if (branch !== '') return `is part of ${branch}`;
  return isOnHead === false ? null : undefined;
}
