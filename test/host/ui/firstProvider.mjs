// What a newcomer does: no provider yet, "Add Provider" in the panel, a key, live models, and the first call.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSchedule } from '../../../src/bench/wall/schedule.ts';
import { startWall } from '../../../src/bench/wall/wall.ts';
import { startVsCode } from '../ui.mjs';
import { check, withLog, writeMachineSettings } from './checks.mjs';
import { ask, copyAddress } from './gatewayClient.mjs';

/** @param {string} vsix */
export async function firstProvider(vsix) {
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  const wall = await startWall({ seed: 3, schedule: makeSchedule(3, 'none') });
  const endpoint = wall.endpoints.find(({ vendor }) => vendor === 'openai-like');
  writeMachineSettings(profileDir, {
    'belay.gateway.port': 0,
    'belay.disclosure.rules': [{ verdict: 'allow' }],
  });
  const window = withLog(await startVsCode({ vsix, profileDir, theme: 'dark' }), profileDir);
  const { page } = window;
  const input = page.locator('.quick-input-widget:visible input.input');
  const row = (label) => page.locator('.quick-input-widget:visible .monaco-list-row', { hasText: label }).first();
  const typed = async (text) => {
    await input.fill(text);
    await page.keyboard.press('Enter');
  };
  try {
    await check(window, 'the status bar says that all is well', async () => {
      await page.locator('.statusbar-item', { hasText: 'Belay: ok' }).waitFor();
    });
    let panel;
    await check(window, "VS Code's own activation figure is reported", async () => {
      await window.runCommand('Developer: Show Running Extensions');
      const text = await page
        .locator('.runtime-extensions-editor .extension', { hasText: 'Belay' })
        .first()
        .innerText();
      const [, hostActivationMs] = /Activation:\s*(\d+)\s*ms/.exec(text) ?? assert.fail(`no figure in: ${text}`);
      console.log(`    VS Code says: activated in ${hostActivationMs} ms`);
      const folder = fileURLToPath(new URL('../../../out/', import.meta.url));
      fs.writeFileSync(
        path.join(folder, 'host-activation.json'),
        JSON.stringify({ hostActivationMs: Number(hostActivationMs) }),
      );
    });
    await check(window, 'the palette opens the panel, which teaches the first step', async () => {
      await window.runCommand('Belay: Open Panel');
      panel = await window.webview('belay.panel');
      await panel.getByText('Put your agent on the rope').waitFor();
      await window.screenshot('panel-empty-dark');
    });
    await check(
      window,
      'Add Provider asks step by step, lists the models live, and writes no key into the settings',
      async () => {
        await panel.getByRole('button', { name: 'Add Provider' }).click();
        await row('OpenAI').waitFor();
        await input.fill('OpenAI compatible');
        await row('OpenAI compatible').click();
        await page.getByText('Your name for it').waitFor();
        await typed('wall');
        await page.getByText('Its base URL').waitFor();
        await typed(endpoint.baseUrl);
        await row('Enter a key').click();
        await page.getByText('The key of OpenAI compatible').waitFor();
        assert.equal(await input.getAttribute('type'), 'password');
        await typed(endpoint.apiKey);
        await row(endpoint.models[0].name).waitFor();
        await page.getByText('2 Selected').waitFor();
        await window.screenshot('add-provider-newcomer-dark');
        await page.keyboard.press('Enter');
        await panel.getByText('2 candidates are ready.').waitFor();
        const settings = fs.readFileSync(path.join(profileDir, 'user', 'Machine', 'settings.json'), 'utf8');
        assert.deepEqual(
          JSON.parse(settings)['belay.providers'].map(({ id }) => id),
          ['wall'],
        );
        assert.ok(!settings.includes(endpoint.apiKey));
      },
    );
    await check(window, 'the gateway starts by command and answers with the key from the secret storage', async () => {
      await window.runCommand('Belay: Start Gateway');
      await page.getByText('The Belay gateway listens on').first().waitFor();
      const answer = await ask(await copyAddress(window), 'hello');
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /\[DONE\]/);
      await panel.getByText('answers chat calls first').waitFor();
    });
    await check(window, 'the key is in no file of the profile', async () => {
      const files = fs
        .readdirSync(profileDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes(`${path.sep}browser`));
      for (const { parentPath, name } of files)
        assert.ok(!fs.readFileSync(path.join(parentPath, name)).includes(endpoint.apiKey), path.join(parentPath, name));
    });
  } finally {
    await window.stop();
    await wall.close();
    fs.rmSync(profileDir, { recursive: true, force: true });
  }
}
