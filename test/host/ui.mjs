// Drives the packaged extension as a person would: installs the .vsix into a fresh code-server in production mode,
// opens the workbench in headless Chromium and gives the caller the page with a few helpers.
// Helpers wait for what they need to see and never for a fixed time.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installVsix, makeTempDir, openBrowser, startCodeServer, windowUrl, writeUserSettings } from './codeServer.mjs';
import { ensureHost } from './setup.mjs';

const SCREENSHOTS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../out/screenshots');
/** For a loaded machine with two cores: a window normally needs a tenth of this. */
const WAIT_MS = 60_000;
const SHORT_WAIT_MS = 3_000;
const POLL_MS = 100;

/** Short names for the colour themes; any other value is taken as the theme's own id. */
export const THEMES = {
  light: 'Light Modern',
  dark: 'Dark Modern',
  'high-contrast': 'Default High Contrast',
  'high-contrast-light': 'Default High Contrast Light',
};

/**
 * @typedef {object} VsCodeWindow
 * @property {import('playwright-core').Page} page
 * @property {import('playwright-core').BrowserContext} ctx
 * @property {string} url
 * @property {(title: string) => Promise<void>} runCommand runs a palette command by its full label, "Belay: Open Panel"
 * @property {(titleOrViewId: string) => Promise<import('playwright-core').FrameLocator>} webview the page inside a webview
 * @property {(name: string) => Promise<string>} screenshot writes out/screenshots/<name>.png, returns its path
 * @property {string[]} consoleLog lines of the page's console so far
 * @property {() => string} serverLog
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a window with the packaged extension.
 * @param {object} options
 * @param {string} [options.vsix] the packaged extension
 * @param {{extensionPath: string, testsPath: string}} [options.underTest] instead of it: a folder of an extension, run
 *   beside a module whose `run()` is called in each extension host of the window, also after it was reloaded
 * @param {string} [options.workspace] folder or .code-workspace, used in place; default: an empty folder
 * @param {Record<string, unknown>} [options.settings] user settings
 * @param {string} [options.theme] a key of THEMES or a theme id; default: dark
 * @param {{width: number, height: number}} [options.viewport] default 1400 x 900
 * @param {boolean} [options.trust] default true; false leaves workspace trust on, the window asks
 * @param {Record<string, string>} [options.env] variables for the extension host
 * @param {number} [options.port] default: a free one. Secrets are kept per origin: fix the port to keep them
 * @param {string} [options.profileDir] keeps user data, extensions and browser state here; default: thrown away
 * @returns {Promise<VsCodeWindow>}
 */
