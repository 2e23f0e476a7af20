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

/** Provider kinds that have an adapter. `vscode` is any model of VS Code's own language model API. */
export type ProviderKind =
  'openai' | 'azure' | 'anthropic' | 'bedrock' | 'vertex' | 'gemini' | 'openai-compatible' | 'vscode';

/**
 * Which path carries the request: `raw` passes a same-wire caller's bytes on, `sdk` translates through the vendor's client,
 * `editor` asks VS Code.
 */
export type ProviderPath = 'raw' | 'sdk' | 'editor';

/** What a model can do; absent: not known. Only a plain no keeps a request away; prefill needs a plain yes. */
export interface Capabilities {
  readonly tools?: boolean;
  readonly images?: boolean;
  /** Continues an answer whose beginning is the last message. */
  readonly prefill?: boolean;
  readonly thinking?: boolean;
  readonly structuredOutput?: boolean;
}

/** How a request proves who it is: a key, the cloud's own sign-in (Entra, AWS, Google), or not at all. */
export type ProviderAuth = 'key' | 'sign-in' | 'none';

/** What a cloud needs besides the address. */
export interface CloudFacts {
  /** Google's project. */
  readonly project?: string;
  /** Name of an AWS profile. */
  readonly profile?: string;
  /** Azure's api-version; absent: the version-less v1 API. */
  readonly apiVersion?: string;
}

export interface Candidate {
  readonly id: CandidateId;
  readonly providerId: string;
  readonly kind: ProviderKind;
  /** Whose dialect it speaks in errors, ids and limits: the preset's name, the kind, or the vendor of an unknown server. */
  readonly family: string;
  readonly path: ProviderPath;
  readonly auth: ProviderAuth;
  readonly account: string;
  /** The name sent upstream; `{model}` stands for the name the caller asked for. */
  readonly model: string;
  readonly region: string;
  readonly environment: Environment;
  /** Where data is processed (`eu`, `us`, ...); null: not known for sure, and no residency rule lets it pass. */
  readonly residency: string | null;
  readonly tier: Tier;
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly domains: FailureDomains;
  readonly price: Price;
  /** Where the price comes from; `unknown` prices are zero and said to be unknown. */
  readonly priceSource: 'settings' | 'catalogue' | 'unknown';
  readonly capabilities: Capabilities;
  readonly cloud: CloudFacts;
  /** Tokens of prompt plus answer the model can hold. */
  readonly contextWindowTokens: number;
}
