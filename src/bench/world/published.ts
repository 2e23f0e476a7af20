// The study's tables as data (sections 3, 4, 5 and 5.2): seeds 1-12 for static and dynamic, 1-4 for capacity, hold-out seeds 1001-1012
// (random 1001-1024). `balanced` and `fast` are its HEDGE-2, which Belay's own modes are measured against.
import type { ScenarioName } from './scenarios.ts';

/** A printed row, in the printed units: percent, seconds, multiples. */
export interface PublishedRow {
  readonly policy: string;
  readonly allFailedPct: number;
  readonly miss30Pct: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
  readonly timesBestOne: number;
  readonly fullCalls: number;
  readonly costTimesBestOne: number;
  readonly calls: number;
  readonly quality: number;
  readonly j: number;
}

/** First of the hold-out seeds. */
const HOLD_OUT_FROM = 1000;

/** What the study prints for a scenario; from its hold-out tables where the seeds are, or where it has no other. */
export function publishedRows(scenario: ScenarioName, firstSeed: number): readonly PublishedRow[] {
  if (scenario === 'random') return HOLD_OUT_RANDOM;
  if (scenario === 'capacity') return CAPACITY;
  if (scenario === 'static') return firstSeed > HOLD_OUT_FROM ? HOLD_OUT_STATIC : mergedRows(STATIC, HOLD_OUT_STATIC);
  if (scenario === 'dynamic')
    return firstSeed > HOLD_OUT_FROM ? HOLD_OUT_DYNAMIC : mergedRows(DYNAMIC, HOLD_OUT_DYNAMIC);
  return [];
}

/** Policies that only the hold-out tables have are taken from there. */
function mergedRows(rows: readonly PublishedRow[], others: readonly PublishedRow[]): readonly PublishedRow[] {
  return [...rows, ...others.filter(({ policy }) => rows.every((row) => row.policy !== policy))];
}

/** A row of the recovery table (5.1). Steps are medians over 24 seeds; null is never. */
export interface PublishedRecovery {
  readonly policy: string;
  /** After 900 and 3600 s of health; the study's head says steps, its scenario outW seconds. */
  readonly shiftSteps: readonly [number | null, number | null];
  readonly healSteps: readonly [number | null, number | null];
  /** All-failed during the outage, percent, where both are printed. */
  readonly allFailedPct: readonly [number, number] | null;
}

export const PUBLISHED_RECOVERY: readonly PublishedRecovery[] = [
  { policy: 'best-one', shiftSteps: [null, null], healSteps: [null, null], allFailedPct: [100, 100] },
  { policy: 'gateway-breaker-20', shiftSteps: [2, 2], healSteps: [17, 24], allFailedPct: [0.03, 0.03] },
  { policy: 'haco-a', shiftSteps: [0, 0], healSteps: [null, null], allFailedPct: [0.03, 0.08] },
  { policy: 'haco-b', shiftSteps: [24, 91], healSteps: [null, null], allFailedPct: [0.43, 1.65] },
  { policy: 'oracle', shiftSteps: [0, 0], healSteps: [0, 0], allFailedPct: [0, 0] },
];

