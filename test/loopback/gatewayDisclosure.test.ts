// `belay gateway --workspace DIR` as it is built from its options: a real file, a real folder with a .belayignore, real
// sockets, and a provider on loopback that keeps what it was sent.
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayFromOptions } from '../../src/cli/gatewayOptions.ts';
import type { CommandIo } from '../../src/cli/io.ts';

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
let folder = '';
let before: string | undefined;
let upstream: Server;
let bodies: string[] = [];

const address = (server: Server): string => {
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${at.port}`;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belay-disclosure-'));
  before = process.env.XDG_DATA_HOME;
  process.env.XDG_DATA_HOME = join(folder, 'data');
  bodies = [];
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      const found = /BELAY_HIDDEN_\w+_/.exec(body)?.[0] ?? 'nothing';
      const chunk = (delta: object, finish: string | null): string =>
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        chunk({ role: 'assistant', content: `saw ${found.slice(0, 5)}` }, null) +
          chunk({ content: found.slice(5) }, null) +
          chunk({}, 'stop') +
          'data: [DONE]\n\n',
      );
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  if (before === undefined) delete process.env.XDG_DATA_HOME;
  else process.env.XDG_DATA_HOME = before;
  await new Promise((resolve) => upstream.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function withGateway(
  settings: string,
  workspace: string,
  work: (
    ask: (messages: readonly object[], headers?: Record<string, string>) => Promise<{ status: number; text: string }>,
  ) => Promise<void>,
): Promise<void> {
  const config = join(folder, 'belay.yaml');
  await writeFile(
    config,
    `token: t\n${settings}\ncandidates:\n  - { id: a, kind: openai-compatible, baseUrl: '${address(upstream)}/v1', model: m, keyless: true }\n`,
  );
  const err: string[] = [];
  const ready = Promise.withResolvers<string>();
  const io: CommandIo = { stdin: process.stdin, out: ready.resolve, err: (line) => err.push(line) };
  const code = gatewayFromOptions({ config, port: '0', workspace }, folder, io);
  void code.then((ended) => ready.reject(new Error(`ended with ${ended}: ${err.join('\n')}`)));
  try {
    const [, url = ''] = /"url":"([^"]+)"/.exec(await ready.promise) ?? [];
    await work(async (messages, headers = {}) => {
      const response = await fetch(`${url.replace(/\/v1\/?$/, '')}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer t', ...headers },
        body: JSON.stringify({ model: 'm', messages, seed: 7 }),
      });
      return { status: response.status, text: await response.text() };
    });
  } finally {
    process.emit('SIGTERM');
    expect(await code).toBe(0);
  }
}

const readsEnv = [
  { role: 'user', content: 'look' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"./.env"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'KEY=from-the-env-file' },
];

describe('belay gateway', () => {
  it('withholds what the .belayignore of --workspace keeps, also as it was changed a moment ago', async () => {
    await withGateway('', '.', async (ask) => {
      await ask(readsEnv);
      expect(bodies[0]).toContain('KEY=from-the-env-file');
      expect(bodies[0]).toContain('"seed":7');
      await writeFile(join(folder, '.belayignore'), '.env\n');
      expect((await ask(readsEnv)).status).toBe(200);
      expect(bodies[1]).not.toContain('KEY=from-the-env-file');
      expect(bodies[1]).toContain('Belay withheld this result');
    });
  });

  it('takes secrets out of what is sent and puts them back into the answer', async () => {
    await withGateway('disclosure: { scrubSecrets: true }', '.', async (ask) => {
      const { text } = await ask([{ role: 'user', content: `my token is ${SECRET}` }]);
      expect(bodies[0]).not.toContain(SECRET);
      expect(text).toContain(`saw ${SECRET}`);
    });
  });

  it('denies what its file denies or asks about, whichever role a header names', async () => {
    const rules = `disclosure: { rules: [{ vendor: a, role: coder, verdict: deny }] }`;
    await withGateway(rules, '.', async (ask) => {
      expect((await ask([{ role: 'user', content: 'hi' }])).status).toBe(200);
      const denied = await ask([{ role: 'user', content: 'hi' }], { 'x-belay-role': 'Coder' });
      expect(denied.status).toBe(403);
      expect(denied.text).toContain('belay.disclosure.rules denies vendor a, role coder');
      expect(bodies).toHaveLength(1);
    });
  });

  it('says that --workspace is no folder', async () => {
    const err: string[] = [];
    const io: CommandIo = { stdin: process.stdin, out: () => undefined, err: (line) => err.push(line) };
    expect(await gatewayFromOptions({ config: 'x', workspace: 'nowhere' }, folder, io)).toBe(2);
    expect(err).toEqual([`--workspace ${join(folder, 'nowhere')} is not a folder; name one that exists`]);
  });
});
