// Before any command of the command line: where does the person stand, and are the words those that were written?
// Node turns each byte that is no UTF-8 into U+FFFD, so a name that holds one may mean another file than the one that was
// named. Nothing with it is looked up, let alone run: the true name cannot be had back.
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { shown } from '../adapters/files/fileTrouble.ts';
import type { Result } from '../engine/ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Start {
  /** All words after `belay`. */
  readonly words: readonly string[];
  readonly env: Environment;
  /** The current folder; throws where it is gone. */
  readonly folder: () => string;
}

const REPLACED = '\uFFFD';
/** Folders of Belay's own data. */
const PLACES = ['XDG_DATA_HOME', 'HOME'] as const;
/** The scripts of Belay's package that start the command line. */
const OWN_SCRIPTS: ReadonlySet<string | undefined> = new Set(['belay', 'start']);

/** The folder that paths are meant from, absolute; or, for a person, what is wrong and what to do. */
export function startPlace({ words, env, folder }: Start): Result<string, string> {
  const garbled = words.find((word) => word.includes(REPLACED));
  if (garbled !== undefined) return no(`the word "${excerpt(garbled)}" ${GARBLED} ${USE_ANOTHER_NAME}`);
  for (const name of PLACES) if (isGarbled(env[name])) return no(variableText(name));
  const current = currentFolder(folder);
  if (current === null) return no('the current folder does not exist any more; go to one that does and repeat');
  const start = asNpmSays(env, current) ?? current;
  if (isGarbled(start)) return no(`the name of the current folder, ${shown(start)}, ${GARBLED} Rename it.`);
  if (!isFolder(start)) return no(`the folder ${shown(start)} does not exist; go to one that does and repeat`);
  return { ok: true, value: start };
}

/** What is wrong with a variable that a command would get changed, and what to do; null: nothing. */
export function garbledVariable(env: Environment): string | null {
  const found = Object.entries(env).find(([name, value]) => isGarbled(name) || isGarbled(value));
  return found ? variableText(found[0]) : null;
}

const GARBLED =
  'is not valid UTF-8 or holds U+FFFD, so it cannot be passed on as it was written. Nothing was done or looked up.';
const USE_ANOTHER_NAME =
  "Rename the file, or reach it by a pattern in a text for a shell, e.g. belay exec ... --command 'ls a?'.";

const EXCERPT_CHARS = 40;

/** A long word around the place that matters. */
function excerpt(word: string): string {
  const at = word.indexOf(REPLACED);
  const [from, to] = [Math.max(0, at - EXCERPT_CHARS), at + EXCERPT_CHARS];
  return `${from > 0 ? '…' : ''}${shown(word.slice(from, to).toWellFormed())}${to < word.length ? '…' : ''}`;
}

function variableText(name: string): string {
  return `the environment variable ${shown(name)} ${GARBLED} Change it, or unset it for this command.`;
}

function isGarbled(text: string | undefined): boolean {
  return text?.includes(REPLACED) ?? false;
}

function currentFolder(folder: () => string): string | null {
  try {
    const current = folder();
    // A name with replaced bytes is told as such.
    return isGarbled(current) || isFolder(current) ? current : null;
  } catch {
    // It was removed, or may not be asked for.
    return null;
  }
}

/**
 * Where the person stood, when npm runs a script of Belay's own package: npm runs it in the package's folder. Everything
 * below an `npm run` of any project inherits the same variables, so they count there only, and for Belay's scripts alone.
 */
function asNpmSays(env: Environment, current: string): string | null {
  const { INIT_CWD, npm_lifecycle_event: script, npm_package_name: name, npm_package_json: manifest } = env;
  if (INIT_CWD === undefined || INIT_CWD === '' || !OWN_SCRIPTS.has(script) || name !== 'belay') return null;
  return manifest !== undefined && isSame(dirname(manifest), current) ? INIT_CWD : null;
}

function isSame(one: string, other: string): boolean {
  return isFolder(one) && isFolder(other) && realpathSync(one) === realpathSync(other);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}
