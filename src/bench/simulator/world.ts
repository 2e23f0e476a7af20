// The simulated world of the document (6.2, Table B1): what steps there are, what an attempt costs and takes, how often it is
// right. What the document leaves open comes in as parameters.
import type { ByCriticality, SimulationParameters } from './parameters.ts';

/** Table B1 and section 6.2, as printed. Index of the triples: tier 0 primary, 1 alternate, 2 cheap model or cache. */
export const TABLE_B1 = {
  faultRate: 0.14,
  criticalityShares: [0.35, 0.45, 0.2],
  /** Model call, tool that reads, tool that writes. */
  kindShares: [0.35, 0.45, 0.2],
  fewestSteps: 4,
  model: { right: [0.94, 0.86, 0.74], cost: [1, 0.45, 0.18], seconds: [1.2, 0.65, 0.35] },
  tool: { right: [0.95, 0.86, 0.55], cost: [0.1, 0.08, 0], seconds: [0.4, 0.3, 0.05] },
  backoff: { baseSeconds: 0.2, capSeconds: 2 },
  stepRetries: 3,
  taskRetries: 10,
  /** Wrong outputs that the verifier catches: semantic (model), tool. */
  detection: { model: 0.9, tool: 0.98 },
  falseReject: 0.02,
  escalation: { seconds: 10, cost: 2 },
} as const satisfies TableB1;

interface TableB1 {
  readonly criticalityShares: ByCriticality;
  readonly kindShares: ByCriticality;
  readonly [field: string]: unknown;
}

/** Incidents of a tool are this much rarer than those of a provider (appendix C). */
export const TOOL_INCIDENT_SHARE = 0.6;

/** Fault probability is never above this. */
export const MAX_FAULT_RATE = 0.97;

/** One world to run in. */
export interface World {
  readonly parameters: SimulationParameters;
  /** Probability of an independent fault in an attempt, 0-1. */
  readonly faultRate: number;
  /** Probability that a task falls into an incident of the provider, of the tools, 0-1. */
  readonly providerIncidentRate: number;
  readonly toolIncidentRate: number;
}

/** The world of `parameters` at a fault rate; with `incidentRate` both incidents are set as in appendix C. */
export function worldOf(parameters: SimulationParameters, faultRate: number, incidentRate: number | null): World {
  return {
    parameters,
    faultRate,
    providerIncidentRate: incidentRate ?? parameters.incident.providerRate,
    toolIncidentRate: incidentRate === null ? parameters.incident.toolRate : incidentRate * TOOL_INCIDENT_SHARE,
  };
}
