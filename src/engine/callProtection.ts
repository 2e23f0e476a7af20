// Breakers and bulkheads as one call needs them: who of its candidates may be asked now, a place for each attempt, and what
// the attempts and the call itself have said of the health of those behind it.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { EventIds, RequestContext } from '../core/context.ts';
import type { Fault } from '../core/faults/fault.ts';
import {
  attemptOutcomes,
  callOutcome,
  loadSignals,
  modelTarget,
  providerTarget,
  mayWaitForReopening,
  type BreakerTarget,
  type ClosedOff,
} from '../core/recovery/breakerTargets.ts';
import type { HealthOutcome } from '../core/recovery/breakerWindow.ts';
import type { AttemptFigures } from './attemptTally.ts';
import type { ProbePermit } from './breakerBook.ts';
import type { CallSummary } from './call.ts';
import type { Emit } from './eventLog.ts';
import { gaveUp, type AttemptFailure, type RaceEnd } from './hedgedCall.ts';
import type { ClockPort, ProviderPort } from './ports.ts';
import type { Protection } from './protection.ts';
import { isWithheld, withheldFault, type Place } from './withheld.ts';

export interface CallProtectionInput {
  readonly protection: Protection;
  readonly clock: ClockPort;
  readonly provider: ProviderPort;
  readonly emit: Emit;
  readonly context: RequestContext;
  readonly ids: EventIds;
  /** The name the caller asked for. */
  readonly model: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** A candidate that may not be asked now. */
interface ClosedCandidate extends ClosedOff {
  readonly candidate: Candidate;
}

/** What a call says of itself when nobody may be asked. */
interface ClosedFacts {
  /** It has made an attempt: what comes now would be a retry. */
  readonly hasTried: boolean;
  /** There is a substitute or a lower tier to decide about. */
  readonly canStandIn: boolean;
  /** Estimated duration of a try. */
  readonly stepMs: number;
  /** Takes why each of them was not asked. */
  readonly failures: Map<CandidateId, Fault>;
  readonly tell: (fault: Fault, decision: typeof WAIT) => void;
}

const WAIT = {
  action: 'RETRY',
  waitMs: 0,
  rule: 'T4/breaker-wait',
  reason: 'all that may serve are closed off: waits for the first to be probed',
} as const;

const NO_SIGNALS = { provider: null, model: null } as const;

export class CallProtection {
  private readonly input: CallProtectionInput;
  private readonly tenant: BreakerTarget;
  private readonly startedAtMs: number;
  private tenantPermit: ProbePermit | null = null;
  /** Provider accounts at which an attempt failed. */
  private readonly failedUpstreams = new Set<string>();
  private isAnswered = false;

  constructor(input: CallProtectionInput) {
    this.input = input;
    this.tenant = `tenant:${input.context.tenant}`;
    this.startedAtMs = input.clock.nowMs();
  }

  /**
   * Those of the candidates that may be asked now. Where all are closed off: a call that has tried nothing and has nobody to
   * stand in waits for the first to open up; any other gets the end of a round in which nobody was asked.
   */
  async whoMayBeAsked(
    candidates: readonly Candidate[],
    facts: ClosedFacts,
  ): Promise<{ readonly usable: readonly Candidate[]; readonly closedEnd: RaceEnd | null }> {
    for (let isTold = false; ; isTold = true) {
      const { usable, closed } = await this.sort(candidates);
      const [first] = closed;
      if (usable.length === 0 && first && !this.input.signal.aborted && this.mayWait(closed, facts)) {
        const fault = this.closedFault(first);
        if (!isTold) facts.tell(fault, WAIT);
        await this.wait(closed);
        continue;
      }
      for (const off of closed) facts.failures.set(off.candidate.id, this.closedFault(off));
      if (usable.length > 0 || !first) return { usable, closedEnd: null };
      return { usable, closedEnd: gaveUp(this.closedFault(first)) };
    }
  }

