import assert from 'node:assert/strict';
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
});
