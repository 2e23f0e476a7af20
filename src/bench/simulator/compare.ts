// Published and ours side by side, each cell with the bar of the study's section 6: how far a fit may be off before it no longer
// counts as a reproduction. Pure; printing is in markdown.ts.
import type { Row } from './simulate.ts';
import {
  TABLE_12,
  TABLE_13,
  TABLE_14,
  TABLE_14_POLICIES,
  TABLE_15,
  TABLE_15_POLICIES,
  TABLE_C1,
  type PublishedCell,
} from './published.ts';
import { isDocumentPolicy } from './names.ts';
import type { Figures } from './tally.ts';

export type TableName = '12' | '13' | '14' | '15' | 'C1';

/** One cell of a table. */
export interface ComparedCell {
  readonly column: keyof Figures;
  /** null where the document has no such cell. */
  readonly published: PublishedCell | null;
  /** null where the figure is not defined (exact expectations have no times). */
  readonly ours: number | null;
  readonly sd: number | null;
  /** Largest difference that still counts as reproduced; null where the study sets none. */
  readonly bar: number | null;
  readonly isInside: boolean | null;
}

/** One row of a table. */
export interface ComparedRow {
  readonly policy: string;
  /** Fault rate (Table 15) or incident rate (Table C1). */
  readonly point: number | null;
  readonly cells: readonly ComparedCell[];
}

/** A bar on the mean absolute difference of a column. */
export interface ComparedMean {
  readonly column: keyof Figures;
  readonly meanDifference: number;
  readonly bar: number;
  readonly isInside: boolean;
}

export interface ComparedTable {
  readonly table: TableName;
  readonly columns: readonly (keyof Figures)[];
  readonly rows: readonly ComparedRow[];
  readonly means: readonly ComparedMean[];
}

type Bars = Readonly<Partial<Record<keyof Figures, number>>>;

const COLUMNS: Readonly<Record<TableName, readonly (keyof Figures)[]>> = {
  '12': ['sr', 'csr', 'scr', 'cps', 'dup1000', 'esc', 'deg'],
  '13': ['cost', 'p95', 'p95NonEscalated', 'attempts'],
  '14': ['sr', 'csr', 'scr', 'cps', 'dup1000'],
  '15': ['sr'],
  C1: ['sr', 'cost', 'cps', 'attempts'],
};

/** Bars per cell (study, section 6), in the units of the tables. */
const CELL_BARS: Readonly<Record<TableName, Bars>> = {
  '12': { sr: 1.2, csr: 1.2, scr: 1.2, cps: 0.1, dup1000: 1.5, esc: 0.3, deg: 1 },
  '13': { cost: 0.06, p95: 0.15, p95NonEscalated: 0.15, attempts: 0.12 },
  '14': { sr: 0.6 },
  '15': { sr: 3 },
  C1: { sr: 0.8, cost: 0.03, attempts: 0.1 },
};

/** Bars on the mean over the rows of a column. */
const MEAN_BARS: Readonly<Record<TableName, Bars>> = {
  '12': { sr: 0.45, csr: 0.45, scr: 0.45 },
  '13': { cost: 0.035, attempts: 0.04 },
  '14': {},
  '15': { sr: 1.1 },
  C1: {},
};

/** Cost may also be off by this part of the published one. */
const COST_BAR_SHARE = 0.025;
/** Escalations put p95 of the HFR rows on a lattice of 0.4 s. */
const HFR_P95_BAR_SECONDS = 0.45;
/** Policies without keys: all others must have no duplicate at all. */
const UNKEYED = ['fixed-retry-3', 'hfr-no-idempotency'];

/** Tables 12 and 13: all rows, those that the document does not know without a published side. */
export function compareMain(table: '12' | '13', rows: readonly Row[]): ComparedTable {
  const published = table === '12' ? TABLE_12 : TABLE_13;
  return finish(
    table,
    rows.map((row) => compareRow(table, row, null, isDocumentPolicy(row.policy) ? published[row.policy] : {}, row)),
  );
}

