// Which hooks git runs after it has made an effect. A run that is stopped then has made the effect, but not all of what its
// hooks do: that has to be said. Only looks where git itself says its hooks are; a hook without the right to run counts too.
import { git } from './git.ts';
import { query } from './reading.ts';
import type { Looking } from './reading.ts';

const LOCAL_MS = 10_000;

/**
 * Those of `names` that the repository of a folder has. `hooksPath`: what the command itself set as `core.hooksPath`; null
 * for nothing. `at`: options of git that lead to another repository. Empty also where git cannot say where its hooks are.
 */
export function* presentHooks(
  folder: string,
  names: readonly string[],
  hooksPath: string | null = null,
  at: readonly string[] = [],
): Looking<readonly string[]> {
  if (names.length === 0) return [];
  // The settings of our other questions lead git away from its hooks; this question runs none.
  const setting = hooksPath === null ? [] : ['-c', `core.hooksPath=${hooksPath}`];
  const words = ['git', '-c', 'core.fsmonitor=false', '--no-optional-locks', ...at, ...setting];
  const question = [...words, 'rev-parse', '--path-format=absolute', '--git-path', 'hooks'];
  const seen = yield* query(question, folder, LOCAL_MS);
  const hooks = seen.ok && seen.value.exitCode === 0 ? seen.value.stdout.trimEnd() : '';
  return hooks === '' ? [] : yield* thoseIn(folder, hooks, names);
}

function* thoseIn(folder: string, hooks: string, names: readonly string[]): Looking<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    // Git reads a file anywhere and keeps nothing of it.
    const hash = yield* git(folder, ['hash-object', '--no-filters', '--', `${hooks}/${name}`]);
    if (hash !== null) found.push(name);
  }
  return found;
}

/** What a stopped run may have left undone, as the end of a sentence; undefined without hooks. */
export function stoppedHooks(names: readonly string[], whose = 'git'): string | undefined {
  if (names.length === 0) return undefined;
  const hooks = names.length === 1 ? `the hook ${names.join('')}` : `the hooks ${names.join(', ')}`;
  return `; ${hooks} of ${whose} may have been stopped before the end: look whether what they do is done`;
}
