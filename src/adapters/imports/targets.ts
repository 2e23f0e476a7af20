// The names that other tools give to providers, and what they are for Belay. A name that is not here is not known.
import { defaultBaseUrl, presetFacts, presetNames } from '../../core/providers/kinds.ts';
import type { ImportNote, KeySource, Target } from './entry.ts';
import { addressOf } from './entry.ts';

const preset = (name: (typeof presetNames)[number]): Target => ({ kind: 'openai-compatible', preset: name });

/** Names that every tool uses in the same meaning. */
const COMMON: Readonly<Record<string, Target>> = {
  openai: { kind: 'openai' },
  anthropic: { kind: 'anthropic' },
  gemini: { kind: 'gemini' },
  azure: { kind: 'azure' },
  bedrock: { kind: 'bedrock' },
  openrouter: preset('openrouter'),
  groq: preset('groq'),
  mistral: preset('mistral'),
  deepseek: preset('deepseek'),
  xai: preset('xai'),
  together: preset('together'),
  fireworks: preset('fireworks'),
  cerebras: preset('cerebras'),
  ollama: preset('ollama'),
  lmstudio: preset('lmstudio'),
  vllm: preset('vllm'),
  litellm: preset('litellm'),
};

/** Continue's `provider`, in lower case. */
export const continueTargets: Readonly<Record<string, Target>> = {
  ...COMMON,
  vertexai: { kind: 'vertex' },
  'llama.cpp': preset('llamacpp'),
};

/** Cline's `apiProvider`. Its `openai` is any compatible server, `openai-native` the vendor. */
export const clineTargets: Readonly<Record<string, Target>> = {
  ...COMMON,
  openai: { kind: 'openai-compatible' },
  'openai-native': { kind: 'openai' },
  vertex: { kind: 'vertex' },
  'vscode-lm': { kind: 'vscode' },
};

/** What stands before the slash in LiteLLM's `model`. */
export const litellmTargets: Readonly<Record<string, Target>> = {
  ...COMMON,
  vertex_ai: { kind: 'vertex' },
  together_ai: preset('together'),
  fireworks_ai: preset('fireworks'),
  github: preset('github'),
  ollama_chat: preset('ollama'),
  lm_studio: preset('lmstudio'),
  hosted_vllm: preset('vllm'),
  litellm_proxy: preset('litellm'),
};

/** The target itself, or undefined where the tool's table does not have the name. */
export function targetOf(table: Readonly<Record<string, Target>>, name: unknown): Target | undefined {
  if (typeof name !== 'string') return undefined;
  const key = name.trim().toLowerCase();
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A target with its address as Belay writes it, or why it cannot be taken. */
export type Placed = { readonly target: Target; readonly baseUrl?: string } | { readonly reason: ImportNote['reason'] };

/**
 * Brings an address into the form that Belay's adapters expect and leaves out the usual one. Somebody else's address under
 * a vendor's name is a compatible server. `written` is the file's own value; absent: the provider's usual address.
 */
export function placedAt(target: Target, written: unknown): Placed {
  const isGiven = written !== undefined && written !== null && written !== '';
  const address = isGiven ? addressOf(written) : undefined;
  if (isGiven && address === undefined) return { reason: 'bad-address' };
  if (address === undefined)
    return target.kind === 'azure' || (target.kind === 'openai-compatible' && target.preset === undefined)
      ? { reason: 'no-address' }
      : { target };
  const baseUrl = apiAddress(target, address);
  if (target.kind !== 'openai' && target.kind !== 'openai-compatible')
    return isUsual(target, baseUrl) ? { target } : { target, baseUrl };
  const known = presetNames.find((name) => sameAddress(presetFacts[name].baseUrl, baseUrl));
  if (known !== undefined) return { target: preset(known) };
  if (isUsual({ kind: 'openai' }, baseUrl)) return { target: { kind: 'openai' } };
  // Another address says nothing about who answers there, except for the servers that everybody runs themselves.
  const isOwnServer =
    target.kind === 'openai-compatible' && target.preset !== undefined && isLocalPreset(target.preset);
  return { target: isOwnServer ? target : { kind: 'openai-compatible' }, baseUrl };
}

/** Servers of this machine want no key unless one is given. */
export function keyOrNone(target: Target, key: KeySource): KeySource {
  const isOwn = target.kind === 'openai-compatible' && target.preset !== undefined && isLocalPreset(target.preset);
  return key.from === 'usual' && (target.kind === 'vscode' || (isOwn && target.preset !== 'litellm'))
    ? { from: 'none' }
    : key;
}

function isLocalPreset(name: (typeof presetNames)[number]): boolean {
  return presetFacts[name].environment === 'local';
}

/** Ends that tools want and Belay does not, and the other way round. */
function apiAddress(target: Target, address: string): string {
  const short = address.replace(/\/(?:chat\/completions|messages|responses)$/, '');
  if (target.kind === 'anthropic') return short.replace(/\/v1$/, '');
  if (target.kind === 'azure') return short.replace(/\/openai(?:\/.*)?$/, '');
  const isOwn = target.kind === 'openai-compatible' && target.preset !== undefined && isLocalPreset(target.preset);
  return isOwn && new URL(short).pathname === '/' ? `${short}/v1` : short;
}

function isUsual(target: Target, baseUrl: string): boolean {
  const usual = defaultBaseUrl(target.kind, target.kind === 'anthropic' ? 'anthropic-messages' : 'openai-chat', '', '');
  return usual !== null && sameAddress(usual, baseUrl);
}

function sameAddress(one: string, other: string): boolean {
  const plain = (text: string): string =>
    text
      .replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/, '$1127.0.0.1')
      .replace(/\/+$/, '')
      .toLowerCase();
  return plain(one) === plain(other);
}
