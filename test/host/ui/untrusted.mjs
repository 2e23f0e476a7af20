// A workspace that nobody has trusted: Belay says so and does nothing, and goes on once it is trusted.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keyVariableOf, wallSettings } from '../../../src/bench/drill/drillSettings.ts';
import { makeSchedule } from '../../../src/bench/wall/schedule.ts';
import { startWall } from '../../../src/bench/wall/wall.ts';
import { startVsCode } from '../ui.mjs';
import { check, withLog, writeMachineSettings } from './checks.mjs';

/** @param {string} vsix */
export async function untrusted(vsix) {
  const wall = await startWall({ seed: 5, schedule: makeSchedule(5, 'none') });
  const env = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  writeMachineSettings(profileDir, {
    ...wallSettings(wall.endpoints),
    'belay.disclosure.rules': [{ verdict: 'allow' }],
    'belay.gateway.enabled': true,
    'belay.gateway.port': 0,
  });
  const settings = { 'security.workspace.trust.startupPrompt': 'never' };
  const window = withLog(
    await startVsCode({ vsix, profileDir, trust: false, theme: 'dark', settings, env }),
    profileDir,
  );
  const { page } = window;
  try {
    let panel;
    await check(window, 'the panel says what an untrusted workspace means', async () => {
      await window.runCommand('Belay: Open Panel');
      panel = await window.webview('belay.panel');
      await panel.getByText('This workspace is not trusted').waitFor();
      await window.screenshot('panel-untrusted-dark');
    });
    await check(window, 'the gateway stays off and says how to change that', async () => {
      await window.runCommand('Belay: Start Gateway');
      await page.getByText('The gateway stays off in an untrusted workspace').first().waitFor();
      assert.equal(wall.requests(), 0);
    });
    await check(window, 'the button leads to the trust editor, and the panel goes on once it is trusted', async () => {
      await panel.getByRole('button', { name: 'Manage Trust' }).click();
      await page
        .locator('.workspace-trust-editor')
        .getByRole('button', { name: /^Trust$/ })
        .click();
      await panel.getByText('12 candidates are ready.').waitFor();
    });
  } finally {
    await window.stop();
    await wall.close();
    fs.rmSync(profileDir, { recursive: true, force: true });
  }
}
