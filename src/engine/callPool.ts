// Who may serve a call: those of its route at the requested tier, or after a degradation those that stand in for them (L2: of
// the same tier outside the route, L3: below it), as far as they can take the request. It starts nothing and tells nothing.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { Rung } from '../core/events.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import { isBelowTier, type ResolvedRoute } from '../core/routes.ts';
import { fitting, type Fit } from '../core/scheduler/fit.ts';
import type { TextSize } from '../core/textSize.ts';
import type { TokenEstimates } from './attemptTally.ts';

/** Which part of the candidates serves now. */
type Part = 'route' | 'outside' | 'below';

export interface CallPoolInput {
  readonly route: ResolvedRoute;
  /** The name that the caller asked for. */
  readonly model: string;
  /** Candidates outside the route. */
  readonly others: readonly Candidate[];
  /** A lower tier may serve unasked (allow_auto_degrade). */
  readonly mayGoBelow: () => boolean;
  readonly tokens: TokenEstimates;
  /** False for a candidate that may not get code. */
  readonly mayServe: (candidate: Candidate) => boolean;
  /** True for a candidate that may get code without anybody being asked. */
  readonly isAllowed: (candidate: Candidate) => boolean;
  /** False for a candidate whose known quality is below the floor: it never stands in. */
  readonly reachesFloor: (candidate: Candidate) => boolean;
}

export class CallPool {
  private readonly input: CallPoolInput;
  private part: Part = 'route';

  constructor(input: CallPoolInput) {
    this.input = input;
  }

  get isPinned(): boolean {
    return this.input.route.pinned;
  }

  /** True once something stands in for the route's own tier. */
  get isDegraded(): boolean {
    return this.part !== 'route';
  }

  /** Rung at which the call runs now. */
  rung(isCompressed: boolean): Rung {
    if (this.part === 'route') return isCompressed ? 'L1' : 'L0';
    return this.part === 'outside' ? 'L2' : 'L3';
  }

  /** Rung of an answer of this candidate. */
  rungOf(candidate: Candidate, isCompressed: boolean): Rung {
    const { candidates, tier, pinned } = this.input.route;
    if (pinned) return isCompressed ? 'L1' : 'L0';
    if (isBelowTier(candidate, tier)) return 'L3';
    return candidates.includes(candidate) ? this.rung(isCompressed) : 'L2';
  }

  /** From now on those below the requested tier. */
  degrade(): void {
    this.part = 'below';
  }

  /** From now on those of the same tier outside the route. */
  substitute(): void {
    this.part = 'outside';
  }

  /** A lower tier may take over unasked: one may get code and is good enough, nothing is pinned, the criticality allows it. */
  get canDegrade(): boolean {
    return this.input.mayGoBelow() && this.lowers().some(this.input.reachesFloor);
  }

  /** L3: those of the route below its tier that may stand in. */
  lowers(): readonly Candidate[] {
    const { route, mayServe } = this.input;
    if (route.pinned || this.part === 'below') return [];
    return this.goodEnough(route.candidates.filter((each) => isBelowTier(each, route.tier) && mayServe(each)));
  }

  /** L2: those of the same tier outside the route that may stand in. Nobody is asked for their sake. */
  alternates(): readonly Candidate[] {
    const { route, others, isAllowed } = this.input;
    if (route.pinned || this.part !== 'route') return [];
    return this.goodEnough(others.filter((each) => each.tier === route.tier && isAllowed(each)));
  }

  /** Candidates that serve now. A pinned route is used as it is. */
  candidates(part: Part = this.part): readonly Candidate[] {
    const { route, others } = this.input;
    if (route.pinned) return route.candidates;
    if (part === 'outside') return this.goodEnough(others.filter((each) => each.tier === route.tier));
    if (part === 'route') return route.candidates.filter((each) => !isBelowTier(each, route.tier));
    return this.goodEnough(route.candidates.filter((each) => isBelowTier(each, route.tier)));
  }

  /** Where all are expected below the floor they are named as they are, and the decision passes them over. */
  private goodEnough(candidates: readonly Candidate[]): readonly Candidate[] {
    const good = candidates.filter(this.input.reachesFloor);
    return good.length > 0 ? good : candidates;
  }

  /** Those of them that can take the request. */
  fit(request: ChatRequest): Fit {
    return this.fitOf(this.candidates(), request);
  }

  fitOf(candidates: readonly Candidate[], request: ChatRequest): Fit {
    return fitting(candidates, request, (candidate, size) => this.tokensAt(candidate, size));
  }

  /** Whether only a lower tier can take the request: better than no answer. */
  needsLowerTier(request: ChatRequest): boolean {
    if (this.fit(request).candidates.length > 0 || !this.canDegrade) return false;
    return this.fitOf(this.candidates('below'), request).candidates.length > 0;
  }

  /** Tokens of so much text, as the candidate counts that counts most. */
  tokensOf(size: TextSize): number {
    return Math.max(0, ...this.candidates().map((each) => this.tokensAt(each, size)));
  }

  /** Tokens as a candidate's model counts them. */
  private tokensAt(candidate: Candidate, size: TextSize): number {
    return this.input.tokens.estimate(plainName(askedName(candidate.model, this.input.model)), size);
  }
}