  /** Those that may be asked and those that are closed off; starts the probes that are due. */
  private async sort(
    candidates: readonly Candidate[],
  ): Promise<{ readonly usable: readonly Candidate[]; readonly closed: readonly ClosedCandidate[] }> {
    const { protection, model, provider, ids } = this.input;
    protection.breakers.refresh();
    const tenant = await this.tenantClosed();
    const usable: Candidate[] = [];
    const closed: ClosedCandidate[] = [];
    for (const candidate of candidates) {
      const off = tenant ?? this.closedOff(candidate);
      if (off) closed.push({ ...off, candidate });
      if (off) this.learnLoad(candidate, NO_SIGNALS, this.startedAtMs);
      else usable.push(candidate);
      if (off?.status === 'half-open' && !tenant) protection.probe.start(candidate, model, provider, ids);
    }
    return { usable, closed };
  }

  private closedOff(candidate: Candidate): ClosedOff | null {
    return this.input.protection.breakers.closedOff([providerTarget(candidate), modelTarget(candidate)]);
  }

  /** A tenant has no upstream that could be pinged: of a half-open one a counted number of calls goes through. */
  private async tenantClosed(): Promise<ClosedOff | null> {
    const { breakers } = this.input.protection;
    const off = breakers.closedOff([this.tenant]);
    if (off?.status !== 'half-open' || this.tenantPermit) return this.tenantPermit ? null : off;
    this.tenantPermit = await breakers.permit(this.tenant);
    return this.tenantPermit ? null : breakers.closedOff([this.tenant]);
  }

  /** Whether a candidate may not be asked now; what is being probed is no more healthy than what is open. */
  isClosedOff(candidate: Candidate): boolean {
    if (this.tenantPermit === null && this.input.protection.breakers.closedOff([this.tenant])) return true;
    return this.closedOff(candidate) !== null;
  }

  /** When a candidate's breakers let it be asked; 0: they are closed. */
  closedUntilMs(candidate: Candidate): number {
    return this.closedOff(candidate)?.untilMs ?? 0;
  }

  /** A place for one attempt. It is asked for at the moment of the attempt, whatever was true when the call was planned. */
  async admit(candidate: Candidate, ids: EventIds, signal: AbortSignal): Promise<Place> {
    const { protection, context, clock, emit } = this.input;
    const off = this.closedOff(candidate);
    if (off) return this.withheld(candidate, ids, 'breaker-open', off.target, off.untilMs);
    const pools = [providerTarget(candidate), modelTarget(candidate), this.tenant as `tenant:${string}`] as const;
    const queued = protection.bulkheads.queued;
    const admission = await protection.bulkheads.enter(pools, context.criticality, signal);
    if (!admission.ok) {
      if (admission.why === 'cancelled') return { ok: false, fault: null };
      return this.withheld(candidate, ids, admission.why, pools.join(' '), null);
    }
    if (admission.waitedMs === 0) return admission;
    emit(ids, { type: 'place-waited', pools, waitedMs: admission.waitedMs, queued });
    // It may have been closed off while this attempt waited.
    const late = this.closedOff(candidate);
    if (!late || signal.aborted) return admission;
    admission.release();
    return this.withheld(
      candidate,
      ids,
      'breaker-open',
      late.target,
      clock.nowMs() < late.untilMs ? late.untilMs : null,
    );
  }

  private withheld(
    candidate: Candidate,
    ids: EventIds,
    why: Parameters<typeof withheldFault>[0],
    target: string,
    untilMs: number | null,
  ): Place {
    const shownMs = untilMs !== null && Number.isFinite(untilMs) ? untilMs : null;
    this.input.emit(ids, { type: 'attempt-withheld', candidate: candidate.id, why, target, untilMs: shownMs });
    return { ok: false, fault: withheldFault(why, target, untilMs, this.input.clock.nowMs()) };
  }

