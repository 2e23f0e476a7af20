// One logical call: rounds of races until one answers, with a decision of core/recovery between them.
// It spends the step's and task's budget before it acts, tells every decision, and ends with one summary.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import type { EventBody, Rung } from '../core/events.ts';
import type { Fault, FaultClass } from '../core/faults/fault.ts';
import type { BudgetFacts } from '../core/recovery/decision.ts';
import { modelTarget } from '../core/recovery/breakerTargets.ts';
import { recoveryPolicy, type RecoveryPolicy } from '../core/recovery/presets.ts';
import { recordedQuality, unknownProfile } from '../core/scheduler/profile.ts';
import { notRuledOut } from '../core/scheduler/raceFaults.ts';
import type { SpendingRefusal } from '../core/scheduler/spending.ts';
import type { AttemptFigures } from './attemptTally.ts';
import { CallBill } from './callBill.ts';
import type { CallEvent, CallSummary, EndDecision } from './call.ts';
import type { CallDependencies, CallInput } from './callParts.ts';
import { decideRound, decisionEvent, estimateMs, type ToldDecision } from './callDecision.ts';
import { callFailure, lackingNotice } from './callFailure.ts';
import { askForRung, type RungProposal } from './callProposal.ts';
import { CallProtection } from './callProtection.ts';
import { CallPool } from './callPool.ts';
import { startRound } from './callRound.ts';
import { CallSpending, spendingDecision } from './callSpending.ts';
import { CallTimes } from './callTimes.ts';
import { DisclosureCall } from './disclosureCall.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import { ContextCompressor, type Compressed } from './contextCompressor.ts';
import { FaultOpinions } from './faultOpinion.ts';
import { attemptOutcome, gaveUp, type AttemptFailure, type RaceEnd } from './hedgedCall.ts';
import type { Lane } from './lane.ts';
import { isWithheld, noTimeFault, spendingFault } from './withheld.ts';