const STATIC: readonly PublishedRow[] = [
  row('best-one', 10.202, 12.08, 4.38, 22.7, 60, 6.92, 1, 0.94, 1, 1, 0.814, 0.7226),
  row('random', 6.032, 6.9, 3.66, 14.3, 60, 5.77, 1.03, 0.97, 0.44, 1, 0.681, 0.6131),
  row('best-one-online', 5.685, 7.5, 5.4, 17.6, 60, 7.6, 1.03, 0.97, 0.92, 1, 0.81, 0.7133),
  row('moa', 0, 23.64, 14.75, 63.5, 65.4, 23.5, 12.77, 12.01, 6.08, 10, 0.899, 0.5667),
  row('fixed-local', 0.502, 1.07, 5.86, 14.7, 27.5, 7.1, 1.06, 1, 0.08, 1, 0.597, 0.5246),
  row('fixed-regional', 3.807, 4.84, 3.21, 13.2, 55.6, 5.14, 1.04, 0.98, 0.5, 1, 0.696, 0.6331),
  row('fixed-global', 9.459, 10.42, 3.24, 15.1, 60, 5.64, 1, 0.94, 0.55, 1, 0.708, 0.6392),
  row('redundant-2', 1.133, 1.62, 4.04, 9, 29.5, 5, 1.99, 1.87, 1.99, 2, 0.893, 0.7984),
  row('redundant-2-regional', 0.518, 0.89, 4.36, 9.8, 17.6, 5.2, 2.04, 1.92, 2.04, 2, 0.887, 0.7899),
  row('tail-at-scale', 1.133, 1.68, 4.69, 15.3, 31.1, 6.23, 1.16, 1.09, 1.17, 1.16, 0.895, 0.8069),
  row('gateway-retry', 0, 4.68, 4.71, 26.9, 65.8, 7.79, 1.11, 1.05, 1.11, 1.11, 0.906, 0.8038),
  row('gateway-retry-20', 0, 0.86, 4.71, 23, 29.2, 6.49, 1.15, 1.08, 1.14, 1.15, 0.906, 0.8159),
  row('gateway-breaker-60', 0, 4.72, 4.74, 27.4, 66.8, 7.87, 1.11, 1.05, 1.11, 1.11, 0.905, 0.8016),
  row('gateway-breaker-20', 0, 1.1, 4.74, 23.5, 30.5, 6.59, 1.15, 1.08, 1.14, 1.15, 0.904, 0.8129),
  row('gateway-breaker-12', 0.055, 0.98, 4.75, 17.6, 29.8, 6.33, 1.19, 1.11, 1.17, 1.19, 0.903, 0.8132),
  row('haco-a', 0.015, 2.95, 4.78, 16.7, 60, 6.94, 3.1, 2.92, 1.89, 3.02, 0.832, 0.7207),
  row('haco-a-tau-0.9', 0.187, 2.88, 4.56, 16.2, 60, 6.69, 2.19, 2.06, 1.26, 2.11, 0.824, 0.7287),
  row('haco-a-tau-0.8', 0.296, 3.07, 4.32, 16.1, 60, 6.5, 2.07, 1.94, 1.25, 2.01, 0.825, 0.7323),
  row('haco-a-tau-0.7', 4.536, 6.17, 4.41, 15.9, 60, 6.53, 1.2, 1.13, 0.84, 1.16, 0.794, 0.7102),
  row('haco-b', 0.375, 3.8, 4.64, 18.8, 60, 7.08, 2.44, 2.29, 1.84, 2.39, 0.863, 0.7509),
  row('haco-b-tau-0.9', 0.323, 3.7, 4.82, 18.3, 60, 7.21, 2.07, 1.95, 1.4, 2.02, 0.852, 0.7488),
  row('haco-b-tau-0.8', 3.001, 5.83, 4.25, 18.2, 60, 6.65, 1.74, 1.64, 1.14, 1.7, 0.83, 0.7386),
  row('haco-b-tau-0.7', 6.432, 8.1, 4.38, 16.9, 60, 6.66, 1.06, 1, 0.8, 1.04, 0.795, 0.7108),
  row('haco-a-no-env', 0.484, 4.36, 5.74, 20.7, 60, 8.28, 2.18, 2.05, 1.98, 2.14, 0.869, 0.7424),
  row('haco-a-no-lcb', 0.024, 3, 4.58, 16.8, 60, 6.79, 3.07, 2.89, 1.87, 2.99, 0.833, 0.7238),
  row('haco-a-no-ucb', 0.021, 3.07, 4.8, 16.9, 60, 7, 3.08, 2.9, 1.88, 3.01, 0.838, 0.726),
  row('haco-b-no-env', 0.704, 4.94, 4.7, 25.8, 60, 7.47, 2.04, 1.92, 1.97, 2.02, 0.894, 0.7758),
  row('haco-b-no-lcb', 0.375, 3.96, 4.41, 19.3, 60, 6.88, 2.48, 2.33, 1.77, 2.43, 0.867, 0.7582),
  row('haco-b-no-ucb', 0.365, 4, 4.74, 19.8, 60, 7.26, 2.45, 2.3, 1.8, 2.4, 0.867, 0.754),
  row('haco-a-eta-0.5', 0.022, 1.93, 3.39, 12, 41.2, 5.05, 3.11, 2.92, 1.71, 3.02, 0.78, 0.6914),
  row('haco-a-one-beta', 0.017, 2.86, 4.76, 16.5, 60, 6.89, 3.08, 2.9, 1.94, 3, 0.818, 0.7058),
  row('haco-a-timeout-20', 0.053, 0.05, 4.34, 15.7, 20, 5.62, 3.11, 2.93, 1.83, 3.04, 0.822, 0.7245),
  row('oracle', 0, 0.05, 4.71, 12.9, 19.7, 5.7, 1.17, 1.1, 1.15, 1.18, 0.904, 0.8213),
  row('clairvoyant', 0, 0, 3.88, 8.3, 11.4, 4.33, 1.06, 1, 0.84, 1, 0.945, 0.8833),
];

