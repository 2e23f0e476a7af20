// Makes src/core/catalogue/catalogueData.json (`node build.mjs catalogue`) from the package that keeps the prices: which
// models, in which compact rows. Runs at build time only; nothing here is part of the product.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  findProvider,
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
} from '@pydantic/genai-prices';
import type { CatalogueData } from './core/catalogue/rows.ts';

const PACKAGE = '@pydantic/genai-prices';

/** Belay's families and the package's name for each. Vertex shares Gemini's prices. */
const families: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  bedrock: 'aws',
  gemini: 'google',
  groq: 'groq',
  mistral: 'mistral',
  deepseek: 'deepseek',
  xai: 'x-ai',
  together: 'together',
  fireworks: 'fireworks',
  cerebras: 'cerebras',
  copilot: 'github-copilot',
  openrouter: 'openrouter',
};

/** Whose own prices OpenRouter passes on unchanged: a row that says the same is left out. */
const passedOn: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  'x-ai': 'x-ai',
};

/** Whose models people code with at OpenRouter; the rest would double the file. */
const openRouterVendors =
  /^(?:anthropic|openai|google|x-ai|deepseek|mistralai|qwen|meta-llama|moonshotai|z-ai|minimax)\//;

/** The data as of a day (`2026-11-30`): of prices that change, those valid on that day. */
export function catalogueData(asOf: string): CatalogueData {
  const rows = Object.entries(families).map(([family, source]): [string, string[]] => [
    family,
    modelsOf(source)
      .filter((model) => family !== 'openrouter' || isKeptAtOpenRouter(model, asOf))
      .flatMap((model) => rowOf(model, asOf) ?? []),
  ]);
  return { source: `${PACKAGE} ${packageVersion()}`, asOf, families: Object.fromEntries(rows) };
}

/** The file's whole text, as prettier leaves it. */
export function catalogueText(asOf: string): string {
  return `${JSON.stringify(catalogueData(asOf), null, 2)}\n`;
}

/** Dollars per million tokens; undefined: the package does not say. */
interface Figures {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached: number | undefined;
}

/**
 * The figures of a model on a day. Of tiers the base counts, so a very long prompt costs more than told. Prices by the time
 * of day: the highest of them.
 */
export function figuresOf(model: ModelInfo, asOf: string): Figures {
  const sets = validSets(model.prices, asOf);
  const highest = (key: string): number | undefined => {
    const values = sets.flatMap((set) => baseOf(set[key]) ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  return { input: highest('input_mtok'), output: highest('output_mtok'), cached: highest('cache_read_mtok') };
}

function modelsOf(source: string): readonly ModelInfo[] {
  const provider = findProvider({ providerId: source });
  if (!provider) throw new Error(`${PACKAGE} has no provider ${source}: mend src/catalogueSource.ts`);
  return provider.models;
}

/** The last set that has begun, and those by the time of day beside it. The package lists sets in the order of time. */
function validSets(prices: readonly ConditionalPrice[] | ModelPrice, asOf: string): readonly ModelPrice[] {
  if (!isList(prices)) return [prices];
  const valid: ModelPrice[] = [];
  for (const { constraint, prices: set } of prices.toReversed()) {
    const isByTime = constraint !== undefined && 'start_time' in constraint;
    const hasBegun = constraint === undefined || !('start_date' in constraint) || constraint.start_date <= asOf;
    if (hasBegun) valid.push(set);
    if (hasBegun && !isByTime) break;
  }
  return valid;
}

/** Array.isArray does not narrow a union with a read-only array. */
function isList(prices: readonly ConditionalPrice[] | ModelPrice): prices is readonly ConditionalPrice[] {
  return Array.isArray(prices);
}

function baseOf(price: ModelPrice[string]): number | undefined {
  return typeof price === 'object' ? price.base : price;
}

/** `window input output cached matcher`, `-` for what is not known; null: it is no text model or says nothing of it. */
function rowOf(model: ModelInfo, asOf: string): string | null {
  const { input, output, cached } = figuresOf(model, asOf);
  const hasPrice = input !== undefined && output !== undefined;
  const window = model.context_window;
  // Nothing but a price for input: embeddings and the like.
  if (!hasPrice && (window === undefined || input !== undefined)) return null;
  const figures = hasPrice ? [window, input, output, cached] : [window, undefined, undefined, undefined];
  const matcher = matcherText(model.match);
  return [...figures.map((figure) => (figure === undefined ? '-' : String(figure))), matcher].join(' ');
}

const operators: Readonly<Record<string, string>> = { equals: '=', starts_with: '^', ends_with: '$', contains: '*' };

/** The package's condition as text: `=x`, `^x`, `$x`, `*x` or `~regex`; ` | ` between alternatives, ` & ` between parts. */
export function matcherText(match: MatchLogic): string {
  if ('or' in match) return match.or.map(matcherText).join(' | ');
  if ('and' in match) return match.and.map(partText).join(' & ');
  if ('regex' in match) return safe('~', match.regex);
  const [[name, value] = ['', '']] = Object.entries(match);
  const operator = operators[name];
  if (operator === undefined || typeof value !== 'string') throw new Error(`${PACKAGE} has a new condition: ${name}`);
  return safe(operator, value.toLowerCase());
}

function partText(match: MatchLogic): string {
  if ('or' in match || 'and' in match) throw new Error(`${PACKAGE} nests conditions deeper than the rows can say`);
  return matcherText(match);
}

function safe(operator: string, text: string): string {
  if (/ [|&] |^\s|\s$/.test(text)) throw new Error(`${PACKAGE} has a condition the rows cannot hold: ${text}`);
  return operator + text;
}

/** False where the vendor's own row says the same of every name. */
function isKeptAtOpenRouter(model: ModelInfo, asOf: string): boolean {
  const [vendor = ''] = model.id.split('/');
  if (!openRouterVendors.test(model.id) || model.id.includes(':')) return false;
  const source = passedOn[vendor];
  if (source === undefined) return true;
  const own = figuresOf(model, asOf);
  return !equalNames(model.match).every((name) => {
    const twin = modelsOf(source).find(({ match }) => matches(match, name.slice(vendor.length + 1)));
    if (!twin) return false;
    const figures = figuresOf(twin, asOf);
    const isSamePrice = figures.input === own.input && figures.output === own.output && figures.cached === own.cached;
    return isSamePrice && (model.context_window === undefined || model.context_window === twin.context_window);
  });
}

function equalNames(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(equalNames);
  return 'equals' in match ? [match.equals.replace(/:.*$/, '')] : [];
}

/** As the package matches, which does not export it. */
function matches(match: MatchLogic, name: string): boolean {
  if ('or' in match) return match.or.some((each) => matches(each, name));
  if ('and' in match) return match.and.every((each) => matches(each, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}

function packageVersion(): string {
  const entry = createRequire(import.meta.url).resolve(PACKAGE);
  const parsed: unknown = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  if (typeof version !== 'string') throw new Error(`${PACKAGE} does not tell its version`);
  return version;
}
