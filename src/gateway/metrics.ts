// Prometheus text of the snapshot's totals and the gateway's own counts. A pure function; no client library, since the
// figures already exist and the format is a line each (Prometheus exposition format 0.0.4).
import type { Snapshot } from '../core/snapshot.ts';
import { boundedLabels, MAX_ROLES } from './labels.ts';

/** What the gateway itself counts. */
export interface GatewayCounts {
  readonly openCalls: number;
  /** Answered requests by HTTP status. */
  readonly requests: ReadonlyMap<string, number>;
}

/** One line: its labels and value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The whole page. */
export function prometheusText(snapshot: Snapshot, counts: GatewayCounts): string {
  const { totals, constraints } = snapshot;
  const breakers = snapshot.breakers.map(({ target, status }) => ({
    labels: { target },
    value: status === 'open' ? 2 : 1,
  }));
  const single = (value: number): readonly Sample[] => [{ labels: {}, value }];
  const utilities = utilitySamples(snapshot);
  const requests = [...counts.requests].map(([status, value]) => ({ labels: { status }, value }));
  return [
    metric('belay_calls_total', 'counter', 'Logical model calls.', single(totals.calls)),
    metric(
      'belay_attempts_total',
      'counter',
      'Physical attempts, losers and failures included.',
      single(totals.attempts),
    ),
    metric('belay_faults_total', 'counter', 'Attempts that failed.', single(totals.faults)),
    metric(
      'belay_faults_mended_total',
      'counter',
      'Failed attempts of calls that were answered all the same.',
      single(totals.faultsMended),
    ),
    metric('belay_cost_usd_total', 'counter', 'Cost of all attempts in dollars.', single(totals.costUsd)),
    metric(
      'belay_hedge_cost_usd_total',
      'counter',
      'Cost of cancelled losers in dollars.',
      single(totals.hedgeCostUsd),
    ),
    metric(
      'belay_duplicate_effects_total',
      'counter',
      'Effects that happened twice; always 0.',
      single(totals.duplicates),
    ),
    metric(
      'belay_unknown_effects',
      'gauge',
      'Effects of which it is not known whether they happened.',
      single(totals.unknownEffects),
    ),
    metric('belay_open_questions', 'gauge', 'Questions that wait for a person.', single(snapshot.questions.length)),
    metric('belay_decision_events_total', 'counter', 'Decision events of this session.', single(snapshot.seq)),
    metric('belay_breaker_state', 'gauge', 'Breakers that are not closed: 1 half-open, 2 open (HFR 5.5).', breakers),
    metric(
      'belay_tasks_late_ratio',
      'gauge',
      'Share of tasks with a call past its deadline.',
      single(constraints.lateShare ?? 0),
    ),
    metric(
      'belay_task_duplicates_mean',
      'gauge',
      'Effects that happened twice, a task on average; always 0.',
      single(constraints.meanDuplicates ?? 0),
    ),
    metric(
      'belay_task_cost_usd_mean',
      'gauge',
      'Mean cost of a task in dollars.',
      single(constraints.meanCostUsd ?? 0),
    ),
    metric('belay_candidate_utility', 'gauge', 'Utility of a candidate in the last plan of a role (HACO).', utilities),
    metric(
      'belay_gateway_open_calls',
      'gauge',
      'Model calls that run through the gateway now.',
      single(counts.openCalls),
    ),
    metric('belay_gateway_requests_total', 'counter', 'Requests the gateway answered, by HTTP status.', requests),
  ].join('');
}

/** Roles beyond the limit share one label, with the figures of the last one. */
function utilitySamples(snapshot: Snapshot): readonly Sample[] {
  const roleLabel = boundedLabels(MAX_ROLES);
  const samples = new Map<string, Sample>();
  for (const [name, { rows }] of Object.entries(snapshot.rankings)) {
    const role = roleLabel(name);
    for (const { id, utility } of rows) {
      samples.set(JSON.stringify([role, id]), { labels: { role, candidate: id }, value: utility });
    }
  }
  return [...samples.values()];
}

/** One metric: HELP, TYPE and a line a sample. */
export function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${valueText(value)}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** One series of a histogram: counts per bucket, not cumulative, with one more than there are bounds. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A histogram with the upper bounds `bounds`; the exposition format wants its buckets cumulative and a last one of +Inf. */
export function histogram(name: string, help: string, bounds: readonly number[], series: readonly Series[]): string {
  const lines = series.flatMap(({ labels, counts, sum }) => {
    let count = 0;
    const buckets = [...bounds, Infinity].map((bound, index) => {
      count += counts[index] ?? 0;
      return `${name}_bucket${labelText({ ...labels, le: valueText(bound) })} ${count}\n`;
    });
    return [
      ...buckets,
      `${name}_sum${labelText(labels)} ${valueText(sum)}\n`,
      `${name}_count${labelText(labels)} ${count}\n`,
    ];
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
