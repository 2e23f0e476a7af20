// The question at first use: who would get code, where, what for; what each answer does.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keyVariableOf, wallSettings } from '../../../src/bench/drill/drillSettings.ts';
import { makeSchedule } from '../../../src/bench/wall/schedule.ts';
import { startWall } from '../../../src/bench/wall/wall.ts';
import { startVsCode } from '../ui.mjs';
import { check, withLog, writeMachineSettings } from './checks.mjs';
import { ask, copyAddress } from './gatewayClient.mjs';

/** @param {string} vsix */
export async function disclosure(vsix) {
  const wall = await startWall({ seed: 6, schedule: makeSchedule(6, 'none') });
  const env = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  writeMachineSettings(profileDir, {
    ...farAway(wallSettings(wall.endpoints.slice(0, 1))),
    'belay.gateway.enabled': true,
    'belay.gateway.port': 0,
  });
  const window = withLog(await startVsCode({ vsix, profileDir, theme: 'dark', env }), profileDir);
  const { page } = window;
  const dialog = page.locator('.monaco-dialog-box');
  try {
    let address;
    await check(window, 'the first call asks whether the vendor may get code, and sends nothing before', async () => {
      address = await copyAddress(window);
      const answer = ask(address, 'hello');
      await dialog.getByText('May Belay send code').waitFor();
      await dialog.getByText('The data is processed in: eu.').waitFor();
      await window.screenshot('disclosure-question-dark');
      assert.equal(wall.requests(), 0);
      await dialog.getByRole('button', { name: 'Allow for This Workspace' }).click();
      assert.equal((await answer).status, 200);
    });
    await check(window, 'the next call does not ask again', async () => {
      assert.equal((await ask(address, 'hello again')).status, 200);
      assert.equal(await dialog.count(), 0);
    });
    await check(window, 'forgetting the answers makes it ask again, and Deny keeps the call here', async () => {
      await window.runCommand('Belay: Forget Disclosure Answers');
      await page
        .getByText(/forg[eo]t/i)
        .first()
        .waitFor();
      const before = wall.requests();
      const answer = ask(address, 'hello once more');
      await dialog.getByText('May Belay send code').waitFor();
      await dialog.getByRole('button', { name: 'Deny' }).click();
      const { status, text } = await answer;
      assert.equal(status, 403);
      assert.match(text, /belay\.disclosure/);
      assert.equal(wall.requests(), before);
    });
  } finally {
    await window.stop();
    await wall.close();
    fs.rmSync(profileDir, { recursive: true, force: true });
  }
}

/** The wall as if it stood in another country: a loopback address whose region says so is a tunnel, not this machine. */
function farAway(settings) {
  const providers = settings['belay.providers'].map((provider) => ({
    ...provider,
    regions: provider.regions.map((region) => ({ ...region, residency: 'eu' })),
  }));
  return { ...settings, 'belay.providers': providers };
}
