// The contract of the provider port, hostile servers and bad settings: every attempt ends, says truthfully whether it left this
// machine, goes nowhere but to its own address, and shows no secret. Over real sockets, on every path.
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { ProviderEvent } from '../../src/engine/ports.ts';
import {
  answered,
  candidateOf,
  collect,
  MAIN_PATHS,
  PATHS,
  REQUEST,
  run,
  runOf,
  secretOf,
  SIGNED_IN,
  TEXTS,
  withServer,
  type Bench,
  type Path,
} from '../support/wirePaths.ts';
import { wireScript } from '../support/wireScripts.ts';
import { WIRE_KEY, type WireAnswer } from '../support/wireServer.ts';

/** A server that answers at the first byte and reads no more; bytes as they go over the wire. */
async function withRudeServer<T>(answer: string, work: (address: string) => Promise<T>): Promise<T> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // A TCP server's address is never a string.
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** More than the buffers of both ends hold. */
const LONG = {
  ...REQUEST,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }],
} as const;

/** One attempt that tells what it says of having been sent. */
async function told(
  { providers, candidate }: Pick<Bench, 'providers' | 'candidate'>,
  change: Partial<Candidate> = {},
  asked: string = REQUEST.model,
): Promise<{ readonly events: ProviderEvent[]; readonly sent: boolean[] }> {
  const sent: boolean[] = [];
  const tell = (isSent: boolean): void => void sent.push(isSent);
  const request = { ...REQUEST, model: asked };
  const { signal } = new AbortController();
  return { events: await collect(providers.stream(request, { ...candidate, ...change }, signal, 'id', tell)), sent };
}

const never = (): WireAnswer => ({ reset: true });

describe.each(MAIN_PATHS)('a hostile server: $name', (path: Path) => {
  it.each([999, 600, 204, 205, 304])('ends an attempt that is answered with status %i', async (status) => {
    const { parts, failed } = await run(path, { status, headers: {}, steps: [{ end: true }] });
    expect(parts).toEqual([]);
    expect(failed?.httpStatus).toBe(status);
    if (status < 300) expect(failed?.clientError?.code).toBe('belay_empty_answer');
  });

  it('ends an attempt that is offered another protocol', async () => {
    const headers = { connection: 'upgrade', upgrade: 'h2c' };
    const { parts, failed } = await run(path, { status: 101, headers, steps: [] });
    expect(parts).toEqual([]);
    expect(failed).toMatchObject({ httpStatus: 101, streamPhase: 'before_headers' });
  });

  it('counts a request as sent that is answered before its end, and not before', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';
    for (const [answer, expected] of [
      ['', [false]],
      [head, [false, true]],
    ] as const) {
      await withRudeServer(answer, async (address) => {
        const providers = createProviders({ secrets: () => Promise.resolve(WIRE_KEY), signIn: SIGNED_IN });
        const controller = new AbortController();
        const sent: boolean[] = [];
        const heard = Promise.withResolvers<undefined>();
        const tell = (isSent: boolean): void => {
          sent.push(isSent);
          if (isSent) heard.resolve(undefined);
        };
        const to = candidateOf(path, `${address}${path.route.base}`);
        const events = collect(providers.stream(LONG, to, controller.signal, 'id', tell));
        await Promise.race([heard.promise, new Promise((resolve) => setTimeout(resolve, answer === '' ? 300 : 5000))]);
        controller.abort();
        expect(await events).toEqual([]);
        expect(sent).toEqual(expected);
        providers.dispose();
      });
    }
  });

  it('is sent once and told so once where the connection is closed at the request', async () => {
    await withServer(path, never, async (bench) => {
      const { events, sent } = await told(bench);
      expect(runOf(events).failed?.streamPhase).toBe('before_headers');
      expect(sent).toEqual([false, true]);
      expect(bench.server.seen.length).toBe(1);
    });
  });
});

