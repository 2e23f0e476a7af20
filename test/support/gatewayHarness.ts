// A gateway over real sockets with a scripted controller behind it, and a raw socket client that sends exactly what it is told.
import { connect } from 'node:net';
import OpenAI from 'openai';
import { virtualClock, type VirtualClock } from '../../src/adapters/time/virtualClock.ts';
import { startGateway, type Gateway, type GatewayOptions } from '../../src/gateway/server.ts';
import { fakeController, type FakeController, type FakeOptions, type Script } from './fakeController.ts';

export interface GatewayUnderTest {
  readonly gateway: Gateway;
  readonly controller: FakeController;
  readonly clock: VirtualClock;
  readonly bugs: readonly unknown[];
  readonly client: OpenAI;
  /** Fetches a path with the token. */
  readonly get: (path: string, init?: RequestInit) => Promise<Response>;
  readonly post: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

export interface HarnessOptions extends Partial<Pick<GatewayOptions, 'limits' | 'auth' | 'names' | 'port'>> {
  readonly script?: Script;
  readonly fake?: Partial<FakeOptions>;
}

/** Runs `work` against a gateway that is closed afterwards. */
export async function withGateway(
  options: HarnessOptions,
  work: (test: GatewayUnderTest) => Promise<void>,
): Promise<void> {
  const { script, fake, ...rest } = options;
  const clock = virtualClock(1_000_000);
  const controller = fakeController({ clock, ...(script ? { script } : {}), ...fake });
  const bugs: unknown[] = [];
  const started = await startGateway({ controller, clock, port: 0, reportBug: (error) => bugs.push(error), ...rest });
  if (!started.ok) throw new Error(started.error.message);
  const gateway = started.value;
  const authorization = `Bearer ${gateway.token ?? 'none'}`;
  const get: GatewayUnderTest['get'] = (path, init = {}) =>
    fetch(gateway.url + path, {
      ...init,
      headers: { authorization, ...Object.fromEntries(new Headers(init.headers)) },
    });
  try {
    await work({
      gateway,
      controller,
      clock,
      bugs,
      client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token ?? 'none', maxRetries: 0 }),
      get,
      post: (body, headers = {}) =>
        get('/v1/chat/completions', {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...headers },
        }),
    });
  } finally {
    await Promise.all([gateway.close(), clock.advance(60_000)]);
  }
}

/** Sends text as it is and resolves with everything that came back until the other side closed. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

/** Resolves when `check` holds; for what another socket will do soon. */
export async function until(check: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (check()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never became true');
}

/** The smallest body that is served. */
export const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
