// `npm run vscode`: a VS Code to try Belay in, with the wall of faulty providers running beside it and the sample library
// open. Desktop VS Code where there is one and a display, else the web host with its address printed.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keyVariableOf, wallSettings } from '../../src/bench/drill/drillSettings.ts';
import { copySample } from '../../src/bench/sample/copySample.ts';
import { makeSchedule } from '../../src/bench/wall/schedule.ts';
import { startWall } from '../../src/bench/wall/wall.ts';
import { writeUserSettings } from './codeServer.mjs';
import { serveVsCode } from './serve.mjs';

/** Opens VS Code with the packaged extension and stays until it is closed or interrupted. */
export async function openForPerson({ vsix }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-try-'));
  const wall = await startWall({ seed: 1, schedule: makeSchedule(1, 'default') });
  try {
    const { directory } = await copySample(path.join(folder, 'price-book'));
    const env = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
    const userSettings = { ...wallSettings(wall.endpoints), 'belay.gateway.enabled': true, 'belay.gateway.port': 0 };
    console.log(
      'The wall is up: two vendors in three regions, faults by the drill\'s default schedule. "Belay: Open Panel" shows the race.',
    );
    if (hasDesktop()) return await openDesktop({ vsix, workspace: directory, folder, userSettings, env });
    await serveVsCode({ vsix, workspace: directory, userSettings, env });
    return 0;
  } finally {
    await wall.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function hasDesktop() {
  const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  return (
    hasDisplay &&
    spawnSync('code', ['--version'], { stdio: 'ignore', shell: process.platform === 'win32' }).status === 0
  );
}

/** A desktop window with data of its own, so that the person's settings stay untouched. */
async function openDesktop({ vsix, workspace, folder, userSettings, env }) {
  const user = path.join(folder, 'user');
  writeUserSettings(user, userSettings);
  const own = ['--user-data-dir', user, '--extensions-dir', path.join(folder, 'extensions')];
  const options = { stdio: 'inherit', env: { ...process.env, ...env }, shell: process.platform === 'win32' };
  const installed = spawnSync('code', [...own, '--install-extension', vsix], options);
  if (installed.status !== 0) return 1;
  return new Promise((resolve) => {
    spawn('code', [...own, '--wait', workspace], options).on('close', (code) => resolve(code ?? 0));
  });
}