/** Table 14: ablated policies as differences to HFR; empty where HFR is not among the rows. */
export function compareAblations(rows: readonly Row[]): ComparedTable {
  const whole = rows.find((row) => row.policy === 'hfr');
  const compared = TABLE_14_POLICIES.flatMap((policy) => {
    const row = rows.find((each) => each.policy === policy);
    if (!row || !whole) return [];
    const difference = (figure: keyof Figures): number | null =>
      row[figure] === null || whole[figure] === null ? null : row[figure] - whole[figure];
    const ours = Object.fromEntries(COLUMNS['14'].map((column) => [column, difference(column)]));
    return [compareRow('14', { policy, sd: null }, null, TABLE_14[policy], ours)];
  });
  return finish('14', compared);
}

/** Table 15: SR by fault rate. */
export function compareSweep(rows: readonly Row[]): ComparedTable {
  const compared = rows.map((row) => {
    const point = TABLE_15.find((each) => each.faultRate === row.faultRate);
    const column = TABLE_15_POLICIES.findIndex((policy) => policy === row.policy);
    const value = column < 0 ? undefined : point?.sr[column];
    return compareRow('15', row, row.faultRate ?? null, value === undefined ? {} : { sr: { value, sd: null } }, row);
  });
  return finish('15', compared);
}

/** Table C1: incidents. */
export function compareIncidents(rows: readonly Row[]): ComparedTable {
  const compared = rows.map((row) => {
    const point = TABLE_C1.find((each) => each.incidentRate === row.incidentRate && each.policy === row.policy);
    return compareRow('C1', row, row.incidentRate ?? null, point?.cells ?? {}, row);
  });
  return finish('C1', compared);
}

function compareRow(
  table: TableName,
  { policy, sd }: { readonly policy: string; readonly sd: Readonly<Partial<Figures>> | null },
  point: number | null,
  published: Readonly<Partial<Record<keyof Figures, PublishedCell>>>,
  ours: Readonly<Partial<Record<keyof Figures, number | null>>>,
): ComparedRow {
  const cells = COLUMNS[table].map((column): ComparedCell => {
    const printed = published[column] ?? null;
    const figure = ours[column] ?? null;
    const bar = printed === null ? null : barOf(table, policy, column, printed.value);
    return {
      column,
      published: printed,
      ours: figure,
      sd: sd?.[column] ?? null,
      bar,
      isInside:
        printed === null || figure === null || bar === null ? null : Math.abs(figure - printed.value) <= bar + ROUNDING,
    };
  });
  return { policy, point, cells };
}

const ROUNDING = 1e-9;

function barOf(table: TableName, policy: string, column: keyof Figures, published: number): number | null {
  if (column === 'dup1000' && table === '12' && !UNKEYED.includes(policy)) return 0;
  if (column === 'p95' && policy.startsWith('hfr')) return HFR_P95_BAR_SECONDS;
  if (table === '14' && policy !== 'hfr-no-verifier') return null;
  const bar = CELL_BARS[table][column] ?? null;
  return column === 'cost' && table === '13' && bar !== null ? Math.max(bar, COST_BAR_SHARE * published) : bar;
}

function finish(table: TableName, rows: readonly ComparedRow[]): ComparedTable {
  const means = COLUMNS[table].flatMap((column): ComparedMean[] => {
    const bar = MEAN_BARS[table][column];
    const differences = rows.flatMap((row) =>
      row.cells.flatMap((each) =>
        each.column === column && each.published !== null && each.ours !== null
          ? [Math.abs(each.ours - each.published.value)]
          : [],
      ),
    );
    if (bar === undefined || differences.length === 0) return [];
    const meanDifference = differences.reduce((sum, each) => sum + each, 0) / differences.length;
    return [{ column, meanDifference, bar, isInside: meanDifference <= bar }];
  });
  return { table, columns: COLUMNS[table], rows, means };
}
