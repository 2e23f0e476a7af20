// Captured output of a stream: the beginning and the end up to a limit, the true length, and whole characters only.
// The end matters most (that is where tests and compilers say what failed), so both halves are kept.
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
      const leftOut = total - head.length - tail.length;
      if (leftOut <= 0) return Buffer.concat([head, tail]).toString('utf8');
      return `${wholeStart(head)}\n[${leftOut} of ${total} bytes left out]\n${wholeEnd(tail)}`;
    },
    get totalBytes() {
      return total;
    },
  };
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
