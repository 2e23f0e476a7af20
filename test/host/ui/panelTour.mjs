// The panel over a wall that fails: the live race, the ranking and the decisions, all from real events; keyboard, narrow
// width, content security policy; pictures in four themes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keyVariableOf, wallSettings } from '../../../src/bench/drill/drillSettings.ts';
import { startWall } from '../../../src/bench/wall/wall.ts';
import { startVsCode } from '../ui.mjs';
import { check, withLog, writeMachineSettings } from './checks.mjs';
import { ask, copyAddress } from './gatewayClient.mjs';

const POLL_MS = 50;
const MOST_WAITS = 100;
const MARKUP = '<i>markup</i>';
const NARROW_PX = 250;
/** The themes as the picker calls them. */
const LABELS = {
  light: 'Light Modern',
  dark: 'Dark Modern',
  'high-contrast': 'Dark High Contrast',
  'high-contrast-light': 'Light High Contrast',
};
/** Faults of the first calls, in order: an overload and a hedge, then a rate limit, then a server error. */
const FAULTS = ['overloaded', 'slow-first-token', null, 'rate-limit-with-retry-after', null, 'server-error', null];

/** @param {string} vsix */
export async function panelTour(vsix) {
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  const schedule = {
    version: 1,
    seed: 7,
    level: 'default',
    lossScale: 0,
    overflowShare: 0.75,
    steps: { other: FAULTS },
  };
  const wall = await startWall({ seed: 7, schedule });
  writeMachineSettings(profileDir, settingsFor(wall));
  const env = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
  const window = withLog(await startVsCode({ vsix, profileDir, theme: 'dark', env }), profileDir);
  try {
    await tour(window);
  } finally {
    await window.stop();
    await wall.close();
    fs.rmSync(profileDir, { recursive: true, force: true });
  }
}

function settingsFor(wall) {
  const base = wallSettings(wall.endpoints);
  const markup = {
    id: 'stranger',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    keyless: true,
    models: [{ name: MARKUP, tier: 'small' }],
  };
  return {
    ...base,
    'belay.providers': [markup, ...base['belay.providers']],
    'belay.disclosure.rules': [{ verdict: 'allow' }],
    'belay.gateway.enabled': true,
    'belay.gateway.port': 0,
  };
}

