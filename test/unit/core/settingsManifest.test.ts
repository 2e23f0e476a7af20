import { describe, expect, it } from 'vitest';
import { settingDefinitions } from '../../../src/core/settings.ts';
import { restrictedSettings, settingsManifest } from '../../../src/core/settingsManifest.ts';

const { configuration, texts } = settingsManifest();

/** Every %key% in a value, at any depth. */
function keysIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(/^%(.+)%$/g)].map((match) => match[1] ?? '');
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(keysIn) : [];
}

describe('the configuration block', () => {
  it('has every setting, in order, with its scope', () => {
    expect(Object.keys(configuration.properties)).toEqual(Object.keys(settingDefinitions));
    for (const [index, [name, definition]] of Object.entries(settingDefinitions).entries()) {
      expect(configuration.properties[name]).toMatchObject({
        scope: definition.scope,
        order: index,
        description: `%setting.${name}%`,
      });
    }
  });

  it('has fewer than 30 visible settings', () => {
    expect(Object.keys(configuration.properties).length).toBeLessThan(30);
  });

  it('has words for every key and no key too many', () => {
    const used = [...new Set(keysIn(configuration))].sort();
    expect(used).toEqual(Object.keys(texts).sort());
  });

  it('gives each setting a default that its own schema accepts', () => {
    for (const [name, definition] of Object.entries(settingDefinitions)) {
      expect(configuration.properties[name]).toHaveProperty('default');
      expect(definition.schema.safeParse(configuration.properties[name]?.default).success, name).toBe(true);
    }
  });

  it('asks a person only for what has no default', () => {
    expect(configuration.properties['belay.providers']).toMatchObject({
      items: { required: ['id', 'kind', 'models'] },
    });
  });

  it('describes enums and bounds as VS Code reads them', () => {
    expect(configuration.properties['belay.mode']).toMatchObject({
      type: 'string',
      enum: ['balanced', 'fast', 'literal'],
      default: 'balanced',
    });
    expect(configuration.properties['belay.callDeadlineSeconds']).toMatchObject({
      type: 'number',
      minimum: 5,
      maximum: 3600,
    });
  });

  it('keeps the dialect and the bounds of all integers out', () => {
    expect(JSON.stringify(configuration)).not.toMatch(/\$schema|9007199254740991/);
  });
});

describe('settings an untrusted workspace must not set', () => {
  it('are those that a workspace can set at all', () => {
    expect(restrictedSettings()).toEqual([
      'belay.disclosure.rules',
      'belay.disclosure.residency',
      'belay.disclosure.scrubSecrets',
      'belay.mode',
      'belay.criticality',
      'belay.callDeadlineSeconds',
    ]);
  });

  it('leave nothing that loosens the guard or sends code elsewhere to a workspace', () => {
    for (const name of [
      'belay.providers',
      'belay.routes',
      'belay.guard.mode',
      'belay.guard.rules',
      'belay.gateway.enabled',
      'belay.advanced',
    ] as const) {
      expect(['application', 'machine']).toContain(settingDefinitions[name].scope);
    }
  });
});
