// Breakers, bulkhead and budgets of one installation of Belay in the contention run. Every decision is core/recovery's
// (stepBreaker, stepBulkhead, takeRetry); this keeps the states, as the engine's books do, and hands out the probes. What a policy
// lacks is simply never asked: closed, free, endless.
import type { Fault } from '../../core/faults/fault.ts';
import {
  newBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerState,
  type BreakerView,
} from '../../core/recovery/breaker.ts';
import {
  attemptOutcomes,
  callOutcome,
  loadSignals,
  type AttemptHealth,
  type BreakerTarget,
  type CallHealth,
} from '../../core/recovery/breakerTargets.ts';
import type { HealthOutcome } from '../../core/recovery/breakerWindow.ts';
import {
  budgetLeft,
  fullTenantBudget,
  takeRetry,
  tenantTokens,
  type BudgetLimits,
  type TaskBudget,
  type TenantBudget,
} from '../../core/recovery/budget.ts';
import {
  emptyBulkhead,
  stepBulkhead,
  type BulkheadMessage,
  type BulkheadRefusal,
  type BulkheadState,
  type PoolName,
  type Visitor,
} from '../../core/recovery/bulkhead.ts';
import type { BudgetFacts } from '../../core/recovery/decision.ts';
import type { AdvancedSettings } from '../../core/settings.ts';
import type { ContentionClock } from './contentionClock.ts';
import { newOrder, type ContentionUpstream, type UpstreamAnswer } from './contentionUpstream.ts';
import type { ContentionWorld, Protections } from './contentionWorld.ts';
import type { Generator } from './generator.ts';

/** Somebody before the bulkhead, and what is to be done when it is answered. */
interface Waiter {
  readonly admitted: (leave: () => void) => void;
  readonly refused: (why: BulkheadRefusal) => void;
}

/** The right to be one of a half-open tenant's few calls. */
export interface TenantPermit {
  readonly tenant: string;
  readonly probeOfMs: number;
}

export class ContentionGuards {
  readonly limits: BudgetLimits;
  /** Re-executions that were paid for. */
  taken = 0;
  trips = 0;
  probes = 0;
  private readonly clock: ContentionClock;
  private readonly generator: Generator;
  private readonly world: ContentionWorld;
  private readonly settings: AdvancedSettings;
  private readonly has: Protections;
  private readonly breakers = new Map<BreakerTarget, BreakerState>();
  private readonly probing = new Set<string>();
  private readonly tenantProbes = new Map<string, number>();
  private readonly tenants = new Map<string, TenantBudget>();
  private readonly waiters = new Map<number, Waiter>();
  private bulkhead: BulkheadState = emptyBulkhead;
  private visitors = 0;

  constructor(
    clock: ContentionClock,
    generator: Generator,
    world: ContentionWorld,
    settings: AdvancedSettings,
    has: Protections,
  ) {
    this.clock = clock;
    this.generator = generator;
    this.world = world;
    this.settings = settings;
    this.has = has;
    const { retry } = settings;
    this.limits = {
      perStep: retry.maxAttemptsPerStep - 1,
      perTask: retry.maxRetriesPerTask,
      perTenantPerMinute: retry.maxRetriesPerTenantPerMinute,
      lastStepReserve: retry.lastStepReserve,
    };
  }

  /** When an upstream may be asked again; null: now. Starts a probe where one is due. */
  closedUntilMs(upstream: ContentionUpstream, isTool: boolean): number | null {
    let untilMs: number | null = null;
    let isOpen = false;
    for (const target of targetsOf(upstream, isTool)) {
      const view = this.view(target);
      if (view.status === 'closed') continue;
      isOpen ||= view.status === 'open';
      untilMs = Math.max(untilMs ?? 0, view.untilMs);
    }
    if (untilMs !== null) this.learnLoad(upstream, isTool, { provider: null, model: null }, this.clock.nowMs);
    if (untilMs !== null && !isOpen) this.probe(upstream, isTool);
    return untilMs;
  }

  /** The tenant is held off, but for the few calls that test it. */
  isHeldOff(tenant: string): boolean {
    return this.view(`tenant:${tenant}`).status !== 'closed';
  }

