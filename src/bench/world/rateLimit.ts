// A rate limit: a bucket that holds a few calls and fills with time (scheduler study 1.3: 6 calls a minute, bucket 2). It is full
// when its fault begins; without a fault everything passes.
import { CALL } from './constants.ts';
import type { CandidateState } from './faults.ts';

export class RateLimit {
  private sinceS = -1;
  private filledAtS = 0;
  private calls = 0.5;

  /** Whole calls that may be made now; Infinity where there is no limit. */
  left(state: CandidateState, nowS: number): number {
    if (state.perMinute === 0) return Infinity;
    if (state.limitedSinceS !== this.sinceS) {
      this.sinceS = state.limitedSinceS;
      this.filledAtS = state.limitedSinceS;
      this.calls = CALL.rateBucket;
    }
    this.calls = Math.min(CALL.rateBucket, this.calls + ((nowS - this.filledAtS) * state.perMinute) / 60);
    this.filledAtS = nowS;
    return Math.floor(this.calls);
  }

  /** Takes one call out; false where none is left. */
  take(state: CandidateState, nowS: number): boolean {
    if (this.left(state, nowS) === 0) return false;
    this.calls--;
    return true;
  }
}
