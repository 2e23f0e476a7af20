// Whether a request can have left this machine, as the adapters tell it: what was cancelled before costs nothing.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import { candidate } from '../support/candidates.ts';
import { MAIN_PATHS, REQUEST, withServer } from '../support/wirePaths.ts';

/** Longer than what the system takes off our hands before anybody reads it. */
const HUGE: ChatRequest = {
  ...REQUEST,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(60_000_000) }] }],
};

/** A server that accepts connections and never reads. */
async function withDeafServer(work: (origin: string, connected: Promise<void>) => Promise<void>): Promise<void> {
  const connected = Promise.withResolvers<undefined>();
  const server = createServer((socket) => {
    socket.pause();
    socket.on('error', () => undefined);
    connected.resolve(undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, connected.promise); // of a TCP server
  } finally {
    server.close();
  }
}

describe.each(MAIN_PATHS)('the word that a request was sent: $name', (path) => {
  it('comes after the word that it was not yet, and before the answer', async () => {
    await withServer(
      path,
      () => ({ silent: true }),
      async ({ server, candidate: each, providers }) => {
        const told: boolean[] = [];
        const stop = new AbortController();
        const reading = (async () => {
          for await (const _event of providers.stream(REQUEST, each, stop.signal, 'att', (isSent) => told.push(isSent)))
            throw new Error('nothing was to come');
        })();
        await server.asked;
        stop.abort();
        await reading;
        expect(told).toEqual([false, true]);
      },
    );
  });
});

describe.each(['raw', 'sdk'] as const)('the word that a request was sent, on the way %s', (path) => {
  const at = (baseUrl: string, change: Partial<Candidate> = {}): Candidate =>
    candidate('c', { baseUrl, path, ...change });

  it('does not come for half a request', async () => {
    await withDeafServer(async (origin, connected) => {
      const providers = createProviders({ secrets: () => Promise.resolve(null) });
      const told: boolean[] = [];
      const stop = new AbortController();
      const reading = (async () => {
        for await (const _event of providers.stream(HUGE, at(origin), stop.signal, 'att', (isSent) =>
          told.push(isSent),
        ))
          throw new Error('nothing was to come');
      })();
      await connected;
      stop.abort();
      await reading;
      providers.dispose();
      expect(told).toEqual([false]);
    });
  });

  it('does not come while the key is still being looked for', async () => {
    const asked = Promise.withResolvers<undefined>();
    const key = Promise.withResolvers<string | null>();
    const secrets = (): Promise<string | null> => {
      asked.resolve(undefined);
      return key.promise;
    };
    const providers = createProviders({ secrets });
    const told: boolean[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      const keyed = at('http://127.0.0.1:1', { auth: 'key' });
      for await (const _event of providers.stream(REQUEST, keyed, stop.signal, 'att', (isSent) => told.push(isSent)))
        throw new Error('nothing was to come');
    })();
    await asked.promise;
    stop.abort();
    key.resolve('key');
    await reading;
    providers.dispose();
    expect(told).toEqual([false]);
  });

  it('does not come where nobody listens', async () => {
    const providers = createProviders({ secrets: () => Promise.resolve(null) });
    const told: boolean[] = [];
    const events = [];
    // Port 1 is reserved and closed on every machine that runs these tests.
    for await (const event of providers.stream(
      REQUEST,
      at('http://127.0.0.1:1'),
      new AbortController().signal,
      'att',
      (isSent) => told.push(isSent),
    ))
      events.push(event);
    providers.dispose();
    expect(events).toMatchObject([{ failed: { clientError: { code: 'ECONNREFUSED' } } }]);
    expect(told).toEqual([false]);
  });
});
