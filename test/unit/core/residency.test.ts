import { describe, expect, it } from 'vitest';
import { candidatesOf } from '../../../src/core/providers/candidates.ts';
import { parseSettings } from '../../../src/core/settings.ts';

type Raw = Readonly<Record<string, unknown>>;
const tagOf = (provider: Raw, region: Raw | string, model = 'm'): string | null | undefined => {
  const regions = [typeof region === 'string' ? { name: region } : region];
  const raw = [{ id: 'p', keyEnv: 'K', regions, models: [{ name: model }], ...provider }];
  return candidatesOf(parseSettings({ 'belay.providers': raw }).settings)[0]?.residency;
};
const bedrock = { kind: 'bedrock' };
const vertex = { kind: 'vertex', project: 'proj', signIn: true, keyEnv: undefined };

describe('where data is processed', () => {
  it.each([
    ['eu-central-1', 'anthropic.claude-sonnet-4-5-20250929-v1:0', 'eu'],
    ['eu-central-1', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'eu'],
    ['us-east-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'us'],
    ['ap-northeast-1', 'jp.anthropic.claude-sonnet-4-5-20250929-v1:0', 'jp'],
    ['eu-central-1', 'deepseek.v3.2', 'eu'],
    ['eu-central-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0', null],
    ['eu-central-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', null],
    ['eu-west-2', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', null],
    ['ca-central-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', null],
    ['ap-southeast-2', 'apac.anthropic.claude-3-sonnet-20240229-v1:0', null],
    ['eu-central-1', 'moon.anthropic.claude', null],
    ['eu-central-1', 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3d4e5f6', null],
    ['eu-central-1', 'a1b2c3d4e5f6', null],
    ['eu-central-1', '{model}', null],
  ])('by Bedrock in %s with %s is %s', (region, model, tag) => {
    expect(tagOf(bedrock, region, model)).toBe(tag);
  });

  it('is what the settings say, but where a worldwide profile or a name of the caller shows that it cannot be', () => {
    const claimed = { name: 'eu-central-1', residency: 'EU' };
    expect(tagOf(bedrock, claimed, 'apac.anthropic.claude')).toBe('eu');
    expect(tagOf(bedrock, claimed, 'global.anthropic.claude')).toBeNull();
    expect(tagOf(bedrock, claimed, '{model}')).toBeNull();
    expect(tagOf({ kind: 'openai' }, { name: 'default', residency: 'eu' })).toBe('eu');
  });

  it('is told by the name of a region only where the address in use is of that region', () => {
    expect(tagOf(vertex, 'europe-west4', 'gemini-2.5-pro')).toBe('eu');
    expect(tagOf(vertex, 'eu', 'gemini-2.5-pro')).toBe('eu');
    expect(tagOf(vertex, 'global', 'gemini-2.5-pro')).toBeNull();
    const elsewhere =
      'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi';
    expect(tagOf({ ...vertex, baseUrl: elsewhere }, 'europe-west4', 'gemini-2.5-pro')).toBeNull();
    expect(tagOf({ ...bedrock, baseUrl: 'https://proxy.test' }, 'eu-central-1')).toBeNull();
    const own = 'https://vpce-1.bedrock-runtime.eu-central-1.vpce.amazonaws.com';
    expect(tagOf({ ...bedrock, baseUrl: own }, 'eu-central-1')).toBe('eu');
  });

  it('is not told by a name that a person gave to the address of the whole world', () => {
    for (const kind of ['openai', 'anthropic', 'gemini']) expect(tagOf({ kind }, 'eu'), kind).toBeNull();
    expect(tagOf({ kind: 'openai-compatible', preset: 'openrouter' }, 'eu')).toBeNull();
    expect(tagOf({ kind: 'openai', baseUrl: 'https://eu.api.openai.com/v1' }, 'default')).toBe('eu');
    expect(tagOf({ kind: 'openai', baseUrl: 'https://eu.api.openai.com.evil.test/v1' }, 'default')).toBeNull();
    expect(tagOf({ kind: 'openai', baseUrl: 'https://llm.example/v1' }, 'eu-west')).toBe('eu');
  });

  it('is not told by the region of an Azure resource, whose deployments may be global, nor by the editor', () => {
    const azure = { kind: 'azure', baseUrl: 'https://r.openai.azure.com/openai/v1' };
    expect(tagOf(azure, 'westeurope')).toBeNull();
    expect(tagOf(azure, { name: 'westeurope', residency: 'eu' })).toBe('eu');
    expect(tagOf({ kind: 'vscode', vendor: 'copilot' }, 'eu')).toBeNull();
  });
});