  /** A tenant whose calls all fail is held off as an upstream is; of a half-open one a few calls go through. */
  tenantDoor(tenant: string): TenantPermit | 'open' | 'closed' {
    const view = this.view(`tenant:${tenant}`);
    if (view.status === 'closed') return 'open';
    const running = this.tenantProbes.get(tenant) ?? 0;
    if (view.status === 'open' || running >= this.settings.breaker.halfOpenProbes) return 'closed';
    this.tenantProbes.set(tenant, running + 1);
    return { tenant, probeOfMs: view.untilMs };
  }

  /** What an attempt says of its upstream. */
  learn(upstream: ContentionUpstream, isTool: boolean, health: AttemptHealth): void {
    const { provider, model } = attemptOutcomes(health, this.settings.breaker);
    const notBeforeMs = this.askedUntilMs(health.fault);
    const [first, second] = targetsOf(upstream, isTool);
    if (first) this.record(first, second ? provider : model, notBeforeMs, null);
    if (second) this.record(second, model, notBeforeMs, null);
    this.learnLoad(upstream, isTool, loadSignals(health), this.clock.nowMs - health.elapsedMs);
  }

  /** As the engine's CallProtection does; tools have no breaker that many wait for. */
  private learnLoad(
    { name }: ContentionUpstream,
    isTool: boolean,
    signals: ReturnType<typeof loadSignals>,
    startedAtMs: number,
  ): void {
    if (!this.has.bulkheads || isTool) return;
    for (const scope of ['provider', 'model'] as const) {
      const pool = `${scope}:${name}` as const;
      const signal = this.view(pool).status === 'closed' ? signals[scope] : 'closed-off';
      if (signal) this.stepBulkhead({ type: 'load', pool, signal, startedAtMs });
    }
  }

  /** How a whole call ended, for its tenant. `fault` 'withheld': nobody was asked. */
  callEnded(tenant: string, fault: Fault | 'withheld' | null, health: CallHealth, permit: TenantPermit | null): void {
    const target = `tenant:${tenant}` as const;
    if (fault !== 'withheld') this.record(target, callOutcome(fault, health), 0, permit?.probeOfMs ?? null);
    if (permit) this.tenantProbes.set(tenant, (this.tenantProbes.get(tenant) ?? 1) - 1);
  }

  /** A place for one attempt, now or later; exactly one of the two is called, once. */
  enter(pools: readonly PoolName[], who: Pick<Visitor, 'criticality' | 'untilMs'>, waiter: Waiter): void {
    if (!this.has.bulkheads) {
      waiter.admitted(() => undefined);
      return;
    }
    const { nowMs } = this.clock;
    const visitor = { id: this.visitors++, pools, atMs: nowMs, ...who };
    this.waiters.set(visitor.id, waiter);
    this.stepBulkhead({ type: 'enter', visitor });
    if (this.waiters.has(visitor.id))
      this.clock.after(visitor.untilMs - nowMs, () => {
        if (this.waiters.has(visitor.id)) this.stepBulkhead({ type: 'time-passed' });
      });
  }

  budgetFacts(task: TaskBudget, tenant: string, step: number, isLast: boolean): BudgetFacts {
    if (!this.has.budgets) return { step: Infinity, task: Infinity, tenant: Infinity };
    const left = budgetLeft(task, step, this.limits, { isLast });
    return { ...left, tenant: Math.floor(tenantTokens(this.tenantBudget(tenant), this.limits, this.clock.nowMs)) };
  }

  /** Pays one re-execution; throws where the decision spent what was not there. */
  take(task: TaskBudget, tenant: string, step: number, isLast: boolean): TaskBudget {
    this.taken++;
    if (!this.has.budgets) return task;
    const { limits, clock } = this;
    const answer = takeRetry(task, this.tenantBudget(tenant), step, limits, clock.nowMs, { isLast });
    if (!answer.ok) throw new Error(`decide spent a ${answer.exhausted} budget that was used up`);
    this.tenants.set(tenant, answer.tenant);
    return answer.task;
  }

  /** What is still held: nothing, once the world has run empty. */
  get held(): { readonly places: number; readonly waiting: number; readonly permits: number } {
    const permits = [...this.tenantProbes.values()].reduce((sum, count) => sum + count, this.probing.size);
    return { places: this.bulkhead.used.size, waiting: this.bulkhead.queue.length + this.waiters.size, permits };
  }

