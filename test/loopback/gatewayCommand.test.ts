// `belay gateway` with a real file and real sockets; the controller is scripted and the signals are called by hand.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { gatewayCommand, type GatewayHost } from '../../src/cli/gateway.ts';
import type { Settings } from '../../src/core/settings.ts';
import { answer, committed, fakeController, type FakeController, type Script } from '../support/fakeController.ts';
import { hello, until, withGateway } from '../support/gatewayHarness.ts';

const readySchema = z.strictObject({ url: z.url(), token: z.string().nullable(), pid: z.number() });

interface CommandUnderTest {
  readonly out: string[];
  readonly err: string[];
  readonly code: Promise<number>;
  readonly stop: () => void;
  readonly controllers: readonly FakeController[];
  readonly settings: readonly Settings[];
  readonly ready: () => Promise<z.infer<typeof readySchema>>;
}

async function withCommand(
  text: string | null,
  port: number | undefined,
  work: (test: CommandUnderTest) => Promise<void>,
  script: Script = answer({ type: 'text-delta', text: 'ok' }, { type: 'finish', reason: 'stop' }),
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'belay-gateway-'));
  const config = join(folder, 'belay.yaml');
  if (text !== null) await writeFile(config, text);
  const out: string[] = [];
  const err: string[] = [];
  const controllers: FakeController[] = [];
  const settings: Settings[] = [];
  let stop = (): void => undefined;
  const host: GatewayHost = {
    pid: 4242,
    environment: {},
    onStop: (listener) => {
      stop = listener;
      return () => {
        stop = (): void => undefined;
      };
    },
  };
  const code = gatewayCommand(
    { config, ...(port === undefined ? {} : { port }) },
    { out: (line) => out.push(line), err: (line) => err.push(line) },
    (read, clock) => {
      const controller = fakeController({ clock, script });
      settings.push(read);
      controllers.push(controller);
      return Promise.resolve(controller);
    },
    host,
  );
  const ready: CommandUnderTest['ready'] = async () => {
    await until(() => out.length > 0);
    return readySchema.parse(JSON.parse(out[0] ?? ''));
  };
  try {
    await work({ out, err, code, stop: () => stop(), controllers, settings, ready });
  } finally {
    stop();
    await code;
    await rm(folder, { recursive: true });
  }
}

const minimal = `
token: secret-token
candidates:
  - { id: a, kind: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', model: '{model}', keyless: true }
`;

describe('belay gateway', () => {
  it('prints one JSON line, serves, and ends with 0 when it is told to stop', async () => {
    await withCommand(minimal, 0, async ({ ready, code, stop, out, err, controllers, settings }) => {
      const { url, token, pid } = await ready();
      expect([token, pid]).toEqual(['secret-token', 4242]);
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer secret-token' },
        body: JSON.stringify(hello),
      });
      expect(response.status).toBe(200);
      stop();
      expect(await code).toBe(0);
      expect(controllers[0]?.isDisposed()).toBe(true);
      expect(settings[0]?.providers[0]?.models[0]?.name).toBe('{model}');
      expect([out.length, err]).toEqual([1, []]);
    });
  });

  it('lets a running answer end before it stops', async () => {
    const script: Script = [
      committed(),
      { type: 'wait', ms: 300 },
      ...answer({ type: 'text-delta', text: 'late' }, { type: 'finish', reason: 'stop' }).slice(1),
    ];
    await withCommand(
      `${minimal}\nauth: token`,
      0,
      async ({ ready, code, stop }) => {
        const { url } = await ready();
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'x-api-key': 'secret-token' },
          body: JSON.stringify({ ...hello, stream: true }),
        });
        stop();
        expect(await response.text()).toContain('"content":"late"');
        expect(await code).toBe(0);
      },
      script,
    );
  });

  it('makes a token when the file has none, and has none only when the file says so', async () => {
    await withCommand(minimal.replace('token: secret-token', ''), 0, async ({ ready }) => {
      const { url, token } = await ready();
      expect(token).toMatch(/^belay_/);
      expect((await fetch(`${url}/v1/models`)).status).toBe(401);
    });
    await withCommand(minimal.replace('token: secret-token', 'auth: none'), 0, async ({ ready }) => {
      const { url, token } = await ready();
      expect(token).toBeNull();
      expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    });
  });

  it('takes the port from the file unless an option overrides it', async () => {
    await withCommand(`${minimal}\ngateway.port: 0`, undefined, async ({ ready, settings }) => {
      await ready();
      expect(settings[0]?.gatewayPort).toBe(0);
    });
  });

  it('ends with 1 and says what to do when the port is in use', async () => {
    await withGateway({}, async ({ gateway }) => {
      await withCommand(minimal, gateway.port, async ({ code, err, out, controllers }) => {
        expect(await code).toBe(1);
        expect(err).toHaveLength(1);
        expect(err[0]).toContain(`Port ${gateway.port}`);
        expect(out).toEqual([]);
        expect(controllers[0]?.isDisposed()).toBe(true);
      });
    });
  });

  it.each([
    ['a file that is not there', null, undefined, 'there is no such file'],
    ['no YAML', 'a: [1', undefined, 'belay.yaml:1:'],
    ['an unknown key', `${minimal}\nprot: 1`, undefined, 'prot: unknown key'],
    ['an impossible port', minimal, 70_000, '--port'],
  ])('ends with 2 for %s, with one line each and nothing on standard output', async (_, text, port, expected) => {
    await withCommand(text, port, async ({ code, err, out, controllers }) => {
      expect(await code).toBe(2);
      expect(err).toHaveLength(1);
      expect(err[0]).toContain(expected);
      expect(err[0]).not.toContain('\n');
      expect([out, controllers]).toEqual([[], []]);
    });
  });

  it('warns about a key that is not in the environment, and serves the rest', async () => {
    await withCommand(minimal.replace('keyless: true', 'keyEnv: NO_SUCH_KEY'), 0, async ({ ready, err }) => {
      await ready();
      expect(err).toHaveLength(1);
      expect(err[0]).toContain('NO_SUCH_KEY');
    });
  });
});
