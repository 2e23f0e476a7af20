// Where a candidate's answers are computed, as far as disclosure is concerned: on the user's own machine, or somewhere else.
// Text only, and in doubt somewhere else: an address that is not plainly loopback, or a server known to pass prompts on.
import type { Candidate, ProviderKind } from '../candidate.ts';
import { residencyOf } from '../providers/residency.ts';

/** Residency tag of the user's own machine; no residency rule keeps code away from it. */
export const OWN_PLACE = 'local';

/** A host of 127.0.0.0/8, ::1 or localhost, and nothing that a URL parser could read as a user name before another host. */
const LOOPBACK = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i;
/** Servers that run on loopback in order to pass requests on. */
const FORWARDERS: ReadonlySet<string> = new Set(['litellm']);
/** Kinds that are reached through something other than their address. */
const ELSEWHERE: ReadonlySet<ProviderKind> = new Set(['bedrock', 'vertex', 'vscode']);

/** What of a candidate says where it is. */
export type Placed = Pick<Candidate, 'baseUrl' | 'family' | 'kind' | 'region' | 'residency'>;

/**
 * Whether the candidate is the user's own place: it listens on loopback, is not known to pass prompts on, and the settings do
 * not say that its data is processed elsewhere (a tunnel or proxy whose region has a residency or the name of a place).
 */
export function isOwnPlace({ baseUrl, family, kind, region, residency }: Placed): boolean {
  if (!LOOPBACK.test(baseUrl) || FORWARDERS.has(family) || ELSEWHERE.has(kind)) return false;
  return residency === OWN_PLACE || (residency === null && residencyOf(region) === null);
}

/** The residency tag that rules are held against; null: not known for sure. */
export function residencyTagOf(candidate: Placed): string | null {
  return isOwnPlace(candidate) ? OWN_PLACE : candidate.residency;
}
