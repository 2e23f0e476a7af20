// The study's policy class (6.2): start one, hedge on slowness, the next candidate at once on failure over the whole pool, and a
// bounded wait for a better answer. What it believes of the candidates comes from outside: here from an oracle (oracle.ts).
import { CALL } from '../constants.ts';
import type { WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';
import { medianRest } from './lognormal.ts';

/** Constants of section 6.2 by their symbols. */
export const HEDGE = {
  /** c_t, c_c, c_f, c_w, c_tH. */
  perS: 0.01,
  perPrice: 0.02,
  perFailure: 0.05,
  waitPerS: 0.01,
  hedgePerS: 0.01,
  leastAvailability: 0.002,
  startTarget: 0.8,
  mostStarted: 3,
  firstTokenZ: 2.33,
  firstTokenRangeS: [0.3, 20],
  totalZ: 2.045,
  mostTotalS: 30,
  slowDecode: 3,
  decodeLookS: 1.5,
  bucket: 10,
  bucketPerStep: 0.15,
  mostLive: 3,
  mostLiveWithOverdue: 5,
  leastSurvival: 0.05,
  callDeadlineS: 120,
} as const;

/** What is believed of one candidate for one role. Times are of ln seconds. */
export interface Belief {
  readonly availability: number;
  readonly quality: number;
  readonly totalMean: number;
  readonly totalSd: number;
  readonly firstMean: number;
  readonly firstSd: number;
  readonly tokenS: number;
}

/** Believes something of a candidate now. */
export type Believe = (candidate: number, role: number) => Belief;

/** Timer tags: an attempt's number * 4 + what is looked at; the two others are above all attempts. */
const FIRST_TOKEN = 0;
const TOTAL = 1;
const DECODE = 2;
const AGAIN = 3;
const ACCEPT = 10_000;

/** What the policy keeps of a step that runs. */
interface Running {
  /** Numbers of attempts that are slower than they should be. */
  readonly overdue: Set<number>;
  /** Numbers of attempts that wait for the bucket. */
  readonly denied: Set<number>;
  isAccepting: boolean;
}

export class HedgePolicy implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly believe: Believe;
  private readonly running = new Map<WorldStep, Running>();
  private bucket: number = HEDGE.bucket;

  constructor(world: WorldPort, believe: Believe) {
    this.world = world;
    this.believe = believe;
  }

  onStep(step: WorldStep): void {
    this.bucket = Math.min(HEDGE.bucket, this.bucket + HEDGE.bucketPerStep);
    this.running.set(step, { overdue: new Set(), denied: new Set(), isAccepting: false });
    let failure = 1;
    for (let count = 0; count < HEDGE.mostStarted && 1 - failure < HEDGE.startTarget; count++) {
      const candidate = this.launchBest(step);
      if (candidate === null) break;
      failure *= 1 - this.believe(candidate, step.role).availability;
    }
    this.world.predict(step, failure);
  }

  onFirstToken(step: WorldStep, attempt: WorldAttempt): void {
    if (step.isFinished) return;
    this.look(step, step.attempts.indexOf(attempt), DECODE, this.world.nowS + HEDGE.decodeLookS);
  }

  onTimer(step: WorldStep, tag: number): void {
    const state = this.running.get(step);
    if (!state) return;
    if (tag === ACCEPT) {
      this.accept(step);
      return;
    }
    const number = tag >> 2;
    const attempt = step.attempts[number];
    if (attempt?.status !== 'running') return;
    const kind = tag & 3;
    if (kind === AGAIN) this.hedge(step, state, number, true);
    else if (this.isSlow(step, attempt, kind)) this.hedge(step, state, number, false);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    if (step.isFinished) return;
    if (attempt.status === 'succeeded') {
      this.considerAccepting(step);
      return;
    }
    const isInTime = this.world.nowS - step.startedAtS < HEDGE.callDeadlineS;
    const hasAnswer = step.attempts.some(({ status }) => status === 'succeeded');
    const isReplaced = !hasAnswer && isInTime && this.launchBest(step) !== null;
    if (isReplaced || step.attempts.some(({ status }) => status === 'running')) return;
    this.accept(step);
  }

  /** I_i of section 6.2. */
  private index(candidate: number, role: number): number {
    const belief = this.believe(candidate, role);
    const { availability, quality, firstMean, firstSd } = belief;
    const price = this.world.candidates[candidate]?.price ?? 0;
    const detectS = 0.5 * Math.min(20, Math.exp(firstMean + HEDGE.firstTokenZ * firstSd)) + 0.5;
    const odds = (1 - availability) / Math.max(availability, HEDGE.leastAvailability);
    return (
      Math.min(1, quality) -
      HEDGE.perS * Math.min(this.meanS(belief), CALL.timeoutS) -
      HEDGE.perPrice * price -
      odds * (HEDGE.perS * detectS + HEDGE.perFailure)
    );
  }

  private meanS({ totalMean, totalSd }: Belief): number {
    return 1.15 * Math.exp(totalMean + (totalSd * totalSd) / 2);
  }

  /** Starts the best untried candidate; null where all were tried. */
  private launchBest(step: WorldStep, extraPerS = 0): number | null {
    const { world } = this;
    let best = -1;
    let bestIndex = -Infinity;
    for (let candidate = 0; candidate < world.candidates.length; candidate++) {
      if (step.attempts.some((each) => each.candidate === candidate)) continue;
      const slow = extraPerS === 0 ? 0 : extraPerS * this.meanS(this.believe(candidate, step.role));
      const index = this.index(candidate, step.role) - slow;
      if (index > bestIndex) {
        best = candidate;
        bestIndex = index;
      }
    }
    if (best < 0) return null;
    const number = step.attempts.length;
    const belief = this.believe(best, step.role);
    world.start(step, best, CALL.timeoutS);
    const [least, most] = HEDGE.firstTokenRangeS;
    const firstS = Math.min(most, Math.max(least, Math.exp(belief.firstMean + HEDGE.firstTokenZ * belief.firstSd)));
    this.look(step, number, FIRST_TOKEN, world.nowS + firstS);
    const totalS = Math.min(HEDGE.mostTotalS, Math.exp(belief.totalMean + HEDGE.totalZ * belief.totalSd));
    this.look(step, number, TOTAL, world.nowS + totalS);
    return best;
  }

  private look(step: WorldStep, number: number, kind: number, atS: number): void {
    this.world.setTimer(step, atS, number * 4 + kind);
  }

  private isSlow(step: WorldStep, attempt: WorldAttempt, kind: number): boolean {
    if (kind === TOTAL) return true;
    if (kind === FIRST_TOKEN) return !this.world.hasFirstToken(attempt);
    const { tokenS } = this.believe(attempt.candidate, step.role);
    return this.world.receivedTokens(attempt) * tokenS * HEDGE.slowDecode < HEDGE.decodeLookS;
  }

  /** Another candidate because attempt `number` is slow, once; from the bucket, and free where it was denied long enough. */
  private hedge(step: WorldStep, state: Running, number: number, isFree: boolean): void {
    if (state.overdue.has(number) && !isFree) return;
    state.overdue.add(number);
    const live = step.attempts.filter(({ status }) => status === 'running').length;
    const overdue = [...state.overdue].filter((each) => step.attempts[each]?.status === 'running').length;
    if (live - overdue >= HEDGE.mostLive || live >= HEDGE.mostLiveWithOverdue) return;
    if (!isFree && this.bucket < 1) {
      const elapsedS = this.world.nowS - (step.attempts[number]?.startedAtS ?? this.world.nowS);
      if (!state.denied.has(number)) this.look(step, number, AGAIN, this.world.nowS + elapsedS);
      state.denied.add(number);
      return;
    }
    if (this.launchBest(step, HEDGE.hedgePerS - HEDGE.perS) !== null && !isFree) this.bucket--;
  }

  /** Takes the best answer, or waits a bounded time for a better one that is worth it. */
  private considerAccepting(step: WorldStep): void {
    const state = this.running.get(step);
    const best = this.bestAnswer(step);
    if (!state || !best) return;
    let waitS = 0;
    for (const attempt of step.attempts) {
      if (attempt.status !== 'running') continue;
      const belief = this.believe(attempt.candidate, step.role);
      const gain = (belief.quality - this.believe(best.candidate, step.role).quality) * belief.availability;
      const restS = medianRest(
        belief.totalMean,
        belief.totalSd,
        this.world.nowS - attempt.startedAtS,
        HEDGE.leastSurvival,
      );
      if (gain <= 0 || restS === null || gain < HEDGE.waitPerS * restS) continue;
      waitS = Math.max(waitS, Math.min(gain / HEDGE.waitPerS, 2 * restS + 0.2));
    }
    if (waitS === 0) this.accept(step);
    else if (!state.isAccepting) {
      state.isAccepting = true;
      this.world.setTimer(step, this.world.nowS + waitS, ACCEPT);
    }
  }

  private bestAnswer(step: WorldStep): WorldAttempt | null {
    return step.attempts.reduce<WorldAttempt | null>((best, each) => {
      if (each.status !== 'succeeded') return best;
      const better = (attempt: WorldAttempt): number => this.believe(attempt.candidate, step.role).quality;
      return best && better(best) >= better(each) ? best : each;
    }, null);
  }

  private accept(step: WorldStep): void {
    this.running.delete(step);
    for (const attempt of step.attempts) this.world.cancel(attempt);
    this.world.finish(step, this.bestAnswer(step));
  }
}