const DYNAMIC: readonly PublishedRow[] = [
  row('best-one', 24.496, 28.09, 4.8, 60, 60, 13.85, 1, 0.81, 1, 1, 0.685, 0.5269),
  row('random', 15.571, 17.14, 3.92, 60, 60, 9.71, 1.08, 0.88, 0.45, 1, 0.608, 0.502),
  row('best-one-online', 13.146, 15.88, 5.24, 56.8, 60, 9.45, 1.13, 0.91, 0.94, 1, 0.737, 0.6244),
  row('moa', 0, 41.87, 20.02, 64.6, 66.4, 33.1, 13.58, 11, 6.38, 10, 0.891, 0.4733),
  row('fixed-local', 0.502, 1.07, 5.86, 14.7, 27.5, 7.1, 1.23, 1, 0.09, 1, 0.597, 0.5246),
  row('fixed-regional', 13.976, 15.57, 2.97, 30.6, 60, 6.44, 1.09, 0.89, 0.51, 1, 0.618, 0.5441),
  row('fixed-global', 20.94, 22.87, 3.55, 60, 60, 11.36, 1.03, 0.83, 0.57, 1, 0.619, 0.4945),
  row('redundant-2', 9.132, 12.32, 4.48, 60, 60, 10.68, 2.05, 1.66, 2.05, 2, 0.82, 0.6742),
  row('redundant-2-regional', 4.239, 7.3, 4.9, 37.6, 60, 8.39, 1.98, 1.61, 1.98, 2, 0.85, 0.7284),
  row('tail-at-scale', 8.248, 11.56, 5.32, 71, 73.3, 12.92, 1.27, 1.03, 1.28, 1.3, 0.83, 0.6765),
  row('gateway-retry', 0.001, 13.67, 5.14, 77.8, 188, 17.69, 1.33, 1.08, 1.33, 1.31, 0.904, 0.7018),
  row('gateway-retry-20', 0.01, 12.24, 5.38, 66.7, 84, 13.94, 1.46, 1.18, 1.4, 1.59, 0.898, 0.7311),
  row('gateway-breaker-60', 0.003, 8.43, 5.22, 51.5, 94.3, 10.83, 1.32, 1.07, 1.3, 1.14, 0.896, 0.7629),
  row('gateway-breaker-20', 0.026, 1.67, 4.97, 24.6, 34.1, 7.19, 1.34, 1.09, 1.26, 1.17, 0.885, 0.789),
  row('gateway-breaker-12', 0.43, 1.36, 4.97, 18.6, 30.8, 6.78, 1.39, 1.13, 1.29, 1.21, 0.878, 0.7857),
  row('haco-a', 0.029, 3.43, 4.34, 19.4, 60, 7.04, 3.76, 3.05, 1.57, 3.29, 0.778, 0.6773),
  row('haco-a-tau-0.9', 0.259, 3.54, 4.49, 19.2, 60, 7.15, 3.03, 2.45, 1.25, 2.65, 0.774, 0.679),
  row('haco-a-tau-0.8', 1.435, 4.61, 4.22, 19.8, 60, 6.96, 2.32, 1.88, 1.04, 2.01, 0.769, 0.679),
  row('haco-a-tau-0.7', 2.92, 5.19, 4.31, 17.9, 60, 6.8, 1.95, 1.58, 0.88, 1.68, 0.752, 0.6671),
  row('haco-b', 0.786, 6.1, 4.06, 37, 60, 7.81, 3.18, 2.58, 1.71, 2.93, 0.807, 0.6958),
  row('haco-b-tau-0.9', 2.716, 7.46, 3.88, 33.4, 60, 7.42, 2.49, 2.01, 1.34, 2.28, 0.785, 0.6845),
  row('haco-b-tau-0.8', 3.888, 8.34, 3.94, 35.4, 60, 7.53, 2.15, 1.74, 1.2, 1.96, 0.782, 0.6833),
  row('haco-b-tau-0.7', 8.792, 11.01, 3.83, 28, 60, 7.03, 1.48, 1.2, 0.85, 1.34, 0.739, 0.6528),
  row('haco-a-no-env', 0.596, 8.85, 5.6, 60, 60, 10.48, 3.18, 2.57, 2.1, 2.88, 0.845, 0.6993),
  row('haco-a-no-lcb', 0.045, 3.27, 4.5, 18.6, 60, 7.12, 3.67, 2.97, 1.53, 3.22, 0.77, 0.6698),
  row('haco-a-no-ucb', 0.049, 3.19, 4.66, 18.3, 60, 7.22, 3.86, 3.13, 1.62, 3.51, 0.753, 0.6495),
  row('haco-b-no-env', 6.621, 18.83, 5.34, 60, 60, 14.63, 2.07, 1.68, 1.98, 2.02, 0.838, 0.6533),
  row('haco-b-no-lcb', 0.7, 6.06, 4.04, 37.1, 60, 7.79, 3.12, 2.52, 1.66, 2.88, 0.806, 0.6967),
  row('haco-b-no-ucb', 1.029, 7.28, 4.23, 60, 60, 8.55, 3.15, 2.55, 1.75, 2.98, 0.794, 0.6747),
  row('haco-a-eta-0.5', 0.027, 3.11, 3.69, 17.4, 60, 6.2, 3.87, 3.14, 1.5, 3.42, 0.76, 0.6692),
  row('haco-a-one-beta', 0.038, 2.91, 4.83, 18.1, 60, 7.23, 3.72, 3.01, 1.55, 3.29, 0.768, 0.6662),
  row('haco-a-timeout-20', 0.055, 0.05, 4.43, 16.5, 20, 5.87, 4.08, 3.3, 1.53, 3.61, 0.748, 0.6601),
  row('oracle', 0, 0.07, 4.73, 13.2, 19.8, 5.76, 1.36, 1.1, 1.24, 1.18, 0.887, 0.8053),
  row('clairvoyant', 0, 0.01, 3.94, 9, 13, 4.5, 1.23, 1, 0.91, 1, 0.93, 0.8671),
];

