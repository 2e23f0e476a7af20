import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SseFrame } from '../../../../src/adapters/providers/sseFramer.ts';
import { createSseFramer } from '../../../../src/adapters/providers/sseFramer.ts';

/** Frames of a stream that arrives in the given pieces, its rest included. */
function framesOf(pieces: readonly Uint8Array[]): SseFrame[] {
  const framer = createSseFramer();
  const frames = pieces.flatMap((piece) => framer.push(piece));
  const rest = framer.end();
  return rest ? [...frames, rest] : frames;
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.map((p) => p % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, i) => bytes.subarray(sorted[i] ?? 0, end));
}

/** Texts that look like streams: fields, comments, odd line ends, characters of several bytes. */
const streamText = fc
  .array(
    fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'event: error',
      'event:ping',
      ': note',
      'id: 1',
      'data: 你好👋',
      'x',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

describe('createSseFramer', () => {
  it('puts every byte into exactly one frame, and the frames do not depend on the split', () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.nat(500), { maxLength: 12 }), (text, places) => {
        const bytes = Buffer.from(text);
        const whole = framesOf([bytes]);
        const split = framesOf(cutAt(bytes, places));
        expect(Buffer.concat(split.map((f) => f.bytes)).equals(bytes)).toBe(true);
        expect(split.map((f) => Buffer.from(f.bytes).toString())).toEqual(
          whole.map((f) => Buffer.from(f.bytes).toString()),
        );
        expect(split.map((f) => [f.event, f.data])).toEqual(whole.map((f) => [f.event, f.data]));
      }),
      { numRuns: 500 },
    );
  });

  it('reads the same events as eventsource-parser', () => {
    fc.assert(
      fc.property(streamText, (text) => {
        // That parser leaves a CR at the very end undecided; a closing blank line decides it.
        const closed = `${text}\n\n`;
        const expected: [string | null, string][] = [];
        const parser = createParser({ onEvent: (e) => expected.push([e.event ?? null, e.data]) });
        parser.feed(closed);
        const actual = framesOf([Buffer.from(closed)]).flatMap((f): [string | null, string][] =>
          f.data === null ? [] : [[f.event, f.data]],
        );
        expect(actual).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('gives a frame out as soon as its blank line is there', () => {
    const framer = createSseFramer();
    expect(framer.push(Buffer.from('data: 1\n')).length).toBe(0);
    expect(framer.push(Buffer.from('\ndata: 2')).map((f) => f.data)).toEqual(['1']);
    expect(framer.pendingBytes()).toBe(7);
    expect(framer.push(Buffer.from('\r\n\r\n')).map((f) => f.data)).toEqual(['2']);
    expect(framer.end()).toBeNull();
  });

  it('copies nothing of a frame that arrived in one piece', () => {
    const chunk = Buffer.from('data: 1\n\ndata: 2\n\n');
    const frames = createSseFramer().push(chunk);
    expect(frames.map((f) => f.bytes.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('skips a byte order mark but keeps its bytes', () => {
    const [frame] = framesOf([Buffer.from('\uFEFFdata: x\n\n')]);
    expect(frame?.data).toBe('x');
    expect(frame?.bytes.length).toBe(12);
  });
});
