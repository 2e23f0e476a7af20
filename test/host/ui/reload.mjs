// A window that is reloaded while a guarded command runs: the command ends with it and is never run a second time;
// the ledger keeps one entry that says what is known, and the new window tells that it may have happened.
// The window is real and so is its reload; only the asker is a test module, see reloadEntry.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startVsCode } from '../ui.mjs';
import { check, withLog } from './checks.mjs';
import { useTheme } from './panelTour.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** A loaded machine takes its time to load a window. */
const WAIT_MS = 180_000;
const POLL_MS = 100;
const COMMAND = 'node deploy.mjs';
/** Notes its beginning and its end, and goes on until it is let go, so that the reload surely falls into it. */
const DEPLOY = `import fs from 'node:fs';
const note = (word) => fs.appendFileSync('deployed.txt', word + '\\n');
note('begun');
setInterval(() => {
  if (!fs.existsSync('go')) return;
  note('done');
  process.exit();
}, 50);
setTimeout(() => process.exit(3), 300_000);
`;

export async function reload() {
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  const workspace = path.join(profileDir, 'shop');
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, 'deploy.mjs'), DEPLOY);
  const env = { BELAY_RELOAD_SCENE: JSON.stringify({ folder: profileDir, command: COMMAND }) };
  const underTest = { extensionPath: root, testsPath: await bundleEntry(profileDir) };
  const window = withLog(await startVsCode({ underTest, profileDir, workspace, env, theme: 'dark' }), profileDir);
  const { page } = window;
  const list = page.locator('.quick-input-widget');
  const notes = path.join(workspace, 'deployed.txt');
  const wordsOf = () => read(notes).split('\n').filter(Boolean);
  const states = () => ledger(profileDir).map(({ state }) => state);
  try {
    await check(window, 'a window that is reloaded while a command runs tells that it may have happened', async () => {
      await until('the command has begun', () => wordsOf().length === 1);
      assert.deepEqual(states(), ['PREPARED']);
      await window.runCommand('Developer: Reload Window');
      await until('the engine of the new window has started', () => fs.existsSync(path.join(profileDir, 'reloaded')));
      await until('it is known that nobody knows', () => states().join() === 'UNKNOWN');
      // A window under test shows no toasts; what they would say is in the list behind the bell.
      await window.runCommand('Notifications: Show Notifications');
      const centre = page.locator('.notifications-center');
      await centre.getByText('"node deploy.mjs" of an earlier session may have happened').waitFor();
      assert.equal(await centre.locator('.monaco-list-row', { hasText: 'may have happened' }).count(), 1);
      assert.deepEqual(wordsOf(), ['begun']);
      assert.deepEqual(states(), ['UNKNOWN']);
      await window.screenshot('reload-notification-dark');
      await useTheme(window, 'light');
      await page.locator('.monaco-workbench.vs').waitFor();
      await window.runCommand('Notifications: Show Notifications');
      await centre.getByText('may have happened').waitFor();
      await window.screenshot('reload-notification-light');
    });
    await check(window, 'the same command is not run again in the new window', async () => {
      // One that lives on from the old window would note its end now.
      fs.writeFileSync(path.join(workspace, 'go'), '');
      fs.writeFileSync(path.join(profileDir, 'ask-again'), '');
      const file = path.join(profileDir, 'answer-again.json');
      await until('the second answer', () => read(file) !== '');
      const answer = JSON.parse(read(file));
      assert.deepEqual([answer.state, answer.ran], ['UNKNOWN', false]);
      assert.match(answer.text, /may have happened/);
      assert.deepEqual(wordsOf(), ['begun']);
      assert.deepEqual(states(), ['UNKNOWN']);
    });
    await check(window, 'a person sees it as one effect and decides it', async () => {
      await window.runCommand('Belay: Review Unknown Effects');
      await list.getByText('Effects that may have happened').waitFor();
      assert.equal(await list.locator('.monaco-list-row').count(), 1);
      await window.screenshot('reload-review-light');
      await page.keyboard.press('Escape');
      await useTheme(window, 'dark');
      await page.locator('.monaco-workbench.vs-dark').waitFor();
      await window.runCommand('Belay: Review Unknown Effects');
      await list.getByText('Effects that may have happened').waitFor();
      await window.screenshot('reload-review-dark');
      await page.keyboard.press('Enter');
      await list.getByText('It did not happen').click();
      await list.getByText('How do you know?').waitFor();
      await page.keyboard.type('the host never got it');
      await page.keyboard.press('Enter');
      await page.getByText('Noted: it did not happen').first().waitFor();
      await window.screenshot('reload-decided-dark');
      assert.deepEqual(states(), ['RECONCILED_ABSENT']);
      assert.deepEqual(wordsOf(), ['begun']);
    });
  } finally {
    await window.stop();
    fs.rmSync(profileDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

async function until(what, isSo) {
  for (const endMs = Date.now() + WAIT_MS; !isSo(); await sleep(POLL_MS))
    assert.ok(Date.now() < endMs, `waited ${WAIT_MS / 1000} s in vain: ${what}`);
}

/** All entries, as the command line tells them. */
function ledger(profileDir) {
  const db = path.join(profileDir, 'user', 'User', 'globalStorage', 'belay.belay', 'belay.db');
  const text = execFileSync(process.execPath, [path.join(root, 'dist', 'cli.js'), 'ledger', 'list', '--db', db], {
    encoding: 'utf8',
  });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function bundleEntry(folder) {
  const { build } = await import('esbuild');
  const outfile = path.join(folder, 'reloadEntry.mjs');
  await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: ['test/host/ui/reloadEntry.ts'],
    outfile,
    platform: 'node',
    format: 'esm',
    external: ['vscode'],
    banner: {
      js: "import { createRequire as belayCreateRequire } from 'node:module'; const require = belayCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}
