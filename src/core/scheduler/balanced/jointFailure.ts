// P(all fail | S), exactly: candidates that share a source fail together, so the shared sources are taken through all their on/off
// states, and given those the candidates fail independently. Source: scheduler-study 6.2, joint.
import { bounded } from './numbers.ts';
import type { PoolView } from './view.ts';

/** Shared sources that are taken through all states: at most 256 terms. */
export const EXACT_SOURCES = 8;

/**
 * Chance that every member of the set fails, 0-1; 1 for an empty set. Exact for up to 8 shared sources. Beyond that the 8
 * likeliest to be down are exact, and of the rest only "all up" and "not all up" are told apart, the latter as if all were down:
 * an upper bound, above the exact figure by at most the chance that one of the rest is down.
 */
export function jointFailure(view: PoolView, set: readonly number[]): number {
  if (set.length === 0) return 1;
  const first = set[0] ?? 0;
  if (set.length === 1) return bounded(1 - (view.availability[first] ?? 0), 0, 1, 1);
  const shared = sharedSources(view, set);
  const exact = shared.slice(0, EXACT_SOURCES);
  const rest = shared.slice(EXACT_SOURCES);
  const calm = failureOver(view, set, exact, rest, 0);
  if (rest.length === 0) return bounded(calm, 0, 1, 1);
  const restUp = rest.reduce((product, source) => product * (1 - (view.down[source] ?? 0)), 1);
  return bounded(restUp * calm + (1 - restUp) * failureOver(view, set, exact, rest, 1), 0, 1, 1);
}

/** Π(1 − a_i): what independence would promise. Never above the joint figure. */
export function independentFailure(view: PoolView, set: readonly number[]): number {
  return set.reduce((product, position) => product * (1 - (view.availability[position] ?? 0)), 1);
}

/** Sources of two or more members, the likeliest to be down first; of equals the first met. */
function sharedSources(view: PoolView, set: readonly number[]): readonly number[] {
  const uses = new Map<number, number>();
  for (const position of set)
    for (const source of view.pool.members[position]?.sources ?? []) uses.set(source, (uses.get(source) ?? 0) + 1);
  return [...uses]
    .filter(([, count]) => count > 1)
    .map(([source]) => source)
    .sort((a, b) => (view.down[b] ?? 0) - (view.down[a] ?? 0));
}

/** Σ over the states of `exact` of Π P(state)·Π(1 − ok_i); the sources of `rest` are all up (0) or all down (1). */
function failureOver(
  view: PoolView,
  set: readonly number[],
  exact: readonly number[],
  rest: readonly number[],
  restDown: 0 | 1,
): number {
  const { delta } = view.pool.constants;
  const alone: number[] = [];
  const masks: number[] = [];
  for (const position of set) {
    let ok = 1 - (view.baseFail[position] ?? 1);
    let mask = 0;
    for (const source of view.pool.members[position]?.sources ?? []) {
      const bit = exact.indexOf(source);
      if (bit >= 0) mask |= 1 << bit;
      else if (rest.includes(source)) ok *= restDown === 1 ? 1 - delta : 1;
      else ok *= 1 - delta * (view.down[source] ?? 0);
    }
    alone.push(ok);
    masks.push(mask);
  }
  let sum = 0;
  for (let state = 0; state < 1 << exact.length; state++) {
    let term = 1;
    for (let bit = 0; bit < exact.length; bit++) {
      const p = view.down[exact[bit] ?? 0] ?? 0;
      term *= (state >> bit) & 1 ? p : 1 - p;
    }
    for (let member = 0; member < alone.length; member++)
      term *= 1 - (alone[member] ?? 0) * (1 - delta) ** bitCount((masks[member] ?? 0) & state);
    sum += term;
  }
  return sum;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
