// The scenarios of the scheduler study (1.3): which faults come when, how often work arrives, and what is perturbed. A scenario
// and a seed fix everything that does not depend on the policy.
import { WORLD_CANDIDATES, type WorldCandidate } from './candidates.ts';
import { WORKFLOW } from './constants.ts';
import { Draws, KEY } from './draws.ts';
import { backboneMask, regionMask, vendorMask, type FaultEffect, type WorldFault } from './faults.ts';

/** `outage-900` and `outage-3600` are the study's outW: so many seconds of health, then a Global outage, then health again. */
export const SCENARIO_NAMES = ['static', 'dynamic', 'random', 'outage-900', 'outage-3600', 'hot', 'capacity'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** All that a run is made of but the policy. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly seed: number;
  /** Workflows arrive until then; those that arrived are worked off. */
  readonly horizonS: number;
  readonly arrivalsPerS: number;
  readonly candidates: readonly WorldCandidate[];
  readonly faults: readonly WorldFault[];
  /** The one outage whose shift and heal are measured; null where the scenario has none. */
  readonly outage: { readonly startS: number; readonly endS: number; readonly targets: number } | null;
}

const HORIZON_S = 16_200;
const OUTAGE_S = 1500;
const HEALED_S = 4000;

/** Gilbert bursts: `3 + Exp(25)` s of loss +.25 and triple latency, after gaps of exponential length. */
const BURST = { leastS: 3, meanS: 25, effect: { kind: 'lossy', loss: 0.25, factor: 3 } } as const;
const DYNAMIC_GAPS_S = { 'global-east': 600, 'global-west': 600, regional: 1500 } as const;
/** Capacity of the small world (dyncap). */
const SMALL_CAPACITY = { cloudLarge: 5, cloudOther: 4, local: 10 } as const;

/** Random environments (1.3). The study leaves open how calls fail in its outages and how lossy "lossy" is: both are ours. */
const RANDOM = {
  qualitySpread: 0.05,
  medianSd: 0.35,
  failureSd: 0.5,
  slowFactor: [0.5, 2.5],
  latencySdFactor: [0.8, 1.3],
  meanGapS: 900,
  leastS: 60,
  meanS: 500,
  slow: [3, 12],
  perMinute: [3, 12],
  burstGapS: 800,
  /** Ours: the share that the study's own GE outage has. */
  hang: 0.5,
  /** Ours: the loss that the study's bursts have. */
  loss: 0.25,
} as const;

/** The world of a scenario and a seed. */
export function scenarioOf(name: ScenarioName, seed: number): Scenario {
  const base = {
    name,
    seed,
    horizonS: HORIZON_S,
    arrivalsPerS: WORKFLOW.arrivalsPerS,
    candidates: WORLD_CANDIDATES,
    faults: [],
    outage: null,
  };
  switch (name) {
    case 'static':
      return base;
    case 'dynamic':
      return { ...base, faults: dynamicFaults(seed) };
    case 'hot':
      return { ...base, faults: dynamicFaults(seed), arrivalsPerS: 4 * WORKFLOW.arrivalsPerS };
    case 'capacity':
      return {
        ...base,
        faults: dynamicFaults(seed),
        arrivalsPerS: 2 * WORKFLOW.arrivalsPerS,
        candidates: WORLD_CANDIDATES.map((each) => ({ ...each, capacity: smallCapacity(each) })),
      };
    case 'random':
      return { ...base, candidates: perturbed(seed), faults: randomFaults(seed) };
    case 'outage-900':
      return { ...base, ...outageAfter(900) };
    case 'outage-3600':
      return { ...base, ...outageAfter(3600) };
  }
}

function smallCapacity({ tier, region }: WorldCandidate): number {
  if (region === 'local') return SMALL_CAPACITY.local;
  return tier === 'L' ? SMALL_CAPACITY.cloudLarge : SMALL_CAPACITY.cloudOther;
}

function outageAfter(healthyS: number): Pick<Scenario, 'horizonS' | 'faults' | 'outage'> {
  const window = { startS: healthyS, endS: healthyS + OUTAGE_S, targets: backboneMask() };
  return {
    horizonS: healthyS + OUTAGE_S + HEALED_S,
    faults: [{ ...window, effect: { kind: 'outage', hang: 0.5 } }],
    outage: window,
  };
}