const HOLD_OUT_STATIC: readonly PublishedRow[] = [
  row('best-one', 10.449, 12.27, 4.37, 22.7, 60, 6.93, 1, 0.94, 1, 1, 0.812, 0.7203),
  row('random', 5.991, 6.9, 3.69, 14.4, 60, 5.81, 1.03, 0.97, 0.44, 1, 0.681, 0.6134),
  row('moa', 0, 23.6, 14.67, 63.5, 65.4, 23.49, 12.77, 12.02, 6.08, 10, 0.9, 0.5669),
  row('redundant-2-regional', 0.527, 0.82, 4.35, 9.7, 16.8, 5.18, 2.04, 1.92, 2.04, 2, 0.888, 0.7903),
  row('tail-at-scale', 1.129, 1.63, 4.68, 15.3, 30.3, 6.22, 1.16, 1.1, 1.17, 1.16, 0.896, 0.8074),
  row('gateway-retry', 0, 4.68, 4.71, 27.1, 65.8, 7.79, 1.12, 1.05, 1.12, 1.12, 0.906, 0.8036),
  row('gateway-breaker-20', 0, 1.13, 4.74, 23.5, 30.6, 6.58, 1.15, 1.08, 1.14, 1.15, 0.905, 0.8133),
  row('gateway-ttft-3', 0, 0.63, 4.74, 14.1, 28, 6.1, 1.15, 1.09, 1.14, 1.16, 0.905, 0.8179),
  row('gateway-best', 0, 0.69, 4.74, 14.4, 28.2, 6.15, 1.15, 1.08, 1.14, 1.15, 0.905, 0.8176),
  row('haco-a', 0.022, 3.11, 5.02, 17.1, 60, 7.22, 3.1, 2.92, 2.05, 3.02, 0.84, 0.7224),
  row('haco-b', 0.454, 4.04, 4.51, 19.8, 60, 7.03, 2.35, 2.21, 1.9, 2.31, 0.869, 0.7562),
  row('balanced', 0, 0.05, 4.71, 12.3, 18.8, 5.64, 1.19, 1.12, 1.1, 1.2, 0.894, 0.8132),
  row('fast', 0, 0, 4.21, 9.3, 13.5, 4.81, 2.03, 1.91, 1.78, 2.1, 0.899, 0.8088),
  row('oracle', 0, 0.07, 4.7, 13, 19.6, 5.7, 1.17, 1.1, 1.15, 1.18, 0.905, 0.8216),
  row('clairvoyant', 0, 0, 3.88, 8.3, 11.3, 4.32, 1.06, 1, 0.84, 1, 0.946, 0.8835),
];

