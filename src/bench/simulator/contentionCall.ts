// One call of a task in the contention run, as Belay makes it: the first upstream that is open, a place, one attempt; after a
// failure core/recovery's `decide` says what next, and its token is paid. The document's fixed retry is the same call without any
// of that. Each call ends exactly once. What a race would do at the same time is done one after the other here.
import type { Fault } from '../../core/faults/fault.ts';
import { backoffMs } from '../../core/recovery/backoff.ts';
import { mayWaitForReopening } from '../../core/recovery/breakerTargets.ts';
import type { TaskBudget } from '../../core/recovery/budget.ts';
import { waitLimitMs, type PoolName } from '../../core/recovery/bulkhead.ts';
import { decide } from '../../core/recovery/decide.ts';
import { NO_OPTIONS, type Decision, type DecisionInput, type EffectFacts } from '../../core/recovery/decision.ts';
import type { RecoveryPolicy } from '../../core/recovery/presets.ts';
import type { Criticality } from '../../core/context.ts';
import type { AdvancedSettings } from '../../core/settings.ts';
import type { ContentionClock } from './contentionClock.ts';
import { healthOf, plainFault, type ContentionGuards, type TenantPermit } from './contentionGuards.ts';
import { newOrder, type ContentionUpstream, type Order, type UpstreamAnswer } from './contentionUpstream.ts';
import type { ContentionWorld } from './contentionWorld.ts';
import type { Generator } from './generator.ts';

/** What all calls of a run share. `guards` null: the document's fixed retry. */
export interface CallWorld {
  readonly clock: ContentionClock;
  readonly world: ContentionWorld;
  readonly guards: ContentionGuards | null;
  readonly settings: AdvancedSettings;
  readonly policy: RecoveryPolicy;
  /** Chance of the callers: jitter. */
  readonly generator: Generator;
}

/** What is to be called, and for whom. */
export interface CallAsked {
  readonly tenant: string;
  readonly criticality: Criticality;
  readonly step: number;
  readonly isLast: boolean;
  /** A write: level R2, of one upstream that can be asked what became of it. */
  readonly isWrite: boolean;
  /** In the order in which they are tried. */
  readonly upstreams: readonly ContentionUpstream[];
  /** Of the whole task; taken from as the call goes. */
  readonly budget: { task: TaskBudget };
}

/** How a call ended. `orders`: all that was sent, to see later what became of it. */
export interface CallEnd {
  readonly isAnswered: boolean;
  readonly elapsedMs: number;
  readonly orders: readonly Order[];
}

type Withheld = 'withheld';
type Answer = UpstreamAnswer | 'silence';

const NO_EFFECT: EffectFacts = { entry: null, canProbe: false, isProbed: false };
const FIXED_RETRIES = 3;

/** Starts the call; `ended` is called once, later. */
export function startCall(shared: CallWorld, asked: CallAsked, ended: (end: CallEnd) => void): void {
  new ContentionCall(shared, asked, ended).start();
}

class ContentionCall {
  private readonly shared: CallWorld;
  private readonly asked: CallAsked;
  private readonly ended: (end: CallEnd) => void;
  private readonly startedMs: number;
  private readonly deadlineMs: number;
  private readonly orders: Order[] = [];
  /** Upstreams of this round that failed or were not asked. */
  private readonly tried = new Set<ContentionUpstream>();
  /** Upstreams at which an attempt failed. */
  private readonly failed = new Set<ContentionUpstream>();
  private permit: TenantPermit | null = null;
  private retries = 0;
  private lastClass: Fault['class'] | null = null;
  private sameFaults = 0;
  private attempts = 0;
  private lastFault: Fault | Withheld = 'withheld';

  constructor(shared: CallWorld, asked: CallAsked, ended: (end: CallEnd) => void) {
    this.shared = shared;
    this.asked = asked;
    this.ended = ended;
    this.startedMs = shared.clock.nowMs;
    this.deadlineMs = this.startedMs + shared.world.callDeadlineMs;
  }

  start(): void {
    const { guards } = this.shared;
    const [first] = this.asked.upstreams;
    if (guards) this.begin(guards);
    else if (first) this.attemptPlainly(first);
  }