describe.each(PATHS)('secrets and addresses: $name', (path: Path) => {
  it('shows no secret that a server quotes back in its headers', async () => {
    const secret = secretOf(path);
    const headers = { 'content-type': 'text/plain', 'x-request-id': `for ${secret}`, 'retry-after': secret };
    const { failed } = await run(path, { status: 401, headers, steps: [{ write: `no ${secret}` }, { end: true }] });
    expect(failed?.headers).toMatchObject({ 'x-request-id': 'for [key]', 'retry-after': '[key]' });
    expect(JSON.stringify(failed)).not.toContain(secret);
  });

  it('sends nothing for a base URL with a password or a fragment', async () => {
    await withServer(path, never, async (bench) => {
      const { baseUrl } = bench.candidate;
      for (const bad of [baseUrl.replace('//', '//me:pass-word@'), `${baseUrl}#x`]) {
        const { events, sent } = await told(bench, { baseUrl: bad });
        expect(runOf(events).failed?.clientError?.code).toBe('belay_bad_base_url');
        expect(JSON.stringify(events)).not.toContain('pass-word');
        expect(sent).toEqual([false]);
      }
      expect(bench.server.connections()).toBe(0);
    });
  });
});

describe.each(PATHS.filter(({ kind }) => kind === 'bedrock' || kind === 'vertex'))('a place: $name', (path: Path) => {
  it('is refused where a region or a project is no such name, and nothing is sent', async () => {
    await withServer(path, never, async (bench) => {
      const bad: Partial<Candidate>[] = [{ region: 'us-east-1.evil.example/' }, { region: '../x' }];
      if (path.kind === 'vertex') bad.push({ cloud: { project: '../../evil' } });
      for (const change of bad) {
        const { events, sent } = await told(bench, change);
        expect(runOf(events).failed?.clientError?.code).toBe('belay_unsupported_candidate');
        expect(sent).toEqual([false]);
      }
      expect(bench.server.connections()).toBe(0);
    });
  });
});

describe.each(PATHS.filter(({ route }) => route.path.source.includes('<model>')))(
  'a model in the path: $name',
  (path: Path) => {
    it('is refused where a caller asks for one that changes the path, and nothing is sent', async () => {
      await withServer(path, never, async (bench) => {
        for (const asked of ['..', '../../x', 'a/../b', 'a?b', 'a#b', 'a b', 'a\nb']) {
          const { events, sent } = await told(bench, { model: '{model}' }, asked);
          expect(runOf(events).failed?.clientError?.code).toBe('belay_unsupported_candidate');
          expect(sent).toEqual([false]);
        }
        expect(bench.server.connections()).toBe(0);
      });
    });
  },
);

const KEYED = PATHS.filter(({ auth }) => auth === 'key');

describe.each(KEYED)('the stored key: $name', (path: Path) => {
  it.each(['sk-012\r\nx-evil: 345', 'sk-012…345', 'sk-ü12345', 'sk 012 345', 'sk-\u0000345'])(
    'is named as damaged where it is %j, and nothing is sent or shown',
    async (key) => {
      await withServer(
        path,
        never,
        async (bench) => {
          const { events, sent } = await told(bench);
          expect(runOf(events).failed?.clientError?.code).toBe('belay_key_store');
          expect(JSON.stringify(events)).not.toMatch(/345/);
          expect(sent).toEqual([false]);
          expect(bench.server.connections()).toBe(0);
        },
        key,
      );
    },
  );

  it('is not waited for after an abort', async () => {
    const asked = Promise.withResolvers<undefined>();
    const secrets = (): Promise<string> => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    };
    await withServer(
      path,
      never,
      async ({ providers, candidate }) => {
        const controller = new AbortController();
        const events = collect(providers.stream(REQUEST, candidate, controller.signal));
        await asked.promise;
        controller.abort();
        expect(await events).toEqual([]);
      },
      WIRE_KEY,
      { secrets },
    );
  });

  it('is fine with a line break at its end', async () => {
    const good = answered(path, wireScript(path.wire).events({ texts: TEXTS }));
    const secrets = (): Promise<string> => Promise.resolve(`${WIRE_KEY}\n`);
    const use = async ({ providers, candidate }: Bench): Promise<void> => {
      const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
      expect(runOf(events).failed).toBeNull();
    };
    await withServer(path, () => good, use, WIRE_KEY, { secrets });
  });
});
