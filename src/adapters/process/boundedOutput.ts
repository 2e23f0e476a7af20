// Captured output of a stream: the beginning and the end up to a limit, the true length, and whole characters only.
// The end matters most (that is where tests and compilers say what failed), so both halves are kept. They end and begin
// with whole lines where lines are short: half a secret is not known for one by those who mask it afterwards.
// What is kept is bounded whatever arrives: the head is filled once, the tail is a ring.
import { StringDecoder } from 'node:string_decoder';
import { encodingOf } from './outputDecoding.ts';

export interface BoundedOutput {
  /** Takes bytes; returns them as text, with a split character kept back for the next call. */
  push(bytes: Buffer): string;
  /** All that is kept; says in its middle how much was left out, and of what is no text only how much it was. */
  text(): string;
  readonly totalBytes: number;
}

/** Keeps at most about `limitBytes` bytes. */
export function boundedOutput(limitBytes: number): BoundedOutput {
  const half = Math.max(1, Math.floor(limitBytes / 2));
  const decoder = new StringDecoder('utf8');
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let total = 0;
  return {
    push(bytes) {
      total += bytes.length;
      const room = Math.max(0, half - head.length);
      if (room > 0) head = Buffer.concat([head, bytes.subarray(0, room)]);
      const rest = bytes.subarray(room);
      // Copied: a part of a piece would keep the whole piece alive.
      if (rest.length >= half) tail = Buffer.from(rest.subarray(-half));
      else if (rest.length > 0)
        tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + rest.length - half)), rest]);
      return decoder.write(bytes);
    },
    text() {
      const isWhole = total <= head.length + tail.length;
      const encoding = encodingOf(isWhole ? Buffer.concat([head, tail]) : head);
      if (encoding === 'binary') return `[${total} bytes that are no text, not shown]`;
      if (isWhole) return plainText(Buffer.concat([head, tail]), encoding);
      const [start, end] =
        encoding === 'utf8'
          ? [wholeLinesOf(head), wholeLinesFrom(tail)]
          : [even(head), even(tail.subarray((total - tail.length) % 2))];
      const leftOut = total - start.length - end.length;
      const [first, last] =
        encoding === 'utf8'
          ? [wholeStart(start), wholeEnd(end)]
          : [plainText(start, encoding), plainText(end, encoding)];
      return `${first}\n[${leftOut} of ${total} bytes left out]\n${last}`;
    },
    get totalBytes() {
      return total;
    },
  };
}

function plainText(bytes: Buffer, encoding: 'utf8' | 'utf16le'): string {
  const text = bytes.toString(encoding);
  return encoding === 'utf8' ? text : text.replace(/^\ufeff/, '').toWellFormed();
}

/** Whole UTF-16 units. */
function even(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - (bytes.length % 2));
}

/** Longer lines are cut where they are. */
const MAX_LINE_BYTES = 4096;
const NEWLINE = 0x0a;

/** Without a line that was cut off at the end, where that costs at most half of what is kept. */
function wholeLinesOf(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(NEWLINE);
  return end >= 0 && bytes.length - end <= Math.min(MAX_LINE_BYTES, bytes.length / 2) ? bytes.subarray(0, end) : bytes;
}

/** Without the rest of a line that began before the cut, likewise. */
function wholeLinesFrom(bytes: Buffer): Buffer {
  const end = bytes.indexOf(NEWLINE);
  return end >= 0 && end < Math.min(MAX_LINE_BYTES, bytes.length / 2) ? bytes.subarray(end + 1) : bytes;
}

/** Without a character that was cut off at the end. */
function wholeStart(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}

/** Without the rest of a character that began before the cut: UTF-8 continuation bytes are 10xxxxxx. */
function wholeEnd(bytes: Buffer): string {
  let from = 0;
  while (from < Math.min(3, bytes.length) && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.subarray(from).toString('utf8');
}
