// Which dialect a provider speaks. It only narrows the choice of rules: a name that is not listed gets the rules that
// hold for everybody, so a wrong or missing name can make an answer less exact but never less careful.

/** Dialects that have rules of their own; `other` has only the common ones. */
export type Family =
  'openai' | 'anthropic' | 'google' | 'bedrock' | 'router' | 'local' | 'eastern' | 'groq' | 'github' | 'tool' | 'other';

const FAMILY_WORDS: readonly (readonly [Family, readonly string[]])[] = [
  ['tool', ['mcp', 'tool-', 'tool_']],
  ['google', ['gemini', 'google', 'vertex', 'aistudio', 'palm']],
  ['bedrock', ['bedrock', 'aws', 'amazon', 'sagemaker']],
  [
    'eastern',
    [
      'zhipu',
      'glm',
      'bigmodel',
      'z.ai',
      'zai',
      'dashscope',
      'qwen',
      'minimax',
      'moonshot',
      'kimi',
      'baidu',
      'qianfan',
      'volc',
      'doubao',
      'hunyuan',
      'deepseek',
      'siliconflow',
      'stepfun',
    ],
  ],
  ['anthropic', ['anthropic', 'claude']],
  [
    'local',
    ['ollama', 'llama.cpp', 'llamacpp', 'lmstudio', 'lm-studio', 'vllm', 'sglang', 'tgi', 'localai', 'koboldcpp'],
  ],
  ['router', ['openrouter', 'litellm', 'proxy', 'gateway', 'relay', 'portkey', 'helicone', 'one-api', 'new-api']],
  ['groq', ['groq']],
  ['github', ['github', 'copilot', 'vscode']],
  ['openai', ['openai', 'azure', 'codex', 'chatgpt']],
];

const known = new Map<string, Family>();

/** The family of a provider name; the first word of the table that the name contains decides. */
export function familyOf(provider: string | undefined): Family {
  if (provider === undefined || provider.length > 200) return 'other';
  const remembered = known.get(provider);
  if (remembered !== undefined) return remembered;
  const name = provider.toLowerCase();
  const family = FAMILY_WORDS.find(([, words]) => words.some((word) => name.includes(word)))?.[0] ?? 'other';
  if (known.size < 200) known.set(provider, family);
  return family;
}
