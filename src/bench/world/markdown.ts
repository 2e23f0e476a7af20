// The world's report as Markdown: the rows of each scenario, the comparison with the study, the paper's claims and the notes.
import type { CheckedTable } from './check.ts';
import type { TriedClaim } from './claims.ts';
import type { Figures, WorldRow } from './figures.ts';
import { WORLD_NOTES } from './notes.ts';

/** What a report is made of; empty parts are left out. */
export interface WorldReport {
  readonly rows: readonly WorldRow[];
  readonly checks: readonly CheckedTable[];
  readonly claims: readonly TriedClaim[];
}

interface Column {
  readonly head: string;
  readonly text: (row: WorldRow) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'policy', text: ({ policy }) => policy },
  figure('all-failed %', 'allFailedPct', 3),
  figure('workflow success %', 'workflowSuccessPct', 1),
  figure('miss 30 s %', 'miss30Pct', 2),
  figure('p50 s', 'p50', 2),
  figure('p95', 'p95', 1),
  figure('p99', 'p99', 1),
  figure('mean', 'mean', 2),
  figure('x full call', 'fullCalls', 2),
  figure('x BestOne', 'timesBestOne', 2),
  { head: 'cost x', text: ({ details }) => number(details.costTimesBestOne, 2) },
  { head: 'calls', text: ({ details }) => number(details.calls, 2) },
  figure('quality', 'quality', 3),
  figure('J', 'j', 4),
  figure('hold p99 s', 'holdP99', 1),
  figure('cold start x', 'coldStartTimesBestOne', 2),
  figure('calibration', 'calibration', 2),
];

const OUTAGE_COLUMNS: readonly Column[] = [
  { head: 'policy', text: ({ policy }) => policy },
  {
    head: 'primary on Global % before / during / end',
    text: ({ details }) => (details.outagePrimaryPct ?? []).map((each) => each.toFixed(0)).join(' / '),
  },
  { head: 'shift median / p90', text: ({ shiftSteps, details }) => pair(shiftSteps, details.shiftP90) },
  { head: 'heal median / p90', text: ({ healSteps, details }) => pair(healSteps, details.healP90) },
  { head: 'all-failed in the outage %', text: ({ details }) => number(details.outageAllFailedPct, 2) },
  { head: 'latency of its first 20 steps s', text: ({ details }) => number(details.outageFirstLatencyS, 1) },
];

/** The whole report. */
export function worldMarkdown({ rows, checks, claims }: WorldReport): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return [
    '# The scheduler world',
    '',
    ...scenarios.flatMap((scenario) => {
      const own = rows.filter((row) => row.scenario === scenario);
      return scenarioLines(scenario, own);
    }),
    ...checks.flatMap(checkLines),
    ...claimLines(claims),
    '## Notes',
    '',
    ...WORLD_NOTES.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

function scenarioLines(scenario: string, rows: readonly WorldRow[]): readonly string[] {
  const { steps, seeds } = rows[0]?.details ?? { steps: 0, seeds: 0 };
  const isOutage = rows.some(({ details }) => details.outagePrimaryPct !== null);
  return [
    `## ${scenario}`,
    '',
    `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${steps.toLocaleString('en-US')} steps a policy; ± is the standard error over seeds.`,
    '',
    ...table(COLUMNS, rows),
    '',
    ...(isOutage ? ['Shift and heal in steps; never: –.', '', ...table(OUTAGE_COLUMNS, rows), ''] : []),
  ];
}

function checkLines({ scenario, cells, orders }: CheckedTable): readonly string[] {
  const judged = cells.filter(({ isInside }) => isInside !== null);
  const inside = judged.filter(({ isInside }) => isInside === true).length;
  return [
    `## ${scenario}: beside the study`,
    '',
    ...(judged.length === 0
      ? []
      : [
          `${inside} of ${judged.length} judged figures are within the tolerances (all-failed max(0.1, 3 s.e.), p99 12 %, tokens 8 %).`,
          '',
        ]),
    ...lines(
      ['policy', 'figure', 'value', 'published', 'difference', 'tolerance', 'within?'],
      cells.map(({ policy, figure: name, value, se, published, difference, bar, isInside }) => [
        policy,
        name,
        `${never(value)}${se === null ? '' : ` ± ${round(se)}`}`,
        never(published),
        difference === null ? '–' : round(difference),
        bar === null ? '–' : round(bar),
        isInside === null ? '–' : isInside ? 'yes' : 'NO',
      ]),
    ),
    '',
    ...orders.map(({ figure: name, pairs, inverted }) => {
      const wrong = inverted.length === 0 ? '' : `; inverted: ${inverted.map((each) => each.join(' / ')).join(', ')}`;
      return `- order by ${name}: ${pairs - inverted.length} of ${pairs} clear pairs kept${wrong}`;
    }),
    '',
  ];
}

function claimLines(claims: readonly TriedClaim[]): readonly string[] {
  if (claims.length === 0) return [];
  return [
    '## Claims of the paper, and where its formulas misbehave',
    '',
    ...lines(
      ['claim', 'here', 'verdict'],
      claims.map(({ claim, finding, verdict }) => [claim, finding, verdict]),
    ),
    '',
  ];
}

function figure(head: string, name: keyof Figures, digits: number): Column {
  return {
    head,
    text: (row) => {
      const se = row.se[name];
      const spread = se === null || row[name] === null ? '' : ` ± ${se.toFixed(digits)}`;
      return `${number(row[name], digits)}${spread}`;
    },
  };
}

function number(value: number | null, digits: number): string {
  return value === null ? '–' : value.toFixed(digits);
}

function pair(one: number | null, other: number | null): string {
  return `${one ?? '–'} / ${other ?? '–'}`;
}

function never(value: number | null): string {
  return value === null ? 'never' : round(value);
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function table(columns: readonly Column[], rows: readonly WorldRow[]): readonly string[] {
  return lines(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map(({ text }) => text(row))),
  );
}

function lines(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
