// The clouds' clients work out of a bundle like the product's: loaded at the first call, from chunks of their own. Running
// from the sources does not show that, because a bundler gives CommonJS packages another shape.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answered, candidateOf, PATHS, REQUEST, SIGNED_IN, TEXTS, WHOLE_TEXT } from '../support/wirePaths.ts';
import { wireScript } from '../support/wireScripts.ts';
import { startWireServer, WIRE_KEY } from '../support/wireServer.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const signal = new AbortController().signal;

/** One attempt, or the sign-ins where there is nothing to find; prints what comes. */
const PROGRAM = `
import { createProviders } from './src/adapters/providers/createProviders.ts';
import { commandLineSignIn } from './src/adapters/providers/commandLineSignIn.ts';
import { createHttpClient } from './src/adapters/providers/httpClient.ts';
const given = JSON.parse(process.env.GIVEN);
const signal = new AbortController().signal;
if (given.candidate) {
  const fixed = (value) => () => Promise.resolve(value);
  const signIn = { entraToken: fixed(given.token), googleToken: fixed(given.token), awsKeys: fixed(given.keys) };
  const providers = createProviders({ secrets: fixed(given.key), signIn });
  for await (const event of providers.stream(given.request, given.candidate, signal)) console.log(JSON.stringify(event));
  providers.dispose();
} else {
  const signIn = commandLineSignIn(() => 0, createHttpClient());
  const lost = (error) => console.log(JSON.stringify([error.name, error.message]));
  await signIn.awsKeys('nobody', signal).catch(lost);
  await signIn.awsKeys(undefined, signal).catch(lost);
  await signIn.googleToken(signal).catch(lost);
}
`;

let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belay-bundle-'));
  await build({
    absWorkingDir: root,
    stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts', sourcefile: 'program.ts' },
    outdir: folder,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    target: 'es2024',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function printed(given: object, environment: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [join(folder, 'stdin.mjs')], {
    env: { PATH: process.env.PATH, GIVEN: JSON.stringify(given), HOME: folder, ...environment },
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('a bundle like the product', () => {
  it.each(PATHS.filter(({ path, route }) => path === 'sdk' || route.proof === 'signature'))(
    'reaches $name',
    async (path) => {
      const server = await startWireServer(path.route, () =>
        answered(path, wireScript(path.wire).events({ texts: TEXTS })),
      );
      try {
        const [token, keys] = await Promise.all([SIGNED_IN.googleToken(signal), SIGNED_IN.awsKeys(undefined, signal)]);
        const candidate = candidateOf(path, server.baseUrl);
        const events = await printed({ candidate, request: REQUEST, key: WIRE_KEY, token, keys });
        expect(JSON.stringify(events)).not.toContain('"failed"');
        const parts = events.flatMap((event) => (event as { parts: { text?: string }[] }).parts); // No failure, see above.
        expect(parts.map(({ text }) => text ?? '').join('')).toBe(WHOLE_TEXT);
      } finally {
        await server.close();
      }
    },
  );

  it('looks for the sign-ins of AWS and Google', async () => {
    const lost = await printed(
      {},
      { AWS_EC2_METADATA_DISABLED: 'true', GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'missing.json') },
    );
    expect(lost).toEqual([
      ['CredentialsProviderError', expect.stringContaining('nobody')],
      ['CredentialsProviderError', expect.stringContaining('Could not load credentials')],
      ['Error', expect.stringContaining('missing.json')],
    ]);
  });
});