function dynamicFaults(seed: number): readonly WorldFault[] {
  const ge = regionMask('global-east');
  const limited = regionMask('regional') & (vendorMask('M') | vendorMask('L'));
  const fault = (startS: number, endS: number, targets: number, effect: FaultEffect): WorldFault => ({
    startS,
    endS,
    targets,
    effect,
  });
  const flapping = Array.from({ length: 10 }, (_, turn) => 13_200 + 120 * turn);
  return [
    fault(2400, 3600, ge, { kind: 'outage', hang: 0.5 }),
    fault(4800, 6000, vendorMask('L'), { kind: 'slow', factor: 10 }),
    fault(7200, 8700, backboneMask(), { kind: 'outage', hang: 1 }),
    fault(9600, 10_500, limited, { kind: 'rate', perMinute: 6 }),
    fault(11_400, 12_600, regionMask('regional'), { kind: 'outage', hang: 0.2 }),
    ...flapping.map((startS) => fault(startS, startS + 60, ge, { kind: 'outage', hang: 0.5 })),
    ...bursts(seed, DYNAMIC_GAPS_S),
  ];
}

function bursts(seed: number, gapsS: Readonly<Record<keyof typeof DYNAMIC_GAPS_S, number>>): readonly WorldFault[] {
  const draws = new Draws();
  const regions = ['global-east', 'global-west', 'regional'] as const;
  return regions.flatMap((region, place) => {
    const found: WorldFault[] = [];
    let endS = 0;
    for (let turn = 0; ; turn++) {
      draws.key(seed, KEY.environment, 1, place, turn);
      const startS = endS + draws.exponential(0, gapsS[region]);
      if (startS >= HORIZON_S) return found;
      endS = startS + BURST.leastS + draws.exponential(1, BURST.meanS);
      found.push({ startS, endS, targets: regionMask(region), effect: BURST.effect });
    }
  });
}

function perturbed(seed: number): readonly WorldCandidate[] {
  const draws = new Draws();
  return WORLD_CANDIDATES.map((each, index) => {
    draws.key(seed, KEY.environment, 2, index);
    const worse = (share: number, purpose: number): number =>
      Math.min(0.5, share * Math.exp(RANDOM.failureSd * draws.normal(purpose)));
    return {
      ...each,
      quality: each.quality + draws.between(0, [-RANDOM.qualitySpread, RANDOM.qualitySpread]),
      medianS: each.medianS * Math.exp(RANDOM.medianSd * draws.normal(1)),
      internalFailureShare: worse(each.internalFailureShare, 3),
      lossShare: worse(each.lossShare, 5),
      slowShare: each.slowShare * draws.between(7, RANDOM.slowFactor),
      latencySd: each.latencySd * draws.between(8, RANDOM.latencySdFactor),
    };
  });
}

function randomFaults(seed: number): readonly WorldFault[] {
  const draws = new Draws();
  const faults: WorldFault[] = [];
  let startS = 0;
  for (let turn = 0; ; turn++) {
    draws.key(seed, KEY.environment, 3, turn);
    startS += draws.exponential(0, RANDOM.meanGapS);
    if (startS >= HORIZON_S) break;
    const endS = startS + RANDOM.leastS + draws.exponential(1, RANDOM.meanS);
    faults.push({ startS, endS, targets: randomTarget(draws), effect: randomEffect(draws) });
  }
  const gap = RANDOM.burstGapS;
  return [...faults, ...bursts(seed, { 'global-east': gap, 'global-west': gap, regional: gap })];
}

/** Region 45 %, vendor 15 %, backbone 15 %, one candidate 25 %. */
function randomTarget(draws: Draws): number {
  const kind = draws.uniform(2);
  const which = draws.uniform(3);
  if (kind < 0.45) {
    const regions = ['local', 'regional', 'global-east', 'global-west'] as const;
    return regionMask(regions[Math.floor(which * regions.length)] ?? 'local');
  }
  if (kind < 0.6) {
    const vendors = ['S', 'M', 'L'] as const;
    return vendorMask(vendors[Math.floor(which * vendors.length)] ?? 'S');
  }
  if (kind < 0.75) return backboneMask();
  return 1 << Math.floor(which * WORLD_CANDIDATES.length);
}

/** Outage 45 %, brown-out 30 %, rate limit 10 %, lossy 15 %. */
function randomEffect(draws: Draws): FaultEffect {
  const kind = draws.uniform(4);
  if (kind < 0.45) return { kind: 'outage', hang: RANDOM.hang };
  if (kind < 0.75) return { kind: 'slow', factor: draws.between(5, RANDOM.slow) };
  if (kind < 0.85) return { kind: 'rate', perMinute: draws.between(5, RANDOM.perMinute) };
  return { kind: 'lossy', loss: RANDOM.loss, factor: 1 };
}
