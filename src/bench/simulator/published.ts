// The figures that the document prints, cell by cell: Tables 12-15 (sections 6.3-6.5) and C1 (appendix C). Data only, in the
// units of the tables: percent, cost units, seconds, duplicates per 1,000 tasks, percentage points.
import type { DocumentPolicy } from './policies.ts';
import type { Figures } from './tally.ts';

/** A printed figure and, where the document prints one, its standard deviation between seeds. */
export interface PublishedCell {
  readonly value: number;
  readonly sd: number | null;
}

type Column = keyof Figures;
type Cells = Readonly<Partial<Record<Column, PublishedCell>>>;

const cell = (value: number, sd: number | null = null): PublishedCell => ({ value, sd });

/** Table 12: success and safety, fault rate 0.14, 10 seeds of 20,000 tasks. */
export const TABLE_12: Readonly<Record<DocumentPolicy, Cells>> = {
  'no-retry': table12([25.61, 0.31], [25.61], [25.61], [5.646, 0.063], [0], [0], [0]),
  'fixed-retry-3': table12([86.17, 0.25], [84.57, 0.28], [84.57], [2.986, 0.015], [17.47, 0.67], [0], [0]),
  'retry-only': table12([75.04, 0.26], [75.04], [75.04], [2.99, 0.015], [0], [0], [0]),
  'degrade-only': table12([64.79, 0.56], [64.79], [64.79], [3.519, 0.024], [0], [0], [68.07, 0.25]),
  hfr: table12([86.25, 0.32], [86.25], [92.07, 0.2], [2.954, 0.015], [0], [5.83, 0.23], [14.67, 0.25]),
  'hfr-no-verifier': table12([62.89, 0.23], [62.89], [68.3, 0.29], [3.927, 0.017], [0], [5.41, 0.12], [14.02, 0.26]),
  'hfr-no-idempotency': table12(
    [86.25, 0.32],
    [84.66, 0.34],
    [90.43, 0.25],
    [2.954, 0.013],
    [17.68, 0.73],
    [5.83, 0.24],
    [14.64, 0.32],
  ),
  'hfr-no-budget': table12([86.25, 0.32], [86.25], [92.08, 0.2], [2.954, 0.015], [0], [5.82, 0.23], [14.67, 0.25]),
};

/** Table 13: cost, latency and attempts of the same runs. */
export const TABLE_13: Readonly<Record<DocumentPolicy, Cells>> = {
  'no-retry': table13([1.446, 0.008], [5.2], [5.2], [3.49, 0.01]),
  'fixed-retry-3': table13([2.573, 0.01], [7.92, 0.1], [7.92], [6.27, 0.01]),
  'retry-only': table13([2.243, 0.01], [6.47, 0.03], [6.47], [5.41, 0.01]),
  'degrade-only': table13([2.28, 0.012], [6.75, 0.02], [6.75], [6.17, 0.01]),
  hfr: table13([2.548, 0.009], [10.75, 0.03], [6.85, 0.03], [5.98, 0.02]),
  'hfr-no-verifier': table13([2.47, 0.007], [10.44, 0.01], [6.41, 0.01], [5.79, 0.01]),
  'hfr-no-idempotency': table13([2.548, 0.008], [10.76, 0.03], [6.85, 0.03], [5.99, 0.02]),
  'hfr-no-budget': table13([2.548, 0.009], [10.75, 0.23], [6.85, 0.03], [5.98, 0.02]),
};

/** The ablated policies of Table 14, in its order. */
export const TABLE_14_POLICIES = ['hfr-no-verifier', 'hfr-no-idempotency', 'hfr-no-budget'] as const;

/** Table 14: differences to HFR. */
export const TABLE_14: Readonly<Record<(typeof TABLE_14_POLICIES)[number], Cells>> = {
  'hfr-no-verifier': table14(-23.36, -23.36, -23.77, 0.973, 0),
  'hfr-no-idempotency': table14(0, -1.59, -1.64, 0, 17.68),
  'hfr-no-budget': table14(0, 0, 0.01, 0, 0),
};

/** The policies of Table 15, in its order. */
export const TABLE_15_POLICIES = ['no-retry', 'retry-only', 'degrade-only', 'hfr'] as const;

/** Table 15: SR by fault rate; seed 42, 12,000 tasks a point. Columns as in TABLE_15_POLICIES. */
export const TABLE_15 = [
  { faultRate: 0.05, sr: [45.18, 87.33, 80.81, 92.73] },
  { faultRate: 0.1, sr: [33.08, 80.16, 72.85, 89.18] },
  { faultRate: 0.16, sr: [22.88, 72.86, 61.82, 85.02] },
  { faultRate: 0.24, sr: [13.53, 63.93, 47.66, 79.51] },
  { faultRate: 0.32, sr: [7.12, 55.09, 34.46, 73.51] },
] as const;

/** Table C1: incidents, fault rate 0.20, 5 seeds of 12,000 tasks a point. */
export const TABLE_C1 = [
  tableC1(0.1, 'hfr', 78.19, 2.558, 3.272, 5.96),
  tableC1(0.1, 'hfr-no-budget', 78.21, 2.558, 3.271, 5.96),
  tableC1(0.25, 'hfr', 69.94, 2.552, 3.648, 6.05),
  tableC1(0.25, 'hfr-no-budget', 70.01, 2.552, 3.646, 6.05),
  tableC1(0.4, 'hfr', 61.75, 2.537, 4.109, 6.12),
  tableC1(0.4, 'hfr-no-budget', 61.9, 2.537, 4.099, 6.12),
];

/** Fault rate of Table C1. */
export const INCIDENT_FAULT_RATE = 0.2;

type Printed = readonly [number, number?];

function table12(
  sr: Printed,
  csr: Printed,
  scr: Printed,
  cps: Printed,
  dup1000: Printed,
  esc: Printed,
  deg: Printed,
): Cells {
  return {
    sr: cell(...sr),
    csr: cell(...csr),
    scr: cell(...scr),
    cps: cell(...cps),
    dup1000: cell(...dup1000),
    esc: cell(...esc),
    deg: cell(...deg),
  };
}

function table13(cost: Printed, p95: Printed, p95NonEscalated: Printed, attempts: Printed): Cells {
  return {
    cost: cell(...cost),
    p95: cell(...p95),
    p95NonEscalated: cell(...p95NonEscalated),
    attempts: cell(...attempts),
  };
}

function table14(sr: number, csr: number, scr: number, cps: number, dup1000: number): Cells {
  return { sr: cell(sr), csr: cell(csr), scr: cell(scr), cps: cell(cps), dup1000: cell(dup1000) };
}

function tableC1(
  incidentRate: number,
  policy: DocumentPolicy,
  sr: number,
  cost: number,
  cps: number,
  attempts: number,
): { readonly incidentRate: number; readonly policy: DocumentPolicy; readonly cells: Cells } {
  return {
    incidentRate,
    policy,
    cells: { sr: cell(sr), cost: cell(cost), cps: cell(cps), attempts: cell(attempts) },
  };
}
