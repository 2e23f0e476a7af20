// Where the price of a model is looked for: which list of rows, and under which of its spellings. Providers put vendors,
// folders and variants around one and the same name.

/** One place to look: a family's rows and the name to look for there. */
export interface Lookup {
  readonly family: string;
  readonly name: string;
  /** What may be taken from there; a window is the model's, a price is the seller's. */
  readonly takes: 'all' | 'window';
}

/** The vendor in front of a name at an aggregator -> whose rows tell of it, and whether their price is passed on unchanged. */
const vendors: Readonly<Record<string, { readonly family: string; readonly isPricePassedOn: boolean }>> = {
  anthropic: { family: 'anthropic', isPricePassedOn: true },
  openai: { family: 'openai', isPricePassedOn: true },
  google: { family: 'gemini', isPricePassedOn: true },
  'x-ai': { family: 'xai', isPricePassedOn: true },
  xai: { family: 'xai', isPricePassedOn: true },
  deepseek: { family: 'deepseek', isPricePassedOn: false },
  mistralai: { family: 'mistral', isPricePassedOn: false },
  'mistral-ai': { family: 'mistral', isPricePassedOn: false },
};

/** LiteLLM's providers by the word in front of the model -> our family. */
const litellmFamilies: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  bedrock: 'bedrock',
  vertex_ai: 'vertex',
  gemini: 'gemini',
  openrouter: 'openrouter',
  groq: 'groq',
  mistral: 'mistral',
  deepseek: 'deepseek',
  xai: 'xai',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  cerebras: 'cerebras',
};

/** Clouds that sell other vendors' models at the vendors' prices, in the order of the package. */
const azureSellers = ['azure', 'openai', 'anthropic', 'deepseek', 'xai'] as const;

/** OpenRouter's routing variants of a model: same model, another price. */
const VARIANT = /:(?:free|nitro|floor|online|exacto|extended)$/;
const FREE = ':free';

/** The places to look, best first. `name` in lower case without blanks around it. */
export function lookupsOf(family: string, name: string): readonly Lookup[] {
  switch (family) {
    case 'azure':
      return azureSellers.map((seller) => ({ family: seller, name, takes: 'all' }));
    case 'bedrock':
      return [
        { family: 'bedrock', name, takes: 'all' },
        { family: 'anthropic', name: name.replace(/^.*anthropic\./, ''), takes: 'window' },
      ];
    case 'vertex':
    case 'gemini': {
      // `models/x` at Gemini; `publishers/google/models/x` and `google/x` at Vertex.
      const bare = name.replace(/^(?:publishers\/[^/]+\/)?models\//, '').replace(/^(?:google|anthropic)\//, '');
      return [
        { family: 'gemini', name: bare, takes: 'all' },
        { family: 'anthropic', name: bare.replace('@', '-'), takes: 'all' },
      ];
    }
    case 'openrouter':
      return openRouterLookups(name);
    case 'github':
      // GitHub Models has limits and prices of its own, by plan.
      return [];
    case 'litellm': {
      const [word = '', ...rest] = name.split('/');
      const own = Object.hasOwn(litellmFamilies, word) ? litellmFamilies[word] : undefined;
      return own === undefined || rest.length === 0 ? [] : lookupsOf(own, rest.join('/'));
    }
    default:
      return [{ family, name, takes: 'all' }];
  }
}

/** True for a variant that costs nothing. */
export function isFree(family: string, name: string): boolean {
  return family === 'openrouter' && name.endsWith(FREE);
}

function openRouterLookups(name: string): readonly Lookup[] {
  const own: Lookup = { family: 'openrouter', name, takes: 'all' };
  const plain = name.replace(VARIANT, '');
  const isVariant = plain !== name;
  const others: readonly Lookup[] = [
    { family: 'openrouter', name: plain, takes: 'all' },
    ...vendorLookups(plain.replace(/:(?:beta|thinking)$/, '')),
  ];
  return [own, ...others.map((lookup): Lookup => (isVariant ? { ...lookup, takes: 'window' } : lookup))];
}

function vendorLookups(name: string): readonly Lookup[] {
  const [, word = '', model = ''] = /^~?([^/]+)\/(.+)$/.exec(name) ?? [];
  const vendor = Object.hasOwn(vendors, word) ? vendors[word] : undefined;
  if (vendor === undefined) return [];
  return [{ family: vendor.family, name: model, takes: vendor.isPricePassedOn ? 'all' : 'window' }];
}
