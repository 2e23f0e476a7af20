// Reads a file so that what was read is what stood there at one moment: the file's facts must be the same before and after,
// and a file that was touched just now is read twice (clocks of file systems are coarse). Whatever is not a plain file is
// never opened: opening a pipe waits for its other end, and opening a device may do things.
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Disk } from './disk.ts';
import { FileTrouble, hasCode, missing, shown } from './fileTrouble.ts';

/** Takes a file's bytes in order. A new one is begun whenever the file must be read again. */
export interface Sink<T> {
  /** The block is used again after this is settled. */
  take(block: Buffer): Promise<void> | void;
  end(): Promise<T> | T;
}

export interface Scanned<T> {
  readonly value: T;
  /** SHA-256 hex of exactly the bytes that the sink has got. */
  readonly hash: string;
  readonly facts: BigIntStats;
}

export interface ScanOptions {
  /** For messages. */
  readonly name: string;
  readonly limitBytes: number;
}

const BLOCK_BYTES = 1024 * 1024;
const TRIES = 5;
const RETRY_MS = 15;
/** A change within this time before reading may not show in the file's times (jiffies, 10 ms; FAT is checked by content only). */
const RACY_MS = 40n;

/** Null when there is no file. Throws FileTrouble for what is no plain file, too large or never still. */
export async function scanFile<T>(
  disk: Disk,
  path: string,
  { name, limitBytes }: ScanOptions,
  begin: () => Sink<T>,
): Promise<Scanned<T> | null> {
  for (let i = 0; i < TRIES; i++) {
    if (i > 0) await disk.pause(RETRY_MS * i);
    const found = await disk.lstat(path).catch(missing);
    if (found === null) return null;
    if (!found.isFile()) throw new FileTrouble(noFile(name, found.isDirectory()));
    if (found.size > limitBytes) throw new FileTrouble(tooLarge(name, limitBytes));
    const scanned = await scanOnce(disk, path, { name, limitBytes }, begin);
    if (scanned) return scanned;
  }
  throw new FileTrouble(`${shown(name)} keeps changing while it is read. Wait for the program that writes it.`);
}

/** Null: it changed, vanished or could not be opened for want of handles, so it is worth another try. */
async function scanOnce<T>(
  disk: Disk,
  path: string,
  options: ScanOptions,
  begin: () => Sink<T>,
): Promise<Scanned<T> | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  let file: FileHandle;
  try {
    file = await disk.open(path, flags || 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) return null;
    const sink = begin();
    const hash = await readAll(file, options, sink);
    const isRacy = before.mtimeMs > BigInt(Date.now()) - RACY_MS;
    if (isRacy && (await readAll(file, options, { take: () => undefined, end: () => null })) !== hash) return null;
    const after = await file.stat({ bigint: true });
    const isStill = before.size === after.size && before.mtimeNs === after.mtimeNs && before.ino === after.ino;
    return isStill ? { value: await sink.end(), hash, facts: after } : null;
  } finally {
    await file.close();
  }
}

async function readAll(file: FileHandle, { name, limitBytes }: ScanOptions, sink: Sink<unknown>): Promise<string> {
  const hash = createHash('sha256');
  const size = (await file.stat()).size;
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, Math.max(size, 1) + 1));
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    position += bytesRead;
    if (position > limitBytes) throw new FileTrouble(tooLarge(name, limitBytes));
    hash.update(block.subarray(0, bytesRead));
    await sink.take(block.subarray(0, bytesRead));
  }
}

/** A sink that keeps all bytes. */
export function allBytes(): Sink<Buffer> {
  const blocks: Buffer[] = [];
  return { take: (block) => void blocks.push(Buffer.from(block)), end: () => Buffer.concat(blocks) };
}

/** A sink for whom the hash is enough. */
export function noBytes(): Sink<null> {
  return { take: () => undefined, end: () => null };
}

function noFile(name: string, isFolder: boolean): string {
  return isFolder
    ? `${shown(name)} is a folder. Name a file.`
    : `${shown(name)} is a device, a pipe or a socket and was not opened. Name a plain file.`;
}

function tooLarge(name: string, limitBytes: number): string {
  const limit = limitBytes / 1024 / 1024;
  return `${shown(name)} is larger than ${limit} MiB and was not touched. Use a command for files of this size.`;
}
