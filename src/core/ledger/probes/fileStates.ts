// What stood at some paths before a command and what stands there after it: the common part of the probes that make, copy
// and move files. All as before is ABSENT, all as after is COMMITTED, a mixture is UNKNOWN and names its parts.
import * as z from 'zod';
import type { Footprint, Verdict } from './probe.ts';
import { restOf } from './probe.ts';
import { look } from './reading.ts';
import type { Facts, Looking } from './reading.ts';

/** Null: nothing; `folder`; `other`: neither file nor folder; else the SHA-256 of a file's bytes. */
type PathState = string | null;

const changeSchema = z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() });
export const statesSchema = z.object({
  workspace: z.string(),
  isAlone: z.boolean(),
  files: z.array(changeSchema).min(1),
});

export type StateChange = z.infer<typeof changeSchema>;
export type StatesBaseline = z.infer<typeof statesSchema>;

/** What a look saw, as one value. */
export function stateOf({ kind, hash }: Facts): PathState {
  if (kind === 'missing') return null;
  return kind === 'file' ? hash : kind;
}

/** What stands at a path; undefined where it cannot be seen. */
export function* stateAt(path: string): Looking<PathState | undefined> {
  const seen = yield* look(path);
  return seen.ok ? stateOf(seen.value) : undefined;
}

/** Looks at every path again and says what became of them. */
export function* afterStates({ files, isAlone }: StatesBaseline): Looking<Verdict> {
  const now = new Map<string, PathState>();
  for (const { path } of files) {
    const seen = yield* look(path);
    if (!seen.ok) return { says: 'UNKNOWN', detail: seen.error };
    now.set(path, stateOf(seen.value));
  }
  return compareStates(files, now, isAlone);
}

export function compareStates(
  files: readonly StateChange[],
  now: ReadonlyMap<string, PathState>,
  isAlone: boolean,
): Verdict {
  const at = ({ path }: StateChange): PathState => now.get(path) ?? null;
  const names = files.map(({ path }) => path).join(', ');
  // First, since where nothing was to change there is nothing that could have been done twice.
  if (files.every((file) => at(file) === file.before)) {
    return { says: 'ABSENT', detail: `${names}: as before the command` };
  }
  if (files.every((file) => at(file) === file.after)) {
    return { says: 'COMMITTED', detail: `${names}: as this command leaves it${restOf(isAlone)}` };
  }
  const told = files.map((file) => `${file.path} ${partOf(file, at(file))}`);
  return {
    says: 'UNKNOWN',
    detail: `the command may have been done in part or something else happened: ${told.join('; ')}`,
  };
}

function partOf({ before, after }: StateChange, now: PathState): string {
  if (now === before && now === after) return 'is as it should stay';
  if (now === after) return 'is as after the command';
  if (now === before) return 'is as before it';
  if (now === null) return 'has disappeared';
  return now === 'folder' ? 'is a folder' : 'has other content';
}

export function statesFootprint({ workspace, files }: StatesBaseline): Footprint {
  return { workspace, paths: files.map(({ path }) => path), refs: [], runsPrograms: false };
}

/** The options of a step and its other words. */
export interface SplitWords {
  readonly options: ReadonlySet<string>;
  readonly rest: readonly string[];
}

/** The options of a step and its other words; null where an option is not among the known ones. */
export function splitOptions(words: readonly string[], known: ReadonlySet<string>): SplitWords | null {
  const options = new Set<string>();
  const rest: string[] = [];
  let isOver = false;
  for (const word of words) {
    if (isOver || word === '-' || !word.startsWith('-')) rest.push(word);
    else if (word === '--') isOver = true;
    else for (const option of word.startsWith('--') ? [word] : word.slice(1)) options.add(option);
  }
  return [...options].every((option) => known.has(option)) ? { options, rest } : null;
}
