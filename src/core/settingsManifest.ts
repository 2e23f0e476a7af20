// package.json's configuration block, made from the settings schema so that the two cannot drift apart.
// Every description becomes a %key% and its words go to package.nls.json, also those inside lists and objects.
// It decides nothing about a setting: names, scopes, defaults and words are those of core/settings.ts.
import * as z from 'zod';
import { settingDefinitions } from './settings.ts';

/** VS Code's `contributes.configuration` and the words its %keys% stand for. */
export interface SettingsManifest {
  readonly configuration: {
    readonly title: string;
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * The configuration block in the order of `settingDefinitions`. JSON Schemas describe what a person writes (zod's
 * `io: 'input'`), so that a member with a default is not required.
 */
export function settingsManifest(): SettingsManifest {
  const texts: Record<string, string> = { 'belay.settings.title': 'Belay' };
  const properties: Record<string, Record<string, unknown>> = {};
  for (const [index, [name, definition]] of Object.entries(settingDefinitions).entries()) {
    const key = `setting.${name}`;
    texts[key] = definition.description;
    properties[name] = {
      ...withKeys(z.toJSONSchema(definition.schema, { io: 'input' }), key, texts),
      scope: definition.scope,
      order: index,
      description: `%${key}%`,
    };
  }
  return { configuration: { title: '%belay.settings.title%', properties }, texts };
}

/** Settings that a workspace may set, and that an untrusted one therefore must not. */
export function restrictedSettings(): readonly string[] {
  const definitions = Object.entries(settingDefinitions);
  return definitions
    .filter(([, definition]) => definition.scope === 'window' || definition.scope === 'resource')
    .map(([name]) => name);
}

/** A copy of a JSON Schema with its descriptions moved to `texts` and without what VS Code has no use for. */
function withKeys(
  schema: Readonly<Record<string, unknown>>,
  key: string,
  texts: Record<string, string>,
): Record<string, unknown> {
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (isNoise(name, value)) return [];
    if (name === 'description' && typeof value === 'string') {
      texts[key] = value;
      return [[name, `%${key}%`]];
    }
    if (name === 'properties' && isObject(value)) {
      const members = Object.entries(value).map(([member, inner]): [string, unknown] => [
        member,
        isObject(inner) ? withKeys(inner, `${key}.${member}`, texts) : inner,
      ]);
      return [[name, Object.fromEntries(members)]];
    }
    if ((name === 'items' || name === 'additionalProperties') && isObject(value))
      return [[name, withKeys(value, key, texts)]];
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The dialect's address, an empty rule for names, and the bounds that every safe integer has. */
function isNoise(name: string, value: unknown): boolean {
  return (
    name === '$schema' ||
    name === 'propertyNames' ||
    value === Number.MAX_SAFE_INTEGER ||
    value === Number.MIN_SAFE_INTEGER
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
