// Who asks, for what, and how much it matters: the request context of DESIGN 2 and the ids every event and row carries.
import type { Role } from './chat.ts';

/** HFR's task criticality c. */
export type Criticality = 'low' | 'medium' | 'high';

/** Travels with every call, event and ledger row (DESIGN, fixed semantics 2). */
export interface RequestContext {
  readonly tenant: string;
  readonly client: string;
  readonly task: string;
  /** HFR's i: number of the step (turn) in the task, from 1. */
  readonly step: number;
  readonly role: Role;
  readonly criticality: Criticality;
  /** HFR's q_min, 0-1. */
  readonly qualityFloor: number;
  /** Absolute time (ms of the clock port) after which the caller no longer waits. */
  readonly deadlineMs: number;
  /** HFR's t_verify, ms: what the check of the answer is expected to take; absent: nothing is checked behind it. */
  readonly verifyMs?: number;
  /** Made for the sake of another call: executed once, never again, and nobody is asked for it (engine/helperCall). */
  readonly isHelper?: true;
}

/** The ids an event belongs to; each deeper id is present only where it applies. */
export interface EventIds {
  readonly tenant: string;
  readonly client: string;
  readonly task: string;
  readonly step: number;
  readonly call?: string;
  readonly attempt?: string;
  readonly toolCall?: string;
}
