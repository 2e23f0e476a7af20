// What only the SDK paths have: clients that read the environment, and a fetch that may be another one than ours.
import { describe, expect, it } from 'vitest';
import type { FetchFunction } from '../../src/adapters/providers/httpFetch.ts';
import {
  answered,
  collect,
  PATHS,
  REQUEST,
  runOf,
  secretOf,
  TEXTS,
  WHOLE_TEXT,
  withServer,
} from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { jsonAnswer, WIRE_KEY } from '../support/wireServer.ts';

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
  ANTHROPIC_CUSTOM_HEADERS:
    'x-api-key: foreign-secret\nx-foreign: 1\nanthropic-beta: foreign-beta\nanthropic-user-profile-id: foreign-profile',
  ANTHROPIC_PROFILE: 'foreign',
  ANTHROPIC_BEDROCK_BASE_URL: 'http://foreign.invalid',
  ANTHROPIC_VERTEX_BASE_URL: 'http://foreign.invalid',
  ANTHROPIC_VERTEX_PROJECT_ID: 'foreign-project',
  CLOUD_ML_REGION: 'foreign-region',
  AZURE_OPENAI_API_KEY: 'foreign-secret',
  AZURE_OPENAI_ENDPOINT: 'http://foreign.invalid',
  OPENAI_API_VERSION: 'foreign-version',
  AWS_BEARER_TOKEN_BEDROCK: 'foreign-secret',
  AWS_ACCESS_KEY_ID: 'foreign-id',
  AWS_SECRET_ACCESS_KEY: 'foreign-secret',
  AWS_SESSION_TOKEN: 'foreign-session',
  AWS_PROFILE: 'foreign',
  AWS_REGION: 'foreign-region',
  AWS_ENDPOINT_URL: 'http://foreign.invalid',
  GOOGLE_APPLICATION_CREDENTIALS: '/foreign/credentials.json',
  GOOGLE_CLOUD_PROJECT: 'foreign-project',
};

/** The wire server wants no compression asked for, which the platform's fetch does by default. */
const platformFetch: FetchFunction = (input, init) =>
  fetch(input, { ...init, headers: [...new Headers(init?.headers), ['accept-encoding', 'identity']] });

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
        () => answered(path, events),
        async ({ server, candidate, providers }) => {
          const { failed } = runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal)));
          expect(failed).toBeNull();
          const { headers, bodyText, path: asked } = server.seen[0] ?? {};
          const sent = JSON.stringify(headers);
          expect(`${sent}${bodyText ?? ''}${asked ?? ''}`).not.toContain('foreign');
          expect(sent).toContain(secretOf(path));
        },
      ),
    );
  });

  it("works through the platform's fetch as well, and sees the same faults", async () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
    const answers = [
      answered(path, events),
      answered(path, events.slice(0, path.wire === 'openai-chat' ? 3 : 5), { cut: true }),
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
      { fetch: platformFetch },
    );
  });

  it("closes the socket on abort through the platform's fetch", async () => {
    await withServer(
      path,
      () => answered(path, events.slice(0, 4), { stall: true }),
      async ({ server, candidate, providers }) => {
        const controller = new AbortController();
        for await (const event of providers.stream(REQUEST, candidate, controller.signal)) {
          expect('failed' in event).toBe(false);
          controller.abort();
          await server.hungUp;
        }
      },
      WIRE_KEY,
      { fetch: platformFetch },
    );
  });
});
