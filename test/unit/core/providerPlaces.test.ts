// Settings whose names would become part of an address in a way that nobody means are problems with a path and a remedy.
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/core/settings.ts';

const BASE = { id: 'p', kind: 'openai', models: [{ name: 'm' }] };

function problemsOf(provider: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const { settings, problems } = parseSettings({ 'belay.providers': [{ ...BASE, ...provider }] });
  // What is a problem is not used.
  expect(settings.providers).toHaveLength(problems.length === 0 ? 1 : 0);
  return problems.map(({ path, message }) => [path.replace('belay.providers.0.', ''), message]);
}

const bedrock = (region: string, model = 'anthropic.claude-x') => ({
  kind: 'bedrock',
  regions: [{ name: region }],
  models: [{ name: model }],
});
const vertex = (change: Readonly<Record<string, unknown>> = {}) => ({
  kind: 'vertex',
  signIn: true,
  project: 'my-project-1',
  regions: [{ name: 'europe-west4' }],
  models: [{ name: 'claude-x@20260101' }],
  ...change,
});
const azure = (model: string, apiVersion?: string) => ({
  kind: 'azure',
  baseUrl: 'https://n.openai.azure.com',
  ...(apiVersion === undefined ? {} : { apiVersion }),
  models: [{ name: model }],
});

describe('names in an address', () => {
  it.each(['us-east-1.evil.example/', 'evil.example/?', 'a@evil.example', 'us-east-1#', 'us east', '..', 'US-EAST-1'])(
    'a region of a cloud is not %s',
    (name) => {
      expect(problemsOf(bedrock(name))).toEqual([['regions.0.name', expect.stringContaining('small letters')]]);
      expect(problemsOf(vertex({ regions: [{ name }] }))).toEqual([
        ['regions.0.name', expect.stringContaining('small letters')],
      ]);
      // Elsewhere it is a name of the person's own.
      expect(problemsOf({ regions: [{ name }] })).toEqual([]);
    },
  );

  it.each(['../../evil', 'p/locations/x', 'p?x', 'p#x', 'P', '..'])('a Google project is not %s', (project) => {
    expect(problemsOf(vertex({ project }))).toEqual([['project', expect.stringContaining('Google Cloud project')]]);
  });

  it.each([
    [bedrock('us-east-1', 'anthropic.claude-x/../y'), 'a Bedrock model'],
    [bedrock('us-east-1', 'claude?'), 'a Bedrock model'],
    [vertex({ models: [{ name: 'claude-x:rawPredict' }] }), 'a Vertex model'],
    [vertex({ models: [{ name: 'a/claude-x' }] }), 'a Vertex model'],
    [azure('..', '2025-01-01'), 'a deployment'],
    [azure('a/b', '2025-01-01'), 'a deployment'],
  ])('a model in an address is not %j', (provider, meant) => {
    expect(problemsOf(provider)).toEqual([['models.0.name', expect.stringContaining(meant)]]);
  });

  it('real names are let through', () => {
    const good = [
      bedrock('us-gov-west-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
      bedrock('eu-central-1', 'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-x'),
      bedrock('us-east-1', 'openai.gpt-oss-120b-1:0'),
      vertex(),
      vertex({ project: 'example.com:old-project', regions: [{ name: 'global' }] }),
      vertex({ project: '123456789012', models: [{ name: 'meta/llama-4' }] }),
      azure('any thing/at all'),
      azure('my_deployment-{model}.2', '2025-01-01'),
    ];
    expect(good.map(problemsOf)).toEqual(good.map(() => []));
  });
});

describe('a base URL', () => {
  it.each([
    ['https://me:pass-word@host/v1', 'user name or a password'],
    ['https://me@host', 'user name or a password'],
    ['http:////me:pass-word@host/v1', 'user name or a password'],
    ['https://host/v1#part', 'fragment'],
  ])('%s is a problem, and its text is not repeated', (baseUrl, meant) => {
    for (const [at, given] of [
      ['baseUrl', { baseUrl }],
      ['regions.0.baseUrl', { regions: [{ name: 'r', baseUrl }] }],
    ] as const) {
      const problems = problemsOf(given);
      expect(problems).toEqual([[at, expect.stringContaining(meant)]]);
      expect(JSON.stringify(problems)).not.toContain('pass-word');
    }
  });

  it('may have a query, a port, an address of version 6, and an at-sign in its path', () => {
    for (const baseUrl of [
      'https://h/v1?tenant=a',
      'http://[::1]:8080/v1',
      'https://h/@cf/meta',
      'https://bücher.example',
    ])
      expect(problemsOf({ baseUrl })).toEqual([]);
  });
});
