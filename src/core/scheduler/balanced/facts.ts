// From a configured candidate to what the scheduler needs of it: tier, failure sources, price (scheduler-study 6.2, State).
// Must not look at what was learned.
import type { Candidate, Tier } from '../../candidate.ts';
import { isLocalCompute } from '../redundancy/localCompute.ts';
import type { CandidateFacts, SourceKind, SourceName, TierLetter } from './types.ts';

const letters: Readonly<Record<Tier, TierLetter>> = { small: 'S', medium: 'M', large: 'L' };

/**
 * Sources: own and region, the vendor of candidates that are not local (study 1.1), the backbone where there is one.
 * `capacity`: calls a local server serves at the same time, where the settings say so.
 */
export function factsOf(candidate: Candidate, capacity: number | null = null): CandidateFacts {
  const { domains, environment, price, priceSource } = candidate;
  const sources: SourceName[] = [`own:${domains.own}`, `region:${domains.region}`];
  if (environment !== 'local') sources.push(`vendor:${domains.vendor}`);
  if (domains.backbone !== undefined) sources.push(`backbone:${domains.backbone}`);
  return {
    id: candidate.id,
    tier: letters[candidate.tier],
    sources,
    price:
      priceSource === 'unknown'
        ? null
        : {
            inputUsdPerMTok: price.inputUsdPerMTok,
            outputUsdPerMTok: price.outputUsdPerMTok,
            cachedInputUsdPerMTok: price.cachedInputUsdPerMTok ?? null,
          },
    contextWindowTokens: candidate.contextWindowTokens,
    capacity,
    ...(isLocalCompute(candidate) ? { isLocalCompute: true as const } : {}),
  };
}

/** The kind a source's name begins with. */
export function kindOf(source: SourceName): SourceKind {
  if (source.startsWith('region:')) return 'region';
  if (source.startsWith('vendor:')) return 'vendor';
  return source.startsWith('backbone:') ? 'backbone' : 'own';
}