  /** What an attempt that ended by itself says of provider and model. */
  learn(candidate: Candidate, figures: AttemptFigures, failure: AttemptFailure | null, ids: EventIds): void {
    if (failure && isWithheld(failure.fault)) return;
    if (failure) this.failedUpstreams.add(providerTarget(candidate));
    const { protection, clock, deadlineMs } = this.input;
    const nowMs = clock.nowMs();
    const health = {
      fault: failure?.fault ?? null,
      httpStatus: failure?.httpStatus ?? null,
      firstTokenMs: figures.firstTokenMs,
      elapsedMs: figures.elapsedMs,
      isOwnDeadline: nowMs >= deadlineMs,
    };
    const { provider, model } = attemptOutcomes(health, protection.breakerLimits);
    const askedMs = failure?.fault.retryAfterMs ?? null;
    const more = { notBeforeMs: askedMs === null ? 0 : nowMs + askedMs };
    protection.breakers.record(providerTarget(candidate), provider, ids, more);
    protection.breakers.record(modelTarget(candidate), model, ids, more);
    this.learnLoad(candidate, loadSignals(health), nowMs - figures.elapsedMs);
  }

  /** After a closing the places grow from few again, so that not all who wait come back at once. */
  private learnLoad(candidate: Candidate, signals: ReturnType<typeof loadSignals>, startedAtMs: number): void {
    const { breakers, bulkheads } = this.input.protection;
    const pools = [
      [providerTarget(candidate), signals.provider],
      [modelTarget(candidate), signals.model],
    ] as const;
    for (const [pool, said] of pools) {
      const signal = breakers.view(pool).status === 'closed' ? said : 'closed-off';
      if (signal) bulkheads.load(pool, signal, startedAtMs);
    }
  }

  /** Content has reached the caller: its tenant is well, and a probe of it is over, however long the answer goes on. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    this.count(callOutcome(null, { failedUpstreams: 0, isOwnDeadline: false }));
  }

  /** How the call has ended, for its tenant. A call that was cancelled, or that nobody was asked for, says nothing. */
  finished(outcome: CallSummary['outcome'], fault: Fault | null): void {
    if (outcome === 'answered' || outcome === 'refused') this.answered();
    if (this.isAnswered) return;
    const isOwnDeadline = this.input.clock.nowMs() >= this.input.deadlineMs;
    const isTold = outcome === 'failed' && fault && !isWithheld(fault);
    this.count(isTold ? callOutcome(fault, { failedUpstreams: this.failedUpstreams.size, isOwnDeadline }) : null);
  }

  private count(outcome: HealthOutcome | null): void {
    const { breakers } = this.input.protection;
    const permit = this.tenantPermit;
    this.tenantPermit = null;
    if (outcome) breakers.record(this.tenant, outcome, this.input.ids, permit ? { permit } : {});
    if (permit) void breakers.share().then(() => breakers.giveBack(permit));
  }

  private mayWait(closed: readonly ClosedCandidate[], { hasTried, canStandIn, stepMs }: ClosedFacts): boolean {
    const { clock, deadlineMs } = this.input;
    const earliestMs = Math.min(...closed.map(({ untilMs }) => untilMs));
    const times = { earliestMs, nowMs: clock.nowMs(), waitEndMs: this.waitEndMs, stepMs, deadlineMs };
    return !canStandIn && mayWaitForReopening({ hasTried, ...times });
  }

  private get waitEndMs(): number {
    return this.startedAtMs + this.input.protection.breakerLimits.waitMs;
  }

  /** Until the first of them may be probed, or a probe has decided. */
  private async wait(closed: readonly ClosedCandidate[]): Promise<void> {
    const { clock, protection, deadlineMs, signal } = this.input;
    const nowMs = clock.nowMs();
    const endMs = Math.min(deadlineMs, this.waitEndMs);
    const next = closed.map(({ untilMs }) => untilMs).filter((untilMs) => untilMs > nowMs);
    // A probe of another window is heard of through the store.
    if (closed.some(({ status }) => status === 'half-open')) next.push(nowMs + protection.breakerLimits.shareEveryMs);
    const untilMs = Math.min(endMs, ...next);
    await protection.breakers.changed(untilMs, signal).catch(() => undefined);
  }

  /** Why a candidate is not asked. */
  private closedFault({ target, untilMs }: ClosedOff): Fault {
    return withheldFault('breaker-open', target, untilMs, this.input.clock.nowMs());
  }
}
