// One upstream under load: a queue before its places, service that slows down and fails as the queue fills, 429 above its rate,
// 529 when the queue is full. It does not notice that a caller has gone: what was given up is worked on all the same, which is
// what keeps a retry storm alive (HFR 4.7). It knows nothing of who calls or why.
import type { ContentionClock } from './contentionClock.ts';
import type { ContentionWorld, UpstreamWorld } from './contentionWorld.ts';
import type { Generator } from './generator.ts';

export type UpstreamAnswer = 'served' | 'error' | 'limited' | 'overloaded';

/** One request. Its sender sets `isGivenUp`; all else is the upstream's. */
export interface Order {
  /** Work in whole requests. */
  readonly work: number;
  isGivenUp: boolean;
  /** Waits or is worked on: what becomes of it is open. */
  isPending: boolean;
  /** Served without an error, heard of or not: of a write, that it has happened. */
  isDone: boolean;
  readonly answered: (answer: UpstreamAnswer) => void;
}

/** Counts of one upstream; work in ms of service. */
export interface UpstreamTally {
  sent: number;
  refused: number;
  ended: number;
  workMs: number;
  /** Spent on requests whose sender had given up by the end, or never heard of it. */
  wastedMs: number;
  longestQueue: number;
}

/** A request that nobody has sent yet. */
export function newOrder(work: number, answered: Order['answered']): Order {
  return { work, isGivenUp: false, isPending: false, isDone: false, answered };
}

export class ContentionUpstream {
  readonly tally: UpstreamTally = { sent: 0, refused: 0, ended: 0, workMs: 0, wastedMs: 0, longestQueue: 0 };
  readonly name: string;
  private readonly clock: ContentionClock;
  private readonly generator: Generator;
  private readonly world: ContentionWorld;
  private readonly own: UpstreamWorld;
  private places: number;
  private busy = 0;
  private readonly queue: Order[] = [];
  private allowance: number;
  private allowanceAtMs = 0;

  constructor(clock: ContentionClock, generator: Generator, world: ContentionWorld, own: UpstreamWorld) {
    this.name = own.name;
    this.clock = clock;
    this.generator = generator;
    this.world = world;
    this.own = own;
    this.places = own.places;
    this.allowance = own.limitPerSecond;
  }

  /** Loses or gets back places; what is being served is served to its end. */
  setPlaces(places: number): void {
    this.places = places;
    this.serve();
  }

  send(order: Order): void {
    this.tally.sent++;
    if (!this.isWithinRate()) this.refuse(order, 'limited');
    else if (this.queue.length >= this.own.queueLength) this.refuse(order, 'overloaded');
    else {
      order.isPending = true;
      this.queue.push(order);
      this.serve();
      this.tally.longestQueue = Math.max(this.tally.longestQueue, this.queue.length);
    }
  }

  private isWithinRate(): boolean {
    const { limitPerSecond } = this.own;
    const passedMs = this.clock.nowMs - this.allowanceAtMs;
    this.allowance = Math.min(limitPerSecond, this.allowance + (passedMs * limitPerSecond) / 1000);
    this.allowanceAtMs = this.clock.nowMs;
    if (this.allowance < 1) return false;
    this.allowance--;
    return true;
  }

  private refuse(order: Order, answer: UpstreamAnswer): void {
    this.tally.refused++;
    this.clock.after(this.world.refusalMs, () => {
      this.tally.ended++;
      order.answered(answer);
    });
  }

  private serve(): void {
    while (this.busy < this.places) {
      const order = this.queue.shift();
      if (!order) return;
      this.busy++;
      const filled = this.queue.length / this.own.queueLength;
      const serviceMs = this.drawServiceMs() * order.work * (1 + this.world.slowdown * filled);
      const isError = this.generator.next() < this.world.errorShare + this.world.errorGrowth * filled;
      const isLost = this.generator.next() < this.world.lostShare;
      this.clock.after(serviceMs, () => this.served(order, serviceMs, isError, isLost));
    }
  }

  /** Erlang of four stages: times vary by half of their mean. */
  private drawServiceMs(): number {
    let stages = 0;
    for (let stage = 0; stage < 4; stage++) stages -= Math.log(1 - this.generator.next());
    return (this.own.serviceMs * stages) / 4;
  }

  private served(order: Order, serviceMs: number, isError: boolean, isLost: boolean): void {
    this.busy--;
    this.tally.ended++;
    this.tally.workMs += serviceMs;
    if (order.isGivenUp || isLost) this.tally.wastedMs += serviceMs;
    order.isPending = false;
    order.isDone = !isError;
    if (!isLost && !order.isGivenUp) order.answered(isError ? 'error' : 'served');
    this.serve();
  }
}
