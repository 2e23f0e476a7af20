// One change of one file: everything that can be found wrong with it before anything is touched. Throws FileTrouble with the
// remedy. A file with several names (hard links) is refused: replacing it would cut the other names off, and writing into it
// could leave it half written.
import { constants, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { encodeText } from '../../core/edits/textFormat.ts';
import type { FileWrite } from '../../engine/ports.ts';
import { foldedName } from './fileNames.ts';
import { FileTrouble, messageOf, shown } from './fileTrouble.ts';
import { type FileWorld, livingUnfinished } from './fileWorld.ts';
import { isGitsOwn } from './gitFolders.ts';
import { sha256 } from './imageObjects.ts';
import { noBytes, scanFile } from './scanFile.ts';
import { targetKey, unfinishedPath } from './unfinished.ts';
import { type Place, placeOf, twinOf } from './workspacePaths.ts';

/** `changing`: the step that changes it was begun, and it is not known whether it was done. */
export type JobState = 'waiting' | 'changing' | 'changed';

export interface FileJob {
  readonly write: FileWrite;
  readonly place: Place;
  /** What was found; null: nothing. */
  readonly found: BigIntStats | null;
  /** SHA-256 hex of the bytes it is to have; null: none. */
  readonly newHash: string | null;
  /** The new bytes; null where the file is only removed. */
  readonly newBytes: (() => Promise<Uint8Array>) | null;
  readonly edit: string;
  /** Unfinished file that holds the target's place and gets its new bytes. */
  readonly claim: string;
  /** The old file under an unfinished name, while it may be needed. */
  aside: string | null;
  state: JobState;
}

/** Trouble with one file of several. */
export class JobTrouble extends FileTrouble {
  readonly path: string;

  constructor(path: string, message: string, cause: unknown) {
    super(message, { cause });
    this.path = path;
  }
}

/** Whatever is thrown by a step names the file that it was about. */
export async function blaming<T>(
  { disk }: FileWorld,
  { write }: Pick<FileJob, 'write'>,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new JobTrouble(write.path, messageOf(error, write.path, disk.platform), error);
  }
}

/** Larger files are no source text, and several copies of them are held in memory. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** Larger ones have no before-image. */
export const MAX_DELETE_BYTES = 256 * 1024 * 1024;

/** Follows the paths of all changes and refuses what names one file twice or two files that a disk could take for one. */
export async function placesOf(world: FileWorld, writes: readonly FileWrite[]): Promise<readonly Place[]> {
  const places: Place[] = [];
  const seen = new Map<string, string>();
  for (const write of writes) {
    const { path, kind, expectedHash } = write;
    const place = await blaming(world, { write }, () => placeOf(world.disk, world.roots, write.path));
    places.push(place);
    if (places.filter((other) => other.path === place.path).length > 1)
      throw new FileTrouble(`${shown(path)} is changed twice in one edit. Make it one change.`);
    if (kind !== 'write' || expectedHash !== null) continue;
    const folded = foldedName(place.path);
    const twin = seen.get(folded);
    if (twin !== undefined) throw new FileTrouble(twinMessage(path, twin));
    seen.set(folded, path);
  }
  return places;
}

/** What the jobs of one edit share. */
export interface EditFacts {
  /** Its name among all edits. */
  readonly id: string;
  /** Real paths that it removes. */
  readonly leaving: ReadonlySet<string>;
}

/** Looks at the file and at what is asked. */
export async function jobOf(
  world: FileWorld,
  write: FileWrite,
  place: Place,
  { id, leaving }: EditFacts,
): Promise<FileJob> {
  const { disk } = world;
  const { path } = write;
  if (await isGitsOwn(disk, place.rootPath, place.path))
    throw new FileTrouble(`${shown(path)} belongs to Git itself and was not changed. Use a git command instead.`);
  if (write.kind === 'delete' && place.isThroughLink) {
    throw new FileTrouble(
      `${shown(path)} is a symbolic link to ${shown(place.name)} and was not deleted. Name that file, or remove the link with a command.`,
    );
  }
  const limitBytes = write.kind === 'write' ? MAX_TEXT_BYTES : MAX_DELETE_BYTES;
  const scanned = await scanFile(disk, place.path, { name: path, limitBytes }, noBytes);
  const hash = scanned?.hash ?? null;
  if (hash !== write.expectedHash) throw new FileTrouble(conflictMessage(path, write.expectedHash, hash));
  if (scanned) await refuseUnwritable(world, write, place, scanned.facts);
  else {
    const twin = await twinOf(disk, place, leaving);
    if (twin !== null) throw new FileTrouble(twinMessage(path, twin));
  }
  const content = write.kind === 'write' ? contentOf(world, write) : { newHash: null, newBytes: null };
  const job = { write, place, found: scanned?.facts ?? null, ...content };
  return { ...job, edit: id, claim: unfinishedPath(place.path, 'new', id), aside: null, state: 'waiting' };
}

async function refuseUnwritable(world: FileWorld, write: FileWrite, place: Place, facts: BigIntStats): Promise<void> {
  const name = shown(write.path);
  const isProtected = (facts.mode & 0o222n) === 0n;
  if (isProtected) throw new FileTrouble(`${name} is write-protected and was not changed. Allow writing to it first.`);
  await world.disk.access(place.path, constants.W_OK);
  if (write.kind === 'write' && facts.nlink > 1n && (await hasOtherNames(world, place.path))) {
    throw new FileTrouble(
      `${name} has other names on the disk (hard links) and was not changed, since they would no longer be the same file. Make it a file of its own first (copy it, then move the copy over it), or write it with a command.`,
    );
  }
}

/** A write that is going on, or a dead one, has a second name of its own. */
async function hasOtherNames(world: FileWorld, path: string): Promise<boolean> {
  const living = await livingUnfinished(world, dirname(path));
  if (living.some(({ target }) => target === targetKey(path))) return false;
  return (await world.disk.lstat(path)).nlink > 1;
}

function contentOf(
  { images }: FileWorld,
  { path, content }: FileWrite & { readonly kind: 'write' },
): Pick<FileJob, 'newHash' | 'newBytes'> {
  if (content.kind === 'image') return { newHash: content.hash, newBytes: () => images.read(content.hash) };
  const { text, format } = content;
  const bytes = encodeText(text, format);
  if (!bytes) {
    const why = text.isWellFormed() ? `holds characters that ${format.encoding} cannot write` : 'is not valid Unicode';
    throw new FileTrouble(`The new text for ${shown(path)} ${why}, so the file was not changed. Send other text.`);
  }
  if (bytes.length > MAX_TEXT_BYTES) {
    const limit = MAX_TEXT_BYTES / 1024 / 1024;
    throw new FileTrouble(`The new text for ${shown(path)} is larger than ${limit} MiB. Write it in parts.`);
  }
  return { newHash: sha256(bytes), newBytes: () => Promise.resolve(bytes) };
}

/** Why a file that is not as expected was left alone. */
export function conflictMessage(path: string, expected: string | null, found: string | null): string {
  const name = shown(path);
  if (found === null) return `${name} was deleted since it was read, so it was not changed. Look at it again.`;
  if (expected === null)
    return `${name} exists already, so it was not made anew. Read it and edit it, or choose another name.`;
  return `${name} was changed by somebody else since it was read, so it was not changed. Read it again and make the edit anew.`;
}

function twinMessage(path: string, twin: string): string {
  return `${shown(path)} was not made: "${shown(twin)}" is there, and the two names differ only in letter case or Unicode form, so many disks take them for one. Use that name, or another one.`;
}
