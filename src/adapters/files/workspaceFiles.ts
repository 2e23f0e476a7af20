// The file port on the folders of a workspace: texts are read byte for byte, files are changed only by compare-and-swap on
// their SHA-256, and an error always means: not changed. Nothing outside the folders is read or written.
import { decodeText, PLAIN_FORMAT } from '../../core/edits/textFormat.ts';
import type { FileFacts, FilePort, FileState, Result } from '../../engine/ports.ts';
import { applyFiles, keepingMessage } from './applyFiles.ts';
import { type Disk, realDisk } from './disk.ts';
import { MAX_TEXT_BYTES } from './fileJob.ts';
import { FileTrouble, messageOf, missing, shown } from './fileTrouble.ts';
import { type FileWorld, livingUnfinished } from './fileWorld.ts';
import { imageStore } from './imageStore.ts';
import { listFiles } from './listFiles.ts';
import { allBytes, noBytes, scanFile } from './scanFile.ts';
import { type Place, placeOf } from './workspacePaths.ts';
import { namedRoots, type RootFolder } from './workspaceRoots.ts';

export type WorkspaceFilesOptions = {
  /** Absolute folder for the bytes of files before they are changed; made when needed. Equal bytes are kept once. */
  readonly beforeDirectory: string;
  /** Images younger than this are never swept; one hour. */
  readonly youngMs?: number;
} & (
  | {
      /** Absolute folder of a workspace of one folder. */
      readonly root: string;
    }
  | { readonly roots: readonly RootFolder[] }
);

const HASH = /^[0-9a-f]{64}$/;
/** Larger files are not even compared: it would take minutes. */
const MAX_LOOK_BYTES = 4 * 1024 * 1024 * 1024;

/** The file port of a workspace. */
export function workspaceFiles(options: WorkspaceFilesOptions, disk: Disk = realDisk): FilePort {
  const roots = namedRoots('roots' in options ? options.roots : [{ name: '', path: options.root }]);
  const images = imageStore(options.beforeDirectory, disk, options.youngMs);
  const world: FileWorld = { disk, roots, images };
  /** Folders that were seen to hold unfinished files. */
  const littered = new Set<string>();
  let lastWrite: Promise<unknown> = Promise.resolve();
  /** Changes of this process come one after the other: waiting here is cheaper than at the disk. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastWrite.then(work, work);
    lastWrite = turn;
    return turn;
  };
  const at = async <T>(path: string, work: (place: Place) => Promise<T>): Promise<Result<T, string>> => {
    try {
      return { ok: true, value: await work(await placeOf(disk, roots, path)) };
    } catch (error) {
      return { ok: false, error: messageOf(error, path, disk.platform) };
    }
  };
  return {
    locate: (path) => at(path, ({ name }) => Promise.resolve(name)),
    read: (path) => at(path, (place) => stateAt(disk, path, place)),
    look: (path) => at(path, (place) => factsAt(disk, path, place)),
    apply: (writes) => inTurn(() => applyFiles(world, writes)),
    saveBefore: (path) =>
      at(path, async (place) => {
        try {
          return await images.keepFile(place.path, path);
        } catch (error) {
          throw new FileTrouble(keepingMessage(error, path, images.directory));
        }
      }),
    image: (hash) =>
      within(hash, () => {
        if (HASH.test(hash)) return images.read(hash);
        throw new FileTrouble(`"${shown(hash)}" is no SHA-256 of kept bytes. Name one of the ledger.`);
      }),
    sweepImages: (keep) =>
      within(images.directory, async () => {
        for (const folder of littered) await livingUnfinished(world, folder).catch(missing);
        littered.clear();
        return { freedBytes: await images.sweep(keep) };
      }),
    list: async () => {
      const all = await Promise.all(roots.map(({ path }) => listFiles(disk, path, (folder) => littered.add(folder))));
      if (roots.length === 1) return all.flat();
      return all.flatMap((files, i) => files.map((file) => `${roots[i]?.name ?? ''}/${file}`)).sort();
    },
  };

  async function within<T>(name: string, work: () => Promise<T>): Promise<Result<T, string>> {
    try {
      return { ok: true, value: await work() };
    } catch (error) {
      return { ok: false, error: messageOf(error, name, disk.platform) };
    }
  }
}

async function stateAt(disk: Disk, path: string, place: Place): Promise<FileState> {
  const scanned = await scanFile(disk, place.path, { name: path, limitBytes: MAX_TEXT_BYTES }, allBytes);
  if (!scanned) return { exists: false, text: '', format: PLAIN_FORMAT, hash: null, dirtyVersion: null };
  const decoded = decodeText(scanned.value);
  if (decoded.ok)
    return { exists: true, text: decoded.text, format: decoded.format, hash: scanned.hash, dirtyVersion: null };
  throw new FileTrouble(
    decoded.reason === 'binary'
      ? `${shown(path)} is a binary file. Only text files can be read and edited here.`
      : `${shown(path)} is in an encoding that could not be told, or its text is damaged. Convert it to UTF-8, or edit it by hand.`,
  );
}

async function factsAt(disk: Disk, path: string, place: Place): Promise<FileFacts> {
  const found = await disk.lstat(place.path).catch(missing);
  if (!found) return { kind: 'missing', hash: null, sizeBytes: 0, mode: 0 };
  const mode = found.mode & 0o7777;
  const link = place.isThroughLink ? { isLink: true as const } : {};
  if (found.isDirectory()) return { kind: 'folder', hash: null, sizeBytes: 0, mode, ...link };
  if (!found.isFile()) return { kind: 'other', hash: null, sizeBytes: 0, mode, ...link };
  const scanned = await scanFile(disk, place.path, { name: path, limitBytes: MAX_LOOK_BYTES }, noBytes);
  if (!scanned) return { kind: 'missing', hash: null, sizeBytes: 0, mode: 0 };
  return {
    kind: 'file',
    hash: scanned.hash,
    sizeBytes: Number(scanned.facts.size),
    mode: Number(scanned.facts.mode) & 0o7777,
    ...link,
  };
}
