// Who is let in, and what hostile or broken input does: nothing but a clear refusal.
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { answer } from '../support/fakeController.ts';
import { hello, sendRaw, until, withGateway } from '../support/gatewayHarness.ts';

const script = answer({ type: 'text-delta', text: 'ok' }, { type: 'finish', reason: 'stop' });

/** A request with exactly these headers (fetch would not send a foreign Host). */
function ask(
  port: number,
  headers: Record<string, string>,
  path = '/v1/models',
  method = 'GET',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject).end();
  });
}

describe('admission', () => {
  it('takes the token as Bearer or as x-api-key and refuses every other one with 401', async () => {
    await withGateway({ auth: { token: 'secret-token' } }, async ({ gateway: { port }, controller }) => {
      expect((await ask(port, { authorization: 'Bearer secret-token' })).status).toBe(200);
      expect((await ask(port, { 'x-api-key': 'secret-token' })).status).toBe(200);
      for (const headers of [
        {},
        { authorization: 'Bearer secret-tokeN' },
        { authorization: 'Bearer ' },
        { authorization: 'Basic secret-token' },
        { 'x-api-key': 'secret-token2' },
        { cookie: 'token=secret-token' },
      ]) {
        const refused = await ask(port, headers);
        expect(refused.status).toBe(401);
        expect(refused.body).toContain('"type":"authentication_error"');
        expect(refused.body).not.toContain('secret-token');
      }
      expect((await ask(port, {}, '/nothing')).status).toBe(401);
      expect((await ask(port, {}, '/belay/decisions')).status).toBe(401);
      expect((await ask(port, {}, '/metrics')).status).toBe(401);
      expect((await ask(port, {}, '/healthz')).status).toBe(200);
      expect(controller.calls).toHaveLength(0);
    });
  });

  it('makes a long random token when none is given', async () => {
    await withGateway({}, ({ gateway }) => {
      expect(gateway.token).toMatch(/^belay_[A-Za-z0-9_-]{43}$/);
      return Promise.resolve();
    });
  });

  it('tells the official client that its key is wrong', async () => {
    await withGateway({ script }, async ({ gateway }) => {
      const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
      await expect(
        client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(3_000_000) }] }),
      ).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    });
  });

  it.each([
    ['another name (DNS rebinding)', { host: 'evil.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a web page', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page on this machine', { origin: 'http://localhost:3000' }],
    ['a no-cors fetch of a page', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s with 403, with the right token or where none is needed', async (_, headers) => {
    for (const auth of [{ token: 'secret-token' }, { auth: 'none' }] as const) {
      await withGateway({ auth }, async ({ gateway: { port } }) => {
        const refused = await ask(port, { authorization: 'Bearer secret-token', ...headers });
        expect(refused.status).toBe(403);
        expect((await ask(port, headers as Record<string, string>, '/healthz')).status).toBe(403);
        expect((await ask(port, { host: `LOCALHOST:${port}`, authorization: 'Bearer secret-token' })).status).toBe(200);
      });
    }
  });

  it('checks the token before anything else', async () => {
    await withGateway({}, async ({ gateway: { port } }) => {
      expect((await ask(port, { host: 'evil.example', origin: 'https://evil.example' })).status).toBe(401);
    });
  });

  it('gives no leave to other origins', async () => {
    await withGateway({}, async ({ gateway, get }) => {
      const preflight = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'OPTIONS' });
      const answered = await get('/v1/models');
      for (const response of [preflight, answered]) {
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });
});

describe('bodies', () => {
  it('refuses 10 MB against a limit of 1 MB with 413 in the wire’s shape, with and without a length', async () => {
    const body = JSON.stringify({ ...hello, pad: 'p'.repeat(10_000_000) });
    await withGateway({ script, limits: { bodyBytes: 1_000_000 } }, async ({ get, post, controller }) => {
      const known = await post(body);
      expect(known.status).toBe(413);
      expect(await known.json()).toMatchObject({ error: { code: 'body_too_large', type: 'invalid_request_error' } });
      const stream = new Blob([body]).stream();
      const chunked = await get('/v1/chat/completions', {
        method: 'POST',
        body: stream,
        duplex: 'half',
      });
      expect(chunked.status).toBe(413);
      expect(controller.calls).toHaveLength(0);
      expect((await post(hello)).status).toBe(200);
    });
  });

  it('lets a client that is still sending read why it was refused', async () => {
    await withGateway({ limits: { bodyBytes: 1_000_000 } }, async ({ gateway: { port, token } }) => {
      const size = 20_000_000;
      const errors: unknown[] = [];
      let text = '';
      const socket = connect(port, '127.0.0.1');
      socket.on('error', (error) => errors.push(error)).setEncoding('utf8');
      const answered = new Promise<void>((resolve) => {
        socket.on('data', (chunk: string) => {
          text += chunk;
          resolve();
        });
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${token ?? ''}\r\ncontent-length: ${size}\r\n\r\n`,
      );
      await answered;
      socket.write(Buffer.alloc(size, 'p'));
      await closed;
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(errors).toEqual([]);
    });
  });

  it('does not let a client send a body that would be refused when it asks first', async () => {
    await withGateway({ script, limits: { bodyBytes: 1_000 } }, async ({ gateway: { port, token } }) => {
      const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nexpect: 100-continue\r\n`;
      const large = await sendRaw(port, `${head}x-api-key: ${token ?? ''}\r\ncontent-length: 5000\r\n\r\n`);
      expect(large).toMatch(/^HTTP\/1\.1 413 /);
      const stranger = await sendRaw(port, `${head}content-length: 10\r\n\r\n`);
      expect(stranger).toMatch(/^HTTP\/1\.1 401 /);
      const body = JSON.stringify(hello);
      const fine = await sendRaw(
        port,
        `${head}x-api-key: ${token ?? ''}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      expect(fine).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    });
  });

  it.each([
    ['no JSON', '{"model": "m", secret-prompt', 'body'],
    ['half of it', '{"model": "m"', 'body'],
    ['nothing', '', 'body'],
    ['a list', '[]', 'body'],
    ['no messages', '{"model":"m"}', 'messages'],
    [
      'an unknown role',
      '{"model":"m","messages":[{"role":"user","content":"x"},{"role":"robot","content":"x"}]}',
      'messages[1].role',
    ],
    [
      'a wrong part',
      '{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":1}]}]}',
      'messages[0].content[0].text',
    ],
    ['two answers', '{"model":"m","messages":[{"role":"user","content":"x"}],"n":2}', 'n'],
    ['log probabilities', '{"model":"m","messages":[{"role":"user","content":"x"}],"logprobs":true}', 'logprobs'],
  ])('refuses %s with one 400 that names the place', async (_, body, param) => {
    await withGateway({}, async ({ post, controller }) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_body', param } });
      expect(text).toContain('xpected');
      expect(text).not.toContain('secret-prompt');
      expect(controller.calls).toHaveLength(0);
    });
  });

  it('refuses bytes that are no UTF-8 and compressed bodies', async () => {
    await withGateway({}, async ({ get, post }) => {
      const bytes = await get('/v1/chat/completions', {
        method: 'POST',
        body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
      });
      expect(bytes.status).toBe(400);
      expect((await post(hello, { 'content-encoding': 'gzip' })).status).toBe(415);
    });
  });

  it.each([201, 5_000, 5_000_000])(
    'refuses a body nested %i levels deep with 400, before any attempt',
    async (depth) => {
      await withGateway({ script }, async ({ post, controller }) => {
        const nested = (levels: number): string =>
          `{"model":"m","messages":[{"role":"user","content":"x"}],"pad":${'['.repeat(levels)}${']'.repeat(levels)}}`;
        const startedAt = performance.now();
        const response = await post(nested(depth));
        expect(performance.now() - startedAt).toBeLessThan(2_000);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          error: { code: 'invalid_body', param: 'body', message: expect.stringContaining('200 levels') as unknown },
        });
        expect(controller.calls).toHaveLength(0);
        expect((await post(nested(150))).status).toBe(200);
      });
    },
  );
});

describe('what is not HTTP', () => {
  it.each([
    ['garbage', 'hello there\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'a second way to tell the length',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n', /^$/],
  ])('answers %s and closes', async (_, text, expected) => {
    await withGateway({}, async ({ gateway: { port }, get }) => {
      const answered = await sendRaw(port, text);
      expect(answered).toMatch(expected);
      expect(answered).not.toMatch(/ at |node:|Error:/);
      expect((await get('/healthz')).status).toBe(200);
    });
  });

  it('ends a connection that sends its headers too slowly', async () => {
    await withGateway({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } }, async ({ gateway: { port } }) => {
      expect(await sendRaw(port, 'GET /healthz HTTP/1.1\r\nhost: 127')).toMatch(/^HTTP\/1\.1 408 /);
    });
  });

  it('ends a request that sends its body too slowly', async () => {
    await withGateway(
      { script, limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } },
      async ({ gateway: { port, token }, controller }) => {
        const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${token ?? ''}\r\ncontent-length: 1000\r\n\r\n{`;
        await sendRaw(port, head);
        expect(controller.calls).toHaveLength(0);
      },
    );
  });

  it('closes connections beyond its limit', async () => {
    await withGateway({ limits: { maxConnections: 3 } }, async ({ gateway: { port } }) => {
      const sockets = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'));
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      let isClosed = false;
      const extra = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => {
          isClosed = true;
        });
      extra.resume();
      await until(() => isClosed);
      for (const socket of sockets) socket.destroy();
      expect(isClosed).toBe(true);
    });
  });
});

describe('ids and paths', () => {
  it.each([
    '../healthz',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    'a%0d%0aset-cookie:%20x=1',
    'a/b',
    '__proto__',
    'constructor',
    'x'.repeat(5000),
  ])('finds nothing under the id %s', async (id) => {
    await withGateway({ auth: { token: 'secret-token' } }, async ({ gateway: { port } }) => {
      const answered = await sendRaw(
        port,
        `GET /belay/decisions/${id} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: secret-token\r\nconnection: close\r\n\r\n`,
      );
      expect(answered).toMatch(/^HTTP\/1\.1 404 /);
      expect(answered).not.toMatch(/\r\nset-cookie/i);
      expect(answered).not.toContain('passwd');
    });
  });

  it('does not take a path for another one', async () => {
    await withGateway({ auth: { token: 'secret-token' } }, async ({ gateway: { port } }) => {
      for (const path of [
        '/v1/../healthz',
        '//healthz',
        '/healthz/',
        '/HEALTHZ',
        '/v1/chat/completions/',
        'http://127.0.0.1/healthz',
        '/%68ealthz',
      ]) {
        const answered = await sendRaw(
          port,
          `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: secret-token\r\nconnection: close\r\n\r\n`,
        );
        expect(answered, path).toMatch(/^HTTP\/1\.1 404 /);
      }
    });
  });
});
