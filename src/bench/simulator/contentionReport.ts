// The contention run as Markdown and as JSON: its table, what each protection is worth (counted from the run, not written down
// beforehand), what the world assumes. Text only.
import type { ContentionRow } from './contention.ts';
import {
  CONTENTION_FIGURES,
  differences,
  type ContentionFigure,
  type ContentionFigures,
  type Difference,
} from './contentionFigures.ts';
import type { ContentionPolicyName, ContentionWorld } from './contentionWorld.ts';

const FIGURE_NAMES = Object.keys(CONTENTION_FIGURES).filter(
  (name): name is ContentionFigure => name in CONTENTION_FIGURES,
);

/** What each protection is compared by: taken from all three, and put where there is none. */
const MECHANISMS = [
  { words: 'Budgets', without: 'plus-no-budgets', alone: 'plus-only-budgets' },
  { words: 'Breakers', without: 'plus-no-breakers', alone: 'plus-only-breakers' },
  { words: 'Bulkheads', without: 'plus-no-bulkheads', alone: 'plus-only-bulkheads' },
] as const;

const GOODPUT: ReadonlySet<ContentionFigure> = new Set(['goodputDuring', 'goodputAfter']);
/** Smaller where less is done at all. */
const SHRINKS: ReadonlySet<ContentionFigure> = new Set(['sentPerCall', 'p95Seconds', 'retriesPerSuccess', 'wasted']);
/** Smaller where the slow ones do not succeed. What spares an upstream that is already in a storm is a gain. */
const SURVIVES: ReadonlySet<ContentionFigure> = new Set(['p95Seconds']);

/** One JSON document: the rows, and the sentences on what each protection is worth. */
export function contentionJson(rows: readonly ContentionRow[]): string {
  const flat = rows.map(({ policy, mean, sd }) => ({ policy, ...mean, sd }));
  return JSON.stringify({ rows: flat, findings: contentionFindings(rows) });
}

/** The report, one Markdown document. */
export function contentionReport(rows: readonly ContentionRow[], world: ContentionWorld): string {
  const seeds = rows[0]?.seeds.length ?? 0;
  return [
    '# Contention: tenants that share providers which degrade under load',
    '',
    `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, the same tasks for every policy; mean ± standard deviation between seeds. High, low, others, greedy: success of the tasks that arrived during the incident. A recovery of ${(world.endMs - world.incident.toMs) / 1000} s means: not within the run.`,
    '',
    ...table(rows),
    '',
    '## What each protection is worth in this world',
    '',
    ...contentionFindings(rows).map((each) => `- ${each}`),
    '',
    '## What this world assumes',
    '',
    ...assumptions(world).map((each) => `- ${each}`),
    '',
  ].join('\n');
}

