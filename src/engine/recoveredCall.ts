// One logical call: rounds of races until one answers, with a decision of core/recovery between them.
// It spends the step's and task's budget before it acts, tells every decision, and ends with one summary.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { EventIds, RequestContext } from '../core/context.ts';
import type { EventBody, Rung } from '../core/events.ts';
import { rulesVersion } from '../core/faults/classify.ts';
import type { Fault, FaultClass } from '../core/faults/fault.ts';
import { backoffMs } from '../core/recovery/backoff.ts';
import { budgetLeft } from '../core/recovery/budget.ts';
import { decide, decisionRulesVersion, type Decision } from '../core/recovery/decide.ts';
import { isBelowTier, type ResolvedRoute } from '../core/routes.ts';
import { planCall } from '../core/scheduler/plan.ts';
import { failureOutcome } from '../core/scheduler/outcome.ts';
import type { Settings } from '../core/settings.ts';
import type { AttemptFigures } from './attemptTally.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { CallEvent, CallOptions, CallSummary } from './call.ts';
import { callFailure, lackingNotice } from './callFailure.ts';
import { CallPool } from './callPool.ts';
import { DisclosureCall } from './disclosureCall.ts';
import type { DisclosureGate } from './disclosureGate.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import type { Emit } from './eventLog.ts';
import { FaultOpinions } from './faultOpinion.ts';
import { runRace, type AttemptFailure, type RaceEnd } from './hedgedCall.ts';
import type { Lane } from './lane.ts';
import type { OpinionPort, Ports } from './ports.ts';
import type { ProfileBook } from './profileBook.ts';

/** What all calls of one controller share. */
export interface CallDependencies {
  readonly ports: Pick<Ports, 'clock' | 'random' | 'provider'>;
  readonly profiles: ProfileBook;
  readonly budgets: BudgetBook;
  readonly gate: DisclosureGate;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly shutdown: AbortSignal;
  /** Absent: the rules alone decide what a failure is. */
  readonly opinion?: OpinionPort | undefined;
}

export interface CallInput {
  readonly request: ChatRequest;
  readonly context: RequestContext;
  readonly options: CallOptions;
  readonly settings: Settings;
  readonly route: ResolvedRoute;
  readonly signal: AbortSignal;
}

/** What a call does when its estimated duration is not known yet. */
const ESTIMATE_MS = 1000;

/** Runs the call. The order of what it yields is CallEvent's. */
export async function* recoveredCall(dependencies: CallDependencies, input: CallInput): AsyncGenerator<CallEvent> {
  yield* new RecoveredCall(dependencies, input).run();
}

class RecoveredCall {
  private readonly dependencies: CallDependencies;
  private readonly input: CallInput;
  private readonly ids: EventIds;
  private readonly requestId: string;
  private readonly startedAtMs: number;
  private readonly deadlineMs: number;
  private readonly disclosure: DisclosureCall;
  private readonly opinions: FaultOpinions;
  private readonly pool: CallPool;
  private request: ChatRequest;
  private isCompressed = false;
  private isFinished = false;
  /** The last fault of each candidate that failed, in order. */
  private readonly failures = new Map<CandidateId, Fault>();
  private attempts = 0;
  private costUsd = 0;
  private unpricedAttempts = 0;
  private lastFault: FaultClass | null = null;
  private sameFaultCount = 0;
  private retries = 0;

  constructor(dependencies: CallDependencies, input: CallInput) {
    this.dependencies = dependencies;
    this.input = input;
    this.request = input.request;
    this.requestId = input.options.requestId ?? dependencies.newId('req');
    const { tenant, client, task, step } = input.context;
    this.ids = { tenant, client, task, step, call: this.requestId };
    this.startedAtMs = dependencies.ports.clock.nowMs();
    this.deadlineMs = Math.min(input.context.deadlineMs, this.startedAtMs + input.settings.callDeadlineSeconds * 1000);
    const { context, signal } = input;
    const { ids, deadlineMs } = this;
    const { gate, ports, opinion } = dependencies;
    this.opinions = new FaultOpinions(opinion, context, signal);
    this.disclosure = new DisclosureCall({ gate, clock: ports.clock, context, ids, deadlineMs, signal });
    this.pool = new CallPool({
      route: input.route,
      model: input.request.model,
      criticality: context.criticality,
      tokens: dependencies.profiles.tokens,
      mayServe: (candidate) => this.disclosure.mayServe(candidate),
    });
  }

  async *run(): AsyncGenerator<CallEvent> {
    this.emit({ type: 'call-started', model: this.request.model, role: this.input.context.role, policy: this.policy });
    try {
      yield* this.rounds();
    } finally {
      // The caller may stop reading at any point: the call has an end all the same.
      if (!this.isFinished) this.finish('cancelled', null);
    }
  }

