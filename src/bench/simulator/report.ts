// The whole Markdown report of `belay sim`: what was run, the tables, the assumptions and the claims that do not reproduce.
import { ASSUMPTIONS, PLUS_ASSUMPTIONS, tryClaims } from './claims.ts';
import { compareAblations, compareIncidents, compareMain, compareSweep } from './compare.ts';
import { countInside, tableMarkdown, targetsMarkdown } from './markdown.ts';
import type { SimulationParameters } from './parameters.ts';
import { INCIDENT_FAULT_RATE } from './published.ts';
import type { Row, RunOptions } from './simulate.ts';
import type { JudgedWorld } from './targets.ts';
import { TABLE_B1 } from './world.ts';

/** What a report is made of; absent parts were not run. */
export interface ReportInput {
  /** Name of the parameter set or file. */
  readonly parametersName: string;
  readonly parameters: SimulationParameters;
  readonly faultRate: number;
  readonly options: RunOptions;
  readonly main: readonly Row[];
  readonly sweep: readonly Row[] | null;
  readonly incidents: readonly Row[] | null;
  readonly incidentFaultRate: number;
  /** Targets of hfr-plus; null where it was not run, or not in the world they are set for. */
  readonly targets: readonly JudgedWorld[] | null;
  /** Drawn tasks per CPU second; null where none was drawn. */
  readonly tasksPerSecond: number | null;
}

/** The report, one Markdown document. The document's figures stand beside ours only where they are for the same fault rate. */
export function simulationReport(input: ReportInput): string {
  const { options, faultRate, parameters } = input;
  const isPrintedRate = faultRate === TABLE_B1.faultRate;
  const tables = [
    compareMain('12', input.main),
    compareMain('13', input.main),
    compareAblations(input.main),
    ...(input.sweep ? [compareSweep(input.sweep)] : []),
    ...(input.incidents ? [compareIncidents(input.incidents)] : []),
  ];
  const made = options.isExact
    ? 'Exact expectation; the task budget is ignored and times are not defined.'
    : `${options.seeds} ${options.seeds === 1 ? 'seed' : 'seeds'} of ${options.tasks} tasks; mean ± standard deviation between seeds.`;
  const hasPlus = [...input.main, ...(input.incidents ?? [])].some((row) => row.policy === 'hfr-plus');
  const { inside, judged } = countInside(tables);
  return [
    '# The HFR document’s simulator, reproduced with fitted parameters',
    '',
    `Parameters ${input.parametersName}, fault rate ${faultRate}. ${made}`,
    ...(input.tasksPerSecond === null
      ? []
      : [`${Math.round(input.tasksPerSecond).toLocaleString('en-US')} tasks per CPU second.`]),
    ...(judged === 0
      ? []
      : [
          `${inside} of ${judged} judged cells and means are inside their bars. The bars are those of a fair fit, not of the sampling noise.`,
        ]),
    ...(isPrintedRate
      ? []
      : [
          `The published figures of Tables 12 to 14 are for fault rate ${TABLE_B1.faultRate}: the differences say nothing here.`,
        ]),
    '',
    ...tables.flatMap((table) =>
      tableMarkdown(
        table,
        table.table === 'C1'
          ? `${made} Fault rate ${input.incidentFaultRate} (the document: ${INCIDENT_FAULT_RATE}).`
          : made,
      ),
    ),
    ...(input.targets ? targetsMarkdown(input.targets, input.parametersName) : []),
    '## Assumptions',
    '',
    ...[...ASSUMPTIONS, ...(hasPlus ? PLUS_ASSUMPTIONS : [])].map((each) => `- ${each}`),
    '',
    '## Claims of the document that do not reproduce',
    '',
    ...tryClaims(parameters).map(({ claim, source, finding }) => `- **${claim}** (${source}) ${finding}`),
    '',
  ].join('\n');
}
