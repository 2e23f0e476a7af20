import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { resetSettings, setSetting, surface, waitFor } from './support.ts';

describe('settings', () => {
  afterEach(resetSettings);

  it('replaces a bad value by its default and names the setting', async () => {
    const { controller, problems } = await (await surface()).engine();
    await setSetting('belay.callDeadlineSeconds', 1);
    const [problem] = await waitFor('the problem', () => (problems().length > 0 ? problems() : undefined));
    assert.equal(problem?.path, 'belay.callDeadlineSeconds');
    assert.equal(controller.settings.callDeadlineSeconds, 120);
  });

  it('takes a good value for calls from now on', async () => {
    const { controller, problems } = await (await surface()).engine();
    await setSetting('belay.callDeadlineSeconds', 33);
    await waitFor('the new deadline', () => (controller.settings.callDeadlineSeconds === 33 ? true : undefined));
    assert.deepEqual(problems(), []);
  });

  it('keeps the good members of a list and names the path of the bad one', async () => {
    const { controller, problems } = await (await surface()).engine();
    await setSetting('belay.providers', [
      { id: 'good', kind: 'openai', models: [{ name: 'one' }] },
      { id: 'bad', kind: 'telepathy', models: [{ name: 'two' }] },
    ]);
    const [problem] = await waitFor('the problem', () => (problems().length > 0 ? problems() : undefined));
    assert.equal(problem?.path, 'belay.providers.1.kind');
    assert.deepEqual(
      controller.settings.providers.map(({ id }) => id),
      ['good'],
    );
    assert.deepEqual(
      controller.models().map(({ name }) => name),
      ['one'],
    );
  });

  it('makes the guard careful where one of its rules cannot be read', async () => {
    const { controller, problems } = await (await surface()).engine();
    await setSetting('belay.guard.mode', 'autonomous');
    await waitFor('the mode', () => (controller.settings.guardMode === 'autonomous' ? true : undefined));
    await setSetting('belay.guard.rules', [{ match: 'git push', verdict: 'maybe' }]);
    const [problem] = await waitFor('the problem', () => (problems().length > 0 ? problems() : undefined));
    assert.equal(problem?.path, 'belay.guard.rules.0.verdict');
    assert.equal(controller.settings.guardMode, 'careful');
  });

  it('lets a workspace tighten disclosure and names what it may not allow', async () => {
    const { controller, problems } = await (await surface()).engine();
    const rules = 'belay.disclosure.rules';
    const inWorkspace = (value: unknown): Thenable<void> =>
      vscode.workspace.getConfiguration().update(rules, value, vscode.ConfigurationTarget.Workspace);
    await setSetting(rules, [{ vendor: 'acme', verdict: 'allow' }]);
    try {
      await inWorkspace([
        { vendor: 'evil', verdict: 'allow' },
        { role: 'judge', verdict: 'deny' },
      ]);
      const [problem] = await waitFor('the problem', () => (problems().length > 0 ? problems() : undefined));
      assert.equal(problem?.path, 'belay.disclosure.rules.0');
      assert.deepEqual(
        controller.settings.disclosureRules.map(({ vendor, role, verdict }) => [vendor, role, verdict]),
        [
          ['acme', '*', 'allow'],
          ['*', 'judge', 'deny'],
        ],
      );
    } finally {
      await inWorkspace(undefined);
    }
  });
});
