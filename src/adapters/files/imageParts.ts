// Large images: which parts one is made of. Its `.parts` object names lists, each list names chunks; both are hashes in a row.
import { FileTrouble, shown } from './fileTrouble.ts';
import type { ImageObjects } from './imageObjects.ts';
import type { ImagePlaces } from './imagePlaces.ts';

const HASH_BYTES = 32;
/** One chunk in 32 ends a list, so that an edit changes one list and not all of them. */
const LIST_END_MASK = 31;
const LIST_AT_MOST = 256;

export interface PartsOfImage {
  readonly lists: readonly string[];
  /** In the order of the file. */
  readonly chunks: readonly string[];
}

/** The parts of a cut image; null: there is no such image. Throws FileTrouble where something is damaged or gone. */
export async function partsOf(objects: ImageObjects, places: ImagePlaces, hash: string): Promise<PartsOfImage | null> {
  const top = await objects.read(places.cut(hash));
  if (!top) return null;
  const lists = unpackHashes(top);
  const chunks: string[] = [];
  for (const list of lists) chunks.push(...unpackHashes(await readPart(objects, places, list)));
  return { lists, chunks };
}

/** Throws FileTrouble when the part is damaged or gone. */
export async function readPart(objects: ImageObjects, places: ImagePlaces, hash: string): Promise<Buffer> {
  const bytes = await objects.read(places.part(hash));
  if (bytes) return bytes;
  throw new FileTrouble(
    `A part of the kept bytes is gone: ${shown(places.part(hash))}. Take the old content from a backup or from Git.`,
  );
}

/** The lists of some chunks, as bytes. */
export function listsOf(chunks: readonly string[]): readonly Buffer[] {
  const lists: string[][] = [[]];
  for (const chunk of chunks) {
    const list = lists.at(-1) ?? [];
    list.push(chunk);
    const isEnd = (parseInt(chunk.slice(0, 2), 16) & LIST_END_MASK) === 0 || list.length >= LIST_AT_MOST;
    if (isEnd) lists.push([]);
  }
  return lists.filter((list) => list.length > 0).map(packHashes);
}

export function packHashes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.join(''), 'hex');
}

function unpackHashes(bytes: Buffer): readonly string[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.toString('hex', i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
