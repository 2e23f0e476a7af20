// The world of the contention run (HFR 6.4, 6.8): tenants whose tasks share providers that queue, slow down and fail under load,
// and an incident in which one provider loses most of its places. Numbers and policies only; nothing here is measured anywhere.
import type { AdvancedSettings } from '../../core/settings.ts';
import { advancedSchema } from '../../core/settingsAdvanced.ts';

/** One upstream: places, a queue in front of them, and what it does under load. */
export interface UpstreamWorld {
  readonly name: string;
  /** Requests served at the same time. */
  readonly places: number;
  /** Mean service time of a request in an upstream without a queue, ms. */
  readonly serviceMs: number;
  /** Requests that may wait; beyond that it answers 529 at once. */
  readonly queueLength: number;
  /** Requests taken each second; beyond that (a second's worth may be saved up) it answers 429. */
  readonly limitPerSecond: number;
}

export interface ContentionWorld {
  readonly providers: readonly UpstreamWorld[];
  /** Takes the writes. */
  readonly tool: UpstreamWorld;
  /** Of the first provider. */
  readonly incident: { readonly fromMs: number; readonly toMs: number; readonly places: number };
  /** Figures are counted from here; before it the world fills up. */
  readonly warmMs: number;
  /** The last task arrives before it; then the world runs empty. */
  readonly endMs: number;
  readonly tenants: number;
  /** Tasks each second, of all tenants together (Poisson). */
  readonly tasksPerSecond: number;
  /** Share of the tasks that the first tenant sends; the others share the rest evenly. */
  readonly greedyShare: number;
  /** Model calls of a task: 1 to so many, evenly. */
  readonly mostModelCalls: number;
  /** Share of the tasks that end with one write (R2). */
  readonly writeShare: number;
  /** Document 6.2; the rest is high. */
  readonly criticalityShares: { readonly low: number; readonly medium: number };
  /** A caller gives an attempt up after so long, and a call after `callDeadlineMs`. */
  readonly attemptTimeoutMs: number;
  readonly callDeadlineMs: number;
  /** Wait of the document's fixed retry. */
  readonly fixedWaitMs: number;
  /** Service time is multiplied by 1 + slowdown * (filled share of the queue). */
  readonly slowdown: number;
  /** Probability of a server error: errorShare + errorGrowth * (filled share of the queue). */
  readonly errorShare: number;
  readonly errorGrowth: number;
  /** Share of served requests whose answer never arrives. */
  readonly lostShare: number;
  /** A refusal (429, 529) takes so long, and so does the ledger's probe of a write. */
  readonly refusalMs: number;
  /** Retry-After of a 429. */
  readonly retryAfterMs: number;
  /** Work of a breaker's probe, in whole requests. */
  readonly probeWork: number;
}

const provider = (name: string): UpstreamWorld => ({
  name,
  places: 8,
  serviceMs: 1000,
  queueLength: 100,
  limitPerSecond: 24,
});

/** The world of `belay sim --contention`: two thirds of all places are busy before the incident. */
export const CONTENTION_WORLD: ContentionWorld = {
  providers: ['a', 'b', 'c'].map(provider),
  tool: { name: 'tracker', places: 8, serviceMs: 400, queueLength: 50, limitPerSecond: 40 },
  incident: { fromMs: 80_000, toMs: 140_000, places: 1 },
  warmMs: 20_000,
  endMs: 320_000,
  tenants: 8,
  tasksPerSecond: 8,
  greedyShare: 0.3,
  mostModelCalls: 3,
  writeShare: 0.3,
  criticalityShares: { low: 0.35, medium: 0.45 },
  attemptTimeoutMs: 8000,
  callDeadlineMs: 60_000,
  fixedWaitMs: 500,
  slowdown: 0.5,
  errorShare: 0.01,
  errorGrowth: 0.2,
  lostShare: 0.005,
  refusalMs: 100,
  retryAfterMs: 1000,
  probeWork: 0.1,
};

/** Which of the three protections a policy has. */
export interface Protections {
  readonly budgets: boolean;
  readonly breakers: boolean;
  readonly bulkheads: boolean;
}

/** A policy: Belay's own code with some protections, or the document's fixed retry (null). */
export interface ContentionPolicy {
  readonly protections: Protections | null;
  readonly settings: AdvancedSettings;
}

/** As shipped; the breakers' limits fit a world of any size. */
const shipped = advancedSchema.parse({});
/** Places and buckets that fit a world of 24 places: half as many more than a provider has, as many for a tenant. */
const FITTED = {
  bulkhead: { perProvider: 12, perTool: 12, perTenant: 12, queueLength: 64 },
  retry: { maxRetriesPerTenantPerMinute: 30 },
};
const fixedPlaces = advancedSchema.parse({ bulkhead: { isAdaptive: false } });
const fitted = advancedSchema.parse(FITTED);
/** Longer than the first cooldown: all calls that come while a breaker is open are there when it closes. */
const withLongWait = advancedSchema.parse({ ...FITTED, breaker: { waitMs: 45_000 } });

const all: Protections = { budgets: true, breakers: true, bulkheads: true };
const none: Protections = { budgets: false, breakers: false, bulkheads: false };
const breakersAlone: Protections = { ...none, breakers: true };

/**
 * The policies in the order of the report: all three, each taken away, each alone, none; the breakers alone where calls
 * wait long for one to close; all three with the limits as shipped, which are meant for far larger providers, and those without
 * places that are learned from overloads; the document's.
 */
export const CONTENTION_POLICIES = {
  plus: { protections: all, settings: fitted },
  'plus-no-budgets': { protections: { ...all, budgets: false }, settings: fitted },
  'plus-no-breakers': { protections: { ...all, breakers: false }, settings: fitted },
  'plus-no-bulkheads': { protections: { ...all, bulkheads: false }, settings: fitted },
  'plus-only-budgets': { protections: { ...none, budgets: true }, settings: fitted },
  'plus-only-breakers': { protections: breakersAlone, settings: fitted },
  'plus-only-breakers-long-wait': { protections: breakersAlone, settings: withLongWait },
  'plus-only-bulkheads': { protections: { ...none, bulkheads: true }, settings: fitted },
  'plus-none-of-them': { protections: none, settings: fitted },
  'plus-as-shipped': { protections: all, settings: shipped },
  'plus-as-shipped-fixed-places': { protections: all, settings: fixedPlaces },
  'fixed-retry-3': { protections: null, settings: fitted },
} as const satisfies Readonly<Record<string, ContentionPolicy>>;

export type ContentionPolicyName = keyof typeof CONTENTION_POLICIES;
