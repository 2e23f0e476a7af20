// Scheduled faults of the world and what they do to a candidate at a moment (scheduler study 1.2, 1.3). A timeline is asked in
// order of time and remembers where it stands, so that a launch costs no search.
import { WORLD_CANDIDATES, isGlobal, type WorldRegion, type WorldTier } from './candidates.ts';

/** What a fault does. `factor`: times are so many times longer. `loss` adds to the loss rate. */
export type FaultEffect =
  /** Down: a share `hang` of the calls hangs, the others are refused. */
  | { readonly kind: 'outage'; readonly hang: number }
  | { readonly kind: 'slow'; readonly factor: number }
  | { readonly kind: 'lossy'; readonly loss: number; readonly factor: number }
  | { readonly kind: 'rate'; readonly perMinute: number };

/** `targets`: bit `c` is candidate `c`. It holds from `startS` until before `endS`. */
export interface WorldFault {
  readonly startS: number;
  readonly endS: number;
  readonly targets: number;
  readonly effect: FaultEffect;
}

/** The candidates of a region. */
export function regionMask(region: WorldRegion): number {
  return maskOf((index) => WORLD_CANDIDATES[index]?.region === region);
}

/** The candidates of a vendor: a tier, without those that run locally. */
export function vendorMask(tier: WorldTier): number {
  return maskOf((index) => WORLD_CANDIDATES[index]?.tier === tier && WORLD_CANDIDATES[index].region !== 'local');
}

/** The candidates behind the backbone: both global regions. */
export function backboneMask(): number {
  return maskOf((index) => {
    const candidate = WORLD_CANDIDATES[index];
    return candidate !== undefined && isGlobal(candidate);
  });
}

function maskOf(isIn: (index: number) => boolean): number {
  return WORLD_CANDIDATES.reduce((mask, _, index) => (isIn(index) ? mask | (1 << index) : mask), 0);
}

/** How a candidate stands at a moment. */
export class CandidateState {
  isDown = false;
  /** Share of hanging calls while it is down. */
  hang = 0.5;
  /** Product of the factors of all faults. */
  factor = 1.5;
  loss = 0.5;
  /** Calls a minute; 0: no limit. */
  perMinute = 0.5;
  /** When this limit began. */
  limitedSinceS = 0.5;
}

/** One candidate's faults over time. */
export class FaultTimeline {
  readonly now = new CandidateState();
  private readonly changes: readonly number[];
  private readonly states: readonly CandidateState[];
  private readonly outageStarts: readonly number[];
  private place = -1;
  private nextOutage = 0;

  constructor(faults: readonly WorldFault[], candidate: number) {
    const own = faults.filter(({ targets, startS, endS }) => (targets & (1 << candidate)) !== 0 && endS > startS);
    this.changes = [...new Set(own.flatMap(({ startS, endS }) => [startS, endS]))].sort((a, b) => a - b);
    this.states = this.changes.map((atS) => stateAt(own, atS));
    this.outageStarts = this.changes.filter(
      (_, index) => this.states[index]?.isDown === true && this.states[index - 1]?.isDown !== true,
    );
    setState(this.now, healthy());
  }

  /** The state at `nowS`, which never goes back. */
  at(nowS: number): CandidateState {
    while (nowS >= (this.changes[this.place + 1] ?? Infinity)) {
      this.place++;
      setState(this.now, this.states[this.place] ?? healthy());
    }
    return this.now;
  }

  /** When the next outage begins after `nowS`; Infinity where none does. */
  nextOutageS(nowS: number): number {
    while (nowS >= (this.outageStarts[this.nextOutage] ?? Infinity)) this.nextOutage++;
    return this.outageStarts[this.nextOutage] ?? Infinity;
  }
}

function healthy(): CandidateState {
  const state = new CandidateState();
  state.hang = 0;
  state.factor = 1;
  state.loss = 0;
  state.perMinute = 0;
  state.limitedSinceS = 0;
  return state;
}

function setState(to: CandidateState, from: CandidateState): void {
  to.isDown = from.isDown;
  to.hang = from.hang;
  to.factor = from.factor;
  to.loss = from.loss;
  to.perMinute = from.perMinute;
  to.limitedSinceS = from.limitedSinceS;
}

/** Faults that hold at the same time: outages by the larger hang share, factors multiplied, losses added, the lower limit. */
function stateAt(faults: readonly WorldFault[], atS: number): CandidateState {
  const state = healthy();
  for (const { startS, endS, effect } of faults) {
    if (atS < startS || atS >= endS) continue;
    if (effect.kind === 'outage') {
      state.isDown = true;
      state.hang = Math.max(state.hang, effect.hang);
    } else if (effect.kind === 'slow') state.factor *= effect.factor;
    else if (effect.kind === 'lossy') {
      state.factor *= effect.factor;
      state.loss += effect.loss;
    } else if (state.perMinute === 0 || effect.perMinute < state.perMinute) {
      state.perMinute = effect.perMinute;
      state.limitedSinceS = startS;
    }
  }
  return state;
}
