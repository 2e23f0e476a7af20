// Rows of one page of a damaged database, cell by cell: a bad cell is left out and the others are read. Nothing that a page
// says is believed without a check of its bounds (https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1).
import type { DamagedPages } from './damagedPages.ts';

/** What a column can hold. */
export type RecordValue = string | number | Uint8Array | null;

/** A row of a table (with its row id) or of an index (without). */
export interface DamagedRecord {
  readonly rowId: number | null;
  readonly values: readonly RecordValue[];
}

/** What a page holds. `children`: pages below it. `isWhole`: every cell could be read. */
export interface PageContent {
  readonly kind: 'table' | 'index' | 'way';
  readonly records: readonly DamagedRecord[];
  readonly children: readonly number[];
  readonly isWhole: boolean;
}

const TABLE_LEAF = 0x0d;
const TABLE_WAY = 0x05;
const INDEX_LEAF = 0x0a;
const INDEX_WAY = 0x02;
const KINDS: ReadonlySet<number> = new Set([TABLE_LEAF, TABLE_WAY, INDEX_LEAF, INDEX_WAY]);

/** The content of a page; null when it is none of a table or index (overflow, free, damaged beyond recognition). */
export function contentOf(pages: DamagedPages, number: number): PageContent | null {
  const page = pages.page(number);
  const start = number === 1 ? 100 : 0;
  const type = page?.readUInt8(start);
  if (!page || type === undefined || !KINDS.has(type)) return null;
  const isWay = type === TABLE_WAY || type === INDEX_WAY;
  const cellCount = page.readUInt16BE(start + 3);
  const pointers = start + (isWay ? 12 : 8);
  if (pointers + cellCount * 2 > pages.usableBytes) return null;
  const places = Array.from({ length: cellCount }, (_, i) => page.readUInt16BE(pointers + i * 2));
  const cells = places.map((at) => cellOf(pages, page, type, at, pointers + cellCount * 2));
  const children = cells.flatMap((cell) => (cell?.child === undefined ? [] : [cell.child]));
  if (isWay) children.push(page.readUInt32BE(start + 8));
  return {
    kind: type === TABLE_WAY ? 'way' : type === TABLE_LEAF ? 'table' : 'index',
    records: cells.flatMap((cell) => (cell?.record ? [cell.record] : [])),
    children,
    isWhole: cells.every((cell) => cell !== null),
  };
}

interface Cell {
  readonly child?: number;
  readonly record?: DamagedRecord;
}

function cellOf(pages: DamagedPages, page: Buffer, type: number, at: number, least: number): Cell | null {
  try {
    if (at < least || at >= pages.usableBytes) return null;
    const child = type === TABLE_WAY || type === INDEX_WAY ? { child: page.readUInt32BE(at) } : {};
    if (type === TABLE_WAY) return child;
    const [payloadBytes, afterSize] = varint(page, at + (type === INDEX_WAY ? 4 : 0));
    const [rowId, from] = type === TABLE_LEAF ? varint(page, afterSize) : [null, afterSize];
    const payload = payloadOf(pages, page, { payloadBytes, from, isTable: type === TABLE_LEAF });
    const values = payload && valuesOf(payload);
    return values ? { ...child, record: { rowId, values } } : null;
  } catch (error) {
    // A length or place that leads out of the page.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Payload {
  readonly payloadBytes: number;
  readonly from: number;
  readonly isTable: boolean;
}

/** The bytes of a cell, with those on overflow pages; null where they cannot all be had. */
function payloadOf(pages: DamagedPages, page: Buffer, { payloadBytes, from, isTable }: Payload): Buffer | null {
  const usable = pages.usableBytes;
  if (payloadBytes > pages.count * usable) return null;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fit = least + ((payloadBytes - least) % (usable - 4));
  const localBytes = payloadBytes <= most ? payloadBytes : fit <= most ? fit : least;
  if (from + localBytes > usable) return null;
  const parts = [page.subarray(from, from + localBytes)];
  let missing = payloadBytes - localBytes;
  let next = missing > 0 ? page.readUInt32BE(from + localBytes) : 0;
  while (missing > 0) {
    const overflow = next > 1 && next <= pages.count ? pages.page(next) : null;
    if (!overflow) return null;
    const bytes = Math.min(missing, usable - 4);
    parts.push(overflow.subarray(4, 4 + bytes));
    missing -= bytes;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function valuesOf(payload: Buffer): readonly RecordValue[] | null {
  const [headerBytes, first] = varint(payload, 0);
  if (headerBytes > payload.length) return null;
  const values: RecordValue[] = [];
  let at = headerBytes;
  for (let place = first; place < headerBytes;) {
    const [type, after] = varint(payload, place);
    const bytes = sizeOf(type);
    if (bytes === null || at + bytes > payload.length) return null;
    values.push(valueOf(type, payload.subarray(at, at + bytes)));
    at += bytes;
    place = after;
  }
  // Bytes left over belong to nothing that was written so.
  return at === payload.length ? values : null;
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function sizeOf(type: number): number | null {
  if (type >= 12) return (type - (type % 2 === 0 ? 12 : 13)) / 2;
  if (type === 7) return 8;
  if (type === 8 || type === 9) return 0;
  return INTEGER_BYTES[type] ?? null;
}

function valueOf(type: number, bytes: Buffer): RecordValue {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8) return 0;
  if (type === 9) return 1;
  if (type < 7) return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
  return type % 2 === 0 ? new Uint8Array(bytes) : utf8.decode(bytes);
}

/** A number of 1 to 9 bytes, and the place after it. */
function varint(bytes: Buffer, start: number): readonly [number, number] {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = bytes.readUInt8(start + i);
    if (i === 8) return [Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte))), start + 9];
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [Number(value), start + i + 1];
  }
  throw new RangeError('a varint has at most nine bytes');
}
