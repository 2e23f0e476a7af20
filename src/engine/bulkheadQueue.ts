// The bulkheads at work: whoever wants places waits here until core/recovery/bulkhead lets it in or turns it away. A place is
// given back exactly once, however its holder ended; a waiter whose caller has gone leaves at once.
import type { LoadSignal } from '../core/recovery/adaptivePlaces.ts';
import type { Criticality } from '../core/context.ts';
import {
  emptyBulkhead,
  stepBulkhead,
  waitLimitMs,
  type BulkheadLimits,
  type BulkheadMessage,
  type BulkheadRefusal,
  type BulkheadState,
  type PoolName,
  type Visitor,
} from '../core/recovery/bulkhead.ts';
import type { ClockPort } from './ports.ts';

/** Whether there is a place. `release` may be called more than once; only the first counts. */
export type Admission =
  | { readonly ok: true; readonly waitedMs: number; readonly release: () => void }
  | { readonly ok: false; readonly why: BulkheadRefusal | 'cancelled'; readonly waitedMs: number };

type Outcome = 'admitted' | BulkheadRefusal | 'cancelled';

const WAIT_OVER = new Error('the wait for a place is over');

export class BulkheadQueue {
  private readonly clock: ClockPort;
  private limits: BulkheadLimits;
  private state: BulkheadState = emptyBulkhead;
  private readonly waiting = new Map<number, (outcome: Outcome) => void>();
  private lastId = 0;

  constructor(clock: ClockPort, limits: BulkheadLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** More places let waiters in with the next change. */
  reconfigure(limits: BulkheadLimits): void {
    this.limits = limits;
    this.step({ type: 'time-passed' });
  }

  get queued(): number {
    return this.state.queue.length;
  }

  /** Places taken of a pool. */
  used(pool: PoolName): number {
    return this.state.used.get(pool)?.all ?? 0;
  }

  /** A place in each of `pools` at once, or none of them. Resolves also when `signal` is aborted: `cancelled`. */
  async enter(pools: readonly PoolName[], criticality: Criticality, signal: AbortSignal): Promise<Admission> {
    const atMs = this.clock.nowMs();
    if (signal.aborted) return { ok: false, why: 'cancelled', waitedMs: 0 };
    if (!this.limits.isEnabled) return { ok: true, waitedMs: 0, release: () => undefined };
    const untilMs = atMs + waitLimitMs(criticality, this.limits);
    const visitor: Visitor = { id: ++this.lastId, pools, criticality, atMs, untilMs };
    const result = await this.wait(visitor, signal);
    const waitedMs = this.clock.nowMs() - atMs;
    if (result === 'admitted') return { ok: true, waitedMs, release: this.releaseOnce(visitor) };
    return { ok: false, why: result, waitedMs };
  }

  /** What an attempt that has a place there, or the breaker, says of the load of a pool. */
  load(pool: PoolName, signal: LoadSignal, startedAtMs: number): void {
    this.step({ type: 'load', pool, signal, startedAtMs });
  }

  private releaseOnce(visitor: Visitor): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.step({ type: 'leave', visitor });
    };
  }

  private async wait(visitor: Visitor, signal: AbortSignal): Promise<Outcome> {
    const told: { outcome: Outcome | null } = { outcome: null };
    this.waiting.set(visitor.id, (outcome) => (told.outcome = outcome));
    this.step({ type: 'enter', visitor });
    return told.outcome ?? this.waitInQueue(visitor, signal);
  }

  private waitInQueue({ id, atMs, untilMs }: Visitor, signal: AbortSignal): Promise<Outcome> {
    return new Promise((resolve) => {
      const over = new AbortController();
      const giveUp = (): void => {
        this.settle(id, 'cancelled');
        this.step({ type: 'give-up', id });
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.set(id, (outcome) => {
        signal.removeEventListener('abort', giveUp);
        over.abort(WAIT_OVER);
        resolve(outcome);
      });
      this.clock.sleep(untilMs - atMs, over.signal).then(
        () => this.step({ type: 'wait-over', id }),
        () => undefined,
      );
    });
  }

  private step(message: BulkheadMessage): void {
    const { state, admitted, refused } = stepBulkhead(this.state, message, this.limits, this.clock.nowMs());
    this.state = state;
    for (const { id } of admitted) this.settle(id, 'admitted');
    for (const { visitor, why } of refused) this.settle(visitor.id, why);
  }

  private settle(id: number, outcome: Outcome): void {
    const settle = this.waiting.get(id);
    this.waiting.delete(id);
    settle?.(outcome);
  }
}
