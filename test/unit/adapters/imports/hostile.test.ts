// Files from elsewhere are untrusted: whatever is in them, nothing throws, and no key leaves its place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCline } from '../../../../src/adapters/imports/clineConfig.ts';
import { readContinue } from '../../../../src/adapters/imports/continueConfig.ts';
import type { ImportResult } from '../../../../src/adapters/imports/gather.ts';
import { readLitellm } from '../../../../src/adapters/imports/litellmConfig.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const CANARY = 'canary-7Qx1-never-seen';
const names = [
  'openai',
  'anthropic',
  'ollama',
  'azure',
  'bedrock',
  'vertexai',
  'groq',
  'telepathy',
  '__proto__',
  'constructor',
];

const readers: Readonly<Record<string, (text: string) => ImportResult>> = {
  Continue: (text) => readContinue({ text, secretsText: text, variables: new Set() }),
  Cline: (text) => readCline({ stateText: text, secretsText: text }),
  LiteLLM: (text) => readLitellm(text, new Set()),
};

const hostile: Readonly<Record<string, string>> = {
  nothing: '',
  'a huge file': `models:\n${'  - { provider: openai, model: x }\n'.repeat(100_000)}`,
  'deep nesting': '['.repeat(100_000),
  'deep objects': `{"models":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
  'an alias bomb': [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
    'models: *i',
    'model_list: *i',
  ].join('\n'),
  'an alias to itself': 'models: &m [*m]',
  'wrong types': 'models: 7\nmodel_list: {a: b}',
  markup: 'models:\n  - { name: "<img src=x onerror=alert(1)>", provider: "<script>", model: "<b>" }',
  'many documents': 'models: []\n---\nmodels: []',
  'a tag': 'models: !!js/function "function () {}"',
  'prototype names': '{"models":[{"__proto__":{"provider":"openai","model":"x"}}],"model_list":[{"__proto__":{}}]}',
};

describe('hostile files', () => {
  for (const [kind, text] of Object.entries(hostile))
    for (const [tool, read] of Object.entries(readers))
      it(`${kind} gives ${tool} nothing and breaks nothing`, () => {
        expect(read(text).providers).toEqual([]);
      });
});

/** A value of any shape, often the key. */
const anything = fc.oneof(
  fc.constant(CANARY),
  fc.constantFrom(...names, '${{ secrets.A }}', `\${{ secrets.${CANARY} }}`, `os.environ/${CANARY}`, 'os.environ/A'),
  fc.constantFrom(`https://${CANARY}@example.com/v1`, `https://example.com/?key=${CANARY}`, `https://x.com/${CANARY}`),
  fc.constantFrom(`openai/${CANARY}`, 'openai/gpt', 'bedrock/x', `\u0000${CANARY}`, 'eu-west-1'),
  fc.jsonValue({ maxDepth: 2 }),
);

const continueFile = fc.record({
  models: fc.array(
    fc.record(
      {
        name: anything,
        title: anything,
        provider: fc.oneof(fc.constantFrom(...names), anything),
        model: anything,
        apiKey: fc.oneof(fc.constant(CANARY), anything),
        apiBase: anything,
        roles: anything,
        region: anything,
        env: fc.record({
          region: anything,
          projectId: anything,
          profile: anything,
          deployment: anything,
          apiVersion: anything,
        }),
        capabilities: anything,
        requestOptions: anything,
      },
      { requiredKeys: ['provider', 'apiKey'] },
    ),
    { maxLength: 5 },
  ),
});

const litellmFile = fc.record({
  model_list: fc.array(
    fc.record({
      model_name: anything,
      litellm_params: fc.record(
        {
          model: fc.oneof(fc.constantFrom('openai/a', 'anthropic/b', 'azure/c', 'bedrock/d', 'vertex_ai/e'), anything),
          api_key: fc.oneof(fc.constant(CANARY), anything),
          api_base: anything,
          api_version: anything,
          aws_region_name: anything,
          vertex_project: anything,
          vertex_location: anything,
          input_cost_per_token: anything,
        },
        { requiredKeys: ['model', 'api_key'] },
      ),
      model_info: anything,
    }),
    { maxLength: 5 },
  ),
  environment_variables: anything,
  litellm_settings: fc.record({ fallbacks: anything }),
});

const clineFile = fc.record({
  actModeApiProvider: fc.constantFrom(...names, 'openai-native', 'litellm', 'vscode-lm'),
  planModeApiProvider: anything,
  actModeApiModelId: anything,
  actModeOpenAiModelId: anything,
  openAiBaseUrl: anything,
  awsRegion: anything,
  actModeVsCodeLmModelSelector: anything,
  apiKey: fc.constant(CANARY),
  openAiApiKey: fc.constant(CANARY),
  openAiNativeApiKey: fc.constant(CANARY),
  groqApiKey: fc.constant(CANARY),
});

describe('a key', () => {
  for (const [tool, file] of [
    ['Continue', continueFile],
    ['LiteLLM', litellmFile],
    ['Cline', clineFile],
  ] as const)
    it(`of ${tool} is among the keys or nowhere, and what is taken fits into the settings`, () => {
      fc.assert(
        fc.property(file, (value) => {
          const { providers, keys, notes, routes } = readers[tool]!(JSON.stringify(value));
          // A text that nothing in the file calls a key is no key; where one entry does, it stands nowhere but among the keys.
          const isKey = /"(?:apiKey|api_key|openAiApiKey)":"canary-7Qx1-never-seen"/.test(JSON.stringify(value));
          expect(isKey || keys.every(({ key }) => key !== CANARY)).toBe(true);
          if (isKey) expect(JSON.stringify({ providers, notes, routes })).not.toContain(CANARY);
          const written = providers.map(({ provider }) => provider);
          expect(parseSettings({ 'belay.providers': written }).problems).toEqual([]);
        }),
        { numRuns: 400 },
      );
    });

  it('in an address, a query or a note is not taken along', () => {
    const { providers, notes } = readContinue({
      text: JSON.stringify({
        models: [
          { name: 'sk-abcdefghijklmnop1234', provider: 'nobody', model: 'x' },
          { name: 'B', provider: 'openai', model: 'x', apiBase: 'https://h.example/v1?api_key=abc' },
          { name: 'C', provider: 'openai', model: 'sk-abcdefghijklmnop1234' },
        ],
      }),
      secretsText: null,
      variables: new Set(),
    });
    expect(providers).toEqual([]);
    expect(notes).toEqual([
      { entry: '[secret]', reason: 'unknown-provider' },
      { entry: 'B', reason: 'bad-address' },
      { entry: 'C', reason: 'no-model' },
    ]);
  });
});
