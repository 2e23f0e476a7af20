// What Belay knows of each provider kind and of each preset of an openai-compatible server: address, key variable, sign-in,
// error dialect. Data only; nothing here is sent anywhere. Settings override every value.
import type { Environment, ProviderKind } from '../candidate.ts';
import type { Wire } from '../chat.ts';

/** One kind of provider. */
export interface KindFacts {
  /** The name a person knows it by. */
  readonly label: string;
  /** The environment variable that its own tools read the key from; null: it has none. */
  readonly keyEnv: string | null;
  /** Whose sign-in may replace a key; null: there is none. */
  readonly signIn: 'entra' | 'aws' | 'google' | null;
  /** Who stands behind it, for failures that its candidates share. */
  readonly vendor: string;
  /** Whether `regions` must name real regions of the cloud. */
  readonly needsRegion: boolean;
}

/** All kinds, in the order a person is offered them. */
export const kindFacts: Readonly<Record<ProviderKind, KindFacts>> = {
  openai: { label: 'OpenAI', keyEnv: 'OPENAI_API_KEY', signIn: null, vendor: 'openai', needsRegion: false },
  anthropic: { label: 'Anthropic', keyEnv: 'ANTHROPIC_API_KEY', signIn: null, vendor: 'anthropic', needsRegion: false },
  gemini: { label: 'Google Gemini', keyEnv: 'GEMINI_API_KEY', signIn: null, vendor: 'google', needsRegion: false },
  azure: {
    label: 'Azure OpenAI',
    keyEnv: 'AZURE_OPENAI_API_KEY',
    signIn: 'entra',
    vendor: 'azure',
    needsRegion: false,
  },
  bedrock: {
    label: 'Amazon Bedrock',
    keyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
    signIn: 'aws',
    vendor: 'aws',
    needsRegion: true,
  },
  vertex: { label: 'Google Vertex AI', keyEnv: null, signIn: 'google', vendor: 'vertex', needsRegion: true },
  vscode: { label: 'VS Code models (Copilot)', keyEnv: null, signIn: null, vendor: 'copilot', needsRegion: false },
  'openai-compatible': { label: 'OpenAI compatible', keyEnv: null, signIn: null, vendor: '', needsRegion: false },
};

/** A well-known server behind `openai-compatible`. */
export interface PresetFacts {
  readonly label: string;
  readonly baseUrl: string;
  /** Null: it usually wants no key. */
  readonly keyEnv: string | null;
  /** Where it usually runs. */
  readonly environment: Environment;
}

/** All presets by their name in the settings, which is also the name of their error dialect. */
export const presetFacts = {
  openrouter: {
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
    environment: 'global',
  },
  groq: { label: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', keyEnv: 'GROQ_API_KEY', environment: 'global' },
  mistral: { label: 'Mistral', baseUrl: 'https://api.mistral.ai/v1', keyEnv: 'MISTRAL_API_KEY', environment: 'global' },
  deepseek: {
    label: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyEnv: 'DEEPSEEK_API_KEY',
    environment: 'global',
  },
  xai: { label: 'xAI', baseUrl: 'https://api.x.ai/v1', keyEnv: 'XAI_API_KEY', environment: 'global' },
  together: {
    label: 'Together',
    baseUrl: 'https://api.together.xyz/v1',
    keyEnv: 'TOGETHER_API_KEY',
    environment: 'global',
  },
  fireworks: {
    label: 'Fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyEnv: 'FIREWORKS_API_KEY',
    environment: 'global',
  },
  cerebras: {
    label: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyEnv: 'CEREBRAS_API_KEY',
    environment: 'global',
  },
  github: {
    label: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference',
    keyEnv: 'GITHUB_TOKEN',
    environment: 'global',
  },
  ollama: { label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', keyEnv: null, environment: 'local' },
  lmstudio: { label: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', keyEnv: null, environment: 'local' },
  vllm: { label: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', keyEnv: null, environment: 'local' },
  llamacpp: { label: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1', keyEnv: null, environment: 'local' },
  litellm: {
    label: 'LiteLLM',
    baseUrl: 'http://127.0.0.1:4000/v1',
    keyEnv: 'LITELLM_API_KEY',
    environment: 'local',
  },
} as const satisfies Record<string, PresetFacts>;

/** Name of a preset. */
export type PresetName = keyof typeof presetFacts;

/** The names, for schemas and pick lists. */
export const presetNames = Object.keys(presetFacts) as readonly PresetName[]; // The keys of the object above.

/** Claude models have Anthropic's wire wherever they are served. */
const ANTHROPIC_MODEL = /(?:^|[./])(?:anthropic\.|claude)/i;

/** The wire a model is spoken to in. Both clouds serve Claude in Anthropic's wire and everything else in OpenAI's. */
export function wireOf(kind: ProviderKind, model: string): Wire {
  if (kind === 'anthropic') return 'anthropic-messages';
  if (kind === 'bedrock' || kind === 'vertex')
    return ANTHROPIC_MODEL.test(model) ? 'anthropic-messages' : 'openai-chat';
  return 'openai-chat';
}

/**
 * The address a kind has unless the settings give one, or null where only a person can know it. `region` is the cloud's name
 * of the region; `project` is Google's.
 */
export function defaultBaseUrl(kind: ProviderKind, wire: Wire, region: string, project: string): string | null {
  switch (kind) {
    case 'openai':
      return 'https://api.openai.com/v1';
    case 'anthropic':
      return 'https://api.anthropic.com';
    case 'gemini':
      return 'https://generativelanguage.googleapis.com/v1beta/openai';
    case 'bedrock':
      return `https://bedrock-runtime.${region}.amazonaws.com${wire === 'openai-chat' ? '/openai/v1' : ''}`;
    case 'vertex':
      return vertexBaseUrl(wire, region, project);
    case 'vscode':
      return 'vscode://language-models';
    case 'azure':
    case 'openai-compatible':
      return null;
  }
}

function vertexBaseUrl(wire: Wire, region: string, project: string): string {
  const base = `https://${vertexHost(region)}/v1`;
  return wire === 'anthropic-messages' ? base : `${base}/projects/${project}/locations/${region}/endpoints/openapi`;
}

/** `global` and the two multi-regions have hosts of their own. */
function vertexHost(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}
