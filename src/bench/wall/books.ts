// The wall's own books: one line for every model request that reached it, and the bill over all lines.
// A vendor bills the prompt in full once it has accepted a request, and of the answer what was sent, also when the client hung up.
// Refused requests (4xx, 429, fast 5xx, resets) cost nothing.
import type { Environment, Price } from '../../core/candidate.ts';
import type { FaultKind } from './faults.ts';
import type { WallVendor } from './places.ts';

/** How a request ended. `open`: it has not ended yet. `rejected`: the request itself was wrong (4xx other than 429). */
type LineOutcome = 'open' | 'answered' | 'rejected' | 'faulted' | 'client-gone';

/** One request in the log. */
export interface WallLine {
  /** From 1, over the whole wall, in order of arrival. */
  readonly number: number;
  readonly vendor: WallVendor;
  readonly region: Environment;
  /** `null` when the request was refused before its model was read. */
  readonly model: string | null;
  readonly step: string | null;
  /** From 1, within the step. */
  readonly requestNumber: number;
  /** The client's own id of this attempt (`x-belay-attempt`). */
  readonly attempt: string | null;
  readonly isStreaming: boolean;
  /** Clock of the wall, ms. */
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** `null` when no status line was sent. */
  readonly status: number | null;
  readonly fault: FaultKind | null;
  /** Which of its looks the fault had, or why it struck (`loss`, `window`). */
  readonly faultDetail: string | null;
  /** Whether the client could see the fault before it left. */
  readonly isFaultShown: boolean;
  readonly outcome: LineOutcome;
  /** The estimate of the prompt, billed or not. */
  readonly promptTokens: number;
  readonly billedInputTokens: number;
  readonly billedOutputTokens: number;
  readonly costUsd: number;
}

/** What one server, or one model of it, has earned. */
interface BillEntry {
  readonly vendor: WallVendor;
  readonly region: Environment;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalUsd: number;
}

export interface WallBill {
  readonly totalUsd: number;
  /** One entry for each server and model that was asked. */
  readonly byEndpoint: readonly BillEntry[];
  /** Model requests, billed or not. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The fault of a request, as the wall reports it to be compared with the client's view. */
export interface ServedFault {
  readonly step: string;
  readonly kind: FaultKind;
  readonly vendor: WallVendor;
  readonly region: Environment;
  readonly requestNumber: number;
}

/** A line that is still being written. */
export type OpenLine = { -readonly [K in keyof WallLine]: WallLine[K] };

/** Dollars for tokens at a price. 1,000 in and 100 out at 2.5 and 10 dollars a million: 0.0035. */
export function costOf(price: Price, inputTokens: number, outputTokens: number): number {
  return (inputTokens * price.inputUsdPerMTok + outputTokens * price.outputUsdPerMTok) / 1_000_000;
}

/** The bill over a log. */
export function billOf(lines: readonly WallLine[]): WallBill {
  const groups = Map.groupBy(lines, (line) => `${line.vendor} ${line.region} ${line.model ?? '-'}`);
  const byEndpoint = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ vendor: first.vendor, region: first.region, model: first.model ?? '-', ...sums(group) }] : [];
  });
  return { ...sums(lines), byEndpoint };
}

/** The faults of a log that a client could see. */
export function faultsOf(lines: readonly WallLine[]): readonly ServedFault[] {
  return lines.flatMap(({ step, fault, vendor, region, requestNumber, isFaultShown }) =>
    fault !== null && isFaultShown && step !== null ? [{ step, kind: fault, vendor, region, requestNumber }] : [],
  );
}

function sums(lines: readonly WallLine[]): {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  totalUsd: number;
} {
  return {
    requests: lines.length,
    inputTokens: lines.reduce((sum, line) => sum + line.billedInputTokens, 0),
    outputTokens: lines.reduce((sum, line) => sum + line.billedOutputTokens, 0),
    totalUsd: lines.reduce((sum, line) => sum + line.costUsd, 0),
  };
}
