// The pages of a damaged database as they lie on the disk, without SQLite, which gives up at the first bad page on its way.
// Reads only, and only these two files: the database and its write-ahead log (https://www.sqlite.org/fileformat2.html).
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

export interface DamagedPages {
  /** Number of pages; they are counted from 1. */
  readonly count: number;
  /** Bytes of a page that hold content. */
  readonly usableBytes: number;
  /** Pages that hold no content but the way to others, when the file can shrink. */
  readonly hasPointerMap: boolean;
  /** Whether the first page still begins as a database does. */
  readonly hasHeader: boolean;
  /** A page as it was last committed; null where the file ends before it. */
  page(number: number): Buffer | null;
  /** Sizes and times of both files have stayed as they were at the beginning. */
  isUnchanged(): boolean;
  close(): void;
}

const MAGIC = 'SQLite format 3\0';
const DEFAULT_PAGE_BYTES = 4096;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Opens both files for reading. Throws the file system's error. */
export function openDamaged(file: string): DamagedPages {
  const handle = openSync(file, 'r');
  const walHandle = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : null;
  const stamp = (): string => [handle, ...(walHandle === null ? [] : [walHandle])].map(stampOf).join();
  const before = stamp();
  const header = Buffer.alloc(100);
  readSync(handle, header, 0, 100, 0);
  const hasHeader = header.toString('latin1', 0, MAGIC.length) === MAGIC && pageBytesOf(header) !== null;
  const pageBytes = (hasHeader ? pageBytesOf(header) : null) ?? DEFAULT_PAGE_BYTES;
  const reserved = hasHeader && header.readUInt8(20) <= 32 ? header.readUInt8(20) : 0;
  const frames = walHandle === null ? new Map<number, number>() : committedFrames(walHandle, pageBytes);
  const inFile = Math.ceil(fstatSync(handle).size / pageBytes);
  return {
    count: Math.max(inFile, ...frames.keys()),
    usableBytes: pageBytes - reserved,
    // A damaged header says nothing; then a page of pointers must fail as a page of rows.
    hasPointerMap: hasHeader && header.readUInt32BE(52) !== 0,
    hasHeader,
    page(number) {
      const page = Buffer.alloc(pageBytes);
      const at = frames.get(number);
      const from = at === undefined || walHandle === null ? handle : walHandle;
      const read = readSync(from, page, 0, pageBytes, at ?? (number - 1) * pageBytes);
      return read === pageBytes ? page : null;
    },
    isUnchanged: () => stamp() === before,
    close() {
      closeSync(handle);
      if (walHandle !== null) closeSync(walHandle);
    },
  };
}

function stampOf(handle: number): string {
  const { size, mtimeMs } = fstatSync(handle);
  return `${size}:${mtimeMs}`;
}

function pageBytesOf(header: Buffer): number | null {
  const said = header.readUInt16BE(16);
  const bytes = said === 1 ? 65_536 : said;
  return bytes >= 512 && (bytes & (bytes - 1)) === 0 ? bytes : null;
}

/**
 * Where the last committed content of each page lies in the log. Each frame is checked by the checksum that the frame before
 * it has stored, so that a damaged one does not take those after it along.
 */
function committedFrames(handle: number, pageBytes: number): ReadonlyMap<number, number> {
  const committed = new Map<number, number>();
  const header = Buffer.alloc(WAL_HEADER_BYTES);
  const isRead = readSync(handle, header, 0, WAL_HEADER_BYTES, 0) === WAL_HEADER_BYTES;
  const magic = header.readUInt32BE(0);
  if (!isRead || (magic & 0xfffffffe) >>> 0 !== 0x377f0682 || header.readUInt32BE(8) !== pageBytes) return committed;
  const isBigEndian = (magic & 1) === 1;
  const salts = header.subarray(16, 24);
  let stored: readonly [number, number] = [header.readUInt32BE(24), header.readUInt32BE(28)];
  let pending: (readonly [number, number])[] = [];
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
  for (let at = WAL_HEADER_BYTES; readSync(handle, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    if (!frame.subarray(8, 16).equals(salts)) break;
    const first = checksum(frame.subarray(0, 8), stored, isBigEndian);
    const sum = checksum(frame.subarray(FRAME_HEADER_BYTES), first, isBigEndian);
    stored = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    if (sum[0] === stored[0] && sum[1] === stored[1]) pending.push([frame.readUInt32BE(0), at + FRAME_HEADER_BYTES]);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, place] of pending) committed.set(page, place);
    pending = [];
  }
  return committed;
}

/** The running checksum of the log, 32-bit words two at a time. */
function checksum(bytes: Buffer, from: readonly [number, number], isBigEndian: boolean): readonly [number, number] {
  let [one, two] = from;
  for (let at = 0; at < bytes.length; at += 8) {
    const [a, b] = isBigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    one = (one + a + two) >>> 0;
    two = (two + b + one) >>> 0;
  }
  return [one, two];
}
