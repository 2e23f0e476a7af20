// The printed table and sentences, each beside what the source's own service gives: exactly, and in batches of 50 requests as the source
// drew them. The verdict is a rule: near the exact figure a claim holds; else it is luck if 50 requests come out there often enough.
// Source: the redundant-execution text (seed 004), 2.1, 3.3, 4.3, 7.
import { breakEvenLossPerCost, independentGain } from '../../core/scheduler/redundancy/roi.ts';
import { batchFigures, savedAgainst, SIZES, type VersionFigures } from './experiment.ts';
import { expectationOf } from './expectation.ts';
import { SERVICE, type ServiceLuck, type Version } from './service.ts';
import { chanceBeyond } from './statistics.ts';

export type RedundancyVerdict = 'holds' | 'only with the luck of n = 50' | 'does not hold';

export interface RedundancyClaim {
  readonly claim: string;
  readonly finding: string;
  /** Chance that 50 requests come out there or still farther from the exact figure; null: it is no matter of luck. */
  readonly chance: number | null;
  readonly verdict: RedundancyVerdict;
}

/** The printed table (3.3). Its shares beyond 5 s are of all 50: of the successes they would be no whole numbers of requests. */
export const PUBLISHED = {
  single: { success: 0.62, meanS: 8.2, p99S: 12.3, longOfAll: 0.28 },
  redundant: { success: 0.86, meanS: 6.1, p99S: 6.5, longOfAll: 0.04 },
} as const satisfies Record<string, Partial<VersionFigures>>;

type Figure = keyof (typeof PUBLISHED)['single'];

/** So near to the exact figure a claim holds: one request of fifty, a twentieth of a time, five points of a change. */
const NEAR = { share: 0.02, timeRatio: 0.05, change: 0.05 } as const;
/** Below this chance luck is no explanation. */
const LUCKY = 0.001;

const FIGURES: Readonly<Record<Figure, { readonly name: string; readonly isShare: boolean }>> = {
  success: { name: 'success', isShare: true },
  meanS: { name: 'mean time of the successes', isShare: false },
  p99S: { name: 'P99', isShare: false },
  longOfAll: { name: 'longer than 5 s', isShare: true },
};
const FIGURE_NAMES: readonly Figure[] = ['success', 'meanS', 'p99S', 'longOfAll'];
const REDUNDANT = ['first-wins', 'as-printed'] as const;

type Batches = Readonly<Record<Version, readonly VersionFigures[]>>;

/** All claims, with the batches of one seed's luck. */
export function tryRedundancyClaims(luck: ServiceLuck): readonly RedundancyClaim[] {
  const batches: Batches = {
    single: batchFigures('single', luck),
    'first-wins': batchFigures('first-wins', luck),
    'as-printed': batchFigures('as-printed', luck),
    'serial-retry': [],
  };
  const success = [cell('single', 'success', batches), cell('first-wins', 'success', batches)] as const;
  return [
    ...success,
    bothTogether(success),
    ownIndependence(),
    cell('single', 'meanS', batches),
    ...REDUNDANT.map((version) => cell(version, 'meanS', batches)),
    cell('single', 'p99S', batches),
    ...REDUNDANT.map((version) => cell(version, 'p99S', batches)),
    cell('single', 'longOfAll', batches),
    ...REDUNDANT.map((version) => cell(version, 'longOfAll', batches)),
    ...FIGURE_NAMES.flatMap((figure) =>
      (figure === 'success' ? (['first-wins'] as const) : REDUNDANT).map((version) => change(version, figure, batches)),
    ),
    ...serialClaims(),
    ruleOfThumb(),
  ];
}

function verdictOf(isNear: boolean, chance: number): RedundancyVerdict {
  if (isNear) return 'holds';
  return chance >= LUCKY ? 'only with the luck of n = 50' : 'does not hold';
}

/** One cell of the table. Shares of all requests are binomial, so their chance is exact; the others' is counted over the batches. */
function cell(version: Version, figure: Figure, batches: Batches): RedundancyClaim {
  const [n] = SIZES;
  const printed = PUBLISHED[version === 'single' ? 'single' : 'redundant'][figure];
  const exact = expectationOf(version)[figure];
  const { isShare } = FIGURES[figure];
  const chance = isShare
    ? chanceBeyond(Math.round(printed * n), n, exact)
    : shareBeyond(
        batches[version].map((batch) => batch[figure]),
        exact,
        printed,
      );
  const isNear = Math.abs(printed - exact) <= (isShare ? NEAR.share : NEAR.timeRatio * exact);
  const isBeyond = !isShare && printed > SERVICE.slowS[1];
  return {
    claim: `${named(version, figure)}: ${shown(figure, printed)}`,
    finding: `${shown(figure, exact)} exactly${isBeyond ? `; nothing in the printed service takes longer than ${SERVICE.slowS[1]} s` : ''}`,
    chance,
    verdict: verdictOf(isNear, chance),
  };
}

