// How the probes of git ask git itself: with no hook, no monitor and no lock taken, so that a look never changes a repository
// and works for worktrees, submodules, packed refs and every ref format. Refs and options never come from outside as options.
import { query } from './reading.ts';
import type { Looking } from './reading.ts';
import type { Step } from './script.ts';

const QUIET = [
  'git',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'log.showSignature=false',
  '--no-optional-locks',
];
const LOCAL_MS = 10_000;

/** How a git command that only reads is asked. */
interface GitOptions {
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** The highest exit code that still is an answer. Default 0. */
  readonly maxExitCode?: number;
}

/** The output of a git command that only reads; null where it failed. */
export function* git(
  folder: string,
  words: readonly string[],
  { timeoutMs = LOCAL_MS, maxExitCode = 0 }: GitOptions = {},
): Looking<string | null> {
  const seen = yield* query([...QUIET, ...words], folder, timeoutMs);
  return seen.ok && seen.value.exitCode <= maxExitCode ? seen.value.stdout : null;
}

/** Whether a git question is answered by yes (exit code 0) or no (1); null for anything else. */
export function* gitSays(folder: string, words: readonly string[]): Looking<boolean | null> {
  const seen = yield* query([...QUIET, ...words], folder, LOCAL_MS);
  if (!seen.ok || seen.value.exitCode > 1) return null;
  return seen.value.exitCode === 0;
}

/** A repository as git knows it in a folder; both absolute. Worktrees share the second. */
export interface Repository {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

/** The repository of a folder; null for none or a broken one. */
export function* repositoryAt(folder: string): Looking<Repository | null> {
  const text = yield* git(folder, ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir']);
  const [gitDirectory, commonDirectory] = text?.split('\n') ?? [];
  return gitDirectory && commonDirectory ? { gitDirectory, commonDirectory } : null;
}

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit a name means; null for none, undefined where git cannot say. */
export function* commitAt(folder: string, name: string): Looking<string | null | undefined> {
  const seen = yield* query(
    [...QUIET, 'rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`],
    folder,
    LOCAL_MS,
  );
  if (!seen.ok) return undefined;
  const id = seen.value.stdout.trim();
  if (seen.value.exitCode === 0 && OBJECT_ID.test(id)) return id;
  return seen.value.exitCode === 1 ? null : undefined;
}

/** The object a full ref name points to; null for none, undefined where git cannot say. */
export function* refAt(folder: string, ref: string): Looking<string | null | undefined> {
  const text = yield* git(folder, ['for-each-ref', '--format=%(objectname) %(refname)', '--', ref]);
  if (text === null) return undefined;
  const line = text.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? null : (line.split(' ')[0] ?? null);
}

export function shortId(id: string | null): string {
  return id === null ? 'without a commit' : id.slice(0, 10);
}

/** The words of a git command after git's own options. */
export interface GitStep {
  /** Folder of `-C`, joined to the step's own; '' for the command's folder. */
  readonly folder: string;
  readonly command: string;
  readonly rest: readonly string[];
  /** What it sets as `core.hooksPath`; null: nothing. */
  readonly hooksPath: string | null;
}

/** Settings that change how a commit looks, never where anything is written. */
const HARMLESS_SETTING =
  /^(?:user|author|committer|commit|gpg|advice|color)\.[\w.-]+=|^core\.(?:editor|pager|autocrlf|hooksPath)=/;
const HOOKS_PATH = /^core\.hooksPath=(.*)$/;

/** A step that runs git; null for another program, or options whose meaning for the repository is not certain. */
export function gitStep({ words, folder }: Pick<Step, 'words' | 'folder'>): GitStep | null {
  const [name, ...rest] = words;
  if (name !== 'git') return null;
  let at = folder;
  let hooksPath: string | null = null;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    const value = rest[i + 1] ?? '';
    if (word === '-C' && value !== '' && !value.split('/').includes('..')) {
      at = value.startsWith('/') || at === '' ? value : `${at}/${value}`;
    } else if (word === '-c' && HARMLESS_SETTING.test(value)) {
      // Where its hooks are matters for what a stopped run leaves undone; the rest is read over, with its value.
      hooksPath = HOOKS_PATH.exec(value)?.[1] ?? hooksPath;
    } else if (word === '--no-pager' || word === '-P') {
      continue;
    } else {
      return word.startsWith('-') || word === ''
        ? null
        : { folder: at, command: word, rest: rest.slice(i + 1), hooksPath };
    }
    i++;
  }
  return null;
}

/** Variables that move a repository, its index or its refs away from where our questions would look. */
const MOVING = /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|NAMESPACE|CEILING_DIRECTORIES|CONFIG.*)$/;

/** Whether git is where it seems to be in this environment; an unknown one is trusted. */
export function isPlainGit(env: Readonly<Record<string, string>> | undefined): boolean {
  return !Object.keys(env ?? {}).some((name) => MOVING.test(name));
}
