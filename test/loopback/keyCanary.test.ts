// A key goes to its provider and nowhere else: not to standard output, not into errors of clients, events, metrics, reports
// or the database, even where the provider quotes it back in every way it can. The command line runs as it is shipped.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startWall } from '../../src/bench/wall/wall.ts';
import { makeSchedule } from '../../src/bench/wall/schedule.ts';
import { answeringModel, failingModels, startEchoServer } from '../support/echoServer.ts';

const CANARY = 'zq-canary-1f7Kp0Wn3-do-not-show';
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const SLOW_MS = 120_000;

/** Ways in which a key may be written. */
const spellings = (key: string): readonly string[] => [
  key,
  encodeURIComponent(key),
  Buffer.from(key).toString('base64').replace(/=+$/, ''),
  Buffer.from(key).toString('hex'),
];

/** A command of the product as its own process. */
function start(args: readonly string[], folder: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...process.env, XDG_DATA_HOME: path.join(folder, 'data'), ...env },
  });
  let text = '';
  let announce: () => void = () => undefined;
  const firstLine = new Promise<void>((resolve) => (announce = resolve));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
      if (text.includes('\n')) announce();
    });
  const ended = new Promise<number | null>((resolve) =>
    child.on('close', (code) => {
      announce();
      resolve(code);
    }),
  );
  return { firstLine, ended, text: () => text, stop: () => child.kill('SIGTERM') };
}

/** Names of the files below a folder that hold one of the texts. */
async function filesWith(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    if (texts.some((text) => bytes.includes(text))) found.push(path.relative(folder, file));
  }
  return found;
}

describe('a key', () => {
  it(
    'is nowhere but at its provider after calls that fail in every way that quotes it',
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'belay-canary-'));
      const server = await startEchoServer(CANARY);
      const config = path.join(folder, 'belay.json');
      const provider = {
        id: 'echo',
        kind: 'openai-compatible',
        baseUrl: server.baseUrl,
        keyEnv: 'ECHO_KEY',
        models: [...failingModels, answeringModel].map((name) => ({ name })),
      };
      await writeFile(
        config,
        JSON.stringify({
          token: 'client-token',
          'belay.providers': [
            provider,
            { ...provider, account: 'second', path: 'sdk', models: failingModels.map((name) => ({ name })) },
          ],
          'belay.disclosure.rules': [{ verdict: 'allow' }],
          'belay.callDeadlineSeconds': 5,
          // So many failures would close the provider off, and the last ones would not be seen.
          'belay.advanced': { retry: { maxAttemptsPerStep: 1 }, breaker: { isEnabled: false } },
        }),
      );
      const shown: string[] = [];
      const doctor = start(['doctor', '--config', config], folder, { ECHO_KEY: CANARY });
      await doctor.ended;
      const wrong = start(['doctor', '--config', config], folder, { ECHO_KEY: `${CANARY}-wrong` });
      await wrong.ended;
      const gateway = start(['gateway', '--config', config, '--port', '0'], folder, { ECHO_KEY: CANARY });
      try {
        await gateway.firstLine;
        const { url } = JSON.parse(gateway.text().split('\n')[0] ?? '') as { readonly url: string }; // Its one line.
        const headers = { authorization: 'Bearer client-token', 'content-type': 'application/json' };
        const ask = (model: string, stream: boolean) =>
          fetch(`${url}/v1/chat/completions`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: `hello ${model}` }] }),
          });
        const requestIds: string[] = [];
        for (const model of failingModels)
          for (const stream of [true, false]) {
            const response = await ask(model, stream);
            requestIds.push(response.headers.get('x-belay-request-id') ?? '');
            shown.push(JSON.stringify([...response.headers]), await response.text());
          }
        // The one thing that may hold it is what the model itself says to the client.
        expect(await (await ask(answeringModel, true)).text()).toContain(CANARY);
        expect([...server.called].sort()).toEqual([...failingModels, answeringModel].sort());

        const events = await fetch(`${url}/belay/decisions?replay=1000`, { headers });
        shown.push(await firstPart(events), await (await fetch(`${url}/metrics`, { headers })).text());
        for (const id of requestIds)
          shown.push(await (await fetch(`${url}/belay/decisions/${id}`, { headers })).text());
        shown.push(await (await fetch(`${url}/v1/models`, { headers })).text());
      } finally {
        gateway.stop();
        await gateway.ended;
        await server.close();
      }
      expect(shown.join('\n')).toMatch(/attempt-failed/);
      expect(doctor.text()).toMatch(/echo/);
      for (const spelling of spellings(CANARY)) {
        expect(shown.join('\n')).not.toContain(spelling);
        expect(doctor.text() + wrong.text() + gateway.text()).not.toContain(spelling);
      }
      const files = await filesWith(folder, spellings(CANARY));
      expect((await readdir(folder, { recursive: true })).some((name) => name.endsWith('belay.db'))).toBe(true);
      expect(files).toEqual([]);
      await rm(folder, { recursive: true });
    },
    SLOW_MS,
  );

  it(
    'of the drill is neither in what it prints nor in its report nor in its files',
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'belay-canary-'));
      // The wall draws its keys from the seed: the same ones that the drill's own wall has.
      const wall = await startWall({ seed: 7, schedule: makeSchedule(7, 'none') });
      const keys = wall.endpoints.map(({ apiKey }) => apiKey);
      await wall.close();
      const drill = start(['drill', '--seed', '7', '--faults', 'default', '--keep', '--report', 'drill.html'], folder, {
        TMPDIR: folder,
      });
      await drill.ended;
      expect(new Set(keys).size).toBeGreaterThan(3);
      expect(drill.text()).toMatch(/on the bill/);
      for (const key of keys) expect(drill.text()).not.toContain(key);
      expect((await readdir(folder, { recursive: true })).some((name) => name.endsWith('belay.db'))).toBe(true);
      expect(await filesWith(folder, keys)).toEqual([]);
      await rm(folder, { recursive: true, force: true });
    },
    SLOW_MS,
  );
});

/** What a stream of events sends at once; it never ends by itself. */
async function firstPart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = '';
  for (;;) {
    const read = await Promise.race([reader?.read(), new Promise<null>((resolve) => setTimeout(resolve, 500, null))]);
    if (!read || read.done) break;
    text += Buffer.from(read.value).toString('utf8');
  }
  await reader?.cancel();
  return text;
}
