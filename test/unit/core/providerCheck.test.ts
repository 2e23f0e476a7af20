// What is told of providers beyond their schema: forbidden regions, models that are not there, and where in the settings.
import { describe, expect, it } from 'vitest';
import { missingModels, nearestName, providerPath, residencyWarnings } from '../../../src/core/providers/check.ts';
import { candidatesOf } from '../../../src/core/routes.ts';
import { parseSettings } from '../../../src/core/settings.ts';

const providers = [
  { id: 'broken', kind: 'no-such-kind', models: [{ name: 'm' }] },
  {
    id: 'aws',
    kind: 'bedrock',
    regions: [{ name: 'eu-central-1' }, { name: 'us-east-1' }, { name: 'moon-1' }],
    models: [{ name: 'anthropic.claude-sonnet-4-5-20250929-v1:0' }, { name: 'amazon.nova-lite-v1:0' }],
  },
  { id: 'here', kind: 'openai-compatible', preset: 'ollama', models: [{ name: 'qwen3:8b' }] },
  { id: 'aws', kind: 'bedrock', account: 'two', regions: [{ name: 'us-west-2' }], models: [{ name: 'm' }] },
];
const raw = { 'belay.providers': providers, 'belay.disclosure.residency': ['eu'] };
const { settings } = parseSettings(raw);

describe('the residency rule', () => {
  it('names each region it keeps unused by its path as written, and why', () => {
    expect(residencyWarnings(settings, providers)).toEqual([
      {
        path: 'belay.providers.1.regions.1',
        message:
          'eu-only rule forbids us-east-1; it is not used, for it is in us. Name another region, or widen belay.disclosure.residency',
      },
      {
        path: 'belay.providers.1.regions.2',
        message:
          'eu-only rule forbids moon-1; it is not used. Nobody knows for sure where it is: set its residency where you know it',
      },
      {
        path: 'belay.providers.3.regions.0',
        message:
          'eu-only rule forbids us-west-2; it is not used, for it is in us. Name another region, or widen belay.disclosure.residency',
      },
    ]);
  });

  it('says nothing where there is none', () => {
    expect(residencyWarnings({ ...settings, residency: [] }, providers)).toEqual([]);
  });

  it('says nothing of a region whose residency a person has set', () => {
    const own = [{ id: 'x', kind: 'openai', regions: [{ name: 'default', residency: 'EU' }], models: [{ name: 'm' }] }];
    const parsed = parseSettings({ ...raw, 'belay.providers': own });
    expect(residencyWarnings(parsed.settings, own)).toEqual([]);
  });
});

describe('the path of a provider', () => {
  it('is its place in the list as written, else among the usable ones', () => {
    const two = { providerId: 'aws', account: 'two' };
    expect(providerPath(two, settings, providers)).toBe('belay.providers.3');
    expect(providerPath(two, settings)).toBe('belay.providers.2');
  });
});

describe('a configured model', () => {
  const missing = (names: readonly string[], listed: readonly string[]): readonly string[] => {
    const list = [{ id: 'p', kind: 'openai', models: names.map((name) => ({ name })) }];
    const parsed = parseSettings({ 'belay.providers': list }).settings;
    return missingModels(candidatesOf(parsed), listed, parsed, list).map(({ path, message }) => `${path}: ${message}`);
  };

  it('that is not listed is named with its path and the nearest name', () => {
    expect(missing(['gpt-4o', 'gtp-4o-mini', 'zzz'], ['gpt-4o', 'gpt-4o-mini', 'o3'])).toEqual([
      'belay.providers.0.models.1.name: "gtp-4o-mini" is not among its models; did you mean "gpt-4o-mini"?',
      'belay.providers.0.models.2.name: "zzz" is not among its models; choose one of those it lists',
    ]);
  });

  it.each([
    ['gpt-4o', 'GPT-4o'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['claude-opus-4-1', 'claude-opus-4-1-20250805'],
    ['claude-3-7-sonnet-latest', 'claude-3-7-sonnet-20250219'],
    ['claude-opus-4-1@20250805', 'claude-opus-4-1'],
    ['grok-4-latest', 'grok-4-0709'],
    ['llama3', 'llama3:latest'],
    ['openai/gpt-4o:nitro', 'openai/gpt-4o'],
  ])('%s is there where %s is listed', (name, listed) => {
    expect(missing([name], [listed])).toEqual([]);
  });

  it.each([
    ['gpt-4', 'gpt-4-32k'],
    ['gpt-5', 'gpt-5-mini'],
    ['claude-opus-4', 'claude-opus-4-1-20250805x'],
  ])('%s is not there where only %s is listed', (name, listed) => {
    expect(missing([name], [listed])).toHaveLength(1);
  });

  it('that stands for another name or for a resource of the account is not looked for', () => {
    expect(missing(['{model}', 'arn:aws:bedrock:us-east-1:1:inference-profile/x'], ['y'])).toEqual([]);
  });
});

describe('the nearest name', () => {
  it.each([
    ['gpt4o', ['gpt-4o', 'gpt-4.1'], 'gpt-4o'],
    ['llama-3.3-70b', ['llama-3.1-8b', 'llama-3.3-70b-versatile'], 'llama-3.3-70b-versatile'],
    ['x', ['abc'], null],
    ['anything', [], null],
  ])('to %s in %j is %s', (wanted, names, expected) => {
    expect(nearestName(wanted, names)).toBe(expected);
  });
});
