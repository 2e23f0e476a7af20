// Before-images for a command: the files that its own words say it changes, overwrites or removes are kept before it is
// let run and looked at again after its end, so that it can be undone. What its words do not name cannot be known here: a new
// file in a folder may be anybody's, and counts as the command's own only where it has the content of a file that was named.
// A help, never a condition: bounded in files, bytes and time, and what could not be kept is said in the evidence.
import { globCouldMatch } from '../core/guard/globs.ts';
import type { FileChange } from '../core/ledger/entry.ts';
import type { FileFacts, Ports, Result } from './ports.ts';

type FilePorts = Pick<Ports, 'clock' | 'files'>;

/** What is kept of a command. */
export interface KeptFiles {
  /** Compares with what is there now. Call it after the command's end. */
  changed(): Promise<FileOutcome>;
}

export interface FileOutcome {
  /** Files that are not what they were, in the order of their names in the command. */
  readonly files: readonly FileChange[];
  /** What could not be kept or looked at, in words; null: nothing. */
  readonly missing: string | null;
}

export interface KeepLimits {
  readonly files: number;
  readonly totalBytes: number;
  /** How long a command may be delayed, and its end be looked at. */
  readonly delayMs: number;
}

export const KEEP_LIMITS: KeepLimits = { files: 50, totalBytes: 64 * 1024 * 1024, delayMs: 3000 };

/** A file as it was: kept, or known not to be there. */
interface Before {
  readonly hash: string | null;
  readonly mode: number | null;
}

interface Keeping {
  readonly ports: FilePorts;
  readonly limits: KeepLimits;
  readonly isStorable: (path: string) => boolean;
  readonly before: Map<string, Before>;
  /** Folders in which the command may make files. */
  readonly folders: Set<string>;
  readonly unkept: Map<string, string>;
  bytes: number;
}

/**
 * Keeps what stands at `paths` (relative to the workspace; patterns and folders stand for their files) until the time is up.
 * `isStorable` is false for a name that must not be stored, since it holds a secret.
 */
export async function keepFiles(
  ports: FilePorts,
  paths: readonly string[],
  isStorable: (path: string) => boolean,
  limits: KeepLimits = KEEP_LIMITS,
): Promise<KeptFiles> {
  const keeping: Keeping = {
    ports,
    limits,
    isStorable,
    before: new Map(),
    folders: new Set(),
    unkept: new Map(),
    bytes: 0,
  };
  const isDone = await withinTime(keeping, () => keepAll(keeping, paths));
  if (!isDone) keeping.unkept.set('the rest', 'it would have taken too long');
  // What is still under way when the time is up comes too late: the command may be at the file by then.
  const asItWas = { ...keeping, before: new Map(keeping.before), unkept: new Map(keeping.unkept) };
  return { changed: () => changedFiles(asItWas) };
}

/** False: the time was up first. What is under way then still ends, and counts for nothing. */
async function withinTime({ ports: { clock }, limits }: Keeping, work: () => Promise<void>): Promise<boolean> {
  const done = new AbortController();
  const late = clock.sleep(limits.delayMs, done.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([work().then(() => true), late]);
  } finally {
    done.abort();
  }
}

