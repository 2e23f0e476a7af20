// One request and its answer, as the handlers see it.
import type { IncomingMessage } from 'node:http';
import type { ClockPort } from '../engine/ports.ts';
import type { RedundancyTotals } from '../core/scheduler/redundancy/redundancyFigures.ts';
import type { Controller } from '../engine/controller.ts';
import { retryHeaders } from './callFailures.ts';
import type { CallLog } from './callLog.ts';
import type { GatewayLimits } from './limits.ts';
import type { ContextNames } from './requestContext.ts';
import type { HeaderValues, ResponseWriter } from './responseWriter.ts';
import type { GatewayWire, WireProblem } from './wires/wire.ts';

/** What every handler works with. */
export interface GatewayParts {
  readonly controller: Controller;
  readonly clock: ClockPort;
  readonly limits: GatewayLimits;
  readonly names: ContextNames;
  readonly calls: CallLog;
  /** Aborted when running requests must end now. */
  readonly stopping: AbortSignal;
  /** Aborted when streams that would never end by themselves must end. */
  readonly feedsEnding: AbortSignal;
  /** Ids of calls that are running. */
  readonly running: Set<string>;
  readonly requestCounts: Map<string, number>;
  /** Sums of redundant execution since the gateway started. */
  readonly redundancy: () => RedundancyTotals;
  /** The role a call is counted under. */
  readonly roleLabel: (role: string) => string;
  /** For the log: a bug, never shown to a client. */
  readonly reportBug: (error: unknown, requestId: string) => void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly writer: ResponseWriter;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Names the exchange in every answer, also a failed one. */
  requestId: string;
  /** The shape its failures are told in. */
  readonly wire: GatewayWire;
  /** Tells a client that waits for it to send its body. */
  readonly continueBody: () => void;
}

/** Answers with a failure in the shape of the exchange's wire. */
export async function sendProblem(exchange: Exchange, problem: WireProblem, headers: HeaderValues = {}): Promise<void> {
  await exchange.writer.send(
    problem.status,
    {
      'content-type': 'application/json',
      'x-belay-request-id': exchange.requestId,
      ...retryHeaders(problem),
      ...headers,
    },
    exchange.wire.errorBody(problem),
  );
}

/** Answers with a JSON document. */
export async function sendJson(exchange: Exchange, value: unknown): Promise<void> {
  await exchange.writer.send(
    200,
    { 'content-type': 'application/json', 'cache-control': 'no-store' },
    JSON.stringify(value),
  );
}
