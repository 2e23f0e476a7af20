// Everything around providers as a person meets it: adding (with Back, mistakes and their mending), checking, importing;
// pictures in light and dark; and a canary: a key that was typed in and that its server quotes back in every failure is
// afterwards in no setting, log, database or view.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answeringModel, failingModels, startEchoServer } from '../../support/echoServer.ts';
import { startVsCode } from '../ui.mjs';
import { check, withLog, writeMachineSettings } from './checks.mjs';
import { ask, copyAddress } from './gatewayClient.mjs';

const CANARY = 'zq-canary-9Xb2-typed-into-the-editor';
const IMPORTED_CANARY = 'zq-canary-imported-4Lm8-from-a-file';

/** @param {string} vsix */
export async function addProvider(vsix) {
  const profileDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-ui-'));
  const toolsDir = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-tools-'));
  const server = await startEchoServer(CANARY);
  writeMachineSettings(profileDir, {
    'belay.gateway.port': 0,
    'belay.disclosure.rules': [{ verdict: 'allow' }],
    'belay.callDeadlineSeconds': 5,
    'belay.advanced': { retry: { maxAttemptsPerStep: 1 }, breaker: { isEnabled: false } },
  });
  const env = { ...toolFiles(toolsDir), GROQ_API_KEY: 'gsk-not-a-real-key-0123' };
  const window = withLog(await startVsCode({ vsix, profileDir, theme: 'dark', env }), profileDir);
  try {
    await tour(window, { profileDir, server });
  } finally {
    await window.stop();
    await server.close();
    for (const folder of [profileDir, toolsDir]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Configurations of other tools; the variables that lead to them. */
function toolFiles(folder) {
  const write = (name, text) => {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  write(
    'continue/config.yaml',
    `models:
  - { name: Work, provider: openai, model: gpt-5, apiKey: "\${{ secrets.WORK_KEY }}" }
  - { name: Home, provider: ollama, model: qwen3-coder, apiBase: "http://10.9.8.7:11434" }
  - { name: Odd, provider: telepathy, model: mind }
  - uses: anthropic/claude-4
`,
  );
  write('continue/.env', `WORK_KEY=${IMPORTED_CANARY}\n`);
  return { CONTINUE_GLOBAL_DIR: path.join(folder, 'continue'), CLINE_DIR: path.join(folder, 'cline') };
}

async function tour(window, { profileDir, server }) {
  const { page } = window;
  const widget = page.locator('.quick-input-widget:visible');
  const input = widget.locator('input.input').first();
  const row = (label) => widget.locator('.monaco-list-row', { hasText: label }).first();
  /** Answers the question with these words in it. */
  const typed = async (question, text) => {
    await widget.getByText(question).first().waitFor();
    await input.fill(text);
    await page.keyboard.press('Enter');
  };
  /** Finds a row by typing, since a long list is drawn in part. */
  const choose = async (label) => {
    await input.fill(label);
    await row(label).click();
  };
  const providers = () => {
    const file = path.join(profileDir, 'user', 'Machine', 'settings.json');
    return JSON.parse(fs.readFileSync(file, 'utf8'))['belay.providers'] ?? [];
  };
  const picture = async (name) => {
    await window.screenshot(`${name}-${theme}`);
  };
  let theme = 'dark';

  await check(window, 'the first question groups what can be added and points out keys that are there', async () => {
    await window.runCommand('Belay: Add Provider');
    await row('OpenAI').waitFor();
    await widget.getByText('Hosted').waitFor();
    await picture('add-provider-kinds');
    await input.fill('groq');
    await widget.getByText('key found in GROQ_API_KEY').waitFor();
    await page.keyboard.press('Escape');
    await widget.waitFor({ state: 'hidden' });
  });

  await check(
    window,
    'the clouds ask for regions, say where data is processed, and Escape leaves nothing',
    async () => {
      await window.runCommand('Belay: Add Provider');
      await choose('Amazon Bedrock');
      await typed('Your name for it', 'aws');
      await row('Use an AWS profile or SSO').waitFor();
      await picture('add-provider-key');
      await row('Enter a key').click();
      await typed('The key of Amazon Bedrock', 'bedrock-api-key-0123456789');
      await row('eu-central-1').waitFor();
      await widget.getByText('data is processed in: eu').first().waitFor();
      await row('eu-central-1').click();
      await row('us-east-1').click();
      await widget.getByText('2 Selected').waitFor();
      await picture('add-provider-regions');
      await input.fill('mars-north-1');
      await row('mars-north-1').waitFor();
      await page.keyboard.press('Escape');
      await widget.waitFor({ state: 'hidden' });
      assert.deepEqual(providers(), []);
    },
  );

  await check(window, 'a wrong key is said in words, and is mended without starting again', async () => {
    await window.runCommand('Belay: Add Provider');
    await choose('OpenAI compatible');
    await typed('Your name for it', 'echo');
    await typed('Its base URL', 'http://user:password@example.com/v1');
    await page.getByText('without name, password or query').waitFor();
    await input.fill(server.baseUrl);
    await page.keyboard.press('Enter');
    await row('Enter a key').waitFor();
    await widget.locator('.quick-input-titlebar .codicon-quick-input-back').click();
    await widget.getByText('Its base URL').waitFor();
    assert.equal(await input.inputValue(), server.baseUrl);
    await page.keyboard.press('Enter');
    await row('Enter a key').click();
    await typed('The key of OpenAI compatible', 'wrong-key-0123456789');
    await row('Change the key').waitFor();
    await widget.getByText('It refuses the key or sign-in (401).').first().waitFor();
    await picture('add-provider-trouble');
    assert.deepEqual(providers(), []);
    await row('Change the key').click();
    await row('Enter a key').click();
    await typed('The key of OpenAI compatible', CANARY);
    await row(answeringModel).waitFor();
    await picture('add-provider-models');
    for (const model of [...failingModels, answeringModel]) {
      await input.fill(model);
      await row(model).click();
    }
    await page.keyboard.press('Enter');
    await page
      .getByText(/echo is ready. Models: 7/)
      .first()
      .waitFor();
    await picture('add-provider-done');
    const [provider] = providers();
    assert.equal(provider.id, 'echo');
    assert.equal(provider.models.length, failingModels.length + 1);
  });

  await check(window, 'the same provider again is offered as another account', async () => {
    await window.runCommand('Belay: Add Provider');
    await choose('OpenAI compatible');
    await row('Another account of echo').waitFor();
    await picture('add-provider-account');
    await page.keyboard.press('Escape');
  });

  let panel;
  const answers = [];
  await check(window, 'calls that fail in every way that quotes the key fail without it', async () => {
    await window.runCommand('Belay: Open Panel');
    panel = await window.webview('belay.panel');
    await window.runCommand('Belay: Start Gateway');
    await page.getByText('The Belay gateway listens on').first().waitFor();
    const address = await copyAddress(window);
    for (const model of failingModels) answers.push((await ask(address, `hello ${model}`, model)).text);
    const good = await ask(address, 'hello', answeringModel);
    assert.match(good.text, new RegExp(CANARY));
    assert.deepEqual([...server.called].sort(), [...failingModels, answeringModel].sort());
    assert.ok(answers.every((text) => !text.includes(CANARY)));
  });

  await check(
    window,
    'Check Providers shows what works and what does not, with its place in the settings',
    async () => {
      const file = path.join(profileDir, 'user', 'Machine', 'settings.json');
      const settings = JSON.parse(fs.readFileSync(file, 'utf8'));
      const [echo] = settings['belay.providers'];
      settings['belay.providers'] = [
        { ...echo, models: [...echo.models, { name: 'retired-model' }] },
        {
          id: 'lost',
          kind: 'openai-compatible',
          baseUrl: 'http://127.0.0.1:9/v1',
          keyless: true,
          models: [{ name: 'a' }],
        },
        { id: 'keyless', kind: 'openai', models: [{ name: 'gpt-5' }], keyEnv: 'NOT_SET_ANYWHERE' },
        { id: 'odd', kind: 'telepathy', models: [{ name: 'x' }] },
      ];
      fs.writeFileSync(file, JSON.stringify(settings, null, 2));
      await page
        .getByText(/Belay cannot use the setting/)
        .first()
        .waitFor();
      await window.runCommand('Belay: Check Providers');
      await widget
        .getByText('3 problems. Choose one to mend it.')
        .or(widget.getByPlaceholder(/3 problems/))
        .waitFor();
      await widget.getByText('belay.providers.1.baseUrl').waitFor();
      await widget.getByText('belay.providers.2.keyEnv').waitFor();
      await widget.getByText('belay.providers.3.kind').first().waitFor();
      await widget.getByText('belay.providers.0.models.7.name').waitFor();
      await picture('check-providers');
      await page.keyboard.press('Escape');
    },
  );

  await check(
    window,
    'Import Providers shows what it takes and what it cannot, and writes only what is accepted',
    async () => {
      await window.runCommand('Belay: Import Providers');
      await row('Continue').waitFor();
      await picture('import-sources');
      await row('Continue').click();
      await row('openai').waitFor();
      await widget.getByText('Belay does not know this provider').waitFor();
      await widget.getByText("it stands on Continue's hub").waitFor();
      await picture('import-preview');
      assert.equal(providers().length, 4);
      await page.keyboard.press('Enter');
      await page.getByText('Imported. Providers: 2, routes: 0.').first().waitFor();
      assert.deepEqual(
        providers().map(({ id }) => id),
        ['echo', 'lost', 'keyless', 'odd', 'openai', 'ollama'],
      );
    },
  );

  await check(window, 'both keys are in no setting, log, database, state file, view or message', async () => {
    assert.ok(server.called.size > 0, 'the key was never used');
    const shown = [
      await page.locator('body').innerText(),
      await panel.locator('body').innerHTML(),
      window.consoleLog.join('\n'),
      window.serverLog(),
      ...answers,
    ].join('\n');
    const files = fs
      .readdirSync(profileDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes(`${path.sep}browser`))
      .map(({ parentPath, name }) => path.join(parentPath, name));
    assert.ok(files.some((file) => file.endsWith('belay.db')));
    assert.ok(files.some((file) => /Belay\.log$/.test(file)));
    for (const key of [CANARY, IMPORTED_CANARY]) {
      assert.ok(!shown.includes(key));
      assert.deepEqual(
        files.filter((file) => fs.readFileSync(file).includes(key)),
        [],
      );
    }
  });

  theme = 'light';
  await check(window, 'is drawn in light too', async () => {
    await window.runCommand('Preferences: Color Theme');
    await input.fill('Light Modern');
    await row('Light Modern').click();
    await window.runCommand('Belay: Add Provider');
    await row('OpenAI').waitFor();
    await picture('add-provider-kinds');
    await choose('Google Vertex AI');
    await typed('Your name for it', 'vertex');
    await typed('The Google Cloud project', 'my-project-123');
    await row('europe-west4').click();
    await picture('add-provider-regions');
    await page.keyboard.press('Escape');
    await window.runCommand('Belay: Check Providers');
    await widget.getByText('Works').waitFor();
    await picture('check-providers');
    await page.keyboard.press('Escape');
    await window.runCommand('Belay: Import Providers');
    await row('Continue').click();
    await widget.getByText('configured already').first().waitFor();
    await picture('import-preview');
    await page.keyboard.press('Escape');
  });
  await check(window, 'the walkthrough leads to all three commands', async () => {
    await window.runCommand('Welcome: Open Walkthrough...');
    await input.fill('Get started with Belay');
    await row('Get started with Belay').click();
    await page
      .getByText('Keys go to the secret storage')
      .or(page.getByText('keys go to the secret storage'))
      .first()
      .waitFor();
    await picture('walkthrough');
  });
}
