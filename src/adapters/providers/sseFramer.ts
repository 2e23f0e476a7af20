// Cuts a stream of bytes into server-sent events without losing or copying more than it must: every byte is in exactly
// one frame, comments and blank lines included, and the frames do not depend on how the network split the bytes.
// Line ends: LF, CRLF and CR (WHATWG HTML, 9.2.6). A frame ends after its blank line.

const LF = 0x0a;
const CR = 0x0d;
const BOM = '\uFEFF';

/** One event as framed, and what its fields say. */
export interface SseFrame {
  readonly bytes: Uint8Array;
  /** The bytes are `data: ` and the data, a blank line, and nothing else. */
  readonly isPlain: boolean;
  /** The `event:` field, or null. */
  readonly event: string | null;
  /** The `data:` lines joined by LF; null where there is none (comments, blank lines). */
  readonly data: string | null;
}

/** A framer for one stream. */
export interface SseFramer {
  /** The frames completed by these bytes, in order. The bytes must not be changed afterwards. */
  push(chunk: Uint8Array): SseFrame[];
  /** The unfinished rest at the end of the stream as one frame, or null. */
  end(): SseFrame | null;
  /** Bytes of the unfinished frame. */
  pendingBytes(): number;
}

/** Starts before the first byte of a stream. */
export function createSseFramer(): SseFramer {
  let pending: Uint8Array[] = [];
  let pendingSize = 0;
  let isFirst = true;
  // State of the byte scanner, kept over chunks: characters on the current line, and whether the last byte was a CR.
  let lineLength = 0;
  let afterCr = false;
  // A blank line that ended in CR: the frame ends after the LF that may still come.
  let boundaryOpen = false;

  const finish = (tail: Uint8Array): SseFrame => {
    const bytes = pendingSize === 0 ? tail : Buffer.concat([...pending, tail]);
    pending = [];
    pendingSize = 0;
    const frame = parseFrame(bytes, isFirst);
    isFirst = false;
    return frame;
  };

  const push = (chunk: Uint8Array): SseFrame[] => {
    const frames: SseFrame[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (boundaryOpen) {
        boundaryOpen = false;
        const end = byte === LF ? i + 1 : i;
        frames.push(finish(chunk.subarray(start, end)));
        start = end;
        if (byte === LF) {
          afterCr = false;
          continue;
        }
        afterCr = false;
      }
      if (byte === LF) {
        if (afterCr) {
          afterCr = false;
        } else if (lineLength === 0) {
          frames.push(finish(chunk.subarray(start, i + 1)));
          start = i + 1;
        } else {
          lineLength = 0;
        }
      } else if (byte === CR) {
        if (lineLength === 0) boundaryOpen = true;
        lineLength = 0;
        afterCr = true;
      } else {
        lineLength++;
        afterCr = false;
      }
    }
    if (start < chunk.length) {
      const rest = chunk.subarray(start);
      pending.push(rest);
      pendingSize += rest.length;
    }
    return frames;
  };

  return {
    push,
    end: () => (pendingSize === 0 ? null : finish(new Uint8Array(0))),
    pendingBytes: () => pendingSize,
  };
}

function parseFrame(bytes: Uint8Array, isFirst: boolean): SseFrame {
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const hasMark = isFirst && text.startsWith(BOM);
  if (hasMark) text = text.slice(1);
  // The common shape of the OpenAI wire: one `data:` line and a blank one.
  if (
    text.startsWith('data: ') &&
    text.endsWith('\n\n') &&
    text.indexOf('\n') === text.length - 2 &&
    !text.includes('\r')
  ) {
    return { bytes, isPlain: !hasMark, event: null, data: text.slice(6, -2) };
  }
  let event: string | null = null;
  let data: string | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    if (colon === 0 || line === '') continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') data = data === null ? value : `${data}\n${value}`;
    else if (name === 'event') event = value;
  }
  return { bytes, isPlain: false, event, data };
}