const HOLD_OUT_DYNAMIC: readonly PublishedRow[] = [
  row('best-one', 24.381, 28.05, 4.82, 60, 60, 13.83, 1, 0.82, 1, 1, 0.686, 0.528),
  row('random', 15.458, 17.08, 3.94, 60, 60, 9.68, 1.08, 0.88, 0.45, 1, 0.609, 0.5031),
  row('moa', 0, 41.58, 19.95, 64.6, 66.4, 33, 13.55, 11.05, 6.37, 10, 0.892, 0.4742),
  row('redundant-2-regional', 4.328, 7.34, 4.9, 38.5, 60, 8.44, 1.99, 1.62, 1.98, 2, 0.85, 0.7267),
  row('tail-at-scale', 8.058, 11.45, 5.34, 71.1, 75.4, 12.86, 1.27, 1.04, 1.28, 1.3, 0.832, 0.6789),
  row('gateway-retry', 0, 13.74, 5.17, 74.6, 187.6, 17.57, 1.32, 1.08, 1.32, 1.31, 0.904, 0.703),
  row('gateway-breaker-20', 0.031, 1.66, 4.94, 24.5, 33.6, 7.15, 1.33, 1.09, 1.25, 1.17, 0.885, 0.7897),
  row('gateway-ttft-3', 0.06, 0.91, 4.94, 16, 29.3, 6.46, 1.34, 1.1, 1.24, 1.18, 0.883, 0.7939),
  row('gateway-best', 0.034, 1.05, 4.94, 17.5, 30.2, 6.62, 1.33, 1.09, 1.24, 1.17, 0.885, 0.7944),
  row('haco-a', 0.044, 3.88, 4.61, 21, 60, 7.47, 3.78, 3.08, 1.63, 3.33, 0.772, 0.666),
  row('haco-b', 0.829, 7.25, 4.25, 60, 60, 8.58, 3.13, 2.55, 1.8, 2.92, 0.814, 0.6936),
  row('balanced', 0, 0.2, 4.8, 13.3, 20.7, 5.88, 1.39, 1.13, 1.18, 1.22, 0.877, 0.795),
  row('fast', 0, 0.01, 4.36, 10.3, 15.2, 5.07, 2.28, 1.86, 1.86, 2.05, 0.881, 0.7926),
  row('oracle', 0, 0.07, 4.71, 13.2, 19.8, 5.73, 1.35, 1.1, 1.24, 1.18, 0.887, 0.8059),
  row('clairvoyant', 0, 0.02, 3.93, 9, 13, 4.49, 1.23, 1, 0.91, 1, 0.93, 0.8676),
];

