// Starts and stops the two processes that make a VS Code here: code-server (the server and its real extension
// host) and Chromium (the real workbench). Shared by the test wrapper, the UI driver and `serve`.
// What is started here is stopped here, with everything it started, also when this process is told to end.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { importFrom } from './setup.mjs';

const START_TIMEOUT_MS = 90_000;
const KILL_GRACE_MS = 3_000;
const LISTENING = /HTTP server listening on (http:\/\/[\d.]+:\d+)/;
/** An ended test run that could not stop its server leaves one that ends by itself. */
const IDLE_SECONDS = '120';

/** Settings of every window: no first-run pages, nothing that calls out. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'git.openRepositoryInParentFolders': 'never',
};

/**
 * Writes the user settings of a data folder: the quiet ones with `settings` over them.
 * @param {string} userDataDir
 * @param {Record<string, unknown>} [settings]
 */
export function writeUserSettings(userDataDir, settings = {}) {
  const file = path.join(userDataDir, 'User', 'settings.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
}

/**
 * Writes machine-scoped settings, which a remote window (code-server's is one) reads only from the machine's own file.
 * @param {string} userDataDir
 * @param {Record<string, unknown>} settings
 */
export function writeMachineSettings(userDataDir, settings) {
  const folder = path.join(userDataDir, 'Machine');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
}

/**
 * Makes a private temporary folder, deleted at the latest when this process ends. Its path is short because
 * VS Code puts sockets under it.
 */
export function makeTempDir() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/**
 * Starts code-server on the loopback interface, without a password, and waits until it listens.
 * @param {object} options
 * @param {import('./setup.mjs').Host} options.host
 * @param {string} options.userDataDir
 * @param {string} options.extensionsDir
 * @param {number} [options.port] default 0: a free one
 * @param {readonly string[]} [options.args] further flags
 * @param {Record<string, string>} [options.env] variables for the server and so for the extension host
 * @param {boolean} [options.staysIdle] default false: the server ends by itself after two idle minutes
 * @returns {Promise<{origin: string, log: () => string, ended: Promise<void>, stop: () => Promise<void>}>}
 */
export async function startCodeServer({
  host,
  userDataDir,
  extensionsDir,
  port = 0,
  args = [],
  env = {},
  staysIdle = false,
}) {
  fs.mkdirSync(userDataDir, { recursive: true });
  const child = spawn(
    host.nodePath,
    [
      entryPoint(host),
      '--auth',
      'none',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--config',
      configFile(userDataDir),
      '--user-data-dir',
      userDataDir,
      '--extensions-dir',
      extensionsDir,
      '--ignore-last-opened',
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
      ...(staysIdle ? [] : ['--idle-timeout-seconds', IDLE_SECONDS]),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: serverEnv(env) },
  );
  const killGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      /* already gone */
    }
  };
  const killAtExit = () => killGroup('SIGKILL');
  process.prependOnceListener('exit', killAtExit);
  const ended = new Promise((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });

  let log = '';
  const listening = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        log += chunk;
        if (process.env.BELAY_HOST_VERBOSE) process.stderr.write(chunk);
        const match = LISTENING.exec(log);
        if (match) resolve(match[1]);
      });
    }
  });
  const stop = async () => {
    killGroup('SIGTERM');
    await withTimeout(ended, KILL_GRACE_MS);
    killGroup('SIGKILL');
    process.removeListener('exit', killAtExit);
  };
  const origin = await withTimeout(Promise.race([listening, ended]), START_TIMEOUT_MS);
  if (!origin) {
    await stop();
    throw new Error(`test host: code-server did not start. The end of its log:\n${log.slice(-3_000)}`);
  }
  return { origin, log: () => log, ended, stop };
}

/**
 * Installs a packaged extension into an extensions folder.
 * @param {{host: import('./setup.mjs').Host, vsix: string, userDataDir: string, extensionsDir: string}} options
 */
export async function installVsix({ host, vsix, userDataDir, extensionsDir }) {
  fs.mkdirSync(userDataDir, { recursive: true });
  try {
    await promisify(execFile)(
      host.nodePath,
      [
        entryPoint(host),
        '--config',
        configFile(userDataDir),
        '--user-data-dir',
        userDataDir,
        '--extensions-dir',
        extensionsDir,
        '--install-extension',
        path.resolve(vsix),
        '--force',
      ],
      { env: serverEnv({}) },
    );
  } catch (error) {
    throw new Error(`test host: ${vsix} could not be installed: ${error.stderr || error.message}`, { cause: error });
  }
}

/**
 * Opens headless Chromium with a profile folder of its own.
 * @param {object} options
 * @param {import('./setup.mjs').Host} options.host
 * @param {string} options.profileDir
 * @param {{width: number, height: number}} [options.viewport]
 * @param {boolean} [options.endsOnSignal] default true: a signal closes the browser and ends this process
 * @returns {Promise<import('playwright-core').BrowserContext>}
 */
export async function openBrowser({ host, profileDir, viewport = { width: 1400, height: 900 }, endsOnSignal = true }) {
  const { chromium } = await importFrom(host.cacheDir, 'playwright-core/index.mjs');
  return chromium.launchPersistentContext(profileDir, {
    executablePath: host.chromiumPath,
    env: { ...process.env, ...host.chromiumEnv },
    headless: true,
    viewport,
    handleSIGINT: endsOnSignal,
    handleSIGTERM: endsOnSignal,
    handleSIGHUP: endsOnSignal,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'],
  });
}

/** The address of a workbench window: a folder or a .code-workspace file, and the test payload if any. */
export function windowUrl(origin, workspace, payload = []) {
  const url = new URL(origin);
  url.searchParams.set(workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', workspace);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

/** Waits for a promise for a limited time; undefined when the time is over. */
export async function withTimeout(promise, timeoutMs) {
  let timer;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function entryPoint(host) {
  return path.join(host.codeServerDir, 'out', 'node', 'entry.js');
}

function configFile(userDataDir) {
  return path.join(userDataDir, 'code-server.yaml');
}

/** Drops what an outer VS Code or code-server sets for its terminals; no extension gallery. */
function serverEnv(env) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|CODE_SERVER_)/.test(name));
  return { EXTENSIONS_GALLERY: '{}', ...Object.fromEntries(inherited), ...env };
}
