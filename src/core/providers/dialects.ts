// What each family of servers accepts in a request, as data: grammars of ids and names, roles, images, names and ranges of
// fields. It decides nothing; the translators read it. A server that is not listed gets the row `unknown`, which holds
// only what every server accepts. Sources stand beside the rows; where documentation and reports differ, the stricter one holds.
import type { Wire } from '../chat.ts';

/** How the ids of tool calls must look. `shape` is the whole grammar; every id has at least one character. */
export interface IdGrammar {
  readonly shape: RegExp;
  readonly maxChars: number;
  /** `letters` has no room for a mark of our own: ids of this grammar are all alike. */
  readonly alphabet: 'letters' | 'plain';
}

/** How names of tools must look. */
export interface NameGrammar {
  readonly shape: RegExp;
  readonly maxChars: number;
}

/** How a request asks for the continuation of its last message, where the model can do it. */
export type PrefillForm =
  /** The assistant's message simply stands last. */
  | 'last-message'
  /** It carries `prefix: true`. */
  | 'prefix-flag'
  /** The request carries `continue_final_message`. */
  | 'continue-flag'
  | 'none';

/** What a receiver accepts. */
export interface Dialect {
  readonly callIds: IdGrammar;
  readonly toolNames: NameGrammar;
  /** Whether a `developer` message is known; else its text goes as `system`. */
  readonly developerRole: boolean;
  /** A user's message may not follow a tool's one directly. */
  readonly assistantAfterTool: boolean;
  /** The last message may not be the assistant's unless it is marked as a beginning. */
  readonly endsInUser: boolean;
  /** Whether fields that the wire does not know are refused in messages (reasoning of other servers, most of all). */
  readonly strictMessages: boolean;
  readonly images: {
    /** Which addresses the server fetches itself. */
    readonly urls: 'none' | 'https' | 'any';
    readonly mediaTypes: readonly string[];
    /** Whether most models are for text only, so that a plain yes of the model is needed. */
    readonly needsYes: boolean;
  };
  readonly outputLimitName: 'max_tokens' | 'max_completion_tokens';
  /** 0: none are accepted. */
  readonly stopLimit: number;
  /** Null: temperature and top_p are refused. */
  readonly temperatureMax: number | null;
  /** Whether temperature and top_p may stand side by side. */
  readonly bothSamplings: boolean;
  /** Whether `stream_options` is known; where it is not, usage comes unasked. */
  readonly streamOptions: boolean;
  readonly parallelToolCalls: boolean;
  /** Whether `tool_choice` may name a tool. */
  readonly namedToolChoice: boolean;
  /** A forced tool call is refused while the model thinks, which it does unless told otherwise. */
  readonly forcedChoiceEndsThinking: boolean;
  readonly prefill: PrefillForm;
  /** `plain-root`: no choice between schemas at the top. `subset`: Google's part of JSON Schema. */
  readonly schemas: 'any' | 'plain-root' | 'subset';
  /** `with-tools`: every assistant message of a request with tools must carry its reasoning as text. */
  readonly reasoning: 'never' | 'with-tools';
  /** Whether each turn of tool calls must carry the signature of its reasoning or the documented mark for none. */
  readonly callSignatures: boolean;
}

/** Anthropic and Bedrock (docs.claude.com, tool use; AWS API reference, ToolUseBlock): letters, digits, `_`, `-`, 1 to 64. */
const PLAIN_64: IdGrammar = { shape: /^[a-zA-Z0-9_-]{1,64}$/, maxChars: 64, alphabet: 'plain' };
/** OpenAI answers 400 `string_above_max_length` beyond 40 on many models, beyond 64 on others (langmanus 119, agno 5382). */
const PLAIN_40: IdGrammar = { shape: /^[a-zA-Z0-9_-]{1,40}$/, maxChars: 40, alphabet: 'plain' };
/** Mistral (mistral-common, request validator from V3 on): exactly nine letters or digits. */
const LETTERS_9: IdGrammar = { shape: /^[a-zA-Z0-9]{9}$/, maxChars: 9, alphabet: 'letters' };
/** Model servers that only echo ids; Kimi's templates want theirs back as they were (`functions.read:0`). */
const ECHO_64: IdGrammar = { shape: /^[a-zA-Z0-9_.:-]{1,64}$/, maxChars: 64, alphabet: 'plain' };

const NAMES_64: NameGrammar = { shape: /^[a-zA-Z0-9_-]{1,64}$/, maxChars: 64 };
/** docs.claude.com, tool use: names up to 128. */
const NAMES_128: NameGrammar = { shape: /^[a-zA-Z0-9_-]{1,128}$/, maxChars: 128 };
/** ai.google.dev, FunctionDeclaration: begins with a letter or an underscore, at most 64. */
const NAMES_GOOGLE: NameGrammar = { shape: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, maxChars: 64 };

