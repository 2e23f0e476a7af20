// The contract of the provider port, sign-in: tokens are shared and kept, a refused one is not used again and nothing is
// sent twice for it, an abort is honoured, and what goes wrong names the remedy and no secret. Over real sockets.
import { describe, expect, it } from 'vitest';
import type { ProviderOptions } from '../../src/adapters/providers/createProviders.ts';
import type { SignIn } from '../../src/adapters/providers/signIn.ts';
import { AWS_KEYS } from '../support/awsWire.ts';
import { answered, collect, PATHS, REQUEST, runOf, TEXTS, withServer, type Path } from '../support/wirePaths.ts';
import { WIRE_TOKEN } from '../support/wireRoutes.ts';
import { wireScript } from '../support/wireScripts.ts';
import { jsonAnswer } from '../support/wireServer.ts';

const SIGNED = PATHS.filter(({ auth }) => auth === 'sign-in');
const LIFE_MS = 3_600_000;

/** Every sign-in is `fetch`: it gives what expires at a time, null, or fails. */
function signInBy(fetch: (signal: AbortSignal) => Promise<number | null>): SignIn {
  const token = async (signal: AbortSignal): Promise<{ secret: string; expiresAtMs: number } | null> => {
    const expiresAtMs = await fetch(signal);
    return expiresAtMs === null ? null : { secret: WIRE_TOKEN, expiresAtMs };
  };
  return {
    entraToken: token,
    googleToken: token,
    awsKeys: async (_profile, signal) => {
      const expiresAtMs = await fetch(signal);
      return expiresAtMs === null ? null : { ...AWS_KEYS, expiresAtMs };
    },
  };
}

describe.each(SIGNED)('sign-in: $name', (path: Path) => {
  const good = answered(path, wireScript(path.wire).events({ texts: TEXTS }));
  const withSignIn = <T>(
    options: Partial<ProviderOptions>,
    work: Parameters<typeof withServer<T>>[2],
    script = (_n: number): ReturnType<typeof jsonAnswer> => good,
  ): Promise<T> => withServer(path, script, work, null, options);

  it('is asked once for twenty attempts at a time, and again shortly before the end', async () => {
    let nowMs = 0;
    let fetches = 0;
    const signIn = signInBy(async () => {
      fetches++;
      await new Promise((resolve) => setImmediate(resolve));
      return nowMs + LIFE_MS;
    });
    await withSignIn({ signIn, nowMs: () => nowMs }, async ({ candidate, providers }) => {
      const attempt = async (): Promise<void> => {
        const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        expect(runOf(events).failed).toBeNull();
      };
      await Promise.all(Array.from({ length: 20 }, attempt));
      nowMs = LIFE_MS - 61_000;
      await attempt();
      expect(fetches).toBe(1);
      nowMs = LIFE_MS - 59_000;
      await attempt();
      expect(fetches).toBe(2);
    });
  });

  it('is asked anew after a refusal, and the refused request is not sent again', async () => {
    let fetches = 0;
    const signIn = signInBy(() => {
      fetches++;
      return Promise.resolve(LIFE_MS);
    });
    const status = path.route.proof === 'signature' ? 403 : 401;
    await withSignIn(
      { signIn, nowMs: () => 0 },
      async ({ server, candidate, providers }) => {
        const signal = new AbortController().signal;
        const statuses = [];
        for (let i = 0; i < 4; i++)
          statuses.push(runOf(await collect(providers.stream(REQUEST, candidate, signal))).failed?.httpStatus);
        expect(statuses).toEqual([undefined, status, undefined, undefined]);
        expect(server.seen.length).toBe(4);
        expect(fetches).toBe(2);
      },
      (n) => (n === 1 ? jsonAnswer(status, { message: 'expired' }) : good),
    );
  });

  it('is told with its remedy where nobody is signed in, and nothing is sent', async () => {
    const remedies = { azure: /az login/, bedrock: /aws sso login/, vertex: /gcloud auth application-default login/ };
    await withSignIn({ signIn: signInBy(() => Promise.resolve(null)) }, async ({ server, candidate, providers }) => {
      const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
      expect(events).toMatchObject([
        { failed: { httpStatus: null, streamPhase: 'before_headers', clientError: { code: 'belay_sign_in' } } },
      ]);
      expect(JSON.stringify(events)).toMatch(remedies[path.kind as keyof typeof remedies]); // One of the three clouds.
      expect(server.connections()).toBe(0);
    });
  });

  it('keeps the network code of a sign-in that could not be reached, and no word of what a tool printed', async () => {
    const failures = [
      Object.assign(new Error('secret-in-text'), { code: 'ENOTFOUND' }),
      Object.assign(new Error('secret-in-text'), { code: 'exit_1' }),
      Object.assign(new Error('secret-in-text'), { code: 'secret in code' }),
    ];
    const signIn = signInBy(() => Promise.reject(failures.shift() ?? new Error('secret-in-text')));
    await withSignIn({ signIn }, async ({ candidate, providers }) => {
      const codes = [];
      for (let i = 0; i < 4; i++) {
        const { failed } = runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal)));
        expect(JSON.stringify(failed)).not.toContain('secret');
        codes.push(failed?.clientError?.code);
      }
      expect(codes).toEqual(['ENOTFOUND', 'belay_sign_in', 'belay_sign_in', 'belay_sign_in']);
    });
  });

  it('is given up on abort, and then there is only silence', async () => {
    const controller = new AbortController();
    const gaveUp = Promise.withResolvers<undefined>();
    const signIn = signInBy((signal) => {
      signal.addEventListener('abort', () => {
        gaveUp.resolve(undefined);
      });
      queueMicrotask(() => {
        controller.abort();
      });
      return new Promise(() => undefined);
    });
    await withSignIn({ signIn }, async ({ server, candidate, providers }) => {
      expect(await collect(providers.stream(REQUEST, candidate, controller.signal))).toEqual([]);
      await gaveUp.promise;
      expect(server.connections()).toBe(0);
    });
  });
});

describe('an AWS profile', () => {
  const path = PATHS.find(({ route }) => route.proof === 'signature');
  it('is named to the sign-in and in its remedy', async () => {
    if (!path) throw new Error('one path signs its requests');
    const profiles: unknown[] = [];
    const awsKeys = (profile: string | undefined): Promise<null> => {
      profiles.push(profile);
      return Promise.resolve(null);
    };
    const named = { ...path, cloud: { profile: 'work' } };
    await withServer(
      named,
      () => ({ reset: true }),
      async ({ candidate, providers }) => {
        const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        expect(JSON.stringify(events)).toContain('aws sso login --profile work');
      },
      null,
      { signIn: { awsKeys } },
    );
    expect(profiles).toEqual(['work']);
  });
});
