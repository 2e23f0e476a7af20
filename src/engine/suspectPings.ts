// Pings candidates that the scheduler suspects, so that nobody's own request has to find out when they are back: near the user's
// activity only, one question of one token every ten seconds each, within an allowance and the day's budget. What comes of it goes to the filter over the
// failure sources, and where a breaker is half-open the ping is its probe (DESIGN 10). Source: scheduler-study 6.2, ping.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { EventIds } from '../core/context.ts';
import type { SchedulerConstants } from '../core/scheduler/balanced/constants.ts';
import { mayPing, nextPingMs, suspects } from '../core/scheduler/balanced/pings.ts';
import { pingTrace } from '../core/scheduler/attemptTrace.ts';
import { viewOf } from '../core/scheduler/balanced/view.ts';
import { modelTarget, providerTarget } from '../core/recovery/breakerTargets.ts';
import { isMute, ping, type PingInput, type PingResult } from './ping.ts';
import type { ProviderPort, RandomPort } from './ports.ts';
import type { Protection } from './protection.ts';
import type { SchedulerBook } from './schedulerBook.ts';

export interface SuspectPingsInput extends PingInput {
  readonly random: RandomPort;
  readonly scheduler: SchedulerBook;
  readonly protection: Protection;
  readonly constants: () => SchedulerConstants;
  /** False for one that is no longer configured so, and for all in literal mode: nothing is sent to it any more. */
  readonly mayBePinged: (candidate: Candidate) => boolean;
  /** True when the day's budget is spent: nobody is pinged until the next. */
  readonly isDaySpent: () => boolean;
}

/** A candidate that a call may be sent to, as of that call. */
interface Watched {
  readonly candidate: Candidate;
  readonly model: string;
  readonly provider: ProviderPort;
  readonly ids: EventIds;
  dueAtMs: number;
  isRunning: boolean;
}

const HOUR_MS = 3_600_000;

export class SuspectPings {
  private readonly input: SuspectPingsInput;
  private readonly watched = new Map<CandidateId, Watched>();
  private lastActiveMs = -Infinity;
  private isLooping = false;
  private hourFromMs = -Infinity;
  private hourUsd = 0;

  constructor(input: SuspectPingsInput) {
    this.input = input;
    input.scheduler.onDidLearn(() => this.wake());
  }

  /** The user is there: a call may go to these candidates. */
  active(candidates: readonly Candidate[], model: string, provider: ProviderPort, ids: EventIds): void {
    this.lastActiveMs = this.input.clock.nowMs();
    for (const candidate of candidates) {
      const known = this.watched.get(candidate.id);
      // The same object: a ping that runs tells its end to it.
      if (known) Object.assign(known, { candidate, model, provider, ids });
      else this.watched.set(candidate.id, { candidate, model, provider, ids, dueAtMs: 0, isRunning: false });
    }
    this.wake();
  }

  /** What a breaker's own probe has found out. */
  learned(candidate: Candidate, result: PingResult): void {
    const { scheduler, constants, shutdown } = this.input;
    if (!isMute(result, shutdown)) scheduler.learn(candidate, pingTrace(candidate.id, result), constants());
  }

  /** Starts the loop where somebody is suspected; it ends by itself when nobody is, or when the user has gone. */
  private wake(): void {
    const { shutdown } = this.input;
    if (this.isLooping || shutdown.aborted || this.suspected().length === 0) return;
    this.isLooping = true;
    this.loop()
      // Aborted by the end of the session.
      .catch(() => undefined)
      .finally(() => {
        this.isLooping = false;
      });
  }

  private async loop(): Promise<void> {
    const { clock, shutdown, random } = this.input;
    for (;;) {
      const found = this.suspected();
      if (found.length === 0) return;
      const nowMs = clock.nowMs();
      for (const each of found) {
        // The first ping of a suspect comes after a period, too: it has just been asked.
        if (each.dueAtMs === 0) each.dueAtMs = nextPingMs(nowMs, random.next(), this.input.constants());
        else if (each.dueAtMs <= nowMs) this.pingSoon(each, nowMs);
      }
      const nextMs = Math.min(...found.map(({ dueAtMs }) => dueAtMs));
      await clock.sleep(Math.max(1, nextMs - clock.nowMs()), shutdown);
    }
  }

  private suspected(): readonly Watched[] {
    const { clock, scheduler, constants } = this.input;
    const nowMs = clock.nowMs();
    if (!mayPing(this.lastActiveMs, nowMs, constants())) return [];
    for (const [id, { candidate }] of this.watched) if (!this.input.mayBePinged(candidate)) this.watched.delete(id);
    const all = [...this.watched.values()];
    const pool = scheduler.pool(
      all.map(({ candidate }) => candidate),
      constants(),
    );
    const view = viewOf(scheduler.state, pool, '', nowMs);
    const positions = suspects(view, scheduler.state);
    const found = positions.flatMap((position) => this.watched.get(pool.members[position]?.facts.id ?? '') ?? []);
    // Whoever is well again starts anew when it is suspected next.
    if (positions.length < all.length) for (const each of all) if (!found.includes(each)) each.dueAtMs = 0;
    return found;
  }

  private pingSoon(watched: Watched, nowMs: number): void {
    const { random, constants } = this.input;
    watched.dueAtMs = nextPingMs(nowMs, random.next(), constants());
    if (watched.isRunning || !this.isAffordable(nowMs)) return;
    watched.isRunning = true;
    this.pingOne(watched)
      // A bug of an adapter: nothing is learned.
      .catch(() => undefined)
      .finally(() => {
        watched.isRunning = false;
      });
  }

  private async pingOne(watched: Watched): Promise<void> {
    const { candidate, model, provider, ids } = watched;
    const { protection, constants, emit, shutdown } = this.input;
    const { breakers, probe } = protection;
    const off = breakers.closedOff([providerTarget(candidate), modelTarget(candidate)]);
    // An open breaker is left alone until its time; a half-open one is probed by its own machinery, which tells `learned`.
    if (off?.status === 'half-open') probe.start(candidate, model, provider, ids);
    if (off) return;
    const timeoutMs = constants().pingTimeoutMs;
    const result = await ping(this.input, { candidate, model, provider, ids, timeoutMs });
    this.hourUsd += result.costUsd;
    const isHealthy = isMute(result, shutdown) ? null : result.fault === null;
    const { elapsedMs, costUsd } = result;
    emit(ids, { type: 'breaker-probed', target: modelTarget(candidate), isHealthy, elapsedMs, costUsd });
    this.learned(candidate, result);
  }

  private isAffordable(nowMs: number): boolean {
    if (Math.abs(nowMs - this.hourFromMs) >= HOUR_MS) {
      this.hourFromMs = nowMs;
      this.hourUsd = 0;
    }
    return this.hourUsd < this.input.constants().pingUsdPerHour && !this.input.isDaySpent();
  }
}
