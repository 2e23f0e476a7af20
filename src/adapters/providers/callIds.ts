// Ids of the tool calls of one answer. A caller pairs results with calls by them, so every call leaves with an id of its
// own: one that is missing, or that an earlier call already has, is replaced by a fresh one.
import { randomUUID } from 'node:crypto';

/** Hands the ids of one answer out. */
export interface CallIds {
  /** `told` itself where it can be used. */
  idOf(told: string): string;
}

/** No ids are taken yet. */
export function callIds(): CallIds {
  const taken = new Set<string>();
  return {
    idOf(told) {
      const id = told === '' || taken.has(told) ? `call_${randomUUID().replaceAll('-', '')}` : told;
      taken.add(id);
      return id;
    },
  };
}
