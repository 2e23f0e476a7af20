#!/usr/bin/env node
// `npm run vscode`: a VS Code with the packaged extension for a person with a browser. It listens on the loopback
// interface only, without a password, prints its address and stays until it is interrupted.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installVsix, startCodeServer, windowUrl, writeMachineSettings, writeUserSettings } from './codeServer.mjs';
import { ensureHost } from './setup.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** User data of the served VS Code, kept between runs; the folder is ignored by git. */
const DATA_DIR = path.join(ROOT, 'out', 'vscode');

/**
 * Serves until SIGINT, SIGTERM or the end of the server.
 * @param {{vsix: string, workspace: string, port?: number, userSettings?: Record<string, unknown>, env?: Record<string, string>}} options
 *   port: default a free one; env: variables of the extension host
 * @returns {Promise<void>}
 */
export async function serveVsCode({ vsix, workspace, port = 0, userSettings, env = {} }) {
  const host = await ensureHost();
  const folders = { userDataDir: path.join(DATA_DIR, 'user'), extensionsDir: path.join(DATA_DIR, 'extensions') };
  // Settings of the last run hold addresses that are gone; without given ones they are the person's own and stay.
  const isFirst = !fs.existsSync(path.join(folders.userDataDir, 'User', 'settings.json'));
  if (isFirst) writeUserSettings(folders.userDataDir);
  // The window is a remote one: machine-scoped settings count only where the machine keeps them.
  if (userSettings) writeMachineSettings(folders.userDataDir, userSettings);
  await installVsix({ host, vsix, ...folders });
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
  });
  const server = await startCodeServer({ host, ...folders, port, env, staysIdle: true });
  console.log(
    `VS Code with ${path.basename(vsix)}: ${windowUrl(server.origin, path.resolve(workspace))}\nCtrl+C ends it.`,
  );
  await Promise.race([interrupted, server.ended]);
  await server.stop();
}

/** The .vsix written last at the root of the repository. */
function newestVsix() {
  const files = fs
    .readdirSync(ROOT)
    .filter((name) => name.endsWith('.vsix'))
    .map((name) => path.join(ROOT, name));
  const [newest] = files.sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs);
  if (!newest)
    throw new Error(
      'There is no .vsix at the root of the repository: package the extension first, or name one with --vsix.',
    );
  return newest;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({
      options: { vsix: { type: 'string' }, workspace: { type: 'string' }, port: { type: 'string' } },
    });
    await serveVsCode({
      vsix: values.vsix ?? newestVsix(),
      workspace: values.workspace ?? process.cwd(),
      port: Number(values.port ?? 0),
    });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