  /** The first upstream of the round that may be asked; where none is, the call waits for one, or that is its fault. */
  private begin(guards: ContentionGuards): void {
    const { clock, settings, world } = this.shared;
    const door = this.permit ?? guards.tenantDoor(this.asked.tenant);
    if (typeof door === 'object') this.permit = door;
    const isHeldOff = door === 'closed';
    const untilMs: number[] = [];
    for (const upstream of this.asked.upstreams) {
      if (this.tried.has(upstream)) continue;
      const closedMs = guards.closedUntilMs(upstream, this.asked.isWrite);
      if (closedMs === null && !isHeldOff) {
        this.attempt(guards, upstream);
        return;
      }
      untilMs.push(closedMs ?? clock.nowMs);
    }
    const { nowMs } = clock;
    const waitEndMs = this.startedMs + settings.breaker.waitMs;
    const earliestMs = Math.min(...untilMs);
    const times = { earliestMs, nowMs, waitEndMs, stepMs: this.estimateMs, deadlineMs: this.deadlineMs };
    if (mayWaitForReopening({ hasTried: this.attempts > 0, ...times })) {
      // What is being probed, and a tenant that is held off, are looked at again soon.
      const nextMs = earliestMs > nowMs ? earliestMs : nowMs + settings.breaker.shareEveryMs;
      clock.after(Math.min(nextMs, waitEndMs, this.deadlineMs) - nowMs, () => this.begin(guards));
      return;
    }
    for (const upstream of this.asked.upstreams) this.tried.add(upstream);
    const waitMs = Number.isFinite(earliestMs) ? Math.max(0, earliestMs - nowMs) : world.retryAfterMs;
    this.recover(guards, plainFault('T4', waitMs), true);
  }

  private attempt(guards: ContentionGuards, upstream: ContentionUpstream): void {
    const { clock, settings } = this.shared;
    const { criticality, tenant, isWrite } = this.asked;
    this.tried.add(upstream);
    const { name } = upstream;
    const pools: readonly PoolName[] = [
      ...(isWrite ? ([`tool:${name}`] as const) : ([`provider:${name}`, `model:${name}`] as const)),
      `tenant:${tenant}`,
    ];
    const untilMs = Math.min(this.deadlineMs, clock.nowMs + waitLimitMs(criticality, settings.bulkhead));
    const enteredMs = clock.nowMs;
    guards.enter(
      pools,
      { criticality, untilMs },
      {
        admitted: (leave) => {
          // It may have been closed off while this attempt waited.
          const closedMs = clock.nowMs > enteredMs ? guards.closedUntilMs(upstream, isWrite) : null;
          if (closedMs === null) {
            const left = (answer: Answer, elapsedMs: number): Fault | null => {
              const fault = this.learn(guards, upstream, answer, elapsedMs);
              leave();
              return fault;
            };
            this.send(upstream, (answer, elapsedMs) => this.heard(guards, left(answer, elapsedMs)));
          } else {
            leave();
            this.recover(guards, plainFault('T4', Math.max(0, closedMs - clock.nowMs)), true);
          }
        },
        refused: () => this.recover(guards, plainFault('T4', null), true),
      },
    );
  }

  /** Sends one attempt; `heard` is told of its end once. */
  private send(upstream: ContentionUpstream, heard: (answer: Answer, elapsedMs: number) => void): void {
    const { clock, world } = this.shared;
    const sentMs = clock.nowMs;
    let isOver = false;
    const end = (answer: Answer): void => {
      if (isOver) return;
      isOver = true;
      order.isGivenUp = answer === 'silence';
      heard(answer, clock.nowMs - sentMs);
    };
    const order = newOrder(1, end);
    this.attempts++;
    this.orders.push(order);
    upstream.send(order);
    clock.after(Math.min(world.attemptTimeoutMs, this.deadlineMs - sentMs), () => end('silence'));
  }

  /** What the attempt says of its upstream, while its place is still taken. */
  private learn(
    guards: ContentionGuards,
    upstream: ContentionUpstream,
    answer: Answer,
    elapsedMs: number,
  ): Fault | null {
    const { clock, world } = this.shared;
    const isOwnDeadline = clock.nowMs >= this.deadlineMs;
    const health = healthOf(answer, elapsedMs, isOwnDeadline, world.retryAfterMs);
    guards.learn(upstream, this.asked.isWrite, health);
    if (health.fault) this.failed.add(upstream);
    return health.fault;
  }

  private heard(guards: ContentionGuards, fault: Fault | null): void {
    if (fault) this.recover(guards, fault, false);
    else this.end(true, null);
  }

  private recover(guards: ContentionGuards, fault: Fault, isWithheld: boolean): void {
    this.sameFaults = fault.class === this.lastClass ? this.sameFaults + 1 : 1;
    this.lastClass = fault.class;
    this.lastFault = isWithheld ? 'withheld' : fault;
    this.decideOn(guards, fault, this.asked.isWrite ? this.effect(isWithheld, false) : NO_EFFECT);
  }

