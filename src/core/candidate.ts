// What HACO ranks: provider + account + model + region, with the failure domains it shares with others.
import type { Wire } from './chat.ts';

/** Identity of a candidate, e.g. `anthropic/main/claude-sonnet@us-east`. Unique in a configuration. */
export type CandidateId = string;

/** HACO's execution environments. */
export type Environment = 'local' | 'regional' | 'global';

/** Capability tier; a lower tier than asked for is rung L3. */
export type Tier = 'small' | 'medium' | 'large';

/** Things a candidate shares and fails with, by label. `own` is the candidate itself. */
export interface FailureDomains {
  readonly own: string;
  readonly region: string;
  readonly vendor: string;
  readonly backbone?: string;
}

/** Dollars per million tokens. */
export interface Price {
  readonly inputUsdPerMTok: number;
  readonly outputUsdPerMTok: number;
  /** Price of an input token read from the prompt cache; absent: `inputUsdPerMTok`. */
  readonly cachedInputUsdPerMTok?: number;
}

/** Provider kinds that have an adapter. */
export type ProviderKind = 'openai' | 'anthropic' | 'openai-compatible';

/** Which path carries the request: `raw` passes a same-wire caller's bytes on, `sdk` translates through the vendor's client. */
export type ProviderPath = 'raw' | 'sdk';

export interface Candidate {
  readonly id: CandidateId;
  readonly providerId: string;
  readonly kind: ProviderKind;
  readonly path: ProviderPath;
  readonly account: string;
  /** The name sent upstream; `{model}` stands for the name the caller asked for. */
  readonly model: string;
  readonly region: string;
  readonly environment: Environment;
  readonly tier: Tier;
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly domains: FailureDomains;
  readonly price: Price;
  /** Tokens of prompt plus answer the model can hold. */
  readonly contextWindowTokens: number;
}
