import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameMeter } from '../../../../src/adapters/providers/awsFrames.ts';
import { TroubleError } from '../../../../src/adapters/providers/trouble.ts';
import { awsFrame } from '../../../support/awsWire.ts';

describe('the lengths of an event stream', () => {
  it('tell where a message ends, however the network splits it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        (payloads, seed) => {
          const bytes = Buffer.concat(payloads.map((payload) => awsFrame({ ':message-type': 'event' }, payload)));
          const cut = seed % bytes.length;
          const meter = frameMeter();
          meter.push(bytes.subarray(0, cut));
          const ends = payloads.map((_, i) =>
            payloads
              .slice(0, i + 1)
              .reduce((sum, each) => sum + awsFrame({ ':message-type': 'event' }, each).length, 0),
          );
          expect(meter.isInside()).toBe(cut !== 0 && !ends.includes(cut));
          meter.push(bytes.subarray(cut));
          expect(meter.isInside()).toBe(false);
        },
      ),
    );
  });

  it.each([
    ['0000000f', 'belay_malformed_chunk'],
    ['02000001', 'belay_event_too_large'],
    ['ffffffff', 'belay_event_too_large'],
  ])('refuse %s before anything is taken for it', (hex, code) => {
    const push = (): void => {
      const meter = frameMeter();
      for (const byte of Buffer.from(hex, 'hex')) meter.push(Uint8Array.of(byte));
    };
    expect(push).toThrow(TroubleError);
    expect(push).toThrow(expect.objectContaining({ trouble: expect.objectContaining({ code }) as unknown }) as Error);
  });

  it('accept the smallest and the largest message', () => {
    for (const length of ['00000010', '02000000']) {
      const meter = frameMeter();
      meter.push(Buffer.from(length, 'hex'));
      expect(meter.isInside()).toBe(true);
    }
  });
});
