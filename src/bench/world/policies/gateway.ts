// Sequential gateways as people run them (scheduler study 1.4): a hand-written order, a timeout per attempt, .5 s between attempts,
// and a breaker per candidate: 3 failures in a row open it for 20 s, each failed probe doubles that up to 160 s.
import { CANDIDATE } from '../candidates.ts';
import { CALL } from '../constants.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';

/** After the three L candidates by quality (L-ge, L-gw, L-reg but in random environments). */
const LAST = [CANDIDATE.mReg, CANDIDATE.mLoc] as const;
const BACKOFF_S = 0.5;
const BREAKER = { failures: 3, openS: 20, mostOpenS: 160 } as const;
/** Tag of the timer after which the next attempt is made; the other tags are numbers of attempts that may lack a first token. */
const GO_ON = 1000;

/** How a gateway is set. */
interface GatewaySettings {
  /** Whether its first choice is tried twice. */
  readonly isRetrying: boolean;
  readonly totalS: number;
  /** Infinity: it does not look at first tokens. */
  readonly firstTokenS: number;
  readonly hasBreaker: boolean;
}

/**
 * The gateway rows of the study; `gateway-best` is GW*. The two `-seeing` rows have first-token timers that also fire on calls
 * that hang, as those of a real gateway do.
 */
export const gateways: readonly PolicySpec[] = [
  gateway('gateway-retry', { isRetrying: true, totalS: 60, hasBreaker: false }),
  gateway('gateway-retry-20', { isRetrying: true, totalS: 20, hasBreaker: false }),
  gateway('gateway-breaker-60', { totalS: 60 }),
  gateway('gateway-breaker-20', { totalS: 20 }),
  gateway('gateway-breaker-12', { totalS: 12 }),
  gateway('gateway-ttft-3', { totalS: 20, firstTokenS: 3 }, false),
  gateway('gateway-best', { totalS: 20, firstTokenS: 5 }, false),
  gateway('gateway-ttft-3-seeing', { totalS: 20, firstTokenS: 3 }),
  gateway('gateway-best-seeing', { totalS: 20, firstTokenS: 5 }),
];

function gateway(name: string, settings: Partial<GatewaySettings>, seesHangs = true): PolicySpec {
  const whole = { isRetrying: false, totalS: CALL.timeoutS, firstTokenS: Infinity, hasBreaker: true, ...settings };
  return { name, seesHangs, create: (world) => new Gateway(world, whole) };
}

class Breaker {
  private failures = 0;
  private openS = 0;
  private openUntilS = 0;
  private isProbing = false;

  /** Whether a call may go through; one that goes through an open breaker whose time is over is its probe. */
  admit(nowS: number): boolean {
    if (this.openS === 0) return true;
    if (this.isProbing || nowS < this.openUntilS) return false;
    this.isProbing = true;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
    this.openS = 0;
    this.isProbing = false;
  }

  failed(nowS: number): void {
    this.failures++;
    if (this.openS > 0 && !this.isProbing) return;
    if (!this.isProbing && this.failures < BREAKER.failures) return;
    this.openS = this.isProbing ? Math.min(BREAKER.mostOpenS, 2 * this.openS) : BREAKER.openS;
    this.openUntilS = nowS + this.openS;
    this.isProbing = false;
  }
}

class Gateway implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly settings: GatewaySettings;
  private readonly order: readonly number[];
  private readonly breakers: readonly Breaker[];
  /** Place in the order, by step. */
  private readonly places = new Map<WorldStep, number>();

  constructor(world: WorldPort, settings: GatewaySettings) {
    this.world = world;
    this.settings = settings;
    const large = world.byQuality.filter((index) => world.candidates[index]?.tier === 'L');
    this.order = [...(settings.isRetrying ? large.slice(0, 1) : []), ...large, ...LAST];
    this.breakers = world.candidates.map(() => new Breaker());
  }

  onStep(step: WorldStep): void {
    this.next(step, 0);
  }

  onTimer(step: WorldStep, tag: number): void {
    if (tag === GO_ON) {
      this.next(step, this.places.get(step) ?? 0);
      return;
    }
    const attempt = step.attempts[tag];
    if (attempt?.status !== 'running' || this.world.hasFirstToken(attempt)) return;
    this.world.cancel(attempt);
    this.failed(step, attempt);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    if (attempt.status !== 'succeeded') {
      this.failed(step, attempt);
      return;
    }
    this.breakers[attempt.candidate]?.succeeded();
    this.places.delete(step);
    this.world.finish(step, attempt);
  }

  private failed(step: WorldStep, attempt: WorldAttempt): void {
    this.breakers[attempt.candidate]?.failed(this.world.nowS);
    if ((this.places.get(step) ?? 0) >= this.order.length) this.next(step, this.order.length);
    else this.world.setTimer(step, this.world.nowS + BACKOFF_S, GO_ON);
  }

  private next(step: WorldStep, from: number): void {
    const { totalS, firstTokenS, hasBreaker } = this.settings;
    const { world, order } = this;
    for (let place = from; place < order.length; place++) {
      const candidate = order[place] ?? 0;
      if (hasBreaker && this.breakers[candidate]?.admit(world.nowS) !== true) continue;
      this.places.set(step, place + 1);
      if (firstTokenS < Infinity) world.setTimer(step, world.nowS + firstTokenS, step.attempts.length);
      world.start(step, candidate, totalS);
      return;
    }
    this.places.delete(step);
    world.finish(step, null);
  }
}
