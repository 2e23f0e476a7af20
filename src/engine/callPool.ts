// Who of a call's route may serve it: those of the requested tier, or after a degradation those below it, as far as they can
// take the request. It starts nothing and tells nothing.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { Criticality } from '../core/context.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import { compressRequest } from '../core/recovery/compress.ts';
import { isBelowTier, type ResolvedRoute } from '../core/routes.ts';
import { fitting, type Fit } from '../core/scheduler/fit.ts';
import { sizeOfRequest, type TextSize } from '../core/textSize.ts';
import type { TokenEstimates } from './attemptTally.ts';

/** Criticalities that may be served by a lower tier without asking (HFR 5.2, allow_auto_degrade). */
const mayDegrade = { low: true, medium: true, high: false } as const;

export interface CallPoolInput {
  readonly route: ResolvedRoute;
  /** The name that the caller asked for. */
  readonly model: string;
  readonly criticality: Criticality;
  readonly tokens: TokenEstimates;
  /** False for a candidate that may not get code. */
  readonly mayServe: (candidate: Candidate) => boolean;
}

export class CallPool {
  private readonly input: CallPoolInput;
  private isBelow = false;

  constructor(input: CallPoolInput) {
    this.input = input;
  }

  /** True once a lower tier serves. */
  get isDegraded(): boolean {
    return this.isBelow;
  }

  /** From now on those below the requested tier. */
  degrade(): void {
    this.isBelow = true;
  }

  /** A lower tier may take over: there is one that may get code, nothing is pinned, and the criticality allows it. */
  get canDegrade(): boolean {
    const { route, criticality, mayServe } = this.input;
    const isServing = (candidate: Candidate): boolean => isBelowTier(candidate, route.tier) && mayServe(candidate);
    return !this.isBelow && !route.pinned && mayDegrade[criticality] && route.candidates.some(isServing);
  }

  /** Candidates of the tier that serves now. A pinned route is used as it is. */
  candidates(isDegraded = this.isBelow): readonly Candidate[] {
    const { candidates, tier, pinned } = this.input.route;
    return pinned ? candidates : candidates.filter((candidate) => isBelowTier(candidate, tier) === isDegraded);
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
    return this.fitOf(this.candidates(true), request).candidates.length > 0;
  }

  /** Half of what was refused, as the candidate counts that counts most: providers do not say by how much it was too large. */
  compressed(request: ChatRequest): ChatRequest | null {
    const { candidates } = this.fit(request);
    const most = (size: TextSize): number => Math.max(0, ...candidates.map((each) => this.tokensAt(each, size)));
    return compressRequest(request, Math.floor(most(sizeOfRequest(request)) / 2), most);
  }

  /** Tokens as a candidate's model counts them. */
  private tokensAt(candidate: Candidate, size: TextSize): number {
    return this.input.tokens.estimate(plainName(askedName(candidate.model, this.input.model)), size);
  }
}
