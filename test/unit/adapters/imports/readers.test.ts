import { describe, expect, it } from 'vitest';
import { readCline } from '../../../../src/adapters/imports/clineConfig.ts';
import { readContinue } from '../../../../src/adapters/imports/continueConfig.ts';
import { readEnvironment } from '../../../../src/adapters/imports/environment.ts';
import { readLitellm } from '../../../../src/adapters/imports/litellmConfig.ts';

const none = new Set<string>();
const yaml = (text: string, secretsText: string | null = null, variables: ReadonlySet<string> = none) =>
  readContinue({ text, secretsText, variables });

describe("Continue's configuration", () => {
  it('gives one provider for the models of one account, with the key apart', () => {
    const { providers, keys, notes } = yaml(`
name: mine
version: 1.0.0
schema: v1
models:
  - name: Big
    provider: openai
    model: gpt-5
    apiKey: sk-live-0123456789abcdef
    defaultCompletionOptions: { contextLength: 400000 }
    capabilities: [tool_use, image_input]
  - name: Small
    provider: openai
    model: gpt-5-mini
    apiKey: sk-live-0123456789abcdef
`);
    expect(providers.map(({ provider }) => provider)).toEqual([
      {
        id: 'openai',
        kind: 'openai',
        models: [
          { name: 'gpt-5', contextWindowTokens: 400_000, capabilities: { tools: true, images: true } },
          { name: 'gpt-5-mini' },
        ],
      },
    ]);
    expect(keys).toEqual([{ id: 'openai', account: 'main', key: 'sk-live-0123456789abcdef' }]);
    expect(notes).toEqual([]);
  });

  it('reads secrets from the file beside it, else leaves them to the environment and says when they are missing', () => {
    const text = `
models:
  - { name: A, provider: anthropic, model: claude-a, apiKey: "\${{ secrets.ANTHROPIC_API_KEY }}" }
  - { name: G, provider: groq, model: llama, apiKey: "\${{ secrets.GROQ_API_KEY }}" }
`;
    const { providers, keys, notes } = yaml(text, 'export ANTHROPIC_API_KEY="sk-ant-0123456789abcdef"\n# GROQ=1\n');
    expect(keys).toEqual([{ id: 'anthropic', account: 'main', key: 'sk-ant-0123456789abcdef' }]);
    expect(providers[1]?.provider).toMatchObject({ id: 'groq', preset: 'groq', keyEnv: 'GROQ_API_KEY' });
    expect(notes).toEqual([{ entry: 'G', reason: 'variable-not-set' }]);
    expect(yaml(text, null, new Set(['GROQ_API_KEY', 'ANTHROPIC_API_KEY'])).notes).toEqual([]);
  });

  it('knows servers of this machine by their address and takes them without a key', () => {
    const { providers } = yaml(`
models:
  - { name: L, provider: ollama, model: qwen3, apiBase: "http://localhost:11434/" }
  - { name: O, provider: ollama, model: qwen3, apiBase: "http://10.0.0.7:11434" }
  - { name: C, provider: openai, model: own, apiBase: "https://llm.example.com/v1/", apiKey: sk-0123456789abcdefgh }
`);
    expect(providers.map(({ provider }) => provider)).toEqual([
      { id: 'ollama', kind: 'openai-compatible', preset: 'ollama', keyless: true, models: [{ name: 'qwen3' }] },
      {
        id: 'ollama-2',
        kind: 'openai-compatible',
        preset: 'ollama',
        baseUrl: 'http://10.0.0.7:11434/v1',
        keyless: true,
        models: [{ name: 'qwen3' }],
      },
      {
        id: 'llm.example.com',
        kind: 'openai-compatible',
        baseUrl: 'https://llm.example.com/v1',
        models: [{ name: 'own' }],
      },
    ]);
  });

  it('brings the clouds along with region, project and deployment', () => {
    const { providers, notes } = yaml(`
models:
  - { name: B, provider: bedrock, model: anthropic.claude-x, env: { region: eu-central-1, profile: work } }
  - { name: V, provider: vertexai, model: gemini-x, env: { region: europe-west4, projectId: my-project } }
  - { name: Z, provider: azure, model: gpt-5, apiBase: "https://me.openai.azure.com", apiKey: 0123456789abcdef0123, env: { deployment: prod, apiVersion: "2024-10-21" } }
  - { name: N, provider: bedrock, model: anthropic.claude-x }
`);
    expect(providers.map(({ provider }) => provider)).toEqual([
      {
        id: 'bedrock',
        kind: 'bedrock',
        signIn: true,
        profile: 'work',
        regions: [{ name: 'eu-central-1' }],
        models: [{ name: 'anthropic.claude-x' }],
      },
      {
        id: 'vertex',
        kind: 'vertex',
        signIn: true,
        project: 'my-project',
        regions: [{ name: 'europe-west4' }],
        models: [{ name: 'gemini-x' }],
      },
      {
        id: 'azure',
        kind: 'azure',
        baseUrl: 'https://me.openai.azure.com',
        apiVersion: '2024-10-21',
        models: [{ name: 'prod' }],
      },
    ]);
    expect(notes).toEqual([{ entry: 'N', reason: 'no-region' }]);
  });

  it('names what it cannot take, and why', () => {
    const { providers, notes } = yaml(`
models:
  - uses: anthropic/claude-4
  - { name: Embed, provider: openai, model: text-embedding-3, roles: [embed] }
  - { name: Odd, provider: telepathy, model: mind }
  - { name: NoModel, provider: openai }
  - { name: Template, provider: openai, model: x, apiKey: "\${{ inputs.KEY }}" }
  - { name: Hidden, provider: openai, model: x, apiBase: "https://user:pass@example.com/v1" }
  - 17
  - { name: Headers, provider: mistral, model: x, apiKey: 0123456789abcdef, requestOptions: { headers: { X-A: b } } }
`);
    expect(notes).toEqual([
      { entry: 'anthropic/claude-4', reason: 'hub-block' },
      { entry: 'Embed', reason: 'not-chat' },
      { entry: 'Odd', reason: 'unknown-provider' },
      { entry: 'NoModel', reason: 'no-model' },
      { entry: 'Template', reason: 'bad-key' },
      { entry: 'Hidden', reason: 'bad-address' },
      { entry: 'models.6', reason: 'unreadable' },
      { entry: 'Headers', reason: 'headers' },
    ]);
    expect(providers.map(({ provider }) => provider.id)).toEqual(['mistral']);
  });

  it('reads the old config.json', () => {
    const { providers } = yaml(
      JSON.stringify({
        models: [{ title: 'C', provider: 'anthropic', model: 'claude-x', apiKey: 'sk-ant-abcdefgh1234' }],
      }),
    );
    expect(providers[0]?.labels).toEqual(['C']);
  });
});

