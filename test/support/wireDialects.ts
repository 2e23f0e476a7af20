// The strict rules of each family of servers of the OpenAI wire, from their own documentation; written without the
// product's table of dialects, so that a wrong row there is found.
import { plainOpenai, type OpenaiRules } from './wireRules.ts';

const LIMIT_OLD = { limitNames: ['max_tokens'] } as const;
const LIMIT_NEW = { limitNames: ['max_completion_tokens'] } as const;
const ID_40 = /^[a-zA-Z0-9_-]{1,40}$/;
const PHOTOS = ['image/png', 'image/jpeg'];

const strict: OpenaiRules = { ...plainOpenai, moreFields: [] };
const openai: OpenaiRules = {
  ...strict,
  ...LIMIT_NEW,
  ids: ID_40,
  schemas: 'plain-root',
  lastAssistant: 'refused',
};
const google: OpenaiRules = {
  ...strict,
  ...LIMIT_OLD,
  ids: ID_40,
  names: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  images: 'inline',
  mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  stopMax: 5,
  schemas: 'google',
  lastAssistant: 'refused',
};
const local: OpenaiRules = { ...strict, ...LIMIT_OLD, images: 'inline', mediaTypes: PHOTOS, stopMax: 16 };
const unknown: OpenaiRules = { ...strict, ...LIMIT_OLD, ids: ID_40 };

/** By family. */
export const openaiFamilies: Readonly<Record<string, OpenaiRules>> = {
  openai,
  azure: openai,
  bedrock: { ...openai, images: 'inline' },
  github: { ...openai, ...LIMIT_OLD },
  copilot: { ...openai, ...LIMIT_OLD },
  gemini: google,
  vertex: google,
  openrouter: unknown,
  groq: { ...unknown, ...LIMIT_NEW },
  mistral: {
    ...unknown,
    ids: /^[a-zA-Z0-9]{9}$/,
    moreFields: ['prefix'],
    temperatureMax: 1.5,
    hasStreamOptions: false,
    userMayFollowTool: false,
    lastAssistant: 'prefix',
  },
  deepseek: {
    ...unknown,
    moreFields: ['reasoning_content', 'thinking'],
    images: 'none',
    stopMax: 16,
    noForceWhileThinking: true,
    demandsReasoning: true,
    lastAssistant: 'refused',
  },
  xai: { ...unknown, mediaTypes: PHOTOS, lastAssistant: 'refused' },
  together: unknown,
  fireworks: unknown,
  cerebras: { ...unknown, ...LIMIT_NEW, images: 'none', temperatureMax: 1.5, lastAssistant: 'refused' },
  ollama: local,
  lmstudio: { ...local, hasNamedChoice: false },
  vllm: {
    ...local,
    images: 'any',
    mediaTypes: plainOpenai.mediaTypes,
    moreFields: ['continue_final_message', 'add_generation_prompt'],
    lastAssistant: 'flagged',
  },
  llamacpp: local,
  litellm: unknown,
  unknown,
};