async function tour(window) {
  const { page } = window;
  const refused = refusals(page);
  let panel;
  let address;
  await check(window, 'a name with markup is shown as text', async () => {
    await window.runCommand('Belay: Open Panel');
    panel = await window.webview('belay.panel');
    await panel.getByText('13 candidates are ready.').waitFor();
    await panel.getByText(MARKUP).waitFor();
    assert.equal(await panel.locator('i', { hasText: 'markup' }).count(), 0);
  });
  await check(window, 'the gateway that was left on listens after the start', async () => {
    address = await copyAddress(window);
    assert.match(address.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  });
  await check(window, 'a running race is shown as lanes', async () => {
    const answer = ask(address, 'hello');
    await panel.locator('.lane.running, .lane.streaming').first().waitFor();
    await window.screenshot('panel-race-dark');
    assert.equal((await answer).status, 200);
    await panel.locator('.lane.succeeded').waitFor();
    await panel.locator('.lane.failed').first().waitFor();
  });
  await check(window, 'the ranking shows the hedge set and why', async () => {
    await ask(address, 'hello again');
    await panel.getByText('answers chat calls first').waitFor();
    assert.ok((await panel.locator('.candidate').count()) >= 6);
    assert.ok((await panel.locator('.candidate.in-hedge-set').count()) >= 1);
    await panel.getByText('Why this order?').click();
    await panel.getByText('Ranked by U⁺').waitFor();
    await panel.locator('.candidate summary').first().click();
    await panel.getByText('success it surely gives').first().waitFor();
    await window.screenshot('panel-candidates-open-dark');
    await panel.locator('.candidate summary').first().click();
    await panel.getByText('Why this order?').click();
  });
  await check(window, 'tabs are reached and chosen by keyboard', async () => {
    await panel.getByRole('tab', { name: 'Candidates' }).focus();
    await page.keyboard.press('ArrowRight');
    await panel.locator('#tab-decisions[aria-selected="true"]').waitFor();
    assert.equal(
      await panel.locator('#tab-decisions').evaluate((tab) => tab === document.activeElement && tab.tabIndex === 0),
      true,
    );
    assert.equal(await panel.locator('#tab-candidates').evaluate((tab) => tab.tabIndex), -1);
  });
  await check(window, 'decisions tell signal, class, action and result', async () => {
    for (let count = 0; count < 3; count += 1) await ask(address, `question ${count}`);
    await panel.getByText('overloaded (T4)').first().waitFor();
    await panel.getByText('rate limit (T2)').first().waitFor();
    await panel.locator('.entry.had-faults').first().waitFor();
    await panel.getByText(/mended; nothing was done twice/).waitFor();
  });
  await pictures(window, panel);
  await check(window, `nothing overflows at ${NARROW_PX} px`, async () => {
    await narrow(page);
    for (const tab of ['Candidates', 'Decisions']) {
      await panel.getByRole('tab', { name: tab }).click();
      const { width, content } = await panel
        .locator('html')
        .evaluate((root) => ({ width: root.clientWidth, content: root.scrollWidth }));
      assert.ok(width <= NARROW_PX + 20, `the panel is ${width} px wide`);
      assert.ok(content <= width, `${tab}: ${content} px in ${width} px`);
      await window.screenshot(`panel-${tab.toLowerCase()}-narrow`);
    }
  });
  await check(
    window,
    'nothing was ever refused by the content security policy, and it refuses what it must',
    async () => {
      assert.deepEqual(refused, []);
      await panel.locator('body').evaluate((body) => body.setAttribute('style', 'color: red'));
      for (let waits = 0; refused.length === 0 && waits < MOST_WAITS; waits += 1) await page.waitForTimeout(POLL_MS);
      assert.match(refused.join(), /style/);
    },
  );
}

/** Lines of the console in which the page's or the panel's policy refused something of ours or inline. */
function refusals(page) {
  const lines = [];
  page.on('console', (message) => {
    const text = message.text();
    if (/violates the following Content Security Policy/.test(text)) lines.push(`${text} (${message.location().url})`);
  });
  return lines;
}

async function pictures(window, panel) {
  for (const theme of Object.keys(LABELS)) {
    await check(window, `is drawn in the theme ${theme}`, async () => {
      await useTheme(window, theme);
      const kind = {
        light: 'vscode-light',
        dark: 'vscode-dark',
        'high-contrast': 'vscode-high-contrast',
        'high-contrast-light': 'vscode-high-contrast-light',
      }[theme];
      await panel.locator(`body.${kind}`).waitFor();
      for (const tab of ['Candidates', 'Decisions']) {
        await panel.getByRole('tab', { name: tab }).click();
        await panel.locator(`#tab-${tab.toLowerCase()}[aria-selected="true"]`).waitFor();
        await window.screenshot(`panel-${tab.toLowerCase()}-${theme}`);
      }
    });
  }
}

/** Chooses a theme as a person does. */
export async function useTheme({ page, runCommand }, theme) {
  await runCommand('Preferences: Color Theme');
  await page.locator('.quick-input-widget:visible input.input').fill(LABELS[theme]);
  await page
    .locator('.quick-input-widget:visible .monaco-list-row', {
      has: page.locator('.label-name', { hasText: new RegExp(`^${LABELS[theme]}$`) }),
    })
    .first()
    .click();
}

/** Drags the edge of the side bar until it is narrow. */
async function narrow(page) {
  const box = await page.locator('.part.sidebar').boundingBox();
  await page.mouse.move(box.x + box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + NARROW_PX, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}