function table(rows: readonly ContentionRow[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const heads = ['policy', ...FIGURE_NAMES.map((name) => CONTENTION_FIGURES[name].head)];
  const cell = (row: ContentionRow, name: ContentionFigure): string => {
    const { digits } = CONTENTION_FIGURES[name];
    const isSpread = row.sd[name] > 0 && name !== 'recovered';
    return `${row.mean[name].toFixed(digits)}${isSpread ? ` ± ${row.sd[name].toFixed(digits)}` : ''}`;
  };
  return [
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map((row) => line([row.policy, ...FIGURE_NAMES.map((name) => cell(row, name))])),
  ];
}

/** One sentence or two on each protection, and on what the rows beside them show; of the policies that were run. */
export function contentionFindings(rows: readonly ContentionRow[]): readonly string[] {
  const seedsOf = new Map(rows.map(({ policy, seeds }) => [policy, seeds]));
  const between = (one: ContentionPolicyName, other: ContentionPolicyName): readonly Difference[] | null => {
    const [base, changed] = [seedsOf.get(one), seedsOf.get(other)];
    return base && changed ? differences(base, changed) : null;
  };
  const findings: string[] = [];
  for (const { words, without, alone } of MECHANISMS) {
    const taken = between('plus', without);
    const put = between('plus-none-of-them', alone);
    if (taken) findings.push(takenAway(words, taken));
    if (put) findings.push(putAlone(words, put, seedsOf.get(alone) ?? []));
  }
  const longWait = between('plus-only-breakers', 'plus-only-breakers-long-wait');
  if (longWait)
    findings.push(
      `**Breakers alone, and calls wait up to 45 s for one to close** (all that wait go in together when it closes, and that opens it again): ${both(longWait)}.`,
    );
  const shipped = between('plus', 'plus-as-shipped');
  if (shipped)
    findings.push(`**All three with the limits as shipped**, beside those cut for this world: ${both(shipped)}.`);
  const unlearned = between('plus-as-shipped', 'plus-as-shipped-fixed-places');
  if (unlearned)
    findings.push(`**As shipped, but with places that no overload changes**, beside as shipped: ${both(unlearned)}.`);
  const fixed = between('plus', 'fixed-retry-3');
  if (fixed) findings.push(`**The document’s fixed retry** beside all three: ${both(fixed)}.`);
  return findings;
}

function takenAway(words: string, found: readonly Difference[]): string {
  const worse = found.filter(({ isWorse }) => isWorse);
  const better = gains(found, SHRINKS);
  const worth =
    worse.length === 0
      ? 'taken away from all three, nothing gets worse: beside the other two they are worth nothing here'
      : `taken away from all three, worse are ${list(worse)}`;
  return `**${words}**: ${worth}.${better.length === 0 ? '' : ` They cost: without them, better are ${list(better)}.`}`;
}

function putAlone(words: string, found: readonly Difference[], seeds: readonly ContentionFigures[]): string {
  const recovered = seeds.filter((each) => each.recovered > 0).length;
  return `**${words} alone**, beside none of them: ${recovered} of ${seeds.length} seeds recover; ${both(found, SURVIVES)}.`;
}

function both(found: readonly Difference[], noGains: ReadonlySet<ContentionFigure> = SHRINKS): string {
  const parts = [
    { words: 'worse are', of: found.filter(({ isWorse }) => isWorse) },
    { words: 'better are', of: gains(found, noGains) },
  ].filter(({ of }) => of.length > 0);
  return parts.length === 0 ? 'no difference' : parts.map(({ words, of }) => `${words} ${list(of)}`).join('; ');
}

/** What got better; where less succeeds, `noGains` are not among it. */
function gains(found: readonly Difference[], noGains: ReadonlySet<ContentionFigure>): readonly Difference[] {
  const isLess = found.some(({ figure, isWorse }) => isWorse && GOODPUT.has(figure));
  return found.filter(({ figure, isWorse }) => !isWorse && !(isLess && noGains.has(figure)));
}

function list(found: readonly Difference[]): string {
  return found
    .map(({ figure, from, to }) => {
      const { words, digits, unit } = CONTENTION_FIGURES[figure];
      return `${words} (${from.toFixed(digits)} to ${to.toFixed(digits)}${unit})`;
    })
    .join(', ');
}

function assumptions(world: ContentionWorld): readonly string[] {
  const { providers, incident, tenants, tasksPerSecond, greedyShare, attemptTimeoutMs, callDeadlineMs } = world;
  const [first] = providers;
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return [
    `Nothing here is measured: the numbers are chosen so that the world is well at rest and nearly full without its first provider. ${providers.length} providers of ${first?.places ?? 0} places, ${(first?.serviceMs ?? 0) / 1000} s a request and a queue of ${first?.queueLength ?? 0}; from ${incident.fromMs / 1000} s to ${incident.toMs / 1000} s the first has ${incident.places} place.`,
    `A full queue answers 529, too many requests a second 429, both at once; service slows down by up to ${percent(world.slowdown)} and errors grow from ${percent(world.errorShare)} to ${percent(world.errorShare + world.errorGrowth)} as the queue fills. An upstream does not notice that a caller has gone and works on: this is what makes a storm last.`,
    `${tenants} tenants, ${tasksPerSecond} tasks a second of 1 to ${world.mostModelCalls} model calls, ${percent(world.writeShare)} of them with a write at the end; one tenant sends ${percent(greedyShare)}. An attempt is given up after ${attemptTimeoutMs / 1000} s, a call after ${callDeadlineMs / 1000} s. Who fails does not come back.`,
    'All tenants go through one installation of Belay, with its own breaker, bulkhead, budget and decide code and preset plus; attempts follow each other (no hedges), nothing stands in below the tier, the class of a fault is certain, the probe of a write always answers.',
    'But in plus-as-shipped, places and buckets are cut for this world (12 attempts at a provider, a tool and of a tenant, 30 retries of a tenant a minute); the limits as shipped (1,280 places, 600 retries) are meant for far larger providers and bind here only as far as places are taken away after an overload (429, 529, silence: half of what was in use, 4 at least; more again as answers come). Who takes budgets away takes all of them: step, task and tenant; the limit of equal faults and the deadline stay.',
    'A difference is told where it is larger than three standard errors of the paired difference between seeds and large enough to matter.',
  ];
}
