// From settings to candidates, and from an incoming model name to the candidates that may serve it.
import type { Candidate, Tier } from './candidate.ts';
import type { Settings } from './settings.ts';

export { candidatesOf } from './providers/candidates.ts';

/** What a route gives a call: who may serve it, at which tier, and whether nobody else may. */
export interface ResolvedRoute {
  readonly candidates: readonly Candidate[];
  readonly tier: Tier;
  readonly pinned: boolean;
  /** `listed`: the order of `candidates` is the order of use; `ranked`: it only breaks ties. */
  readonly order: 'ranked' | 'listed';
  /** The route's name; `*` when no route matched and every candidate is used. */
  readonly name: string;
}

const tierOrder: Readonly<Record<Tier, number>> = { small: 0, medium: 1, large: 2 };

/** True when `text` matches `pattern`, in which `*` stands for any characters (also none). */
export function matchesPattern(pattern: string, text: string): boolean {
  const source = pattern
    .split('*')
    .map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 's').test(text);
}

/**
 * The route for a model name: an exact name first, then the longest pattern, then (for a name that is itself a candidate's
 * model or id) those candidates, else every candidate. Empty candidates mean that nobody may serve it.
 */
export function resolveRoute(settings: Settings, candidates: readonly Candidate[], model: string): ResolvedRoute {
  const name = routeNameFor(settings, model);
  const route = name === null ? undefined : settings.routes[name];
  if (name !== null && route) {
    const picked = route.candidates.flatMap((pattern) =>
      candidates.filter((candidate) => matchesPattern(pattern, candidate.id)),
    );
    const unique = [...new Set(picked)];
    return {
      candidates: unique,
      tier: route.tier ?? highestTier(unique),
      pinned: route.pinned,
      order: route.order,
      name,
    };
  }
  const named = candidates.filter((candidate) => candidate.model === model || candidate.id === model);
  const pool = named.length > 0 ? named : candidates;
  return {
    candidates: pool,
    tier: highestTier(pool),
    pinned: false,
    order: 'ranked',
    name: named.length > 0 ? model : '*',
  };
}

function routeNameFor(settings: Settings, model: string): string | null {
  if (Object.hasOwn(settings.routes, model)) return model;
  const patterns = Object.keys(settings.routes).filter((name) => name.includes('*') && matchesPattern(name, model));
  return patterns.sort((a, b) => b.length - a.length)[0] ?? null;
}

function highestTier(candidates: readonly Candidate[]): Tier {
  return candidates.reduce<Tier>(
    (best, candidate) => (tierOrder[candidate.tier] > tierOrder[best] ? candidate.tier : best),
    'small',
  );
}

/** True when `candidate` is of a lower tier than `tier`. */
export function isBelowTier(candidate: Candidate, tier: Tier): boolean {
  return tierOrder[candidate.tier] < tierOrder[tier];
}

/** Names a client may ask for: routes without a pattern, then the distinct model names of the candidates. */
export function modelNames(settings: Settings, candidates: readonly Candidate[]): readonly string[] {
  const routes = Object.keys(settings.routes).filter((name) => !name.includes('*'));
  return [
    ...new Set([...routes, ...candidates.map((candidate) => candidate.model).filter((name) => !name.includes('{'))]),
  ];
}
