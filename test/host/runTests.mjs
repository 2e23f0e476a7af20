#!/usr/bin/env node
// Runs the extension tests through @vscode/test-electron: in the executable named by VSCODE_TEST_EXECUTABLE, else
// in desktop VS Code where that can be downloaded and shown, else in code-server behind code-under-test.sh.
// Asks the network only for what it is about to use: one short request decides about the desktop.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeTempDir, writeUserSettings } from './codeServer.mjs';
import { ensureHost, ensureRunner, importFrom } from './setup.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const WRAPPER = path.join(HERE, 'code-under-test.sh');
const UPDATE_URL = 'https://update.code.visualstudio.com/api/releases/stable';
const PROBE_TIMEOUT_MS = 3_000;

/**
 * Runs one test entry in a fresh window with fresh user data.
 * @param {object} options
 * @param {string} options.extensionPath folder of the extension under development
 * @param {string} options.testsPath module that exports `run(): Promise<void>`; loaded in the extension host
 * @param {string} [options.workspace] folder or .code-workspace to open, used in place; default: an empty folder
 * @param {Record<string, unknown>} [options.userSettings] user settings of the window
 * @param {Record<string, string>} [options.env] variables for the extension host
 * @returns {Promise<number>} the exit code: 0 when every test passed
 */
export async function runHostTests({ extensionPath, testsPath, workspace, userSettings = {}, env = {} }) {
  const { executable, cacheDir } = await chooseVsCode();
  const { default: testElectron } = await importFrom(cacheDir, '@vscode/test-electron/out/index.js');
  const tempDir = makeTempDir();
  const userDataDir = path.join(tempDir, 'user');
  writeUserSettings(userDataDir, userSettings);
  fs.mkdirSync(path.join(tempDir, 'workspace'));
  // A second extension with models of its own.
  fs.cpSync(path.join(HERE, 'stub'), path.join(tempDir, 'extensions', 'belay-test.stub-1.0.0'), { recursive: true });
  try {
    return await testElectron.runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: path.resolve(extensionPath),
      extensionTestsPath: path.resolve(testsPath),
      extensionTestsEnv: { ...env, BELAY_HOST_MODULES: path.join(cacheDir, 'node_modules') },
      launchArgs: [
        path.resolve(workspace ?? path.join(tempDir, 'workspace')),
        `--user-data-dir=${userDataDir}`,
        `--extensions-dir=${path.join(tempDir, 'extensions')}`,
      ],
    });
  } catch (error) {
    console.error(error.message);
    return error.code ?? 1;
  } finally {
    fs.rmSync(tempDir, { recursive: true, force: true });
  }
}

/** @returns {Promise<{executable: string, cacheDir: string}>} the VS Code to start and the folder of the runner */
async function chooseVsCode() {
  const named = process.env.VSCODE_TEST_EXECUTABLE;
  if (named && path.resolve(named) !== WRAPPER) return { executable: named, cacheDir: await ensureRunner() };
  const obstacle = named ? undefined : await desktopObstacle();
  if (!named && !obstacle) {
    const cacheDir = await ensureRunner();
    const { default: testElectron } = await importFrom(cacheDir, '@vscode/test-electron/out/index.js');
    const version = process.env.BELAY_VSCODE_VERSION || 'stable';
    return {
      executable: await testElectron.downloadAndUnzipVSCode({
        version,
        cachePath: path.join(path.dirname(cacheDir), 'desktop'),
      }),
      cacheDir,
    };
  }
  if (obstacle) console.log(`test host: code-server instead of desktop VS Code (${obstacle})`);
  const { cacheDir } = await ensureHost();
  return { executable: WRAPPER, cacheDir };
}

/** Says why desktop VS Code cannot be used, or nothing when it can. */
async function desktopObstacle() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'no display';
  try {
    const response = await fetch(UPDATE_URL, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return response.ok ? undefined : `its update host answered ${response.status}`;
  } catch {
    return 'its update host cannot be reached';
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { extension: { type: 'string' }, tests: { type: 'string' }, workspace: { type: 'string' } },
  });
  const testsPath = values.tests ?? process.env.BELAY_TESTS_PATH;
  if (testsPath) {
    process.exitCode = await runHostTests({
      extensionPath: values.extension ?? process.env.BELAY_EXTENSION_PATH ?? path.resolve(HERE, '../..'),
      testsPath,
      workspace: values.workspace ?? process.env.BELAY_WORKSPACE,
    });
  } else {
    console.error('Name the test entry: runTests.mjs --tests <module> [--extension <folder>] [--workspace <folder>]');
    process.exitCode = 2;
  }
}
