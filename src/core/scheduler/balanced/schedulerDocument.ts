// The one document that holds what the scheduler has learned, as text: what it was learned of, when all of it was reset, the state.
// A document that cannot be read is none; its reader starts afresh and says so.
import * as z from 'zod';
import { readState } from './savedState.ts';
import { candidateFactsSchema } from './savedFacts.ts';
import type { CandidateFacts, SchedulerState } from './types.ts';

/** Its name in the store. */
export const SCHEDULER_DOCUMENT = 'scheduler';

export interface SchedulerDocument {
  readonly state: SchedulerState;
  /** When everything was forgotten last (ms): what other windows knew before that does not come back; null: never. */
  readonly resetAtMs: number | null;
  /** Of the candidates in `state`, as they were configured then. */
  readonly facts: readonly CandidateFacts[];
}

const documentSchema = z.object({
  version: z.literal(1),
  resetAtMs: z.number().nullable(),
  facts: z.array(candidateFactsSchema),
  state: z.unknown(),
});

/** A saved document in its present form; null where it is none. */
export function readSchedulerDocument(text: string): SchedulerDocument | null {
  try {
    const { resetAtMs, facts, state } = documentSchema.parse(JSON.parse(text));
    const read = readState(state);
    return read && { resetAtMs, facts, state: read };
  } catch {
    return null;
  }
}

/** The text under which it is saved. */
export function schedulerDocument({ state, resetAtMs, facts }: SchedulerDocument): string {
  return JSON.stringify({ version: 1, resetAtMs, facts, state });
}
