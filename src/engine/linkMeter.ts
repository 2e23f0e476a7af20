// How fast one answer comes, from the times of its pieces (DESIGN 14): mean pace and mean absolute deviation from it. Pieces of one
// short window count as one, since what arrives together was not sent apart. It holds no text and grows with nothing.
import type { LinkFigures } from '../core/scheduler/profile.ts';

/** Pieces are joined until so many ms have passed. */
const WINDOW_MS = 100;

/** Measures one attempt. */
export class LinkMeter {
  private fromMs: number | null = null;
  private fromBytes = 0;
  private windows = 0;
  private mean = 0;
  private deviation = 0;

  /** Some of the answer has come, `bytes` in all by now. The first piece only sets the start: what it waited for was no transfer. */
  take(bytes: number, nowMs: number): void {
    if (this.fromMs === null) {
      this.fromMs = nowMs;
      this.fromBytes = bytes;
      return;
    }
    const passedMs = nowMs - this.fromMs;
    if (passedMs < WINDOW_MS) return;
    const pace = Math.max(0, bytes - this.fromBytes) / passedMs;
    this.fromMs = nowMs;
    this.fromBytes = bytes;
    this.windows++;
    this.mean += (pace - this.mean) / this.windows;
    // From the mean so far: of the first window there is none.
    if (this.windows > 1) this.deviation += (Math.abs(pace - this.mean) - this.deviation) / (this.windows - 1);
  }

  /** Bytes per ms; null while nothing was measured. */
  figures(): LinkFigures | null {
    return this.mean > 0 ? { bandwidth: this.mean, jitter: this.deviation } : null;
  }
}
