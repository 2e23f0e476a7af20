// From a word of a command to the file port's name of the path it means, for the probes of files.
import { workspacePath } from '../workspacePath.ts';
import type { Scope } from './probe.ts';
import { locate } from './reading.ts';
import type { Looking } from './reading.ts';

/** The name of `target`, as written in a command; null outside the workspace, inside git's own folders, or where it cannot be known. */
export function* pathOf({ folder, workspace }: Scope, target: string): Looking<string | null> {
  const inside = workspacePath({ cwd: folder, workspace }, target);
  if (inside === null || inside === '') return null;
  const located = yield* locate(`${workspace}/${inside}`);
  // Git itself writes its own files, so that nobody can say whose bytes they are.
  return located.ok && !located.value.split('/').includes('.git') ? located.value : null;
}

/** The last part of a path: where `cp` and `mv` put it in a folder. Null for one that ends in `.` or `..`. */
export function baseName(path: string): string | null {
  const last = path
    .split('/')
    .filter((part) => part !== '')
    .at(-1);
  return last === undefined || last === '.' || last === '..' ? null : last;
}