  private async *rounds(): AsyncGenerator<CallEvent> {
    this.degradeToFit();
    for (;;) {
      const { allowed, blocked } = await this.disclosure.admit(
        this.pool.candidates(),
        (candidates) => this.pool.fitOf(candidates, this.request).candidates,
      );
      if (this.isCallerGone()) return;
      if (allowed.length === 0 && blocked.length > 0) {
        const degrade = this.pool.canDegrade ? this.disclosure.degrade(blocked) : null;
        const decided = degrade ?? this.disclosure.end(blocked);
        if (decided) this.tell(decided.fault, decided.decision);
        if (degrade) {
          this.pool.degrade();
          continue;
        }
        yield { type: 'failed', failure: this.disclosure.failure(blocked, this.finish('failed', null)) };
        return;
      }
      const end = yield* this.round(allowed);
      if (end.outcome === 'answered' || (end.outcome === 'refused' && end.isCommitted)) {
        yield { type: 'finished', summary: this.finish(end.outcome, end.lane) };
        return;
      }
      if (end.outcome === 'cancelled' || this.isCallerGone()) return;
      const isFinal = end.isCommitted || end.fault === null || !(await this.recover(end.fault));
      if (isFinal && !this.isCallerGone()) {
        const { fault, isCommitted } = end;
        const summary = this.finish(end.outcome === 'refused' ? 'refused' : 'failed', end.lane);
        const { lacking } = this.pool.fit(this.request);
        const ended = { fault, isCommitted, summary, route: this.input.route, failures: this.failures, lacking };
        yield { type: 'failed', failure: callFailure(ended) };
      }
      if (isFinal) return;
    }
  }

  private isCallerGone(): boolean {
    return this.input.signal.aborted;
  }

  /** Literal mode, degraded answers and whoever asks for it: the whole answer is kept until it is accepted (DESIGN 6). */
  private get policy(): 'stream' | 'hold' {
    return this.input.settings.mode === 'literal' || this.pool.isDegraded ? 'hold' : this.input.options.policy;
  }

  private async *round(candidates: readonly Candidate[]): AsyncGenerator<CallEvent, RaceEnd> {
    const { settings, context } = this.input;
    const { clock, provider } = this.dependencies.ports;
    const plan = planCall({
      mode: settings.mode,
      role: context.role,
      criticality: context.criticality,
      order: this.input.route.order,
      candidates,
      profiles: this.dependencies.profiles.all,
      settings: settings.advanced,
      nowMs: clock.nowMs(),
    });
    const { mode, ranking, hedgeSet, failureProbability, targetReached, why } = plan;
    this.emit({ type: 'plan-made', mode, ranking, hedgeSet, failureProbability, targetReached, why });
    const race = runRace({
      clock,
      provider,
      timers: settings.advanced.timers,
      deadlineMs: this.deadlineMs,
      request: this.request,
      plan,
      policy: this.policy,
      isRetry: this.retries > 0,
      ids: this.ids,
      nextAttemptId: () => {
        this.attempts++;
        return this.dependencies.newId('att');
      },
      emit: (ids, body) => this.book(ids, body),
      tokens: this.dependencies.profiles.tokens,
      onEnded: (attempt) => {
        for (const { ids, body } of this.dependencies.profiles.ended(attempt)) this.book(ids, body);
      },
      onOutcome: (lane, figures, failure) => this.learn(lane, figures, failure),
      signal: this.input.signal,
      shutdown: this.dependencies.shutdown,
    });
    try {
      for (;;) {
        const item = await race.next();
        if (item.done) return item.value;
        yield item.value.type === 'event' ? item.value : this.committed(item.value.lane);
      }
    } finally {
      // The caller may have stopped reading: the race must cancel what it started.
      await race.return({ outcome: 'cancelled', lane: null, fault: null, isCommitted: false });
    }
  }

  /** Where nobody of the tier can take images or tools, a lower one that can is better than no answer. */
  private degradeToFit(): void {
    if (!this.pool.needsLowerTier(this.request)) return;
    const { lacking } = this.pool.fit(this.request);
    this.emit({ type: 'notice', severity: 'warning', ...lackingNotice(this.input.route.name, lacking) });
    this.pool.degrade();
  }

  private committed(lane: Lane): CallEvent {
    const rung = this.rung(lane);
    this.dependencies.emit(
      { ...this.ids, attempt: lane.attemptId },
      { type: 'call-committed', candidate: lane.candidate.id, rung },
    );
    return {
      type: 'committed',
      requestId: this.requestId,
      candidate: lane.candidate.id,
      rung,
      attempts: this.attempts,
    };
  }

  private rung(lane: Lane | null): Rung {
    if (lane && isBelowTier(lane.candidate, this.input.route.tier)) return 'L3';
    return this.isCompressed ? 'L1' : 'L0';
  }

