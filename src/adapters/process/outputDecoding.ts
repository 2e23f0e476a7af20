// From the bytes a command printed to text. UTF-8 is what is expected; what is not is told honestly: single wrong bytes
// become U+FFFD, the UTF-16 that Windows programs print is read as such, and what is no text at all is not shown.

/** Shares of bytes above which output is no text. Compressed data has 9 % of such control characters, text has none. */
const MAX_CONTROL_SHARE = 0.03;
const MAX_NUL_SHARE = 0.3;
/** So many bytes at each end are looked at. */
const SAMPLE_BYTES = 8192;

/** How bytes are read. */
export type Encoding = 'utf8' | 'utf16le' | 'binary';

/** What the bytes most likely are; empty is UTF-8. */
export function encodingOf(bytes: Buffer): Encoding {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
  const sample = Buffer.concat([
    bytes.subarray(0, SAMPLE_BYTES),
    bytes.subarray(Math.max(SAMPLE_BYTES, bytes.length - SAMPLE_BYTES)),
  ]);
  if (sample.length === 0) return 'utf8';
  const oddNuls = sample.filter((byte, i) => byte === 0 && i % 2 === 1).length;
  const nuls = sample.filter((byte) => byte === 0).length;
  const isWide = oddNuls > sample.length * 0.35 && oddNuls > nuls * 0.9;
  if (isWide) return 'utf16le';
  const controls = sample.filter(isStrangeControl).length;
  const isBinary = controls / sample.length > MAX_CONTROL_SHARE || nuls / sample.length > MAX_NUL_SHARE;
  return isBinary ? 'binary' : 'utf8';
}

/** Not NUL, bell, backspace, tab, line feed, vertical tab, form feed, carriage return, shift or escape. */
function isStrangeControl(byte: number): boolean {
  return (byte > 0 && byte < 7) || (byte > 15 && byte < 27) || (byte > 27 && byte < 32) || byte === 127;
}
