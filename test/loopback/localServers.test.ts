import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runningServers, usualServers } from '../../src/adapters/vscode/providers/localServers.ts';
import { startEchoServer } from '../support/echoServer.ts';

describe('servers on this machine', () => {
  it('are found where they answer with a list of models, and only there', async () => {
    const page = createServer((_request, response) => response.end('<html>a web server</html>'));
    const list = createServer((_request, response) =>
      response.end(JSON.stringify({ data: [{ id: 'a' }, { id: 'b' }] })),
    );
    const locked = await startEchoServer('some-key-0123');
    const urls: string[] = [];
    for (const server of [page, list]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`); // It listens on a port.
    }
    const [pageUrl = '', listUrl = ''] = urls;
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const gone = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`; // As above.
    await new Promise((resolve) => silent.close(resolve));
    expect(
      await runningServers([
        { preset: 'vllm', baseUrl: pageUrl },
        { preset: 'ollama', baseUrl: listUrl },
        { preset: 'lmstudio', baseUrl: locked.baseUrl },
        { preset: 'llamacpp', baseUrl: gone },
      ]),
    ).toEqual([{ preset: 'ollama', modelCount: 2 }]);
    for (const server of [page, list]) server.close();
    await locked.close();
  });

  it('are looked for on loopback only', () => {
    expect(usualServers.map(({ preset }) => preset)).toEqual(['ollama', 'lmstudio', 'vllm', 'llamacpp']);
    for (const { baseUrl } of usualServers) expect(new URL(baseUrl).hostname).toBe('127.0.0.1');
  });
});
