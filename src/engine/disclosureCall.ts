// Disclosure as one call needs it: who of its candidates may be used in the next round, and what it says when nobody may.
import type { Candidate } from '../core/candidate.ts';
import type { EventIds, RequestContext } from '../core/context.ts';
import type { Fault } from '../core/faults/fault.ts';
import type { Decision } from '../core/recovery/decision.ts';
import type { CallFailure, CallSummary, EndDecision } from './call.ts';
import { disclosureFailure, disclosureFault, disclosureReason } from './disclosureFailure.ts';
import type { Admission, Blocked, DisclosureGate } from './disclosureGate.ts';
import type { ClockPort } from './ports.ts';

/** What of a call decides. */
export interface DisclosureCallInput {
  readonly gate: DisclosureGate;
  readonly clock: ClockPort;
  readonly context: RequestContext;
  readonly ids: EventIds;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** A decision about candidates that may not be used, and the fault behind it. */
export interface DisclosureDecision {
  readonly fault: Fault;
  readonly decision: Pick<Decision, 'action' | 'waitMs' | 'rule' | 'reason'>;
}

export class DisclosureCall {
  private readonly input: DisclosureCallInput;

  constructor(input: DisclosureCallInput) {
    this.input = input;
  }

  /** Whether a candidate is not ruled out. */
  mayServe(candidate: Candidate): boolean {
    return this.input.gate.permission(candidate, this.input.context.role).status !== 'denied';
  }

  /** Whether a candidate may get code without anybody being asked. */
  isAllowed(candidate: Candidate): boolean {
    return this.input.gate.permission(candidate, this.input.context.role).status === 'allowed';
  }

  /**
   * Who of the pool may serve. `fit` chooses those that suit the request best; it is asked without those that are ruled out,
   * also again where a person has ruled one out meanwhile.
   */
  async admit(
    pool: readonly Candidate[],
    fit: (candidates: readonly Candidate[]) => readonly Candidate[],
  ): Promise<Admission> {
    const { gate, context, ids, deadlineMs, signal } = this.input;
    for (let candidates = this.suited(pool, fit); ;) {
      const admission = await gate.admit({ candidates, role: context.role, ids, deadlineMs, signal });
      const isOver = admission.allowed.length > 0 || signal.aborted || this.input.clock.nowMs() >= deadlineMs;
      const next = this.suited(pool, fit);
      if (isOver || next.every((candidate) => candidates.includes(candidate))) return admission;
      candidates = next;
    }
  }

  /**
   * Those that suit best of all that are not ruled out, and of those that may serve now: nobody waits for a better one that is
   * only asked about. Where all that would suit are ruled out, they are named as what they are: blocked.
   */
  private suited(
    pool: readonly Candidate[],
    fit: (candidates: readonly Candidate[]) => readonly Candidate[],
  ): readonly Candidate[] {
    const { gate, context } = this.input;
    const ready = pool.filter((candidate) => gate.permission(candidate, context.role).status === 'allowed');
    const chosen = new Set([...fit(ready), ...fit(pool.filter((candidate) => this.mayServe(candidate)))]);
    return chosen.size > 0 ? pool.filter((candidate) => chosen.has(candidate)) : fit(pool);
  }

  /** Where nobody of the requested tier may get code, a lower one serves: not around anybody's no, but without them. */
  degrade(blocked: readonly Blocked[]): DisclosureDecision | null {
    const isInTime = this.input.clock.nowMs() < this.input.deadlineMs;
    return isInTime ? this.decided(blocked, 'DEGRADE_MODEL', 'nobody of the requested tier may get code') : null;
  }

  /** The end of a call that nobody may serve. */
  end(blocked: readonly Blocked[]): DisclosureDecision | null {
    return this.decided(blocked, 'ESCALATE', 'nobody may get code');
  }

  failure(blocked: readonly Blocked[], summary: CallSummary, decision?: EndDecision): CallFailure {
    const failure = disclosureFailure(blocked, this.input.context.role, summary, this.input.clock.nowMs());
    return decision ? { ...failure, decision } : failure;
  }

  private decided(
    blocked: readonly Blocked[],
    action: 'DEGRADE_MODEL' | 'ESCALATE',
    what: string,
  ): DisclosureDecision | null {
    const fault = disclosureFault(blocked, this.input.clock.nowMs());
    const reason = `${what} ${disclosureReason(blocked, this.input.context.role)}`;
    return fault && { fault, decision: { action, waitMs: 0, rule: 'T7/disclosure', reason } };
  }
}
