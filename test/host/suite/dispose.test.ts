// The last file: it ends the extension and looks for what is left.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import { surface, setSetting, waitFor } from './support.ts';

/** Open files of this process under the extension's storage; null where the system does not tell. */
function openStoreFiles(): readonly string[] | null {
  if (process.platform !== 'linux') return null;
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.includes('belay.db') ? [target] : [];
    } catch {
      return [];
    }
  });
}

const servers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

describe('the end of the extension', () => {
  it('closes the gateway, the store with its worker, and every registration', async () => {
    const { engine, gatewayUrl, close, engineStatus, disposeAll } = await surface();
    const { ports } = await engine();
    await setSetting('belay.gateway.port', 0);
    const before = servers();
    await vscode.commands.executeCommand('belay.startGateway');
    const url = gatewayUrl();
    assert.ok(url !== null);
    assert.equal(servers(), before + 1);
    assert.ok((await ports.store.entries({ limit: 1 })).ok);
    const whileOpen = openStoreFiles();
    if (whileOpen) assert.ok(whileOpen.length > 0);

    await close();
    assert.equal(engineStatus(), 'closed');
    assert.equal(gatewayUrl(), null);
    await assert.rejects(fetch(`${url}/healthz`));
    const read = await ports.store.entries({ limit: 1 });
    assert.equal(read.ok ? 'open' : read.error.kind, 'closed');
    await waitFor('the store to let go of its files', () => ((openStoreFiles() ?? []).length === 0 ? true : undefined));
    assert.equal(servers(), before);
    await assert.rejects(engine(), /closing/);

    disposeAll();
    await assert.rejects(async () => vscode.commands.executeCommand('belay.showLog'), /not found/);
    assert.deepEqual(await vscode.lm.selectChatModels({ vendor: 'belay' }), []);
    await setSetting('belay.gateway.port', undefined);
  });
});