async function keepAll(keeping: Keeping, paths: readonly string[]): Promise<void> {
  let listed: readonly string[] | null = null;
  const list = async (): Promise<readonly string[]> => (listed ??= await keeping.ports.files.list());
  for (const path of paths) {
    if (path === '' || isGitOwn(path)) continue;
    if (/[*?[]/.test(path)) {
      for (const name of (await list()).filter((each) => matches(path, each))) await keepOne(keeping, name);
      continue;
    }
    const kind = await keepOne(keeping, path);
    if (kind !== 'missing' && kind !== 'folder') continue;
    // A missing one may become a folder: `mv src lib`.
    keeping.folders.add(path);
    if (kind === 'missing') continue;
    const inside = (await list()).filter((each) => each.startsWith(`${path}/`));
    if (inside.length === 0) keeping.unkept.set(path, 'its files are not among those of the workspace');
    for (const name of inside) await keepOne(keeping, name);
  }
}

/** Git's own files are changed by git alone and brought back by git alone. */
function isGitOwn(path: string): boolean {
  return path.split('/').includes('.git');
}

/** A pattern as the shell reads it: every part of the path for itself. A folder that matches stands for its files. */
function matches(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  return wanted.length <= parts.length && wanted.every((part, i) => globCouldMatch(part, parts[i] ?? ''));
}

async function keepOne(keeping: Keeping, path: string): Promise<FileFacts['kind'] | null> {
  const { ports, limits, before, unkept } = keeping;
  const name = await ports.files.locate(path);
  if (!name.ok) return refuse(keeping, path, name.error);
  if (before.has(name.value)) return 'file';
  if (!keeping.isStorable(name.value)) return refuse(keeping, 'a file whose name holds a secret', 'it is not stored');
  const facts = await ports.files.look(name.value);
  if (!facts.ok) return refuse(keeping, name.value, facts.error);
  const { kind, sizeBytes, mode } = facts.value;
  if (kind === 'missing') before.set(name.value, { hash: null, mode: null });
  if (kind !== 'file') return kind === 'other' ? refuse(keeping, name.value, 'it is no regular file') : kind;
  const kept = [...before.values()].filter(({ hash }) => hash !== null).length;
  if (kept >= limits.files) {
    unkept.set('the rest', `more than ${limits.files} files`);
    return kind;
  }
  if (keeping.bytes + sizeBytes > limits.totalBytes) {
    return refuse(keeping, name.value, `more than ${Math.round(limits.totalBytes / 1024 / 1024)} MiB in all`);
  }
  keeping.bytes += sizeBytes;
  const saved = await ports.files.saveBefore(name.value);
  if (!saved.ok) return refuse(keeping, name.value, saved.error);
  before.set(name.value, { hash: saved.value, mode: saved.value === null ? null : mode });
  return kind;
}

function refuse({ unkept }: Keeping, path: string, why: string): null {
  unkept.set(path, why);
  return null;
}

async function changedFiles(keeping: Keeping): Promise<FileOutcome> {
  const files: FileChange[] = [];
  const { before } = keeping;
  const unkept = new Map(keeping.unkept);
  const isDone = await withinTime(keeping, async () => {
    const { files: port } = keeping.ports;
    for (const [path, was] of before) {
      const now = await port.look(path);
      // `cp a b` names b/a too: where b is a file in the end, there is none.
      if (!now.ok && was.hash === null && (await isBelowFile(keeping, path))) continue;
      const change = changeOf(path, was, now);
      if (change === 'unread') unkept.set(path, 'it cannot be read any more');
      else if (change) files.push(change);
    }
    for (const path of await madeIn(keeping, before)) {
      const change = changeOf(path, { hash: null, mode: null }, await port.look(path));
      if (change === null || change === 'unread') continue;
      if (isBroughtHere(keeping, before, change)) files.push(change);
      else unkept.set(path, 'it is new, and who made it is not known');
    }
    // What it left, for an undo that merges later changes; an undo of unchanged files works without.
    for (const { path, afterHash } of files) if (afterHash !== null) await keeping.ports.files.saveBefore(path);
  });
  if (!isDone) unkept.set('the rest', 'looking at it afterwards took too long');
  return { files: [...files], missing: missingText(unkept) };
}

/** Files that are in the command's folders now and were not before. */
async function madeIn(
  { folders, limits, unkept, isStorable, ports: { files } }: Keeping,
  before: ReadonlyMap<string, Before>,
): Promise<readonly string[]> {
  // Where not everything of before is known, nobody can say what is new.
  if (unkept.size > 0 || folders.size === 0) return [];
  const grown: string[] = [];
  for (const folder of folders) {
    const facts = await files.look(folder);
    if (facts.ok && facts.value.kind === 'folder') grown.push(folder);
  }
  if (grown.length === 0) return [];
  const made = (await files.list()).filter((path) => grown.some((folder) => path.startsWith(`${folder}/`)));
  return made.filter((path) => !before.has(path) && isStorable(path)).slice(0, limits.files);
}

/** Whether a file that was named has this content and the same name below one of the folders: `mv src lib` makes lib/a.ts. */
function isBroughtHere({ folders }: Keeping, before: ReadonlyMap<string, Before>, made: FileChange): boolean {
  const names = [...folders].flatMap((folder) =>
    made.path.startsWith(`${folder}/`) ? [made.path.slice(folder.length + 1)] : [],
  );
  return [...before].some(
    ([path, { hash }]) =>
      hash !== null && hash === made.afterHash && names.some((name) => path === name || path.endsWith(`/${name}`)),
  );
}

async function isBelowFile({ ports }: Keeping, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let length = 1; length < parts.length; length++) {
    const above = await ports.files.look(parts.slice(0, length).join('/'));
    if (above.ok && above.value.kind === 'file') return true;
  }
  return false;
}

function changeOf(path: string, was: Before, now: Result<FileFacts, string>): FileChange | 'unread' | null {
  if (!now.ok) return 'unread';
  const { hash: afterHash, kind, mode } = now.value;
  if (kind === 'other' || (kind === 'folder' && was.hash === null)) return null;
  if (afterHash === was.hash) return null;
  const bits = was.mode ?? (kind === 'file' ? mode : null);
  return { path, beforeHash: was.hash, afterHash, ...(bits === null ? {} : { mode: bits }) };
}

const MAX_NAMED = 5;

function missingText(unkept: ReadonlyMap<string, string>): string | null {
  if (unkept.size === 0) return null;
  const named = [...unkept].slice(0, MAX_NAMED).map(([path, why]) => `${path} (${why})`);
  const more = unkept.size > MAX_NAMED ? ` and ${unkept.size - MAX_NAMED} more` : '';
  return `not kept for undo: ${named.join(', ')}${more}`;
}