type Decided = ReturnType<typeof decideRound>;
type Beside = Pick<Decided, 'degradation' | 'proposal'>;

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
  private readonly protection: CallProtection;
  private readonly pool: CallPool;
  private readonly times: CallTimes;
  private readonly spending: CallSpending;
  private overspent: SpendingRefusal | null = null;
  private madeRules: RecoveryPolicy | null = null;
  private readonly compressor: ContextCompressor;
  private request: ChatRequest;
  private isCompressed = false;
  private isFinished = false;
  /** The next round is for those that were not asked yet. */
  private isUnaskedOnly = false;
  /** The last fault of each candidate that failed, in order. */
  private readonly failures = new Map<CandidateId, Fault>();
  private readonly bill: CallBill;
  private lastFault: FaultClass | null = null;
  private sameFaultCount = 0;
  private retries = 0;
  /** The last decision, and what it proposes that nobody has agreed to. */
  private last: { readonly decision: EndDecision; readonly proposal: RungProposal | null } | null = null;

  constructor(dependencies: CallDependencies, input: CallInput) {
    this.dependencies = dependencies;
    this.input = input;
    this.request = input.request;
    this.requestId = input.options.requestId ?? dependencies.newId('req');
    const { tenant, client, task, step } = input.context;
    this.ids = { tenant, client, task, step, call: this.requestId };
    this.bill = new CallBill(this.requestId);
    this.startedAtMs = dependencies.ports.clock.nowMs();
    this.deadlineMs = Math.min(input.context.deadlineMs, this.startedAtMs + input.settings.callDeadlineSeconds * 1000);
    const { context, signal } = input;
    const { gate, protection, ports, emit, opinion } = dependencies;
    const { clock, provider, store } = ports;
    const shared = { clock, context, ids: this.ids, deadlineMs: this.deadlineMs, signal };
    const stepMs = (): number => estimateMs(dependencies.profiles, this.pool.candidates());
    const helped = { context: { ...context, deadlineMs: this.deadlineMs }, stepMs, signal };
    this.opinions = new FaultOpinions({ port: opinion, clock, ...helped });
    this.disclosure = new DisclosureCall({ gate, ...shared });
    this.protection = new CallProtection({ protection, provider, emit, model: input.request.model, ...shared });
    this.pool = new CallPool({
      route: input.route,
      model: input.request.model,
      others: input.others ?? [],
      mayGoBelow: () => this.rules.automatic[context.criticality].L3,
      tokens: dependencies.profiles.tokens,
      mayServe: (candidate) => this.disclosure.mayServe(candidate),
      isAllowed: (candidate) => this.disclosure.isAllowed(candidate),
      reachesFloor: ({ id }) => this.reachesFloor(id),
    });
    this.times = new CallTimes({ clock, profiles: dependencies.profiles, protection: this.protection });
    const { compression, spending: limits } = input.settings.advanced;
    this.spending = new CallSpending({ book: dependencies.spending, store, ids: this.ids, limits, emit });
    this.compressor = new ContextCompressor({ ...dependencies, ...helped, settings: compression, pool: this.pool });
  }

  async *run(): AsyncGenerator<CallEvent> {
    const { policy, deadlineMs } = this;
    this.emit({ type: 'call-started', model: this.request.model, role: this.input.context.role, policy, deadlineMs });
    try {
      if (this.startedAtMs < this.deadlineMs) yield* this.rounds();
      else yield this.ending(gaveUp(noTimeFault()));
    } finally {
      // The caller may stop reading at any point: the call has an end all the same.
      if (!this.isFinished) this.finish('cancelled', null);
    }
  }

  private async *rounds(): AsyncGenerator<CallEvent> {
    this.degradeToFit();
    await this.compressNearLimit();
    for (;;) {
      const isSpent = await this.isSpent();
      if (isSpent) yield this.ending(gaveUp(null));
      if (isSpent) return;
      const { allowed, blocked } = await this.disclosure.admit(
        this.isUnaskedOnly ? this.unasked() : this.pool.candidates(),
        (candidates) => this.pool.fitOf(candidates, this.request).candidates,
      );
      if (this.isCallerGone()) return;
      this.dependencies.pings?.active(allowed, this.request.model, this.dependencies.ports.provider, this.ids);
      if (allowed.length === 0 && blocked.length > 0) {
        const degrade = this.pool.canDegrade ? this.disclosure.degrade(blocked) : null;
        const decided = degrade ?? this.disclosure.end(blocked);
        if (decided) this.tell(decided.fault, decided.decision);
        if (degrade) {
          this.pool.degrade();
          continue;
        }
        const summary = this.finish('failed', null);
        yield { type: 'failed', failure: this.disclosure.failure(blocked, summary, this.last?.decision) };
        return;
      }
      const { usable, closedEnd } = await this.protection.whoMayBeAsked(allowed, {
        hasTried: this.bill.attempts > 0,
        canStandIn: this.pool.canDegrade || (this.mayGoTo('L2') && this.pool.alternates().length > 0),
        stepMs: estimateMs(this.dependencies.profiles, allowed),
        failures: this.failures,
        tell: (fault, decision) => this.tell(fault, decision),
      });
      const end = closedEnd ?? (yield* this.round(this.times.askable(usable)));
      if (end.outcome === 'answered' || (end.outcome === 'refused' && end.isCommitted)) {
        yield { type: 'finished', summary: this.finish(end.outcome, end.lane) };
        return;
      }
      if (end.outcome === 'cancelled' || this.isCallerGone()) return;
      const isFinal = end.isCommitted || end.fault === null || !(await this.recover(end.fault));
      if (isFinal && !this.isCallerGone()) yield this.ending(end);
      if (isFinal) return;
    }
  }

  /** Whether a budget of money is used up, which ends the call: nobody may be asked any more. */
  private async isSpent(): Promise<boolean> {
    const spent = await this.spending.spent(this.pool.candidates());
    this.overspent = this.isCallerGone() ? null : spent;
    if (!this.overspent) return false;
    const decision = spendingDecision(this.overspent, this.input.context.criticality, this.rules);
    this.tell(spendingFault(this.overspent), decision);
    return true;
  }

  /** The end of a call without a whole answer. */
  private ending({ outcome, lane, fault: judged, isCommitted }: RaceEnd): CallEvent {
    const { overspent: spending } = this;
    const fault = spending ? spendingFault(spending) : judged;
    const summary = this.finish(outcome === 'refused' ? 'refused' : 'failed', lane, fault);
    const { lacking } = this.pool.fit(this.request);
    const { route } = this.input;
    const ended = { fault, isCommitted, summary, route, failures: this.failures, lacking, spending, last: this.last };
    return { type: 'failed', failure: callFailure(ended) };
  }

  /** Literal mode launches a hedge set and no more: the others of the route are still to be asked. */
  private unasked(): readonly Candidate[] {
    if (this.input.settings.mode !== 'literal') return [];
    return this.times.askable(notRuledOut(this.pool.fit(this.request).candidates, this.failures));
  }

  /** A rung that is taken unasked. */
  private mayGoTo(rung: Rung): boolean {
    return this.rules.automatic[this.input.context.criticality][rung];
  }

  private isCallerGone(): boolean {
    return this.input.signal.aborted;
  }

  /** Literal mode, degraded answers and whoever asks for it: the whole answer is kept until it is accepted (DESIGN 6). */
  private get policy(): 'stream' | 'hold' {
    return this.input.settings.mode === 'literal' || this.pool.isDegraded ? 'hold' : this.input.options.policy;
  }

  private async *round(candidates: readonly Candidate[]): AsyncGenerator<CallEvent, RaceEnd> {
    const { dependencies, input, deadlineMs, request, policy, ids, protection, times, spending } = this;
    const race = startRound({
      ...{ dependencies, input, candidates, protection, times, spending, deadlineMs, request, policy, ids },
      callStartedAtMs: this.startedAtMs,
      isRetry: this.retries > 0,
      emit: (of, body) => this.book(of, body),
      onWithheld: (lane, fault) => this.failures.set(lane.candidate.id, fault),
      onOutcome: (lane, figures, failure) => this.learn(lane, figures, failure),
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

  /** Before it is sent: a request that is close to every window is made smaller (HFR 5.4). */
  private async compressNearLimit(): Promise<void> {
    // A pinned model is L0 or an error (DESIGN 1).
    if (this.pool.isPinned || !this.mayGoTo('L1')) return;
    const compressed = await this.compressor.beforeCall(this.request);
    if (!this.take(compressed)) return;
    const reason = `the context is close to the limit: ${compressed?.how ?? ''}`;
    this.tell(null, { action: 'COMPRESS', waitMs: 0, rule: 'T6/near-limit', reason });
  }

  private take(compressed: Compressed | null): boolean {
    if (!compressed) return false;
    this.request = compressed.request;
    this.isCompressed = true;
    return true;
  }

  private committed(lane: Lane): CallEvent {
    const rung = this.rung(lane);
    this.protection.answered();
    this.dependencies.emit(
      { ...this.ids, attempt: lane.attemptId },
      { type: 'call-committed', candidate: lane.candidate.id, rung },
    );
    return {
      type: 'committed',
      requestId: this.requestId,
      candidate: lane.candidate.id,
      rung,
      attempts: this.bill.attempts,
    };
  }

  private rung(lane: Lane | null): Rung {
    return lane ? this.pool.rungOf(lane.candidate, this.isCompressed) : this.pool.rung(this.isCompressed);
  }

  /** Made at the first failure: most calls have none. */
  private get rules(): RecoveryPolicy {
    this.madeRules ??= recoveryPolicy(this.input.settings.advanced);
    return this.madeRules;
  }

  /** A candidate that is known to do worse than the task's quality floor never stands in (HFR 4.4). */
  private reachesFloor(id: CandidateId): boolean {
    const { role, qualityFloor } = this.input.context;
    const quality = recordedQuality(this.dependencies.profiles.all[id] ?? unknownProfile, role);
    return quality === null || quality >= qualityFloor;
  }

  private learn(lane: Lane, figures: AttemptFigures, failure: AttemptFailure | null): void {
    const nowMs = this.dependencies.ports.clock.nowMs();
    if (failure) this.failures.set(lane.candidate.id, failure.fault);
    if (failure && isDisclosureDenial(failure.fault)) return;
    if (failure) this.opinions.note(failure);
    const { task } = this.input.context;
    if (failure && !isWithheld(failure.fault))
      this.dependencies.faults.note(task, modelTarget(lane.candidate), failure.fault.class);
    const outcome = attemptOutcome(figures, failure, { nowMs, deadlineMs: this.deadlineMs });
    this.dependencies.profiles.record(lane.candidate.id, outcome, this.input);
    this.protection.learn(lane.candidate, figures, failure, { ...this.ids, attempt: lane.attemptId });
  }

  /** Decides, pays, tells and prepares the next round; false when the call ends here. */
  private async recover(judged: Fault): Promise<boolean> {
    // A refusal is surfaced as what it is.
    if (judged.class !== 'T8' && (await this.isSpent())) return false;
    const fault = await this.opinions.on(judged);
    const { budgets, ports } = this.dependencies;
    const { context } = this.input;
    this.sameFaultCount = fault.class === this.lastFault ? this.sameFaultCount + 1 : 1;
    this.lastFault = fault.class;
    budgets.weigh(context, fault.class);
    const isOverflow = fault.class === 'T6' || fault.secondary === 'T6';
    const canCompress = isOverflow && !this.pool.isPinned && (await this.compressor.canCompress(this.request));
    let decided = this.decide(fault, canCompress, budgets.left(context, ports.clock.nowMs()));
    const isPaid = decided.decision.takes === 0 || (await budgets.take(context, ports.clock.nowMs()));
    // Another window took the last of it meanwhile: decided again with nothing left.
    if (!isPaid) decided = this.decide(fault, canCompress, { step: 0, task: 0, tenant: 0 });
    const isSmaller =
      decided.decision.action === 'COMPRESS' && this.take(await this.compressor.afterRefusal(this.request));
    if (decided.decision.action === 'COMPRESS' && !isSmaller)
      decided = this.decide(fault, false, budgets.leftWithHeld(context, ports.clock.nowMs()));
    this.tell(fault, decided.decision, decided);
    const { action, target, waitMs, takes } = decided.decision;
    if (takes === 0) return this.goOnWithLeave(fault, decided);
    if (target === 'alternate') this.pool.substitute();
    if (target === 'lower') this.pool.degrade();
    this.isUnaskedOnly = target === 'other-candidate';
    if (action === 'RETRY') this.retries++;
    if (waitMs > 0) await ports.clock.sleep(waitMs, this.input.signal).catch(() => undefined);
    return true;
  }

  /** A rung that needs a person: asked for, and taken with a yes. The yes goes beyond a budget that is used up. */
  private async goOnWithLeave(fault: Fault, { decision, proposal }: Decided): Promise<boolean> {
    const { input, deadlineMs, ids } = this;
    const asked = { ...this.dependencies, context: input.context, deadlineMs, ids, signal: input.signal };
    const agreed = proposal && !input.context.isHelper && (await askForRung(asked, proposal, decision));
    if (!agreed) return false;
    if (proposal.rung === 'L2') this.pool.substitute();
    else this.pool.degrade();
    this.tell(fault, agreed.decision, { ...agreed, proposal: null });
    return true;
  }

  private decide(fault: Fault, canCompress: boolean, budget: BudgetFacts): Decided {
    const { context, settings } = this.input;
    const { ports, profiles } = this.dependencies;
    return decideRound({
      // Of several that failed, the first that may be asked again says how long to wait.
      fault: { ...fault, retryAfterMs: this.times.askedWaitMs(this.pool.candidates()) },
      context,
      pool: this.pool,
      request: this.request,
      profiles,
      policy: this.rules,
      retry: settings.advanced.retry,
      budget,
      nowMs: ports.clock.nowMs(),
      deadlineMs: this.deadlineMs,
      retries: this.retries,
      draw: ports.random.next(),
      sameFaults: this.sameFaultCount,
      targetFaults: this.dependencies.faults.least(context.task, this.pool.candidates().map(modelTarget)),
      // While it can be made smaller still, it is not done with.
      isCompressed: this.isCompressed && !canCompress,
      canCompress,
      unasked: this.unasked(),
      isClosedOff: (candidate) => this.protection.isClosedOff(candidate),
    });
  }

  private tell(
    fault: Fault | null,
    decision: ToldDecision,
    beside: Beside = { degradation: null, proposal: null },
  ): void {
    this.last = { decision, proposal: beside.proposal };
    const left = this.dependencies.budgets.left(this.input.context, this.dependencies.ports.clock.nowMs());
    const rung = decision.rung ?? this.rung(null);
    this.emit(decisionEvent({ ...beside, fault, decision: { ...decision, rung }, left, policy: this.rules }));
  }

  private finish(outcome: CallSummary['outcome'], lane: Lane | null, fault: Fault | null = null): CallSummary {
    this.isFinished = true;
    this.protection.finished(outcome, fault);
    if (this.lastFault && !this.input.context.isHelper)
      this.dependencies.budgets.learn(this.lastFault, outcome === 'answered');
    const elapsedMs = this.dependencies.ports.clock.nowMs() - this.startedAtMs;
    const ended = { outcome, lane, rung: this.rung(lane), elapsedMs, helpersUsd: this.compressor.spentUsd };
    const summary = this.bill.summary(ended);
    this.emit(this.bill.finished(summary, lane?.held ?? null));
    return summary;
  }

  /** Every attempt's cost counts, losers included; those that end after the call are in its events only. */
  private book(ids: EventIds, body: EventBody): void {
    this.bill.count(ids, body);
    this.dependencies.emit(ids, body);
  }

  private emit(body: EventBody): void {
    this.dependencies.emit(this.ids, body);
  }
}
