// What is known of models before anything was learned: price, context window, capabilities, tier. The data is made at build
// time (`node build.mjs catalogue`) and handed in; settings override each value, and an unknown model gets careful defaults.
import type { Capabilities, Price, Tier } from './candidate.ts';

/** What the catalogue says of one model; absent: it does not say. */
export interface ModelFacts {
  readonly contextWindowTokens?: number;
  readonly price?: Price;
  readonly tier?: Tier;
  readonly capabilities?: Capabilities;
}

/** Looks a model up. `family` is the dialect of its provider (`openai`, `bedrock`, `openrouter`, ...). */
export interface Catalogue {
  find(family: string, model: string): ModelFacts;
}

/** Knows no model. */
export const emptyCatalogue: Catalogue = { find: () => ({}) };

/** What is assumed of a model that neither settings nor catalogue know. */
export const UNKNOWN_WINDOW_TOKENS = 128_000;
