// The clock of the contention run: what is to happen, in order of time, as a binary heap. Things of the same time happen in the
// order in which they were asked for, so that a run is fixed by its seed.

interface Item {
  readonly atMs: number;
  readonly place: number;
  readonly act: () => void;
}

/** Virtual time. It moves only in `run`. */
export class ContentionClock {
  nowMs = 0;
  private readonly heap: Item[] = [];
  private asked = 0;

  /** Does `act` after `waitMs` (0 or more). There is no taking back: `act` looks whether it is still wanted. */
  after(waitMs: number, act: () => void): void {
    const item = { atMs: this.nowMs + Math.max(0, waitMs), place: this.asked++, act };
    let index = this.heap.length;
    this.heap.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.heap[parent];
      if (!above || isBefore(above, item)) break;
      this.heap[index] = above;
      index = parent;
    }
    this.heap[index] = item;
  }

  /** Until nothing is left to happen. */
  run(): void {
    for (let next = this.take(); next; next = this.take()) {
      this.nowMs = next.atMs;
      next.act();
    }
  }

  private take(): Item | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (!first || !last || first === last) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [this.heap[left], this.heap[left + 1]];
      const least = other && one && isBefore(other, one) ? other : one;
      if (!least || isBefore(last, least)) break;
      this.heap[index] = least;
      index = least === one ? left : left + 1;
    }
    this.heap[index] = last;
    return first;
  }
}

function isBefore(a: Item, b: Item): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place);
}
