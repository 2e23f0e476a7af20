// Candidates for tests: enough of one to be ranked and raced, with only what a test cares about spelled out.
import type { Candidate } from '../../src/core/candidate.ts';

/** A large, free candidate of its own vendor and region unless said otherwise. */
export function candidate(id: string, change: Partial<Candidate> = {}): Candidate {
  return {
    id,
    providerId: id,
    kind: 'openai-compatible',
    family: id,
    auth: 'none',
    path: 'sdk',
    account: 'main',
    model: `${id}-model`,
    region: 'r1',
    environment: 'regional',
    residency: null,
    tier: 'large',
    wire: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1/v1',
    domains: { own: id, region: `${id}:r1`, vendor: id },
    price: { inputUsdPerMTok: 4, outputUsdPerMTok: 8 },
    priceSource: 'settings',
    capabilities: {},
    cloud: {},
    contextWindowTokens: 100_000,
    ...change,
  };
}