  private tenantBudget(tenant: string): TenantBudget {
    return this.tenants.get(tenant) ?? fullTenantBudget(this.limits, 0);
  }

  private view(target: BreakerTarget): BreakerView {
    if (!this.has.breakers) return { status: 'closed', isForced: true };
    return viewBreaker(this.breakers.get(target) ?? newBreaker, this.clock.nowMs);
  }

  private record(target: BreakerTarget, outcome: HealthOutcome, notBeforeMs: number, probeOfMs: number | null): void {
    if (!this.has.breakers) return;
    const before = this.breakers.get(target) ?? newBreaker;
    const moment = { window: 'w', nowMs: this.clock.nowMs, draw: this.generator.next() };
    const after = stepBreaker(before, { outcome, notBeforeMs, probeOfMs }, this.settings.breaker, moment);
    if (after.trip !== before.trip) this.trips++;
    this.breakers.set(target, after);
  }

  /** One small request for all half-open breakers of an upstream, one at a time. */
  private probe(upstream: ContentionUpstream, isTool: boolean): void {
    if (this.probing.has(upstream.name)) return;
    this.probing.add(upstream.name);
    this.probes++;
    const tested = targetsOf(upstream, isTool).flatMap((target) => {
      const view = this.view(target);
      return view.status === 'half-open' ? [{ target, probeOfMs: view.untilMs }] : [];
    });
    const startedMs = this.clock.nowMs;
    let isOver = false;
    const end = (answer: UpstreamAnswer | 'silence'): void => {
      if (isOver) return;
      isOver = true;
      order.isGivenUp = answer === 'silence';
      this.probing.delete(upstream.name);
      const health = healthOf(answer, this.clock.nowMs - startedMs, false, this.world.retryAfterMs);
      const { model } = attemptOutcomes(health, this.settings.breaker);
      for (const { target, probeOfMs } of tested)
        this.record(target, model, this.askedUntilMs(health.fault), probeOfMs);
    };
    const order = newOrder(this.world.probeWork, end);
    upstream.send(order);
    this.clock.after(this.settings.breaker.probeTimeoutMs, () => end('silence'));
  }

  private askedUntilMs(fault: Fault | null): number {
    return fault?.retryAfterMs == null ? 0 : this.clock.nowMs + fault.retryAfterMs;
  }

  private stepBulkhead(message: BulkheadMessage): void {
    const step = stepBulkhead(this.bulkhead, message, this.settings.bulkhead, this.clock.nowMs);
    this.bulkhead = step.state;
    for (const visitor of step.admitted) {
      const waiter = this.waiters.get(visitor.id);
      this.waiters.delete(visitor.id);
      waiter?.admitted(() => this.stepBulkhead({ type: 'leave', visitor }));
    }
    for (const { visitor, why } of step.refused) {
      const waiter = this.waiters.get(visitor.id);
      this.waiters.delete(visitor.id);
      waiter?.refused(why);
    }
  }
}

const FAULT_OF = { error: 'T1', limited: 'T2', silence: 'T3', overloaded: 'T4' } as const;
const STATUS_OF = { error: 500, limited: 429, silence: null, overloaded: 529, served: null } as const;

/** What a caller saw of one attempt, in the words of the breakers; the class of a fault is certain, as in the main run. */
export function healthOf(
  answer: UpstreamAnswer | 'silence',
  elapsedMs: number,
  isOwnDeadline: boolean,
  retryAfterMs: number,
): AttemptHealth {
  const isServed = answer === 'served';
  const fault = isServed ? null : plainFault(FAULT_OF[answer], answer === 'limited' ? retryAfterMs : null);
  return { fault, httpStatus: STATUS_OF[answer], firstTokenMs: isServed ? elapsedMs : null, elapsedMs, isOwnDeadline };
}

/** A fault of which nothing but its class is known. */
export function plainFault(faultClass: Fault['class'], retryAfterMs: number | null): Fault {
  return {
    class: faultClass,
    confidence: 1,
    secondary: null,
    detail: null,
    retryable: true,
    explicit: true,
    action: 'RETRY',
    retryAfterMs,
    evidence: [],
  };
}

function targetsOf({ name }: ContentionUpstream, isTool: boolean): readonly BreakerTarget[] {
  return isTool ? [`tool:${name}`] : [`provider:${name}`, `model:${name}`];
}
