// The outbound channel: numbers decision events, folds them into the snapshot, keeps a window, and hands them on.
// A listener that throws is dropped from that event, never from the call that emitted it.
import type { EventIds } from '../core/context.ts';
import type { DecisionEvent, EventBody } from '../core/events.ts';
import { constraintFigures, foldConstraints, noConstraintState } from '../core/recovery/constraints.ts';
import { foldRedundancy, noRedundancy } from '../core/scheduler/redundancy/redundancyFigures.ts';
import { emptySnapshot, reduceSnapshot, type Snapshot } from '../core/snapshot.ts';
import type { ClockPort, EventPort } from './ports.ts';

export type Emit = (ids: EventIds, body: EventBody) => void;

export class EventLog {
  private readonly clock: ClockPort;
  private readonly port: EventPort;
  private readonly windowSize: number;
  private readonly listeners = new Set<(event: DecisionEvent) => void>();
  private window: DecisionEvent[] = [];
  private seq = 0;
  private current: Snapshot = emptySnapshot;
  private constraints = noConstraintState;
  private redundancy = noRedundancy;

  constructor(clock: ClockPort, port: EventPort, windowSize: number) {
    this.clock = clock;
    this.port = port;
    this.windowSize = windowSize;
  }

  readonly emit: Emit = (ids, body) => {
    const event: DecisionEvent = { seq: ++this.seq, atMs: this.clock.nowMs(), ids, body };
    this.current = reduceSnapshot(this.current, event);
    const constraints = foldConstraints(this.constraints, event);
    if (constraints !== this.constraints)
      this.current = { ...this.current, constraints: constraintFigures(constraints) };
    this.constraints = constraints;
    this.redundancy = foldRedundancy(this.redundancy, event);
    const { returned: copies } = this.redundancy.totals;
    if (copies !== this.current.copies) this.current = { ...this.current, copies };
    this.window.push(event);
    if (this.window.length > this.windowSize * 2) this.window = this.window.slice(-this.windowSize);
    this.port.emit(event);
    for (const listener of this.listeners) listener(event);
  };

  get snapshot(): Snapshot {
    return this.current;
  }

  recent(count: number): readonly DecisionEvent[] {
    return count <= 0 ? [] : this.window.slice(-Math.min(count, this.windowSize));
  }

  subscribe(listener: (event: DecisionEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
