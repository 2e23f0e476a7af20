// When each candidate of a call may be asked again: what it asked for itself (Retry-After), what a missing permission costs, and
// its breaker. One candidate's wish binds nobody else, and is kept while anybody else is left (HFR table 4, T2; 4.3).
import type { Candidate } from '../core/candidate.ts';
import { unknownProfile } from '../core/scheduler/profile.ts';
import type { CallProtection } from './callProtection.ts';
import type { ClockPort } from './ports.ts';
import type { ProfileBook } from './profileBook.ts';

export interface CallTimesInput {
  readonly clock: ClockPort;
  readonly profiles: Pick<ProfileBook, 'all'>;
  readonly protection: Pick<CallProtection, 'closedUntilMs'>;
}

export class CallTimes {
  private readonly input: CallTimesInput;

  constructor(input: CallTimesInput) {
    this.input = input;
  }

  /** Those that may be asked now; where nobody may, all of them: somebody has to be. */
  askable(candidates: readonly Candidate[]): readonly Candidate[] {
    const nowMs = this.input.clock.nowMs();
    const free = candidates.filter((candidate) => this.coolUntilMs(candidate) <= nowMs);
    return free.length > 0 ? free : candidates;
  }

  /** How long until the first of them may be asked, ms; null: one may be asked now, or there is nobody. */
  askedWaitMs(candidates: readonly Candidate[]): number | null {
    const nowMs = this.input.clock.nowMs();
    const waits = candidates.map((candidate) =>
      Math.max(this.coolUntilMs(candidate) - nowMs, this.input.protection.closedUntilMs(candidate) - nowMs),
    );
    const shortestMs = Math.min(...waits);
    return shortestMs > 0 && Number.isFinite(shortestMs) ? shortestMs : null;
  }

  /** Whether it asked to be left alone until later than now. */
  isCooling(candidate: Candidate): boolean {
    return this.coolUntilMs(candidate) > this.input.clock.nowMs();
  }

  private coolUntilMs({ id }: Candidate): number {
    return (this.input.profiles.all[id] ?? unknownProfile).coolUntilMs;
  }
}