  private learn(lane: Lane, figures: AttemptFigures, failure: AttemptFailure | null): void {
    const nowMs = this.dependencies.ports.clock.nowMs();
    if (failure) this.failures.set(lane.candidate.id, failure.fault);
    if (failure && isDisclosureDenial(failure.fault)) return;
    const outcome = failure
      ? failureOutcome(failure.fault, failure.httpStatus, nowMs)
      : {
          kind: 'success' as const,
          totalMs: figures.elapsedMs,
          firstTokenMs: figures.firstTokenMs ?? figures.elapsedMs,
          sentBytes: figures.sentChars,
          receivedBytes: figures.receivedChars,
        };
    if (failure) this.opinions.note(failure);
    this.dependencies.profiles.record(lane.candidate.id, outcome);
  }

  /** Decides, tells, pays and prepares the next round; false when the call ends here. */
  private async recover(judged: Fault): Promise<boolean> {
    const fault = await this.opinions.on(judged);
    const { clock } = this.dependencies.ports;
    this.sameFaultCount = fault.class === this.lastFault ? this.sameFaultCount + 1 : 1;
    this.lastFault = fault.class;
    const compressed = fault.class === 'T6' && !this.isCompressed ? this.pool.compressed(this.request) : null;
    const decision = this.decide(fault, compressed !== null);
    const { action, waitMs } = decision;
    const isAgain = action === 'RETRY' || action === 'COMPRESS' || action === 'DEGRADE_MODEL';
    const isPaid = action === 'RETRY' ? await this.dependencies.budgets.take(this.input.context, clock.nowMs()) : true;
    this.tell(fault, isPaid ? decision : { ...decision, action: 'FAIL', reason: 'a retry budget is used up' });
    if (!isAgain || !isPaid) return false;
    if (action === 'COMPRESS' && compressed) {
      this.request = compressed;
      this.isCompressed = true;
    }
    if (action === 'DEGRADE_MODEL') this.pool.degrade();
    if (action === 'RETRY') this.retries++;
    if (waitMs > 0) await clock.sleep(waitMs, this.input.signal).catch(() => undefined);
    return true;
  }

  private decide(fault: Fault, canCompress: boolean): Decision {
    const { context, settings } = this.input;
    const { retry } = settings.advanced;
    const { clock, random } = this.dependencies.ports;
    const left = this.dependencies.budgets.left(context);
    return decide({
      fault,
      criticality: context.criticality,
      stepBudgetLeft: left.step,
      taskBudgetLeft: left.task,
      nowMs: clock.nowMs(),
      deadlineMs: this.deadlineMs,
      waitMs: backoffMs(this.retries + 1, random.next(), fault.retryAfterMs, retry),
      estimateMs: ESTIMATE_MS,
      sameFaultCount: this.sameFaultCount,
      sameFaultLimit: retry.sameFaultLimit,
      isCompressed: this.isCompressed,
      canCompress,
      canDegrade: this.pool.canDegrade,
    });
  }

  private tell(fault: Fault, decision: Decision): void {
    const left = budgetLeft(
      this.dependencies.budgets.taskBudget(this.input.context.task),
      this.input.context.step,
      this.dependencies.budgets.limits,
    );
    const { action, reason, rule, waitMs } = decision;
    this.emit({
      type: 'decision-made',
      fault,
      action,
      reason,
      rule,
      rulesVersion: `classify ${rulesVersion}, decide ${decisionRulesVersion}`,
      waitMs,
      stepBudgetLeft: left.step,
      taskBudgetLeft: left.task,
      rung: this.rung(null),
    });
  }

  private finish(outcome: CallSummary['outcome'], lane: Lane | null): CallSummary {
    this.isFinished = true;
    const summary: CallSummary = {
      requestId: this.requestId,
      outcome,
      candidate: lane?.candidate.id ?? null,
      attempt: lane?.attemptId ?? null,
      servedModel: lane?.figures?.servedModel ?? null,
      rung: this.rung(lane),
      attempts: this.attempts,
      costUsd: this.costUsd,
      ...(this.unpricedAttempts > 0 ? { unpricedAttempts: this.unpricedAttempts } : {}),
      usage: lane?.figures?.usage ?? null,
      elapsedMs: this.dependencies.ports.clock.nowMs() - this.startedAtMs,
    };
    const { requestId: _id, attempt: _attempt, servedModel: _served, usage: _usage, ...told } = summary;
    this.emit({ type: 'call-finished', ...told });
    return summary;
  }

  /** Every attempt's cost counts, losers included; those that end after the call are in its events only. */
  private book(ids: EventIds, body: EventBody): void {
    if (body.type === 'attempt-succeeded' || body.type === 'attempt-failed' || body.type === 'attempt-cancelled') {
      this.costUsd += body.costUsd;
      if (body.isUnpriced) this.unpricedAttempts++;
    } else if (body.type === 'cost-corrected' && ids.call === this.requestId) this.costUsd += body.changeUsd;
    this.dependencies.emit(ids, body);
  }

  private emit(body: EventBody): void {
    this.dependencies.emit(this.ids, body);
  }
}
