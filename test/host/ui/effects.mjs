// What was done before the window was opened: an effect that may have happened is told, looked at and decided; a change is
// undone after the person has seen its files, and redone. The ledger is made by `belay exec`, as another agent would.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startVsCode } from '../ui.mjs';
import { check, withLog } from './checks.mjs';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const run = promisify(execFile);

/** @param {string} vsix */
export async function effects(vsix) {
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  const workspace = path.join(profileDir, 'shop');
  const notes = path.join(workspace, 'notes.txt');
  fs.mkdirSync(workspace);
  fs.writeFileSync(notes, 'first\n');
  await makeLedger(path.join(profileDir, 'user', 'User', 'globalStorage', 'belay.belay'), workspace);
  assert.equal(fs.readFileSync(notes, 'utf8'), 'first\nsecond\n');
  const window = withLog(await startVsCode({ vsix, profileDir, workspace, theme: 'dark' }), profileDir);
  const { page } = window;
  const list = page.locator('.quick-input-widget');
  try {
    await check(window, 'what may have happened in an earlier session is told once the engine starts', async () => {
      await window.runCommand('Belay: Open Panel');
      await page.getByText('may have happened').first().waitFor();
      await window.screenshot('unknown-effect-notification-dark');
    });
    await check(window, 'a person looks at it and says what became of it', async () => {
      await window.runCommand('Belay: Review Unknown Effects');
      await list.getByText('Effects that may have happened').waitFor();
      await window.screenshot('unknown-effects-dark');
      await page.keyboard.press('Enter');
      await list.getByText('It did not happen').waitFor();
      await window.screenshot('unknown-effect-decision-dark');
      await list.getByText('It did not happen').click();
      await list.getByText('How do you know?').waitFor();
      await page.keyboard.type('the host answers that it never got it');
      await page.keyboard.press('Enter');
      await page.getByText('Noted: it did not happen').first().waitFor();
    });
    await check(
      window,
      'a change is undone after its files were seen, and the later work of the person stays',
      async () => {
        fs.writeFileSync(notes, 'mine\nfirst\nsecond\n');
        await window.runCommand('Belay: Undo Changes');
        await list.getByText('Everything of task notes').waitFor();
        await window.screenshot('undo-changes-dark');
        await list.getByText('Everything of task notes').click();
        const dialog = page.locator('.monaco-dialog-box');
        await dialog.getByText('notes.txt').first().waitFor();
        await window.screenshot('undo-question-dark');
        await dialog.getByRole('button', { name: 'Allow Once' }).click();
        await page.getByRole('button', { name: 'Redo' }).first().waitFor();
        assert.equal(fs.readFileSync(notes, 'utf8'), 'mine\nfirst\n');
        await window.screenshot('undo-done-dark');
      },
    );
    await check(window, 'the terminal of guarded commands can be brought up', async () => {
      await window.runCommand('Belay: Show Guarded Commands');
      await page.locator('.terminal-tabs-entry, .single-terminal-tab').getByText('Belay').first().waitFor();
      await window.screenshot('guarded-commands-dark');
    });
  } finally {
    await window.stop();
    fs.rmSync(profileDir, { recursive: true, force: true });
  }
}

/** One committed append, and one command that was stopped at its time limit and has no probe. */
async function makeLedger(storage, workspace) {
  fs.mkdirSync(path.join(storage, 'before'), { recursive: true });
  fs.mkdirSync(path.join(storage, 'gate'), { recursive: true });
  const exec = (task, step, command, ...more) =>
    run(
      process.execPath,
      [
        cli,
        'exec',
        '--db',
        path.join(storage, 'belay.db'),
        '--workspace',
        workspace,
        '--task',
        task,
        '--step',
        step,
      ].concat(['--yes-up-to', 'R3', ...more, '--shell', 'bash', '--command', command]),
      { cwd: workspace },
    ).catch((error) => error);
  await exec('notes', '1', 'echo second >> notes.txt');
  await exec('deploy', '1', 'node -e "setTimeout(() => {}, 20000)"', '--timeout-ms', '1500');
}