export async function startVsCode({
  vsix,
  underTest,
  workspace,
  settings = {},
  theme = 'dark',
  viewport,
  trust = true,
  env = {},
  port = 0,
  profileDir,
}) {
  const host = await ensureHost();
  const tempDir = makeTempDir();
  const dataDir = profileDir ? path.resolve(profileDir) : tempDir;
  const userDataDir = path.join(dataDir, 'user');
  const extensionsDir = path.join(dataDir, 'extensions');
  const folder = path.resolve(workspace ?? path.join(dataDir, 'workspace'));
  const cleanups = [() => fs.rmSync(tempDir, { recursive: true, force: true })];
  const stop = async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  };
  try {
    if (!workspace) fs.mkdirSync(folder, { recursive: true });
    writeUserSettings(userDataDir, { 'workbench.colorTheme': THEMES[theme] ?? theme, ...settings });
    fs.mkdirSync(extensionsDir, { recursive: true });
    if (vsix) await installVsix({ host, vsix, userDataDir, extensionsDir });
    const args = [
      ...(trust ? ['--disable-workspace-trust'] : []),
      ...(underTest ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ];
    const names = viewNames(extensionsDir);
    const server = await startCodeServer({
      host,
      userDataDir,
      extensionsDir,
      port,
      args,
      env: { TMPDIR: tempDir, ...env },
    });
    cleanups.unshift(server.stop);
    const ctx = await openBrowser({ host, profileDir: path.join(dataDir, 'browser'), viewport });
    cleanups.unshift(() => ctx.close());
    const page = ctx.pages()[0] ?? (await ctx.newPage());
    ctx.setDefaultTimeout(WAIT_MS);
    const consoleLog = [];
    page.on('console', (message) => consoleLog.push(`[${message.type()}] ${message.text()}`));
    const url = windowUrl(server.origin, folder, underTest ? await testPayload(page, server.origin, underTest) : []);
    await page.goto(url, { waitUntil: 'commit' });
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    return {
      page,
      ctx,
      url,
      consoleLog,
      stop,
      serverLog: server.log,
      runCommand: (title) => runCommand(page, title),
      webview: (titleOrViewId) => findWebview(page, names.get(titleOrViewId) ?? titleOrViewId),
      screenshot: (name) => takeScreenshot(page, name),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What makes a window run a module in its extension host; the window must find somebody who takes its end. */
async function testPayload(page, origin, { extensionPath, testsPath }) {
  for (const name of ['codeAutomationLog', 'codeAutomationExit']) await page.exposeFunction(name, () => undefined);
  const remote = (file) => `vscode-remote://${new URL(origin).host}${encodeURI(path.resolve(file))}`;
  return [
    ['extensionDevelopmentPath', remote(extensionPath)],
    ['extensionTestsPath', remote(testsPath)],
  ];
}

/** Opens the palette, waits for the row with exactly this label and clicks it. Commands may register late: it asks again. */
async function runCommand(page, title) {
  const widget = page.locator('.quick-input-widget');
  const input = widget.locator('input.input').first();
  const label = page.locator('.label-name', {
    hasText: new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
  });
  const row = widget.locator('.monaco-list-row', { has: label }).first();
  const deadlineMs = Date.now() + WAIT_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await page.keyboard.press(attempt % 2 === 0 ? 'F1' : 'Control+Shift+P');
      await input.waitFor({ timeout: SHORT_WAIT_MS });
      await input.fill(`>${title}`);
      await row.click({ timeout: SHORT_WAIT_MS });
      break;
    } catch (error) {
      if (Date.now() > deadlineMs) throw new Error(`the palette has no command "${title}"`, { cause: error });
      await page.keyboard.press('Escape');
    }
  }
  await row.waitFor({ state: 'hidden' });
}

/** Finds a loaded webview by its title. The answer stays good when the extension renders it anew. */
async function findWebview(page, title) {
  const deadlineMs = Date.now() + WAIT_MS;
  for (;;) {
    const titles = new Map();
    for (const frame of page.frames()) {
      const outer = frame.parentFrame();
      if (outer?.parentFrame() !== page.mainFrame()) continue;
      titles.set(await titleOf(frame), outer.name());
    }
    if (titles.has(title))
      return page.frameLocator(`iframe.webview.ready[name="${titles.get(title)}"]`).frameLocator('iframe#active-frame');
    if (Date.now() > deadlineMs)
      throw new Error(
        `no webview "${title}" is open; open are: ${[...titles.keys()].filter(Boolean).join(', ') || 'none'}`,
      );
    await page.waitForTimeout(POLL_MS);
  }
}

/** The title of a webview's page; undefined while it is loading. */
async function titleOf(frame) {
  try {
    const element = await frame.frameElement();
    return await element.evaluate((iframe) => (iframe.id === 'active-frame' ? iframe.title : undefined));
  } catch {
    return undefined; // it was replaced while we looked
  }
}

async function takeScreenshot(page, name) {
  const file = path.join(SCREENSHOTS, `${name}.png`);
  await page.screenshot({ path: file });
  return file;
}

/** Names of the extension's views by id, as the packaged manifest gives them. */
function viewNames(extensionsDir) {
  const names = new Map();
  for (const entry of fs.readdirSync(extensionsDir, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const read = (file) => JSON.parse(fs.readFileSync(path.join(extensionsDir, entry.name, file), 'utf8'));
    const views = Object.values(read('package.json').contributes?.views ?? {}).flat();
    for (const { id, name } of views)
      names.set(id, name.startsWith('%') ? read('package.nls.json')[name.slice(1, -1)] : name);
  }
  return names;
}
