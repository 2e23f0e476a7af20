// Redundant execution on the metrics page: the two names that its source prints, and the other figures in the same style. Seconds.
// A function of the sums; the sums are a fold over decision events (core/scheduler/redundancy). Source: seed 004, 4.3 and 7.
import { redundancyConstants } from '../core/scheduler/redundancy/constants.ts';
import {
  redundancyFigures,
  type Histogram,
  type RedundancyTotals,
} from '../core/scheduler/redundancy/redundancyFigures.ts';
import { histogram, metric, type Sample, type Series } from './metrics.ts';

/** The lines; a share that nothing says yet has no value line. */
export function redundancyText(totals: RedundancyTotals): string {
  const { redundancyRatio, disagreement, resourceSaving } = redundancyFigures(totals);
  const { returned } = totals;
  const { bucketsS } = redundancyConstants;
  return [
    metric(
      'agent_redundancy_ratio',
      'gauge',
      'Share of calls that ran more than one attempt at one time.',
      known(redundancyRatio),
    ),
    histogram(
      'agent_replica_delay_diff',
      'Seconds between the fastest and the slowest replica of a call; at-least: a loser was cut off.',
      bucketsS,
      seriesOf('bound', totals.delayDiffs),
    ),
    histogram(
      'agent_replica_duration',
      'Seconds that replicas of redundant calls ran, by how they ended.',
      bucketsS,
      seriesOf('outcome', totals.durations),
    ),
    metric(
      'agent_replica_disagreement',
      'gauge',
      'Mean share of pairs of replicas whose answers differ.',
      known(disagreement),
    ),
    metric(
      'agent_redundancy_resource_saving',
      'gauge',
      'Share of executions saved against serial retry; below 0 where copies cost more.',
      known(resourceSaving),
    ),
    metric(
      'agent_redundancy_copies_usd',
      'gauge',
      'Dollars that copies cost beside what their calls would have cost without them.',
      known(returned.spentUsd),
    ),
    metric(
      'agent_redundancy_saved_seconds',
      'gauge',
      'Seconds by which copies are known to have answered earlier than one candidate after the other; in truth more.',
      known(returned.savedS),
    ),
  ].join('');
}

const known = (value: number | null): readonly Sample[] => (value === null ? [] : [{ labels: {}, value }]);

function seriesOf(label: string, histograms: Readonly<Record<string, Histogram>>): readonly Series[] {
  return Object.entries(histograms).map(([name, { counts, sumS }]) => ({
    labels: { [label]: name },
    counts,
    sum: sumS,
  }));
}
