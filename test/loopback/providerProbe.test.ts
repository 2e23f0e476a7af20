// The live check of a provider against a real socket.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../src/adapters/time/realClock.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { ProbeInput } from '../../src/adapters/providers/probeProvider.ts';
import { probeProvider } from '../../src/adapters/providers/probeProvider.ts';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function probe(
  handler: Handler,
  more: Partial<ProbeInput> = {},
): Promise<Awaited<ReturnType<typeof probeProvider>>> {
  const server = http.createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  try {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    return await probeProvider({
      kind: 'openai',
      baseUrl,
      key: 'sk-secret',
      signal: new AbortController().signal,
      clock: realClock(),
      ...more,
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const list = (response: http.ServerResponse): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'm1', object: 'model' }, { id: 'm2' }] }));
};

describe('probeProvider', () => {
  it.each([
    ['openai', '/v1/models', 'authorization'],
    ['openai-compatible', '/v1/models', 'authorization'],
    ['anthropic', '/v1/models?limit=1000', 'x-api-key'],
  ] as const)('lists the models of kind %s and measures the time on the given clock', async (kind, path, header) => {
    const clock = virtualClock(1_000);
    const result = await probe(
      (request, response) => {
        expect(request.url).toBe(path);
        expect(request.headers[header]).toContain('sk-secret');
        void clock.advance(250).then(() => {
          list(response);
        });
      },
      { kind, clock },
    );
    expect(result).toEqual({ ok: true, value: { models: ['m1', 'm2'], latencyMs: 250 } });
  });

  it('tells a wrong key without repeating it', async () => {
    const result = await probe((_request, response) => {
      response.statusCode = 401;
      response.end('{"error":{"message":"bad key sk-secret"}}');
    });
    expect(result).toMatchObject({ ok: false, error: { httpStatus: 401, streamPhase: 'before_headers' } });
    expect(JSON.stringify(result)).not.toContain('sk-secret');
  });

  it('tells an address that answers with something else', async () => {
    const result = await probe((_request, response) => response.end('<html></html>'));
    expect(result).toMatchObject({ ok: false, error: { httpStatus: 200, body: '<html></html>' } });
    expect(JSON.stringify(result)).toContain('Check the base URL');
  });

  it('tells an unreachable server and an address that is none', async () => {
    const clock = realClock();
    const signal = new AbortController().signal;
    const unreachable = await probeProvider({
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:1/v1',
      key: '',
      signal,
      clock,
    });
    expect(unreachable).toMatchObject({ ok: false, error: { clientError: { code: 'ECONNREFUSED' } } });
    const bad = await probeProvider({ kind: 'openai', baseUrl: 'not a url', key: '', signal, clock });
    expect(bad).toMatchObject({ ok: false, error: { clientError: { code: 'belay_bad_base_url' } } });
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    const result = await probe(
      () => {
        controller.abort();
      },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ ok: false, error: { clientError: { code: 'ABORT_ERR' } } });
  });
});