describe("Cline's files", () => {
  const state = {
    actModeApiProvider: 'openrouter',
    actModeOpenRouterModelId: 'vendor/model-a',
    planModeApiProvider: 'vscode-lm',
    planModeVsCodeLmModelSelector: { vendor: 'copilot', family: 'gpt-x' },
  };

  it('give the models of both modes, and name keys whose model is not chosen', () => {
    const { providers, keys, notes } = readCline({
      stateText: JSON.stringify(state),
      secretsText: JSON.stringify({ openRouterApiKey: 'sk-or-0123456789abc', groqApiKey: 'gsk_0123456789' }),
    });
    expect(providers.map(({ provider }) => provider)).toEqual([
      { id: 'openrouter', kind: 'openai-compatible', preset: 'openrouter', models: [{ name: 'vendor/model-a' }] },
      { id: 'vscode', kind: 'vscode', vendor: 'copilot', models: [{ name: 'gpt-x' }] },
    ]);
    expect(keys).toEqual([{ id: 'openrouter', account: 'main', key: 'sk-or-0123456789abc' }]);
    expect(notes).toEqual([{ entry: 'groq', reason: 'key-without-model' }]);
  });

  it('leave AWS access keys where they are', () => {
    const { providers, notes } = readCline({
      stateText: JSON.stringify({ actModeApiProvider: 'bedrock', actModeApiModelId: 'm', awsRegion: 'us-east-1' }),
      secretsText: JSON.stringify({ awsAccessKey: 'AKIAABCDEFGHIJKLMNOP', awsSecretKey: 's3cr3ts3cr3t' }),
    });
    expect(providers).toEqual([]);
    expect(notes).toEqual([{ entry: 'bedrock (act)', reason: 'cloud-keys' }]);
  });

  it('say that an account of Cline itself cannot be taken', () => {
    const { notes } = readCline({ stateText: JSON.stringify({ actModeApiProvider: 'cline' }), secretsText: null });
    expect(notes).toEqual([{ entry: 'cline (act)', reason: 'other-sign-in' }]);
  });
});