const COMMON_IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PHOTO_IMAGES = ['image/png', 'image/jpeg'];

/** Only what every server of the wire accepts. */
const UNKNOWN: Dialect = {
  callIds: PLAIN_40,
  toolNames: NAMES_64,
  developerRole: false,
  assistantAfterTool: false,
  endsInUser: false,
  strictMessages: false,
  images: { urls: 'any', mediaTypes: COMMON_IMAGES, needsYes: false },
  outputLimitName: 'max_tokens',
  stopLimit: 4,
  temperatureMax: 2,
  bothSamplings: true,
  streamOptions: true,
  parallelToolCalls: true,
  namedToolChoice: true,
  forcedChoiceEndsThinking: false,
  prefill: 'last-message',
  schemas: 'any',
  reasoning: 'never',
  callSignatures: false,
};

const OPENAI: Dialect = {
  ...UNKNOWN,
  developerRole: true,
  outputLimitName: 'max_completion_tokens',
  // platform.openai.com, function calling: the root must be an object without oneOf, anyOf, allOf, enum or not.
  schemas: 'plain-root',
  // The models begin a new message after an assistant's one.
  prefill: 'none',
};

const ANTHROPIC: Dialect = {
  ...UNKNOWN,
  callIds: PLAIN_64,
  toolNames: NAMES_128,
  images: { ...UNKNOWN.images, urls: 'https' },
  stopLimit: Number.MAX_SAFE_INTEGER,
  temperatureMax: 1,
  // Claude 4.5 and later: "temperature and top_p cannot both be specified".
  bothSamplings: false,
  // "input_schema does not support oneOf, allOf, or anyOf at the top level".
  schemas: 'plain-root',
};

const MISTRAL: Dialect = {
  ...UNKNOWN,
  callIds: LETTERS_9,
  // mistral-common: "Unexpected role 'user' after role 'tool'".
  assistantAfterTool: true,
  // mistral-common: "Expected last role User or Tool (or Assistant with prefix True)".
  endsInUser: true,
  // Unknown fields are 422 `extra_forbidden` everywhere (crush 1590, anon-kode 53, eca 231).
  strictMessages: true,
  temperatureMax: 1.5,
  streamOptions: false,
  // docs.mistral.ai, prefix.
  prefill: 'prefix-flag',
};

const GOOGLE: Dialect = {
  ...UNKNOWN,
  toolNames: NAMES_GOOGLE,
  // ai.google.dev, OpenAI compatibility: images as base64; "Unknown name ...: Cannot find field" for unknown fields.
  images: {
    urls: 'none',
    mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    needsYes: false,
  },
  strictMessages: true,
  stopLimit: 5,
  schemas: 'subset',
  prefill: 'none',
};

/** Servers on this machine: they fetch nothing, decode PNG and JPEG, and never check ids. */
const LOCAL: Dialect = {
  ...UNKNOWN,
  callIds: ECHO_64,
  images: { urls: 'none', mediaTypes: PHOTO_IMAGES, needsYes: false },
  stopLimit: 16,
};

const ROWS = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: ANTHROPIC,
  // AWS, OpenAI Chat Completions on Bedrock: text models; no address is fetched.
  bedrock: { ...OPENAI, developerRole: false, images: { ...UNKNOWN.images, urls: 'none' } },
  vertex: GOOGLE,
  gemini: GOOGLE,
  openrouter: { ...UNKNOWN, developerRole: true },
  // console.groq.com, API reference: `max_tokens` is deprecated; "property 'reasoning_content' is unsupported" (400).
  groq: { ...UNKNOWN, strictMessages: true, outputLimitName: 'max_completion_tokens' },
  mistral: MISTRAL,
  // api-docs.deepseek.com, thinking mode (on by default): with tools, reasoning_content must come back, else 400; forced
  // tool_choice is 400 then. Prefix completion is at another address (/beta). Up to 16 stop sequences.
  deepseek: {
    ...UNKNOWN,
    images: { urls: 'any', mediaTypes: COMMON_IMAGES, needsYes: true },
    stopLimit: 16,
    forcedChoiceEndsThinking: true,
    reasoning: 'with-tools',
    prefill: 'none',
  },
  // docs.x.ai, image understanding: JPEG and PNG.
  xai: { ...UNKNOWN, images: { urls: 'any', mediaTypes: PHOTO_IMAGES, needsYes: false }, prefill: 'none' },
  together: UNKNOWN,
  fireworks: UNKNOWN,
  // inference-docs.cerebras.ai: temperature to 1.5, text only; unknown fields are 400 `wrong_api_format` (cherry-studio 16790).
  cerebras: {
    ...UNKNOWN,
    strictMessages: true,
    images: { urls: 'none', mediaTypes: COMMON_IMAGES, needsYes: true },
    outputLimitName: 'max_completion_tokens',
    temperatureMax: 1.5,
    prefill: 'none',
  },
  github: { ...OPENAI, outputLimitName: 'max_tokens' },
  copilot: { ...OPENAI, outputLimitName: 'max_tokens' },
  // docs.ollama.com, OpenAI compatibility: base64 images only.
  ollama: LOCAL,
  // lmstudio-bug-tracker 670 and 1120: tool_choice is text only, images are base64 only.
  lmstudio: { ...LOCAL, namedToolChoice: false },
  // docs.vllm.ai, OpenAI-compatible server: continue_final_message with add_generation_prompt false.
  vllm: { ...LOCAL, images: UNKNOWN.images, prefill: 'continue-flag' },
  llamacpp: LOCAL,
  litellm: UNKNOWN,
} as const satisfies Record<string, Dialect>;

