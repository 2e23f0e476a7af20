// Every policy that can be tried, by the name that the command line takes (CONTRACTS, world; study 1.4).
import type { PolicySpec } from './policy.ts';
import { clairvoyant } from './policies/clairvoyant.ts';
import { gateways } from './policies/gateway.ts';
import { HACO_ABLATIONS, haco } from './policies/haco.ts';
import { moa } from './policies/moa.ts';
import { stateOracles } from './policies/oracle.ts';
import { redundantPairs, tailAtScale } from './policies/redundant.ts';
import { bestOne, bestOneOnline, fixedOnes, randomOne } from './policies/single.ts';
import { PRODUCT_MODES, type ProductMode } from './product/controllerPolicy.ts';

/** A policy of this folder, or a mode of Belay itself. */
export type Entry =
  | { readonly kind: 'baseline'; readonly name: string; readonly spec: PolicySpec }
  | { readonly kind: 'product'; readonly name: ProductMode };

/** What `tokens x BestOne` is measured against. */
export const BASE_POLICY = bestOne;

export type Ablation = keyof typeof HACO_ABLATIONS;
export const ABLATIONS: readonly Ablation[] = ['env', 'lcb', 'ucb'];

const READINGS = { 'haco-a': 'A', 'haco-b': 'B' } as const;
type HacoName = keyof typeof READINGS;
const HACO_NAMES: readonly HacoName[] = ['haco-a', 'haco-b'];

/** tau of the study's rows; .95 is that of the plain names. */
const PRINTED_TAUS = [0.9, 0.8, 0.7] as const;

const plain: readonly PolicySpec[] = [
  bestOne,
  bestOneOnline,
  randomOne,
  moa,
  ...fixedOnes,
  ...redundantPairs,
  tailAtScale,
  ...gateways,
  ...HACO_NAMES.map((name) => haco(name, { reading: READINGS[name] })),
  ...stateOracles,
  clairvoyant,
];

/** Each baseline once: what `all` means, together with Belay's own modes. */
export const BASELINES: readonly Entry[] = plain.map(entryOf);

/** HACO with other tau, without a part, and the study's three further variants. */
export const HACO_VARIANTS: readonly Entry[] = [
  ...HACO_NAMES.flatMap((name) => [
    ...PRINTED_TAUS.map((tau) => hacoEntry(name, tau, null)),
    ...ABLATIONS.map((ablation) => hacoEntry(name, null, ablation)),
  ]),
  entryOf(haco('haco-a-eta-0.5', { eta: 0.5 })),
  entryOf(haco('haco-a-one-beta', { isPerRole: false })),
  entryOf(haco('haco-a-timeout-20', { timeoutS: 20 })),
];

const PRODUCT: readonly Entry[] = PRODUCT_MODES.map((name) => ({ kind: 'product', name }));

/** All entries by name. */
export const ENTRIES: ReadonlyMap<string, Entry> = new Map(
  [...BASELINES, ...PRODUCT, ...HACO_VARIANTS].map((entry) => [entry.name, entry]),
);

/** HACO of a name with another tau or without a part; the entry itself where the name is not of HACO. */
export function varied(entry: Entry, tau: number | null, ablation: Ablation | null): Entry {
  const name = HACO_NAMES.find((each) => each === entry.name);
  return name === undefined || (tau === null && ablation === null) ? entry : hacoEntry(name, tau, ablation);
}

function hacoEntry(name: HacoName, tau: number | null, ablation: Ablation | null): Entry {
  const parts = [name, ...(tau === null ? [] : [`tau-${tau}`]), ...(ablation === null ? [] : [`no-${ablation}`])];
  return entryOf(
    haco(parts.join('-'), {
      reading: READINGS[name],
      ...(tau === null ? {} : { tau }),
      ...(ablation === null ? {} : HACO_ABLATIONS[ablation]),
    }),
  );
}

function entryOf(spec: PolicySpec): Entry {
  return { kind: 'baseline', name: spec.name, spec };
}