  private decideOn(guards: ContentionGuards, fault: Fault, effect: EffectFacts): void {
    const { clock, world } = this.shared;
    const decision = decide(this.facts(guards, fault, effect));
    if (decision.action === 'RECONCILE') {
      clock.after(world.refusalMs, () => {
        const found = this.effect(false, true);
        if (found.entry === 'RECONCILED_COMMITTED') this.end(true, null);
        else this.decideOn(guards, fault, found);
      });
    } else if (decision.takes === 0) this.end(false, this.lastFault);
    else this.goOn(guards, decision);
  }

  private goOn(guards: ContentionGuards, decision: Decision): void {
    const { tenant, step, isLast, budget } = this.asked;
    budget.task = guards.take(budget.task, tenant, step, isLast);
    if (decision.target !== 'other-candidate') {
      this.tried.clear();
      this.retries++;
    }
    if (decision.waitMs > 0) this.shared.clock.after(decision.waitMs, () => this.begin(guards));
    else this.begin(guards);
  }

  private facts(guards: ContentionGuards, fault: Fault, effect: EffectFacts): DecisionInput {
    const { clock, settings, generator, policy } = this.shared;
    const { criticality, isWrite, upstreams, budget, tenant, step, isLast } = this.asked;
    const closed = upstreams.map((each) => guards.closedUntilMs(each, isWrite) !== null);
    const isHeldOff = this.permit === null && guards.isHeldOff(tenant);
    const hasOther =
      !isWrite && !isHeldOff && upstreams.some((each, index) => closed[index] === false && !this.tried.has(each));
    return {
      fault: { ...fault, isRetryForbidden: false },
      action: {
        kind: isWrite ? 'tool' : 'model',
        level: isWrite ? 'R2' : 'R0',
        criticality,
        isPinned: false,
        rung: 'L0',
        isCompressed: false,
        repairs: 0,
        targetFaults: 0,
      },
      effect,
      budget: guards.budgetFacts(budget.task, tenant, step, isLast),
      time: {
        nowMs: clock.nowMs,
        deadlineMs: this.deadlineMs,
        waitMs: backoffMs(this.retries + 1, generator.next(), fault.retryAfterMs, settings.retry),
        stepMs: this.estimateMs,
        verifyMs: 0,
      },
      breaker: isHeldOff || closed.every(Boolean) ? 'open' : 'closed',
      evidence: { sameFaults: this.sameFaults, sameRejections: 0, hasNewEvidence: false },
      options: {
        // Nothing stands in below the tier: what is measured is protection, not degradation.
        ...NO_OPTIONS,
        otherCandidate: hasOther ? { quality: null, estimateMs: this.estimateMs } : null,
      },
      qualityFloor: settings.qualityFloor[criticality],
      policy,
    };
  }

  /** What the ledger says of the write; its probe sees all that was ever sent for it. What was never sent did not happen. */
  private effect(isWithheld: boolean, isProbed: boolean): EffectFacts {
    if (isWithheld && this.orders.length === 0) return { entry: 'FAILED', canProbe: true, isProbed: true };
    if (!isProbed) return { entry: 'UNKNOWN', canProbe: true, isProbed: false };
    if (this.orders.some(({ isDone }) => isDone)) return { entry: 'RECONCILED_COMMITTED', canProbe: true, isProbed };
    const isOpen = this.orders.some(({ isPending }) => isPending);
    return { entry: isOpen ? 'UNKNOWN' : 'RECONCILED_ABSENT', canProbe: true, isProbed };
  }

  private get estimateMs(): number {
    return this.shared.world.providers[0]?.serviceMs ?? 0;
  }

  /** The document's FixedRetry3: the same again after a fixed wait, whatever it was, writes too. */
  private attemptPlainly(upstream: ContentionUpstream): void {
    const { clock, world } = this.shared;
    this.send(upstream, (answer) => {
      const isLate = clock.nowMs + world.fixedWaitMs >= this.deadlineMs;
      if (answer === 'served' || this.attempts > FIXED_RETRIES || isLate) this.end(answer === 'served', null);
      else clock.after(world.fixedWaitMs, () => this.attemptPlainly(upstream));
    });
  }

  private end(isAnswered: boolean, fault: Fault | Withheld | null): void {
    const isOwnDeadline = this.shared.clock.nowMs >= this.deadlineMs;
    const health = { failedUpstreams: this.failed.size, isOwnDeadline };
    this.shared.guards?.callEnded(this.asked.tenant, fault, health, this.permit);
    this.permit = null;
    this.ended({ isAnswered, elapsedMs: this.shared.clock.nowMs - this.startedMs, orders: this.orders });
  }
}
