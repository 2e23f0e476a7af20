// Captured output of a stream: the beginning and the end up to a limit, the true length, and whole characters only.
// The end matters most (that is where tests and compilers say what failed), so both halves are kept. They end and begin
// with whole lines where lines are short: half a secret is not known for one by those who mask it afterwards.
import { StringDecoder } from 'node:string_decoder';

export interface BoundedOutput {
  /** Takes bytes; returns them as text, with a split character kept back for the next call. */
  push(bytes: Buffer): string;
  /** All that is kept; says in its middle how much was left out. */
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
      if (rest.length > 0) tail = Buffer.concat([tail, rest]).subarray(-half);
      return decoder.write(bytes);
    },
    text() {
      if (total <= head.length + tail.length) return Buffer.concat([head, tail]).toString('utf8');
      const [start, end] = [wholeLinesOf(head), wholeLinesFrom(tail)];
      const leftOut = total - start.length - end.length;
      return `${wholeStart(start)}\n[${leftOut} of ${total} bytes left out]\n${wholeEnd(end)}`;
    },
    get totalBytes() {
      return total;
    },
  };
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
