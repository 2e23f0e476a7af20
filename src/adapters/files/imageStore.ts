// Before-images: the bytes of files as they were, kept under their SHA-256. Equal bytes are kept once, and large files in
// chunks that neighbouring versions share. An image is complete and on the disk before its hash is told.
import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { ChunkCutter } from './contentChunks.ts';
import { FileTrouble, missing, shown } from './fileTrouble.ts';
import { ImageObjects, sha256 } from './imageObjects.ts';
import { listsOf, packHashes, partsOf, readPart } from './imageParts.ts';
import { imagePlaces } from './imagePlaces.ts';
import { sweepObjects } from './imageSweep.ts';
import { scanFile, type Sink } from './scanFile.ts';
import { syncFolder } from './writeFile.ts';

/** The store of one folder. Everything throws; FileTrouble has a message for people. */
export interface ImageStore {
  /** Absolute. */
  readonly directory: string;
  /** Keeps the bytes of a file; their hash, or null when there is no file. `name` is for messages. */
  keepFile(path: string, name: string): Promise<string | null>;
  /** Is this image kept and whole? If so it is young from now on. */
  has(hash: string): Promise<boolean>;
  /** The bytes of an image; only those that have this hash. */
  read(hash: string): Promise<Buffer>;
  /** Removes images that are neither in `keep` nor young; the bytes that were freed. */
  sweep(keep: ReadonlySet<string>): Promise<number>;
}

/** Larger files are refused: they would be restored from memory. */
const MAX_IMAGE_BYTES = 256 * 1024 * 1024;
/** Larger files are cut. */
const WHOLE_BYTES = 128 * 1024;
const AT_ONCE = 8;
const YOUNG_MS = 3_600_000;

/** The folder is made when it is first needed. Images younger than `youngMs` are never swept. */
export function imageStore(directory: string, disk: Disk, youngMs = YOUNG_MS): ImageStore {
  const places = imagePlaces(directory);
  const objects = new ImageObjects(disk);

  const keepParts = async (all: readonly Buffer[]): Promise<readonly string[]> => {
    const hashes = all.map(sha256);
    for (let i = 0; i < all.length; i += AT_ONCE) {
      const some = all.slice(i, i + AT_ONCE);
      await Promise.all(some.map((bytes, k) => objects.keep(places.part(hashes[i + k] ?? ''), bytes)));
    }
    return hashes;
  };

  const finishCut = async (hash: string, chunks: readonly string[]): Promise<void> => {
    const lists = await keepParts(listsOf(chunks));
    for (const folder of places.partFolders) await syncFolder(disk, folder).catch(missing);
    await finish(places.cut(hash), packHashes(lists));
  };

  const finish = async (path: string, bytes: Buffer): Promise<void> => {
    if (await objects.keep(path, bytes)) await syncFolder(disk, dirname(path));
  };

  /** Keeps chunks as they come; the image itself only when the bytes are known to be those of one moment. */
  const keeping = (): Sink<(hash: string) => Promise<void>> => {
    const cutter = new ChunkCutter();
    const chunks: string[] = [];
    let first: Buffer[] = [];
    let size = 0;
    return {
      take: async (block) => {
        size += block.length;
        if (size <= WHOLE_BYTES) {
          first.push(Buffer.from(block));
          return;
        }
        const blocks = [...first, block];
        first = [];
        for (const each of blocks) chunks.push(...(await keepParts(cutter.take(each))));
      },
      end: async () => {
        if (size <= WHOLE_BYTES) return (hash) => finish(places.whole(hash), Buffer.concat(first));
        chunks.push(...(await keepParts(cutter.end())));
        return (hash) => finishCut(hash, chunks);
      },
    };
  };

  return {
    directory,
    keepFile: async (path, name) => {
      const scanned = await scanFile(disk, path, { name, limitBytes: MAX_IMAGE_BYTES }, keeping);
      if (!scanned) return null;
      await scanned.value(scanned.hash);
      return scanned.hash;
    },
    has: async (hash) => {
      if (await objects.isKept(places.whole(hash))) return true;
      if (!(await objects.isKept(places.cut(hash)))) return false;
      try {
        const { lists, chunks } = (await partsOf(objects, places, hash)) ?? { lists: [], chunks: [''] };
        for (const part of [...lists, ...chunks]) if (!(await objects.isKept(places.part(part)))) return false;
        return true;
      } catch (error) {
        if (error instanceof FileTrouble) return false;
        throw error;
      }
    },
    read: async (hash) => {
      const whole = await objects.read(places.whole(hash));
      if (whole) return whole;
      const parts = await partsOf(objects, places, hash);
      if (!parts) throw new FileTrouble(gone(hash, directory));
      const chunks: Buffer[] = [];
      for (const chunk of parts.chunks) chunks.push(await readPart(objects, places, chunk));
      const bytes = Buffer.concat(chunks);
      if (sha256(bytes) !== hash) throw new FileTrouble(gone(hash, directory));
      return bytes;
    },
    sweep: (keep) => sweepObjects({ disk, objects, places, keep, youngMs }),
  };
}

function gone(hash: string, directory: string): string {
  return `The bytes of ${hash.slice(0, 12)} are not kept (any more) in ${shown(directory)}. Take the old content from a backup or from Git.`;
}
