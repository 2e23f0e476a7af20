import http from 'node:http';
import type net from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../../src/adapters/providers/httpClient.ts';

describe('the round trip of a connection', () => {
  it('is told with the request that made it, and with no request over a kept one', async () => {
    const server = http.createServer((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.end('ok'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as net.AddressInfo; // listening on TCP
    const client = createHttpClient();
    const told: (number | undefined)[] = [];
    try {
      for (let index = 0; index < 3; index++) {
        const onSent = (rttMs?: number): void => void told.push(rttMs);
        const url = new URL(`http://127.0.0.1:${port}/`);
        const request = { method: 'POST', url, headers: {}, body: 'hello', onSent } as const;
        const response = await client.send(request, new AbortController().signal);
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        expect(Buffer.concat(chunks).toString()).toBe('ok');
        response.release();
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      client.dispose();
      await new Promise((resolve) => server.close(resolve));
    }
    expect(told).toHaveLength(3);
    expect(told[0]).toBeGreaterThanOrEqual(0);
    expect(told[0]).toBeLessThan(5000);
    expect(told.slice(1)).toEqual([undefined, undefined]);
  });
});
