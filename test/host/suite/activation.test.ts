import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { commandTable } from '../../../src/adapters/vscode/commandTable.ts';
import { surface, waitFor } from './support.ts';

describe('activation', () => {
  it('registers every command of the table', async () => {
    await surface();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.keys(commandTable).filter((id) => !registered.has(id)),
      [],
    );
  });

  it('registers at once and says how long it took', async () => {
    const { activateMs } = await surface();
    console.log(`      activate(): ${activateMs.toFixed(1)} ms`);
    assert.ok(activateMs > 0 && activateMs < 500, `${activateMs} ms`);
    const file = process.env.BELAY_FIGURES_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify({ activateMs }));
  });

  it('shows one status bar item that says ok while nothing is wrong', async () => {
    const { statusText } = await surface();
    const text = await waitFor('the status bar item', () => (statusText().endsWith('ok') ? statusText() : undefined));
    assert.equal(text, '$(shield) Belay: ok');
  });

  it('offers the models under the vendor belay, none without a provider', async () => {
    await surface();
    assert.deepEqual(await vscode.lm.selectChatModels({ vendor: 'belay' }), []);
  });
});
