// The contract of the provider port: an abort closes the socket at once, at every stage, and then there is only silence.
import { describe, expect, it } from 'vitest';
import type { ProviderEvent } from '../../src/engine/ports.ts';
import { answered, collect, PATHS, REQUEST, TEXTS, withServer } from '../support/wirePaths.ts';
import { wireScript } from '../support/wireScripts.ts';

/** Between the abort and the server seeing the closed socket. */
const CLOSE_LIMIT_MS = 100;

describe.each(PATHS)('provider contract, abort: $name', (path) => {
  const events = wireScript(path.wire).events({ texts: TEXTS });

  it.each([
    ['before the headers', 'request', { silent: true } as const],
    ['before the first token', 'event', answered(path, events.slice(0, 1), { stall: true })],
    ['in the middle', 'event', answered(path, events.slice(0, 4), { stall: true })],
    [
      'inside an error text',
      'request',
      { status: 500, headers: {}, steps: [{ write: '{"er' }, { stall: true }] } as const,
    ],
    [
      'inside a JSON answer',
      'request',
      { headers: { 'content-type': 'application/json' }, steps: [{ write: '{"i' }, { stall: true }] } as const,
    ],
  ])('closes the socket within 100 ms and then only ends: %s', async (_stage, waitFor, answer) => {
    await withServer(
      path,
      () => answer,
      async ({ server, candidate, providers }) => {
        const controller = new AbortController();
        const seen: ProviderEvent[] = [];
        const firstEvent = Promise.withResolvers<undefined>();
        const reading = (async () => {
          for await (const event of providers.stream(REQUEST, candidate, controller.signal)) {
            seen.push(event);
            firstEvent.resolve(undefined);
          }
        })();
        await (waitFor === 'event' ? firstEvent.promise : server.asked);
        const abortedAt = performance.now();
        controller.abort();
        await server.hungUp;
        expect(performance.now() - abortedAt).toBeLessThan(CLOSE_LIMIT_MS);
        await reading;
        expect(seen.filter((event) => 'failed' in event)).toEqual([]);
      },
    );
  });

  it('ends the same way when the reader is busy with an event while it is aborted', async () => {
    await withServer(
      path,
      () => answered(path, events.slice(0, 4), { stall: true }),
      async ({ server, candidate, providers }) => {
        const controller = new AbortController();
        let count = 0;
        for await (const event of providers.stream(REQUEST, candidate, controller.signal)) {
          expect('failed' in event).toBe(false);
          count++;
          controller.abort();
          await server.hungUp;
        }
        expect(count).toBe(1);
      },
    );
  });

  it('sends nothing when it is aborted before it begins', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ server, candidate, providers }) => {
        expect(await collect(providers.stream(REQUEST, candidate, AbortSignal.abort()))).toEqual([]);
        expect(server.connections()).toBe(0);
      },
    );
  });

  it('closes the socket when the reader leaves early', async () => {
    await withServer(
      path,
      () => answered(path, events.slice(0, 4), { stall: true }),
      async ({ server, candidate, providers }) => {
        for await (const event of providers.stream(REQUEST, candidate, new AbortController().signal)) {
          expect('failed' in event).toBe(false);
          break;
        }
        await server.hungUp;
      },
    );
  });

  it('leaves no listener on a signal that lives on', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ candidate, providers }) => {
        const { signal } = new AbortController();
        let balance = 0;
        const add = signal.addEventListener.bind(signal);
        const remove = signal.removeEventListener.bind(signal);
        signal.addEventListener = (...args: Parameters<typeof add>) => {
          balance++;
          add(...args);
        };
        signal.removeEventListener = (...args: Parameters<typeof remove>) => {
          balance--;
          remove(...args);
        };
        for (let i = 0; i < 5; i++) await collect(providers.stream(REQUEST, candidate, signal));
        await new Promise((resolve) => setImmediate(resolve));
        expect(balance).toBeLessThanOrEqual(1);
      },
    );
  });
});