const HOLD_OUT_RANDOM: readonly PublishedRow[] = [
  row('best-one', 19.467, 22.86, 5.67, 60, 60, 11.33, 1, 0.87, 1, 1, 0.741, 0.6068),
  row('random', 13.085, 15.33, 4.34, 60, 60, 9.38, 1.05, 0.91, 0.44, 1, 0.627, 0.5244),
  row('moa', 0, 50.99, 31.07, 64.6, 66.5, 37.34, 12.98, 11.3, 6.12, 10, 0.898, 0.4339),
  row('redundant-2-regional', 3.484, 5.07, 5.29, 23.2, 60, 8.14, 2.04, 1.78, 2.03, 2, 0.853, 0.7298),
  row('tail-at-scale', 4.804, 8.66, 6.32, 38.5, 73.2, 11.02, 1.24, 1.08, 1.23, 1.25, 0.87, 0.7344),
  row('gateway-retry', 0, 11.2, 6.45, 66, 127.3, 14.49, 1.24, 1.08, 1.24, 1.26, 0.916, 0.7457),
  row('gateway-breaker-20', 0.167, 3.55, 6.15, 27.4, 45.5, 9.09, 1.3, 1.13, 1.23, 1.22, 0.895, 0.7785),
  row('gateway-ttft-3', 0.588, 2.1, 5.95, 22.3, 33.1, 7.79, 1.32, 1.15, 1.22, 1.25, 0.885, 0.7816),
  row('gateway-best', 0.262, 2.3, 6.13, 24, 35.8, 8.21, 1.3, 1.13, 1.23, 1.23, 0.893, 0.7854),
  row('haco-a', 0.122, 5.54, 4.49, 33, 60, 8.35, 3.44, 2.99, 1.58, 3.18, 0.819, 0.7034),
  row('haco-b', 0.701, 7.7, 4.4, 53.2, 60, 9.18, 2.97, 2.58, 1.72, 2.81, 0.851, 0.724),
  row('balanced', 0, 0.55, 4.42, 14.5, 25.1, 5.85, 1.39, 1.21, 1.06, 1.32, 0.879, 0.7983),
  row('fast', 0, 0.17, 4.34, 12, 18.7, 5.35, 2.06, 1.79, 1.49, 2, 0.884, 0.7986),
  row('oracle', 0, 0.26, 4.69, 15, 23.2, 6.07, 1.31, 1.14, 1.09, 1.23, 0.895, 0.811),
  row('clairvoyant', 0, 0.05, 3.95, 10.5, 16, 4.74, 1.15, 1, 0.84, 1, 0.936, 0.8713),
];

const CAPACITY: readonly PublishedRow[] = [
  row('best-one', 53.069, 54.83, 7.47, 60, 60, 14.49, 1, 0.52, 1, 1, 0.425, 0.2681),
  row('moa', 0.054, 55.7, 33.95, 64.6, 66.4, 39.49, 17.14, 8.96, 7.27, 10, 0.856, 0.4025),
  row('redundant-2', 33.528, 35.77, 9.91, 60, 60, 15.48, 2.02, 1.06, 2.02, 2, 0.6, 0.4201),
  row('gateway-retry', 0.352, 19.43, 12.91, 119.1, 188.8, 26.97, 2.11, 1.1, 1.95, 2.52, 0.878, 0.584),
  row('gateway-breaker-20', 0.204, 5.95, 10.23, 31.1, 48, 13.08, 2.27, 1.19, 2.03, 1.39, 0.869, 0.7134),
  row('haco-a', 0.099, 5.99, 5.34, 33.8, 60, 9.58, 6.74, 3.53, 2.36, 4, 0.726, 0.6014),
  row('haco-b', 0.748, 7.84, 6.78, 51, 60, 11.11, 5.24, 2.74, 2.31, 3.17, 0.786, 0.6463),
  row('balanced', 0, 1.03, 5.95, 18.7, 30.3, 7.67, 2.23, 1.16, 1.51, 1.26, 0.845, 0.7493),
  row('fast', 0, 0.19, 5.78, 14.9, 21.1, 6.85, 3.69, 1.93, 2.64, 2.13, 0.863, 0.7608),
  row('oracle', 0, 0.2, 8.32, 17.9, 23.8, 9.11, 2.7, 1.41, 2.34, 1.61, 0.879, 0.7583),
];

function row(
  policy: string,
  allFailedPct: number,
  miss30Pct: number,
  p50: number,
  p95: number,
  p99: number,
  mean: number,
  timesBestOne: number,
  fullCalls: number,
  costTimesBestOne: number,
  calls: number,
  quality: number,
  j: number,
): PublishedRow {
  return {
    policy,
    allFailedPct,
    miss30Pct,
    p50,
    p95,
    p99,
    mean,
    timesBestOne,
    fullCalls,
    costTimesBestOne,
    calls,
    quality,
    j,
  };
}