function bothTogether([single, redundant]: readonly [RedundancyClaim, RedundancyClaim]): RedundancyClaim {
  const chance = (single.chance ?? 0) * (redundant.chance ?? 0);
  return {
    claim: 'both successes in the same experiment: 62 and 86 %',
    finding: 'two runs of 50, each as far off as printed',
    chance,
    verdict: verdictOf(false, chance),
  };
}

/** The pair is what independence gives, for another service than the printed one. */
function ownIndependence(): RedundancyClaim {
  const [n] = SIZES;
  const { success: p } = PUBLISHED.single;
  const pair = 1 - (1 - p) ** 2;
  const half = 1.96 * Math.sqrt((p * (1 - p)) / n + (pair * (1 - pair)) / n);
  const chance = chanceBeyond(Math.round(PUBLISHED.redundant.success * n), n, pair);
  return {
    claim: '86 % is what two independent executions of 62 % give (1 − .38²)',
    finding: `${percent(pair)}; but in two runs of ${n} the difference lies anywhere from ${Math.round((pair - p - half) * 100)} to ${Math.round((pair - p + half) * 100)} points (95 %)`,
    chance,
    verdict: verdictOf(Math.abs(PUBLISHED.redundant.success - pair) <= NEAR.share, chance),
  };
}

/** A printed improvement. Pairs of batches next to each other, so that the two runs do not share their luck. */
function change(version: (typeof REDUNDANT)[number], figure: Figure, batches: Batches): RedundancyClaim {
  const relative = (from: number, to: number): number => to / from - 1;
  const printed = relative(PUBLISHED.single[figure], PUBLISHED.redundant[figure]);
  const exact = relative(expectationOf('single')[figure], expectationOf(version)[figure]);
  const pairs = batches.single.map((single, index) =>
    relative(single[figure], batches[version][(index + 1) % batches.single.length]?.[figure] ?? Number.NaN),
  );
  const chance = shareBeyond(pairs, exact, printed);
  return {
    claim: `${named(version, figure)}, change: ${signed(printed)}`,
    finding: `${signed(exact)} exactly`,
    chance,
    verdict: verdictOf(Math.abs(printed - exact) <= NEAR.change, chance),
  };
}

/** What is printed of serial retry, with the source's own service: it fails at once, so a retry costs no time. */
function serialClaims(): readonly RedundancyClaim[] {
  const [single, serial] = [expectationOf('single'), expectationOf('serial-retry')];
  const saved = REDUNDANT.map((version) => savedAgainst(serial, expectationOf(version)));
  return [
    claimOf(
      'serial retry lengthens the whole time considerably (2.1)',
      `mean of the successes ${serial.meanS.toFixed(3)} s with one retry, ${single.meanS.toFixed(3)} s without`,
      serial.meanS > single.meanS * 1.05,
    ),
    claimOf(
      'serial retry does not mend the long tail (2.1)',
      `longer than 5 s: ${percent(serial.long)} of its successes, ${percent(single.long)} of the single execution's`,
      serial.long >= single.long - 1e-9,
    ),
    claimOf(
      'redundancy saves resources against serial retry (4.3)',
      `the same success (${percent(serial.success)}) for 2 copies instead of ${serial.executions.toFixed(1)}: ${signed(saved[0]?.executions ?? 0)}; seconds at work ${signed(saved[0]?.busyS ?? 0)} (first-wins), ${signed(saved[1]?.busyS ?? 0)} (as-printed)`,
      saved.every(({ executions }) => executions > 0),
    ),
  ];
}

function ruleOfThumb(): RedundancyClaim {
  const { failShare } = SERVICE;
  const least = breakEvenLossPerCost(failShare, 2);
  return claimOf(
    'the net gain is positive where the loss is more than 5 costs (7)',
    `two copies gain ${percent(independentGain(failShare, 2))} here, so by the printed formula from ${least.toFixed(1)} costs on; at the best failure rate (50 %) from ${breakEvenLossPerCost(0.5, 2)}; charging only the second copy, from ${breakEvenLossPerCost(failShare, 2, 'extra-copies').toFixed(2)}`,
    least <= 5,
  );
}

function claimOf(claim: string, finding: string, isHeld: boolean): RedundancyClaim {
  return { claim, finding, chance: null, verdict: isHeld ? 'holds' : 'does not hold' };
}

/** Share of the values at `printed` or still farther from `exact` on the same side; values that are no numbers are left out. */
function shareBeyond(values: readonly number[], exact: number, printed: number): number {
  const known = values.filter((value) => Number.isFinite(value));
  const beyond = known.filter((value) => (printed >= exact ? value >= printed : value <= printed));
  return beyond.length / Math.max(1, known.length);
}

const named = (version: Version, figure: Figure): string => `${version}, ${FIGURES[figure].name}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const signed = (share: number): string => `${share < 0 ? '−' : '+'}${(Math.abs(share) * 100).toFixed(1)} %`;
const shown = (figure: Figure, value: number): string =>
  FIGURES[figure].isShare ? percent(value) : `${value.toFixed(2)} s`;
