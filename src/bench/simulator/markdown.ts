// The simulator's tables as Markdown, in the document's layout: each cell published / ours / difference, and below each table its
// bars with pass or FAIL. Text only; what is compared and judged is in compare.ts.
import type { ComparedCell, ComparedRow, ComparedTable, TableName } from './compare.ts';
import type { Figures } from './tally.ts';
import type { JudgedWorld } from './targets.ts';

const HEADS: Readonly<Record<keyof Figures, readonly [name: string, digits: number]>> = {
  sr: ['SR %', 2],
  csr: ['CSR %', 2],
  scr: ['SCR %', 2],
  cps: ['CPS', 3],
  dup1000: ['DUP/1000', 2],
  esc: ['ESC %', 2],
  deg: ['DEG %', 2],
  cost: ['mean cost', 3],
  p95: ['p95 total (s)', 2],
  p95NonEscalated: ['p95 non-escalated (s)', 2],
  attempts: ['attempts/task', 2],
};

const TITLES: Readonly<Record<TableName, string>> = {
  '12': 'Table 12: success and safety',
  '13': 'Table 13: cost, latency and attempts',
  '14': 'Table 14: ablations, differences to HFR (percentage points)',
  '15': 'Table 15: SR by fault rate',
  C1: 'Table C1: incidents',
};

const POINTS: Readonly<Partial<Record<TableName, string>>> = { '15': 'fault rate', C1: 'incident rate' };

/** One table with its bars below; `note` says how ours were made. */
export function tableMarkdown(table: ComparedTable, note: string): readonly string[] {
  if (table.rows.length === 0) return [];
  const grid = table.table === '15' ? pivot(table) : straight(table);
  const bars = grid.rows.some((row) => row.cells.some((cell) => cell && cell.bar !== null));
  return [
    `## ${TITLES[table.table]}`,
    '',
    `${note} Each cell: published / ours / difference.`,
    '',
    ...lines(
      grid.heads,
      grid.rows.map((row) => [...row.names, ...row.cells.map((cell) => (cell ? sideBySide(cell, table.table) : ''))]),
    ),
    '',
    ...(bars
      ? [
          `Bars of Table ${table.table}:`,
          '',
          ...lines(
            grid.heads,
            grid.rows
              .filter((row) => row.cells.some((cell) => cell && cell.bar !== null))
              .map((row) => [...row.names, ...row.cells.map((cell) => (cell ? verdict(cell) : ''))]),
          ),
          '',
          ...table.means.map(
            ({ column, meanDifference, bar, isInside }) =>
              `- mean difference of ${HEADS[column][0]}: ${passed(isInside)} (${meanDifference.toFixed(3)}, bar ${bar})`,
          ),
          ...(table.means.length > 0 ? [''] : []),
        ]
      : []),
  ];
}

/** What Belay's own recovery reaches against its targets. */
export function targetsMarkdown(worlds: readonly JudgedWorld[], parametersName: string): readonly string[] {
  const figures = worlds[0]?.targets.map((target) => target.figure) ?? [];
  return [
    '## Belay’s own recovery in the same world (hfr-plus)',
    '',
    `Belay’s decide, budgets and ladder with preset plus, not a copy of them. Targets are set for parameters J; these are ${parametersName}. More SCR at more ESC is relabelling, so both are shown.`,
    '',
    ...lines(
      ['world', ...figures.map((figure) => HEADS[figure][0])],
      worlds.map(({ world, targets }) => [
        world,
        ...targets.map(({ figure, reached, side, bound, isReached }) => {
          const text = reached.toFixed(HEADS[figure][1]);
          return Number.isFinite(bound) ? `${text} (${side} ${bound}: ${passed(isReached)})` : text;
        }),
      ]),
    ),
    '',
  ];
}

/** How many judged cells and means are inside their bars. */
export function countInside(tables: readonly ComparedTable[]): { readonly inside: number; readonly judged: number } {
  const verdicts = tables.flatMap((table) => [
    ...table.rows.flatMap((row) => row.cells.flatMap((cell) => (cell.isInside === null ? [] : [cell.isInside]))),
    ...table.means.map((mean) => mean.isInside),
  ]);
  return { inside: verdicts.filter(Boolean).length, judged: verdicts.length };
}

interface Grid {
  readonly heads: readonly string[];
  readonly rows: readonly {
    readonly names: readonly string[];
    readonly cells: readonly (ComparedCell | undefined)[];
  }[];
}

function straight(table: ComparedTable): Grid {
  const point = POINTS[table.table];
  const names = (row: ComparedRow): readonly string[] =>
    point === undefined ? [row.policy] : [(row.point ?? 0).toFixed(2), row.policy];
  return {
    heads: [...(point === undefined ? [] : [point]), 'policy', ...table.columns.map((column) => HEADS[column][0])],
    rows: table.rows.map((row) => ({ names: names(row), cells: row.cells })),
  };
}

/** Table 15 has a row a fault rate and a column a policy. */
function pivot(table: ComparedTable): Grid {
  const policies = [...new Set(table.rows.map((row) => row.policy))];
  const points = [...new Set(table.rows.map((row) => row.point))];
  return {
    heads: [POINTS['15'] ?? '', ...policies],
    rows: points.map((point) => ({
      names: [(point ?? 0).toFixed(2)],
      cells: policies.map((policy) => table.rows.find((row) => row.point === point && row.policy === policy)?.cells[0]),
    })),
  };
}

function sideBySide(cell: ComparedCell, table: TableName): string {
  const digits = HEADS[cell.column][1];
  const { published, ours, sd } = cell;
  const sign = table === '14' ? signed : (value: number, places: number): string => value.toFixed(places);
  const printed = published === null ? '–' : sign(published.value, digits) + spread(published.sd, digits);
  if (ours === null) return `${printed} / – / –`;
  const difference = published === null ? '–' : signed(ours - published.value, digits);
  return `${printed} / ${sign(ours, digits)}${spread(sd, digits)} / ${difference}`;
}

function spread(sd: number | null, digits: number): string {
  return sd === null || sd === 0 ? '' : ` ± ${sd.toFixed(digits)}`;
}

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  if (Number(text) === 0) return (0).toFixed(digits);
  return value > 0 ? `+${text}` : text;
}

function verdict(cell: ComparedCell): string {
  if (cell.isInside === null || cell.bar === null || cell.published === null || cell.ours === null) return 'no bar';
  const difference = Math.abs(cell.ours - cell.published.value);
  const digits = HEADS[cell.column][1];
  return `${passed(cell.isInside)} (${difference.toFixed(digits)}, bar ${cell.bar.toFixed(digits)})`;
}

function passed(isInside: boolean): string {
  return isInside ? 'pass' : 'FAIL';
}

function lines(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
