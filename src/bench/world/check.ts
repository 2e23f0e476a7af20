// Our rows beside the study's: value, published, difference, and whether it is inside the tolerance that the study's issue names
// (all-failed within max(0.1 points, 3 standard errors), p99 within 12 %, tokens within 8 %), and whether orders are kept.
import type { WorldRow } from './figures.ts';
import { PUBLISHED_RECOVERY, type PublishedRow } from './published.ts';

type PrintedFigure = Exclude<keyof PublishedRow, 'policy'>;

/** Figures of the tables and of the recovery table. */
export type CheckedFigure = PrintedFigure | 'shiftSteps' | 'healSteps' | 'outageAllFailedPct';

/** One figure of one policy. */
export interface CheckedCell {
  readonly policy: string;
  readonly figure: CheckedFigure;
  /** Null: never (steps to shift or heal). */
  readonly value: number | null;
  readonly se: number | null;
  readonly published: number | null;
  /** Null where one side is never. */
  readonly difference: number | null;
  /** Largest difference that counts as reproduced; null where no tolerance is set. */
  readonly bar: number | null;
  readonly isInside: boolean | null;
}

/** Pairs of policies that the study's figures clearly tell apart. */
export interface CheckedOrder {
  readonly figure: CheckedFigure;
  readonly pairs: number;
  /** Pairs that stand the other way round here. */
  readonly inverted: readonly (readonly [string, string])[];
}

export interface CheckedTable {
  readonly scenario: WorldRow['scenario'];
  readonly cells: readonly CheckedCell[];
  readonly orders: readonly CheckedOrder[];
}

const TOLERANCE = { allFailedPoints: 0.1, standardErrors: 3, p99Share: 0.12, tokenShare: 0.08, j: 0.002 } as const;
const FIGURES: readonly PrintedFigure[] = [
  'allFailedPct',
  'miss30Pct',
  'p50',
  'p95',
  'p99',
  'mean',
  'timesBestOne',
  'fullCalls',
  'costTimesBestOne',
  'calls',
  'quality',
  'j',
];
const ORDERED: readonly PrintedFigure[] = ['allFailedPct', 'p99', 'fullCalls', 'j'];

/** Compares the rows that the study has, too. */
export function checkTable(rows: readonly WorldRow[], published: readonly PublishedRow[]): CheckedTable | null {
  const [first] = rows;
  const pairs = rows.flatMap((row) => {
    const printed = published.find(({ policy }) => policy === row.policy);
    return printed ? [{ row, printed }] : [];
  });
  if (!first || pairs.length === 0) return null;
  const cells = pairs.flatMap(({ row, printed }) => FIGURES.map((figure) => checkCell(row, printed, figure)));
  return { scenario: first.scenario, cells, orders: ORDERED.map((figure) => checkOrder(cells, figure)) };
}

/** Recovery after an outage beside the study's table (5.1), where rows are of such a scenario. No tolerance is named for it. */
export function checkRecovery(rows: readonly WorldRow[]): CheckedTable | null {
  const scenario = rows[0]?.scenario;
  if (scenario !== 'outage-900' && scenario !== 'outage-3600') return null;
  const place = scenario === 'outage-900' ? 0 : 1;
  const cells = rows.flatMap((row): readonly CheckedCell[] => {
    const printed = PUBLISHED_RECOVERY.find(({ policy }) => policy === row.policy);
    if (!printed) return [];
    const { policy, shiftSteps, healSteps, se, details } = row;
    const share = printed.allFailedPct?.[place];
    return [
      bare(policy, 'shiftSteps', shiftSteps, se.shiftSteps, printed.shiftSteps[place]),
      bare(policy, 'healSteps', healSteps, se.healSteps, printed.healSteps[place]),
      ...(share === undefined ? [] : [bare(policy, 'outageAllFailedPct', details.outageAllFailedPct, null, share)]),
    ];
  });
  return cells.length === 0 ? null : { scenario, cells, orders: [] };
}

function bare(
  policy: string,
  figure: CheckedFigure,
  value: number | null,
  se: number | null,
  published: number | null,
): CheckedCell {
  const difference = value === null || published === null ? null : value - published;
  return { policy, figure, value, se, published, difference, bar: null, isInside: null };
}

function checkCell(row: WorldRow, printed: PublishedRow, figure: PrintedFigure): CheckedCell {
  const value = valueOf(row, figure);
  const published = printed[figure];
  const se = figure === 'calls' || figure === 'costTimesBestOne' ? null : row.se[figure];
  const bar = barOf(figure, published, se);
  const difference = value - published;
  return {
    policy: row.policy,
    figure,
    value,
    se,
    published,
    difference,
    bar,
    isInside: bar === null ? null : Math.abs(difference) <= bar,
  };
}

function valueOf(row: WorldRow, figure: PrintedFigure): number {
  if (figure === 'calls') return row.details.calls;
  if (figure === 'costTimesBestOne') return row.details.costTimesBestOne ?? Number.NaN;
  return row[figure] ?? Number.NaN;
}

function barOf(figure: PrintedFigure, published: number, se: number | null): number | null {
  if (figure === 'allFailedPct') return Math.max(TOLERANCE.allFailedPoints, TOLERANCE.standardErrors * (se ?? 0));
  if (figure === 'p99') return TOLERANCE.p99Share * published;
  if (figure === 'fullCalls' || figure === 'timesBestOne') return TOLERANCE.tokenShare * published;
  return null;
}

/** A pair counts where the printed gap is wider than both tolerances together; ours must then have the same sign. */
function checkOrder(cells: readonly CheckedCell[], figure: PrintedFigure): CheckedOrder {
  const column = cells.filter((cell) => cell.figure === figure);
  const slack = ({ bar, se }: CheckedCell): number => bar ?? TOLERANCE.j + TOLERANCE.standardErrors * (se ?? 0);
  const inverted: (readonly [string, string])[] = [];
  let pairs = 0;
  column.forEach((one, index) => {
    for (const other of column.slice(index + 1)) {
      const gap = (one.published ?? 0) - (other.published ?? 0);
      if (Math.abs(gap) <= slack(one) + slack(other)) continue;
      pairs++;
      if (Math.sign((one.value ?? 0) - (other.value ?? 0)) !== Math.sign(gap))
        inverted.push([one.policy, other.policy]);
    }
  });
  return { figure, pairs, inverted };
}
