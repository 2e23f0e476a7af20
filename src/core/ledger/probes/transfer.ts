// What `cp` and `mv` have in common: sources, and a destination that is a file or a folder to put them in.
import { stateAt } from './fileStates.ts';
import type { SplitWords } from './fileStates.ts';
import { baseName, pathOf } from './paths.ts';
import type { Scope } from './probe.ts';
import type { Looking } from './reading.ts';

export interface TransferWords {
  readonly sources: readonly string[];
  readonly destination: string;
}

export function transferWords(split: SplitWords | null): TransferWords | null {
  const sources = split?.rest.slice(0, -1) ?? [];
  const destination = split?.rest.at(-1);
  return sources.length === 0 || destination === undefined ? null : { sources, destination };
}

/** Where one source goes, as the file port names it; null where that is not certain. */
export function* destinationOf(
  scope: Scope,
  source: string,
  destination: string,
  isFolder: boolean,
): Looking<string | null> {
  const isRoot = destination === '.' || destination === './';
  const path = isRoot ? null : yield* pathOf(scope, destination);
  if (!isRoot && path === null) return null;
  const state = path === null ? 'folder' : yield* stateAt(path);
  if (state === 'folder') {
    const name = baseName(source);
    return name === null ? null : yield* pathOf(scope, `${destination}/${name}`);
  }
  // Several sources, or a name that ends like a folder's, need a folder that is there: such a command does nothing.
  return isFolder || destination.endsWith('/') || state === undefined ? null : path;
}