/** A rule for models whose name tells more than the server they are at. */
interface ModelRule {
  readonly model: RegExp;
  readonly change: (before: Dialect, family: string) => Partial<Dialect>;
}

const MODEL_RULES: readonly ModelRule[] = [
  {
    // Wherever Mistral's models run (vLLM, NIM, OpenRouter), its validator or chat template comes with them, and its ids
    // are accepted by every server.
    model: /(?:mi(?:ni)?stral|mixtral|devstral|codestral|magistral|pixtral)/i,
    change: () => ({ callIds: LETTERS_9, assistantAfterTool: true, endsInUser: true }),
  },
  {
    // platform.openai.com, reasoning: temperature, top_p and stop are unsupported, and so is the old name of the limit.
    model: /(?:^|\/)(?:o[1-9](?![a-z0-9])|gpt-[5-9](?!.*-chat))/i,
    change: ({ outputLimitName }, family) => ({
      temperatureMax: null,
      stopLimit: 0,
      outputLimitName: family === 'openrouter' ? outputLimitName : 'max_completion_tokens',
    }),
  },
  {
    // platform.openai.com: "'parallel_tool_calls' is not supported with this model".
    model: /(?:^|\/)o[1-9](?![a-z0-9])/i,
    change: () => ({ parallelToolCalls: false }),
  },
  {
    // platform.claude.com, what is new in 4.7: sampling parameters removed; prefill ended with 4.6.
    model:
      /claude-(?:opus-4[-.](?:[7-9]|\d{2})(?!\d)|(?:opus|sonnet|haiku)-(?:[5-9]|\d{2})(?!\d)|(?!opus|sonnet|haiku|instant|v?\d)[a-z]+)/i,
    change: () => ({ temperatureMax: null }),
  },
  {
    // docs.x.ai, reasoning: "stop is not supported by reasoning models".
    model: /(?:^|\/)grok-(?!2|3(?!-mini)|.*non-reasoning)/i,
    change: () => ({ stopLimit: 0 }),
  },
  {
    // ai.google.dev, thought signatures: from Gemini 3 on, "Function call is missing a thought_signature" (400).
    model: /(?:^|\/)gemini-(?![12](?!\d))/i,
    change: (_, family) => ({ callSignatures: family === 'gemini' || family === 'vertex' }),
  },
];

/** What to know of a receiver; `model` is the name sent upstream. */
export interface Receiver {
  readonly family: string;
  readonly model: string;
  readonly wire: Wire;
}

/** The rules of one receiver. Never fails: an unknown family has careful rules. */
export function dialectOf({ family, model, wire }: Receiver): Dialect {
  let dialect = rowOf(family, wire);
  for (const rule of MODEL_RULES) if (rule.model.test(model)) dialect = { ...dialect, ...rule.change(dialect, family) };
  return dialect;
}

function rowOf(family: string, wire: Wire): Dialect {
  if (wire === 'anthropic-messages') {
    // docs.claude.com, vision: images by address only at Anthropic's own API.
    return family === 'bedrock' || family === 'vertex'
      ? { ...ANTHROPIC, images: { ...ANTHROPIC.images, urls: 'none' } }
      : ANTHROPIC;
  }
  const rows: Readonly<Record<string, Dialect>> = ROWS;
  return (Object.hasOwn(rows, family) ? rows[family] : undefined) ?? UNKNOWN;
}
