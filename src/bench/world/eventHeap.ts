// What is to happen, in order of time: a binary heap whose keys lie in typed arrays. Things of the same time come out in the order
// in which they were put in, so that a run is fixed by its seed.

/** A heap of things, each with a number that says what to do with it. */
export class EventHeap<T> {
  /** Of the event that `pop` took last. */
  atS = 0.5;
  code = 0;
  thing: T | null = null;
  private times = new Float64Array(256);
  private orders = new Float64Array(256);
  private codes = new Int32Array(256);
  private readonly things: (T | null)[] = [];
  private size = 0;
  private pushed = 0;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  push(atS: number, code: number, thing: T): void {
    if (this.size === this.times.length) this.grow();
    const order = this.pushed++;
    let index = this.size++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((this.times[parent] ?? 0) <= atS) break;
      this.move(parent, index);
      index = parent;
    }
    this.set(index, atS, order, code, thing);
  }

  /** Takes the earliest event into `atS`, `code` and `thing`; false where there is none. */
  pop(): boolean {
    if (this.size === 0) return false;
    this.atS = this.times[0] ?? 0;
    this.code = this.codes[0] ?? 0;
    this.thing = this.things[0] ?? null;
    const last = --this.size;
    const lastAtS = this.times[last] ?? 0;
    const lastOrder = this.orders[last] ?? 0;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= last) break;
      if (child + 1 < last && this.isBefore(child + 1, this.times[child] ?? 0, this.orders[child] ?? 0)) child++;
      if (!this.isBefore(child, lastAtS, lastOrder)) break;
      this.move(child, index);
      index = child;
    }
    this.move(last, index);
    this.things[last] = null;
    return true;
  }

  private isBefore(index: number, atS: number, order: number): boolean {
    const own = this.times[index] ?? 0;
    return own < atS || (own === atS && (this.orders[index] ?? 0) < order);
  }

  private move(from: number, to: number): void {
    if (from === to) return;
    this.set(to, this.times[from] ?? 0, this.orders[from] ?? 0, this.codes[from] ?? 0, this.things[from] ?? null);
  }

  private set(index: number, atS: number, order: number, code: number, thing: T | null): void {
    this.times[index] = atS;
    this.orders[index] = order;
    this.codes[index] = code;
    this.things[index] = thing;
  }

  private grow(): void {
    const wider = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const next = new Float64Array(2 * old.length);
      next.set(old);
      return next;
    };
    this.times = wider(this.times);
    this.orders = wider(this.orders);
    const codes = new Int32Array(2 * this.codes.length);
    codes.set(this.codes);
    this.codes = codes;
  }
}
