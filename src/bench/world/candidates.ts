// The ten candidates of the scheduler study (section 1.1) and the links to their regions. Data only. A candidate's number here
// is its place in every table of this folder; the formulas that use these figures are in callModel.ts.

export type WorldTier = 'S' | 'M' | 'L';
export type WorldRegion = 'local' | 'regional' | 'global-east' | 'global-west';

/** One candidate. Rates are per call and 0-1; `latencySd` is the sigma of its lognormal times. */
export interface WorldCandidate {
  readonly name: string;
  readonly tier: WorldTier;
  readonly region: WorldRegion;
  /** q: mean quality before role and difficulty, 0-1. */
  readonly quality: number;
  readonly medianS: number;
  /** sigma. */
  readonly latencySd: number;
  /** f_int. */
  readonly internalFailureShare: number;
  readonly lossShare: number;
  /** Price of a token, where L is 1. */
  readonly price: number;
  /** Calls it serves at the same time without slowing down. */
  readonly capacity: number;
  /** p_slow. */
  readonly slowShare: number;
}

/** How a region is reached. `bandwidthSd` is the sigma of the lognormal that bandwidth is multiplied with. */
export interface WorldLink {
  readonly rttS: number;
  readonly bytesPerS: number;
  readonly bandwidthSd: number;
}

/** Table 1.1, in its order. */
export const WORLD_CANDIDATES: readonly WorldCandidate[] = [
  row('S-loc', 'S', 'local', 0.55, 4.0, 0.3, 0.001, 0.0005, 0.05, 16, 0.01),
  row('M-loc', 'M', 'local', 0.68, 8.0, 0.3, 0.002, 0.0005, 0.1, 12, 0.01),
  row('S-reg', 'S', 'regional', 0.58, 1.5, 0.35, 0.02, 0.01, 0.1, 30, 1 / 30),
  row('M-reg', 'M', 'regional', 0.76, 3.0, 0.35, 0.025, 0.01, 0.33, 30, 1 / 30),
  row('L-reg', 'L', 'regional', 0.85, 6.0, 0.4, 0.03, 0.012, 1, 12, 1 / 30),
  row('S-ge', 'S', 'global-east', 0.58, 1.3, 0.4, 0.04, 0.04, 0.08, 60, 1 / 30),
  row('M-ge', 'M', 'global-east', 0.78, 2.4, 0.4, 0.05, 0.04, 0.33, 60, 1 / 30),
  row('L-ge', 'L', 'global-east', 0.9, 4.0, 0.45, 0.06, 0.045, 1, 60, 1 / 30),
  row('M-gw', 'M', 'global-west', 0.78, 2.8, 0.4, 0.05, 0.045, 0.33, 60, 1 / 30),
  row('L-gw', 'L', 'global-west', 0.89, 4.5, 0.45, 0.06, 0.055, 1, 60, 1 / 30),
];

/** Numbers of the candidates that policies name. */
export const CANDIDATE = { mLoc: 1, mReg: 3, lReg: 4, lGe: 7, lGw: 9 } as const;

/** RTT and bandwidth by region (1.1, below the table). */
export const WORLD_LINKS: Readonly<Record<WorldRegion, WorldLink>> = {
  local: { rttS: 0.002, bytesPerS: 100e6, bandwidthSd: 0.02 },
  regional: { rttS: 0.03, bytesPerS: 5e6, bandwidthSd: 0.2 },
  'global-east': { rttS: 0.12, bytesPerS: 0.8e6, bandwidthSd: 0.4 },
  'global-west': { rttS: 0.18, bytesPerS: 0.6e6, bandwidthSd: 0.4 },
};

/** What a role adds to q, by tier; the place in the list is the role's number. Roles are drawn uniformly. */
export const ROLE_OFFSETS: Readonly<Record<WorldTier, readonly number[]>> = {
  S: [-0.03, -0.12, -0.1, 0.12],
  M: [0, -0.02, -0.02, 0.05],
  L: [0, 0.02, 0.02, 0.01],
};

export const ROLE_COUNT = 4;

/** Whether a candidate stands in one of the two global regions. */
export function isGlobal(candidate: Pick<WorldCandidate, 'region'>): boolean {
  return candidate.region === 'global-east' || candidate.region === 'global-west';
}

function row(
  name: string,
  tier: WorldTier,
  region: WorldRegion,
  quality: number,
  medianS: number,
  latencySd: number,
  internalFailureShare: number,
  lossShare: number,
  price: number,
  capacity: number,
  slowShare: number,
): WorldCandidate {
  return {
    name,
    tier,
    region,
    quality,
    medianS,
    latencySd,
    internalFailureShare,
    lossShare,
    price,
    capacity,
    slowShare,
  };
}
