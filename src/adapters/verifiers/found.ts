// What the discovery of checks shares: looking into the workspace without running anything, and words for a shell.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { CheckPlan, CheckPlanRequest } from '../../engine/ports.ts';

/** Looks for the checks of one kind of project. */
export type Discovery = (request: CheckPlanRequest) => Promise<CheckPlan>;

/** No check at all. */
export const noChecks: CheckPlan = { checks: [], lacking: [] };

/** Whether there is a file or folder of that name. */
export async function isThere(workspace: string, path: string): Promise<boolean> {
  return stat(join(workspace, path)).then(
    () => true,
    () => false,
  );
}

/** The first of these names that is there. */
export async function firstThere(workspace: string, paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if (await isThere(workspace, path)) return path;
  return null;
}

/** Whether a program is installed: an executable file of that name in a folder of the PATH. */
export async function isOnPath(program: string, env: CheckPlanRequest['env']): Promise<boolean> {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    for (const name of names) if (await isExecutable(join(folder, name))) return true;
  }
  return false;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}

/** Words of a command line for bash. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Those of the touched files that are still there and end so; no name may be taken for an option. */
export async function touchedFiles(
  { workspace, touched }: CheckPlanRequest,
  ending: RegExp,
): Promise<readonly string[] | null> {
  if (touched === null) return null;
  const files: string[] = [];
  for (const path of touched) if (ending.test(path) && (await isThere(workspace, path))) files.push(path);
  return files.map((path) => (path.startsWith('-') ? `./${path}` : path));
}
