// The report of the redundancy experiment: one object for JSON, and the same as Markdown tables beside the printed one.
import { quantileOf } from '../world/quantiles.ts';
import { PUBLISHED, tryRedundancyClaims, type RedundancyClaim } from './claims.ts';
import {
  batchFigures,
  luckOf,
  redundancyRows,
  savedAgainst,
  SIZES,
  type RedundancyRow,
  type Saved,
  type VersionFigures,
} from './experiment.ts';
import { expectationOf } from './expectation.ts';
import { VERSIONS, type Version } from './service.ts';
import type { Interval } from './statistics.ts';

/** Everything that is known of the experiment. */
export interface RedundancyReport {
  readonly rows: readonly RedundancyRow[];
  readonly exact: readonly (VersionFigures & { readonly version: Version; readonly saved: Saved })[];
  /** Central 95 % of the figures that batches of 50 requests of the first seed give. */
  readonly batches: readonly {
    readonly version: Version;
    readonly range: Readonly<Record<keyof VersionFigures, Interval>>;
  }[];
  readonly published: typeof PUBLISHED;
  readonly claims: readonly RedundancyClaim[];
}

/** Runs it for these seeds; claims and batches take the first one. */
export function redundancyReport(seeds: readonly [number, ...number[]]): RedundancyReport {
  const serial = expectationOf('serial-retry');
  const [firstSeed, ...others] = seeds;
  const luck = luckOf(firstSeed);
  return {
    rows: [...redundancyRows(luck), ...others.flatMap((seed) => redundancyRows(luckOf(seed)))],
    exact: VERSIONS.map((version) => {
      const figures = expectationOf(version);
      return { version, ...figures, saved: savedAgainst(serial, figures) };
    }),
    batches: VERSIONS.map((version) => ({ version, range: rangeOf(batchFigures(version, luck)) })),
    published: PUBLISHED,
    claims: tryRedundancyClaims(luck),
  };
}

function rangeOf(batches: readonly VersionFigures[]): Readonly<Record<keyof VersionFigures, Interval>> {
  const of = (name: keyof VersionFigures): Interval => {
    const sorted = Float64Array.from(batches, (batch) => batch[name]).sort();
    return { low: quantileOf(sorted, 0.025), high: quantileOf(sorted, 0.975) };
  };
  return {
    success: of('success'),
    meanS: of('meanS'),
    p99S: of('p99S'),
    p99AllS: of('p99AllS'),
    long: of('long'),
    longOfAll: of('longOfAll'),
    executions: of('executions'),
    busyS: of('busyS'),
  };
}

interface Column {
  readonly head: string;
  readonly name: keyof VersionFigures;
  readonly isShare: boolean;
  readonly digits: number;
}

const COLUMNS: readonly Column[] = [
  { head: 'success %', name: 'success', isShare: true, digits: 1 },
  { head: 'mean of successes s', name: 'meanS', isShare: false, digits: 3 },
  { head: 'P99 of successes s', name: 'p99S', isShare: false, digits: 2 },
  { head: 'P99 of all s', name: 'p99AllS', isShare: false, digits: 2 },
  { head: '> 5 s % of successes', name: 'long', isShare: true, digits: 1 },
  { head: '> 5 s % of all', name: 'longOfAll', isShare: true, digits: 1 },
  { head: 'copies', name: 'executions', isShare: false, digits: 2 },
  { head: 'seconds at work', name: 'busyS', isShare: false, digits: 3 },
];

const NOTES: readonly string[] = [
  'first-wins: two at once, the first success is the answer, the loser is cancelled. as-printed: the code of the text; leaving `with ThreadPoolExecutor` waits for all threads, and a thread that runs cannot be cancelled, so its "smart cancel" does not shorten anything either. serial-retry: one, and once more at once where it failed.',
  'The printed times cannot be those of the printed service alone, which takes 7 s at most; what else was in them (a model in front of it?) is not said.',
  'Every version meets the same luck. Intervals are 95 %: Wilson for shares, order statistics for quantiles (– where so few values have no bound), normal for means. "P99" is printed without saying of what; of the successes as the mean is, and of all requests with failures at 0 s, both are here.',
  'saved: share of copies and of seconds at work saved against serial retry; below 0 where it takes more. A failure of the printed service takes no time, which favours serial retry: with failures that take long it would pay in time what it saves in copies.',
  'A claim holds where the exact figure is near: within 2 points (one request of fifty), a twentieth of a time, 5 points of a change. Else chance decides, that 50 requests come out there or still farther off (shares exactly, the rest counted over the batches): from .1 % it is the luck of n = 50, below it does not hold.',
];

/** The report as Markdown. */
export function redundancyMarkdown({ rows, exact, batches, published, claims }: RedundancyReport): string {
  const [small, large] = SIZES;
  const first = rows[0]?.seed ?? 0;
  const heads = ['version', ...COLUMNS.map(({ head }) => head)];
  return [
    '# Single against redundant execution, with the printed service',
    '',
    `## n = ${large.toLocaleString('en-US')}, seed ${first}, beside the exact figures and the printed table`,
    '',
    ...table(
      [...heads, 'saved: copies / work %'],
      [
        ...VERSIONS.flatMap((version) => [
          ...rows
            .filter((row) => row.version === version && row.n === large && row.seed === first)
            .map((row) => [version, ...COLUMNS.map((column) => measured(column, row)), savedText(row.saved)]),
          ...exact
            .filter((each) => each.version === version)
            .map((each) => [
              `${version}, exact`,
              ...COLUMNS.map((column) => plain(column, each[column.name])),
              savedText(each.saved),
            ]),
        ]),
        ...(['single', 'redundant'] as const).map((name) => {
          const printed: Partial<VersionFigures> = published[name];
          return [`${name}, printed (n = 50)`, ...COLUMNS.map((column) => plain(column, printed[column.name])), '–'];
        }),
      ],
    ),
    '',
    `## n = ${small}: what the source's size gives`,
    '',
    ...table(
      ['seed', ...heads],
      rows
        .filter(({ n }) => n === small)
        .map((row) => [String(row.seed), row.version, ...COLUMNS.map((column) => measured(column, row))]),
    ),
    '',
    `Central 95 % of ${(large / small).toLocaleString('en-US')} batches of ${small}:`,
    '',
    ...table(
      heads,
      batches.map(({ version, range }) => [version, ...COLUMNS.map((column) => rangeText(column, range[column.name]))]),
    ),
    '',
    '## What is printed, and what holds',
    '',
    ...table(
      ['printed', 'here', 'chance with n = 50', 'verdict'],
      claims.map(({ claim, finding, chance, verdict }) => [claim, finding, chanceText(chance), verdict]),
    ),
    '',
    '## Notes',
    '',
    ...NOTES.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

function measured(column: Column, row: RedundancyRow): string {
  return `${plain(column, row[column.name])} ${rangeText(column, row.interval[column.name])}`;
}

function rangeText(column: Column, { low, high }: Interval): string {
  return `[${plain(column, low)}, ${plain(column, high)}]`;
}

function plain({ isShare, digits }: Column, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return (isShare ? value * 100 : value).toFixed(digits);
}

function savedText({ executions, busyS }: Saved): string {
  return [executions, busyS].map((share) => (share * 100).toFixed(1).replace(/^-0\.0$/, '0.0')).join(' / ');
}

function chanceText(chance: number | null): string {
  if (chance === null) return '–';
  if (chance === 0) return '0';
  return chance < 1e-4 ? chance.toExponential(1) : `${(chance * 100).toFixed(chance < 0.01 ? 2 : 1)} %`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
