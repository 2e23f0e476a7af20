// What a model's name says for sure of its tier and abilities. Hand-made; silent wherever it is not sure: an unknown model is
// `large` and may be given anything, so that a model a person chose is never taken for a degradation or left out by mistake.
// Sources: the vendors' pages of models; for prefill Anthropic's migration guide (refused from Claude 4.6 on), Mistral's
// `prefix` and DeepSeek's (beta address only, so no).
import type { Capabilities, Tier } from '../candidate.ts';

/** A whole word of a name: what stands between dashes, dots, slashes, colons and the like. */
const word = (words: string): RegExp => new RegExp(`(?:^|[-_./:@ ])(?:${words})(?:$|[-_./:@ ])`);

/** The first that matches decides; null: not sure after all. */
const TIERS: readonly (readonly [RegExp, Tier | null])[] = [
  // Mini by name, but reasoning and coding models that people choose for hard work.
  [word('o\\d+-mini|codex-mini'), null],
  [word('nano|mini|micro|tiny|haiku|flash-lite|nova-lite'), 'small'],
  // Up to 9 billion parameters; `8x7b` and `a3b` (the active ones of a mixture) are something else.
  [/(?:^|[-_/:@ ])(?:\d\.\d+|[1-9])b(?:$|[-_.:@ ])/, 'small'],
];

/** The tier that the name says for sure. `name` in lower case. */
export function tierOf(name: string): Tier | undefined {
  return TIERS.find(([pattern]) => pattern.test(name))?.[1] ?? undefined;
}

/** Windows the price list lacks, in tokens: prompt and answer together. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/gemini-(?:2\.5|3|3\.1)-pro/, 1_048_576],
  [/llama-?3\.[13]-(?:8|70|405)b-(?:instant|versatile|instruct)/, 131_072],
];

/** The window of a model that the price list has no window for. */
export function windowOf(name: string): number | undefined {
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1];
}

/** A rule: the models it is about, who must serve them (absent: anybody), and what they can or cannot do. */
interface Trait {
  readonly pattern: RegExp;
  readonly families?: readonly string[];
  readonly says: Capabilities;
}

const eyesAndHands: Capabilities = { tools: true, images: true, structuredOutput: true };
const textAndTools: Capabilities = { tools: true, images: false };

/** Each ability is taken from the first rule that names it. Order: the narrow before the wide. */
const TRAITS: readonly Trait[] = [
  { pattern: /(?:^|\/)o1-(?:mini|preview)/, says: { tools: false, images: false, thinking: true } },
  { pattern: /(?:^|\/)o3-mini/, says: { tools: true, images: false, structuredOutput: true, thinking: true } },
  { pattern: /(?:^|\/)o(?:1|3|4-mini)(?:$|-)/, says: { ...eyesAndHands, thinking: true } },
  { pattern: /(?:^|\/)gpt-3\.?5-turbo/, says: textAndTools },
  { pattern: /(?:^|\/)gpt-4(?:$|-0\d{3}|-32k)/, says: textAndTools },
  { pattern: /(?:^|\/)gpt-4(?:o|\.1)(?:$|-mini|-nano|-20)/, says: { ...eyesAndHands, thinking: false } },
  { pattern: /(?:^|\/)gpt-(?:5|6)(?:$|[.-])/, says: eyesAndHands },
  { pattern: /gpt-oss-/, says: { tools: true, images: false, thinking: true } },
  { pattern: /(?:^|\/)(?:deepseek-(?:chat|reasoner|coder|r1|v3))/, says: { images: false } },
  {
    pattern: /(?:^|\/)(?:codestral|mistral-nemo|open-mistral|open-mixtral|ministral-[38]b-latest)/,
    says: { images: false },
  },
  { pattern: /(?:^|\/)mixtral-8x/, says: { images: false } },
  { pattern: /llama-?v?3[.p-]?[13]?-(?:8|70|405)b/, says: { images: false } },
  { pattern: /qwen3?-(?:3-)?coder/, says: { images: false } },
  { pattern: /(?:^|\/)grok-(?:3|code-fast)/, says: textAndTools },
  { pattern: /(?:^|\/)gemini-(?:2\.5|3)/, says: { thinking: true } },
  { pattern: /(?:^|\/)gemini-(?:1\.5|2|3)/, says: { ...eyesAndHands } },
  { pattern: /./, families: ['openai', 'azure', 'deepseek'], says: { prefill: false } },
  { pattern: /./, families: ['mistral'], says: { prefill: true } },
];

/** Who serves Claude in Anthropic's own wire, in which a last assistant message is known to be continued. */
const CLAUDE_FAMILIES = ['anthropic', 'bedrock', 'vertex'] as const;

/** Abilities of Claude by version. */
const CLAUDE: readonly { readonly from: number; readonly says: Capabilities }[] = [
  { from: 4.6, says: { prefill: false } },
  { from: 4.5, says: { structuredOutput: true } },
  { from: 3.7, says: { thinking: true } },
  { from: 3, says: { tools: true, images: true, prefill: true } },
  { from: 0, says: { tools: false, images: false, thinking: false, prefill: true } },
];

/** What is known of a model's abilities; undefined: nothing. `family` is who serves it, `name` in lower case. */
export function capabilitiesOf(family: string, name: string): Capabilities | undefined {
  const version = claudeVersion(name);
  const rules =
    version === null
      ? TRAITS.filter(({ pattern, families }) => pattern.test(name) && (families?.includes(family) ?? true))
      : CLAUDE.filter(({ from }) => version >= from);
  // From the last to the first, so that the first that names an ability has the last word.
  const known = rules.reduceRight<Capabilities>((all, { says }) => ({ ...all, ...says }), {});
  const isOwnWire = version === null || CLAUDE_FAMILIES.some((each) => each === family);
  const { prefill, ...others } = known;
  const all = prefill === true && !isOwnWire ? others : known;
  return Object.keys(all).length === 0 ? undefined : all;
}

/** `claude-sonnet-4-5-20250929`, `claude-3.7-sonnet`, `us.anthropic.claude-opus-4-6-v1:0` -> 4.5, 3.7, 4.6; null: not Claude. */
function claudeVersion(name: string): number | null {
  const found = /claude-(?:[a-z]+-)?v?(\d{1,2})(?:[.-](\d)(?!\d))?/.exec(name);
  return found ? Number(`${found[1] ?? ''}.${found[2] ?? '0'}`) : null;
}
