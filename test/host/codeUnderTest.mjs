#!/usr/bin/env node
// Stands in for the desktop VS Code executable: understands the flags that @vscode/test-electron passes, runs the
// test entry in code-server's real extension host with the real workbench in Chromium, and exits with its code.
// The caller's environment reaches the extension host. One extensionDevelopmentPath a run: the web payload is a map.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { makeTempDir, openBrowser, startCodeServer, windowUrl, writeUserSettings } from './codeServer.mjs';
import { ensureHost } from './setup.mjs';

const TIMEOUT_MS = Number(process.env.BELAY_HOST_TIMEOUT_MS) || 300_000;
const TIMEOUT_CODE = 124;
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
/** What the workbench itself writes into the channel that carries the extension host's console. */
const CHATTER = new RegExp(
  `^(${[
    '\\[(AccountPolicyGate|AgentHost|Chat\\w*|DefaultAccount|RemoteAgentHost\\w*|Service Worker|reconnection-grace-time)\\b',
    'Aborted onWillSaveTextDocument-event',
    'Creating a socket',
    'Creation of workbench contribution',
    'DialogService: Dialog requested',
    'Ignoring fetching additional builtin',
    'No search provider registered',
    'Resolv(ing|ed) connection token',
    'Timed out waiting for authentication provider',
    'Updating additional builtin',
    'getaddrinfo ',
  ].join('|')})`,
);

/**
 * @typedef {object} Flags
 * @property {string[]} extensionPaths
 * @property {string | undefined} testsPath
 * @property {string | undefined} workspace a folder or a .code-workspace file
 * @property {string | undefined} userDataDir
 * @property {string | undefined} extensionsDir
 * @property {string[]} serverArgs the flags that code-server takes too, in its words
 * @property {boolean} disablesExtensions
 */

/**
 * Reads the desktop command line. Flags without a meaning here (sandbox, GPU, updates) are passed over.
 * @param {readonly string[]} args
 * @returns {Flags}
 */
export function parseFlags(args) {
  const values = (name) => args.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
  const has = (name) => args.includes(`--${name}`);
  const [folderUri] = [...values('folder-uri'), ...values('file-uri')];
  const [positional] = args.filter((arg) => !arg.startsWith('-'));
  return {
    extensionPaths: values('extensionDevelopmentPath').map((value) => path.resolve(value)),
    testsPath: values('extensionTestsPath').map((value) => path.resolve(value))[0],
    workspace: positional ? path.resolve(positional) : folderUri && fileURLToPath(folderUri),
    userDataDir: values('user-data-dir')[0],
    extensionsDir: values('extensions-dir')[0],
    serverArgs: [
      ...(has('disable-workspace-trust') ? ['--disable-workspace-trust'] : []),
      ...values('locale').flatMap((value) => ['--locale', value]),
      ...values('log').flatMap((value) => ['--log', value]),
      ...values('enable-proposed-api').flatMap((value) => ['--vscode-option', `enable-proposed-api=${value}`]),
    ],
    disablesExtensions: has('disable-extensions'),
  };
}

/** Runs the tests named by the flags; resolves with the exit code and leaves nothing running. */
async function runUnderTest(flags) {
  if (flags.extensionPaths.length !== 1 || !flags.testsPath) {
    throw new Error(
      'test host: exactly one --extensionDevelopmentPath=... and one --extensionTestsPath=... are needed',
    );
  }
  const host = await ensureHost();
  const tempDir = makeTempDir();
  const userDataDir = flags.userDataDir ?? path.join(tempDir, 'user');
  const workspace = flags.workspace ?? path.join(tempDir, 'workspace');
  if (!fs.existsSync(workspace)) fs.mkdirSync(workspace, { recursive: true });
  if (!fs.existsSync(path.join(userDataDir, 'User', 'settings.json'))) writeUserSettings(userDataDir);

  const cleanups = [() => fs.rmSync(tempDir, { recursive: true, force: true })];
  const outcome = outcomeOfRun();
  try {
    const server = await startCodeServer({
      host,
      userDataDir,
      extensionsDir: flags.extensionsDir ?? path.join(tempDir, 'extensions'),
      args: ['--vscode-option', 'enable-smoke-test-driver', ...flags.serverArgs],
      env: { TMPDIR: tempDir },
    });
    cleanups.unshift(server.stop);
    server.ended.then(() => outcome.fail(`code-server ended during the run:\n${server.log().slice(-3_000)}`));
    const context = await openBrowser({ host, profileDir: path.join(tempDir, 'browser'), endsOnSignal: false });
    cleanups.unshift(() => context.close());
    await openTestWindow({ context, origin: server.origin, workspace, flags, outcome });
    return await outcome.code;
  } finally {
    outcome.settle(1);
    for (const cleanup of cleanups) await cleanup();
  }
}

/** Collects the first thing that ends the run: the tests, a signal, a crash or the time limit. */
function outcomeOfRun() {
  let settle;
  const code = new Promise((resolve) => {
    settle = resolve;
  });
  let isOpen = true;
  const settleOnce = (exitCode) => {
    isOpen = false;
    clearTimeout(timer);
    settle(exitCode);
  };
  const fail = (message, exitCode = 1) => {
    if (!isOpen) return;
    console.error(`test host: ${message}`);
    settleOnce(exitCode);
  };
  const timer = setTimeout(
    () => fail(`the tests did not end within ${TIMEOUT_MS / 1_000} s (BELAY_HOST_TIMEOUT_MS)`, TIMEOUT_CODE),
    TIMEOUT_MS,
  );
  for (const [signal, exitCode] of Object.entries(SIGNAL_CODES)) process.on(signal, () => settleOnce(exitCode));
  process.stdout.once('error', () => settleOnce(1)); // the reader is gone
  return { code, settle: settleOnce, fail };
}

async function openTestWindow({ context, origin, workspace, flags, outcome }) {
  const page = context.pages()[0] ?? (await context.newPage());
  const isVerbose = Boolean(process.env.BELAY_HOST_VERBOSE);
  await page.exposeFunction('codeAutomationLog', (type, args) => {
    const text = format(...args);
    if (!isVerbose && CHATTER.test(text)) return;
    (type === 'error' || type === 'warn' ? process.stderr : process.stdout).write(`${text}\n`);
  });
  await page.exposeFunction('codeAutomationExit', (code) => outcome.settle(code));
  page.on('crash', () => outcome.fail('the workbench page crashed'));
  if (isVerbose) page.on('console', (message) => process.stderr.write(`[page ${message.type()}] ${message.text()}\n`));
  const remote = (file) => `vscode-remote://${new URL(origin).host}${encodeURI(file)}`;
  const payload = [
    ['extensionDevelopmentPath', remote(flags.extensionPaths[0])],
    ['extensionTestsPath', remote(flags.testsPath)],
    ...(flags.disablesExtensions ? [['disableExtensions', 'true']] : []),
  ];
  await page.goto(windowUrl(origin, workspace, payload), { waitUntil: 'commit', timeout: TIMEOUT_MS });
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await runUnderTest(parseFlags(process.argv.slice(2)));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
