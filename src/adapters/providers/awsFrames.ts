// Watches AWS's event-stream framing below the SDK (docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html):
// every message begins with its own length. The SDK takes memory for whatever length it is told, so an impossible one is
// refused before the SDK sees it. Checksums and contents are the SDK's matter.
import { EVENT_LIMIT_BYTES, tooLarge } from './answerLimits.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

/** Length, header length, their checksum, and the checksum of the whole. */
const SMALLEST_BYTES = 16;
const LENGTH_BYTES = 4;

/** Follows the messages of one stream. */
export interface FrameMeter {
  /** Throws a `TroubleError` where a message says a length that none has. */
  push(chunk: Uint8Array): void;
  /** Whether the stream would end inside a message if it ended now. */
  isInside(): boolean;
}

/** A meter before the first byte. */
export function frameMeter(): FrameMeter {
  let length = 0;
  let lengthBytes = 0;
  let leftBytes = 0;
  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (leftBytes > 0) {
          const step = Math.min(leftBytes, chunk.length - at);
          leftBytes -= step;
          at += step;
          continue;
        }
        length = length * 256 + (chunk[at] ?? 0);
        at++;
        lengthBytes++;
        if (lengthBytes < LENGTH_BYTES) continue;
        if (length > EVENT_LIMIT_BYTES) throw new TroubleError(tooLarge('One event', EVENT_LIMIT_BYTES));
        if (length < SMALLEST_BYTES) throw new TroubleError(damaged());
        leftBytes = length - LENGTH_BYTES;
        length = 0;
        lengthBytes = 0;
      }
    },
    isInside: () => leftBytes > 0 || lengthBytes > 0,
  };
}

function damaged(): ReturnType<typeof trouble> {
  return trouble(TROUBLE_CODES.malformedChunk, 'A message of the event stream is damaged.');
}
