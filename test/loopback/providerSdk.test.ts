// What only the SDK paths have: clients that read the environment, and a fetch that may be another one than ours.
import { describe, expect, it } from 'vitest';
import { collect, PATHS, REQUEST, runOf, TEXTS, WHOLE_TEXT, withServer } from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { jsonAnswer, streamed, WIRE_KEY } from '../support/wireServer.ts';

/** Variables that the SDKs read by themselves. */
const FOREIGN = {
  OPENAI_API_KEY: 'foreign-secret',
  OPENAI_ADMIN_KEY: 'foreign-secret',
  OPENAI_ORG_ID: 'foreign-org',
  OPENAI_PROJECT_ID: 'foreign-project',
  OPENAI_BASE_URL: 'http://foreign.invalid',
  OPENAI_CUSTOM_HEADERS: 'Authorization: Bearer foreign-secret\nx-foreign: 1',
  ANTHROPIC_API_KEY: 'foreign-secret',
  ANTHROPIC_AUTH_TOKEN: 'foreign-secret',
  ANTHROPIC_BASE_URL: 'http://foreign.invalid',
  ANTHROPIC_CUSTOM_HEADERS: 'x-api-key: foreign-secret\nx-foreign: 1',
};

async function withEnvironment(work: () => Promise<void>): Promise<void> {
  const before = Object.keys(FOREIGN).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, FOREIGN);
  try {
    await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  }
}

describe.each(PATHS.filter((p) => p.path === 'sdk'))('SDK path: $name', (path) => {
  const events = wireScript(path.wire).events({ texts: TEXTS });

  it('takes nothing from the environment: no key, no address, no header', async () => {
    await withEnvironment(() =>
      withServer(
        path,
        () => streamed(events),
        async ({ server, candidate, providers }) => {
          const { failed } = runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal)));
          expect(failed).toBeNull();
          const sent = JSON.stringify(server.seen[0]?.headers);
          expect(sent).not.toContain('foreign');
          expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${WIRE_KEY}`);
        },
      ),
    );
  });

  it("works through the platform's fetch as well, and sees the same faults", async () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
    const answers = [
      streamed(events),
      streamed(events.slice(0, path.wire === 'openai-chat' ? 3 : 5), { cut: true }),
      jsonAnswer(429, error, { 'retry-after': '3' }),
      { reset: true } as const,
    ];
    await withServer(
      path,
      (n) => answers[n] ?? { reset: true },
      async ({ candidate, providers }) => {
        const runs = [];
        for (const _ of answers) {
          runs.push(runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal))));
        }
        const [good, cut, limited, reset] = runs;
        expect(good?.failed).toBeNull();
        expect(textOfParts(good?.parts ?? [])).toBe(WHOLE_TEXT);
        expect(cut?.failed).toMatchObject({ httpStatus: 200, streamPhase: 'mid_stream' });
        expect(cut?.failed?.clientError?.code).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
        expect(limited?.failed).toMatchObject({ httpStatus: 429, headers: { 'retry-after': '3' }, body: error });
        expect(reset?.failed).toMatchObject({ httpStatus: null, streamPhase: 'before_headers' });
        expect(reset?.failed?.clientError?.code).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
      },
      WIRE_KEY,
      // The wire server wants no compression asked for, which the platform's fetch does by default.
      (input, init) =>
        fetch(input, { ...init, headers: [...new Headers(init?.headers), ['accept-encoding', 'identity']] }),
    );
  });

  it("closes the socket on abort through the platform's fetch", async () => {
    await withServer(
      path,
      () => streamed(events.slice(0, 4), { stall: true }),
      async ({ server, candidate, providers }) => {
        const controller = new AbortController();
        for await (const event of providers.stream(REQUEST, candidate, controller.signal)) {
          expect('failed' in event).toBe(false);
          controller.abort();
          await server.hungUp;
        }
      },
      WIRE_KEY,
      (input, init) =>
        fetch(input, { ...init, headers: [...new Headers(init?.headers), ['accept-encoding', 'identity']] }),
    );
  });
});
