import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { setSetting, surface, waitFor, withWall } from './support.ts';

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );
}

describe('the gateway', () => {
  it('starts by its setting on a free port, refuses a stranger, and frees the port when it is switched off', async () => {
    const { gatewayUrl } = await surface();
    await withWall([], async () => {
      await setSetting('belay.gateway.port', 0);
      await setSetting('belay.gateway.enabled', true);
      const url = await waitFor('the gateway', () => gatewayUrl() ?? undefined);
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await isListening(url), true);
      const refused = await fetch(`${url}/v1/models`);
      assert.equal(refused.status, 401);
      await setSetting('belay.gateway.enabled', false);
      await waitFor('the gateway to stop', () => (gatewayUrl() === null ? true : undefined));
      assert.equal(await isListening(url), false);
    });
  });

  it('starts and stops by command', async () => {
    const { gatewayUrl } = await surface();
    await setSetting('belay.gateway.port', 0);
    await vscode.commands.executeCommand('belay.startGateway');
    assert.notEqual(gatewayUrl(), null);
    await vscode.commands.executeCommand('belay.stopGateway');
    assert.equal(gatewayUrl(), null);
    await setSetting('belay.gateway.port', undefined);
  });
});
