// What stands in the wall: two vendors in three regions, and the models each serves. Data only; change numbers here.
// Latencies are short on purpose (a drill must end within a minute) but keep the order of the real ones: near is quick to
// begin and slow to write, far is slow to begin and quick to write.
import type { Environment, Price, Tier } from '../../core/candidate.ts';

export type WallVendor = 'openai-like' | 'anthropic-like';

/** One model of a vendor. */
export interface WallModel {
  readonly name: string;
  readonly tier: Tier;
  /** Tokens (characters / 4) of prompt plus answer; enforced. */
  readonly contextWindowTokens: number;
  /** Most tokens of one answer that may be asked for. */
  readonly maxOutputTokens: number;
  readonly price: Price;
  /** Chance (0-1) that its first answer to the script's question is right. */
  readonly rightProbability: number;
  /** Whether a conversation may end with the beginning of its own answer. */
  readonly acceptsPrefill: boolean;
}

/** How quickly and how surely a region answers. */
export interface WallPace {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Chance (0-1) that a request is lost (connection reset) when the schedule's loss scale is 1. */
  readonly lossProbability: number;
  /** The region's price as a multiple of the vendor's list price. */
  readonly priceFactor: number;
}

export const WALL_REGIONS = ['local', 'regional', 'global'] as const satisfies readonly Environment[];

/** Latency, loss and price of every vendor in every region. */
export const PACES: Readonly<Record<WallVendor, Readonly<Record<Environment, WallPace>>>> = {
  'openai-like': {
    local: { firstTokenMs: 50, tokensPerSecond: 260, lossProbability: 0.01, priceFactor: 0.5 },
    regional: { firstTokenMs: 120, tokensPerSecond: 360, lossProbability: 0.02, priceFactor: 1.1 },
    global: { firstTokenMs: 230, tokensPerSecond: 460, lossProbability: 0.05, priceFactor: 1 },
  },
  'anthropic-like': {
    local: { firstTokenMs: 60, tokensPerSecond: 240, lossProbability: 0.01, priceFactor: 0.5 },
    regional: { firstTokenMs: 140, tokensPerSecond: 340, lossProbability: 0.02, priceFactor: 1.1 },
    global: { firstTokenMs: 260, tokensPerSecond: 420, lossProbability: 0.04, priceFactor: 1 },
  },
};

/** The models of each vendor at list price. */
export const MODELS: Readonly<Record<WallVendor, readonly WallModel[]>> = {
  'openai-like': [
    {
      name: 'gpt-wall-large',
      tier: 'large',
      contextWindowTokens: 128_000,
      maxOutputTokens: 16_384,
      price: { inputUsdPerMTok: 2.5, outputUsdPerMTok: 10 },
      rightProbability: 0.9,
      acceptsPrefill: false,
    },
    {
      name: 'gpt-wall-mini',
      tier: 'small',
      contextWindowTokens: 32_000,
      maxOutputTokens: 8192,
      price: { inputUsdPerMTok: 0.4, outputUsdPerMTok: 1.6 },
      rightProbability: 0.55,
      acceptsPrefill: false,
    },
  ],
  'anthropic-like': [
    {
      name: 'claude-wall-large',
      tier: 'large',
      contextWindowTokens: 200_000,
      maxOutputTokens: 32_000,
      price: { inputUsdPerMTok: 3, outputUsdPerMTok: 15 },
      rightProbability: 0.93,
      acceptsPrefill: false,
    },
    {
      name: 'claude-wall-haiku',
      tier: 'small',
      contextWindowTokens: 48_000,
      maxOutputTokens: 8192,
      price: { inputUsdPerMTok: 0.8, outputUsdPerMTok: 4 },
      rightProbability: 0.65,
      acceptsPrefill: true,
    },
  ],
};

/** A vendor's models at a region's price. */
export function modelsAt(vendor: WallVendor, region: Environment): readonly WallModel[] {
  const { priceFactor } = PACES[vendor][region];
  const priced = (usd: number): number => Math.round(usd * priceFactor * 10_000) / 10_000;
  return MODELS[vendor].map((model) => ({
    ...model,
    price: {
      inputUsdPerMTok: priced(model.price.inputUsdPerMTok),
      outputUsdPerMTok: priced(model.price.outputUsdPerMTok),
    },
  }));
}