describe("LiteLLM's configuration", () => {
  const text = `
model_list:
  - model_name: chat
    litellm_params: { model: azure/prod-eu, api_base: "https://eu.openai.azure.com/", api_key: os.environ/AZURE_EU_KEY, api_version: "2024-10-21" }
    model_info: { max_input_tokens: 128000, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
  - model_name: chat
    litellm_params: { model: bedrock/converse/anthropic.claude-x, aws_region_name: eu-west-1 }
  - model_name: backup
    litellm_params: { model: openai/gpt-5, api_key: os.environ/STORED }
  - model_name: plain
    litellm_params: { model: gpt-5 }
  - model_name: openai/*
    litellm_params: { model: openai/*, api_key: os.environ/AZURE_EU_KEY }
  - model_name: vector
    litellm_params: { model: openai/text-embedding-3 }
    model_info: { mode: embedding }
environment_variables: { STORED: sk-0123456789abcdefgh }
litellm_settings: { fallbacks: [{ chat: [backup, gone] }] }
general_settings: { master_key: sk-master-0123456789 }
`;
  const read = readLitellm(text, new Set(['AZURE_EU_KEY']));

  it('gives its deployments with price and window', () => {
    expect(read.providers.map(({ provider }) => provider)).toEqual([
      {
        id: 'azure',
        kind: 'azure',
        baseUrl: 'https://eu.openai.azure.com',
        keyEnv: 'AZURE_EU_KEY',
        apiVersion: '2024-10-21',
        models: [
          { name: 'prod-eu', contextWindowTokens: 128_000, price: { inputUsdPerMTok: 2.5, outputUsdPerMTok: 10 } },
        ],
      },
      {
        id: 'bedrock',
        kind: 'bedrock',
        signIn: true,
        regions: [{ name: 'eu-west-1' }],
        models: [{ name: 'anthropic.claude-x' }],
      },
      { id: 'openai', kind: 'openai', models: [{ name: 'gpt-5' }] },
    ]);
    expect(read.keys).toEqual([{ id: 'openai', account: 'main', key: 'sk-0123456789abcdefgh' }]);
  });

  it('makes a route of each name, in order where it falls back', () => {
    expect(read.routes.map(({ name, order, candidates }) => [name, order, candidates.map(({ id }) => id)])).toEqual([
      ['chat', 'listed', ['azure', 'bedrock', 'openai']],
      ['backup', 'ranked', ['openai']],
    ]);
  });

  it('guesses no provider, no pattern and no missing fallback', () => {
    expect(read.notes).toEqual([
      { entry: 'plain', reason: 'no-provider' },
      { entry: 'openai/*', reason: 'pattern' },
      { entry: 'vector', reason: 'not-chat' },
      { entry: 'chat → gone', reason: 'fallback' },
    ]);
  });

  it('passes every name on where the file does', () => {
    const all = readLitellm('model_list: [{ model_name: "*", litellm_params: { model: "openai/*" } }]', none);
    expect(all.providers[0]?.provider.models).toEqual([{ name: '{model}' }]);
    expect(all.routes).toEqual([]);
  });
});

describe('the environment', () => {
  it('gives a provider for each key it holds, by the name of the variable only', () => {
    const { providers, keys } = readEnvironment({
      OPENAI_API_KEY: 'sk-0123456789abcdefgh',
      GROQ_API_KEY: 'gsk_x',
      MISTRAL_API_KEY: ' ',
      AWS_BEARER_TOKEN_BEDROCK: 'token-token',
      AWS_REGION: 'eu-north-1',
    });
    expect(providers.map(({ provider }) => provider)).toEqual([
      { id: 'openai', kind: 'openai', keyEnv: 'OPENAI_API_KEY', models: [] },
      {
        id: 'bedrock',
        kind: 'bedrock',
        keyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
        regions: [{ name: 'eu-north-1' }],
        models: [],
      },
      { id: 'groq', kind: 'openai-compatible', preset: 'groq', keyEnv: 'GROQ_API_KEY', models: [] },
    ]);
    expect(keys).toEqual([]);
  });

  it('says what a key still lacks', () => {
    expect(readEnvironment({ AZURE_OPENAI_API_KEY: 'x', AWS_BEARER_TOKEN_BEDROCK: 'y' }).notes).toEqual([
      { entry: 'AZURE_OPENAI_API_KEY', reason: 'no-address' },
      { entry: 'AWS_BEARER_TOKEN_BEDROCK', reason: 'no-region' },
    ]);
  });
});
