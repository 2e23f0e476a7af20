import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, PLAIN_FORMAT } from '../../../../src/core/edits/textFormat.ts';

const bytes = (...all: number[]): Uint8Array => Uint8Array.from(all);

describe('text files as bytes', () => {
  it.each([
    ['UTF-8', bytes(0x63, 0xc3, 0xa9), 'c\u00e9', { encoding: 'utf-8', hasMark: false }],
    ['UTF-8 with a mark', bytes(0xef, 0xbb, 0xbf, 0x61), 'a', { encoding: 'utf-8', hasMark: true }],
    ['two marks', bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), '\ufeff', { encoding: 'utf-8', hasMark: true }],
    ['UTF-16 LE', bytes(0xff, 0xfe, 0x61, 0, 0x0d, 0, 0x0a, 0), 'a\r\n', { encoding: 'utf-16le', hasMark: true }],
    [
      'UTF-16 BE',
      bytes(0xfe, 0xff, 0, 0x61, 0xd8, 0x3d, 0xde, 0x00),
      'a\u{1f600}',
      { encoding: 'utf-16be', hasMark: true },
    ],
    ['Windows-1252', bytes(0x63, 0xe9, 0x80), 'c\u00e9\u20ac', { encoding: 'windows-1252', hasMark: false }],
    ['nothing', bytes(), '', PLAIN_FORMAT],
  ])('are read as %s and written back as they were', (_, raw, text, format) => {
    expect(decodeText(raw)).toEqual({ ok: true, text, format });
    expect(encodeText(text, { ...PLAIN_FORMAT, ...(format as typeof PLAIN_FORMAT) })).toEqual(raw);
  });
  it.each([
    ['zero bytes', bytes(0x61, 0, 0x62), 'binary'],
    ['a picture', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0), 'binary'],
    ['UTF-32', bytes(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), 'binary'],
    ['control characters', bytes(0x61, 0x01, 0xff), 'undecodable'],
    ['half a character of UTF-16', bytes(0xff, 0xfe, 0x61), 'undecodable'],
    ['a lone surrogate', bytes(0xff, 0xfe, 0x00, 0xd8), 'undecodable'],
  ])('are refused where they hold %s', (_, raw, reason) => {
    expect(decodeText(raw)).toEqual({ ok: false, reason });
  });
  it('are not written where the format cannot hold the text', () => {
    expect(encodeText('\u4e2d', { encoding: 'windows-1252', hasMark: false })).toBeNull();
    expect(encodeText('\ud800', PLAIN_FORMAT)).toBeNull();
  });
  it('come back byte for byte, whatever they are', () => {
    const raw = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => new TextEncoder().encode(text)),
      fc
        .tuple(fc.constantFrom([0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf]), fc.uint8Array({ maxLength: 20 }))
        .map(([mark, rest]) => Uint8Array.from([...mark, ...rest])),
    );
    fc.assert(
      fc.property(raw, (all) => {
        const decoded = decodeText(all);
        if (decoded.ok) expect(encodeText(decoded.text, decoded.format)).toEqual(all);
      }),
      { numRuns: 3000 },
    );
  });
});
