// One model request at one server of the wall, from its body to its line in the books: check, find the step, ask the fault desk,
// then refuse, fall silent, reset or answer. What the client sees is decided by tables; this file only walks through them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../core/candidate.ts';
import type { ClockPort } from '../../engine/ports.ts';
import { cutAnswer } from './answer.ts';
import { costOf, type OpenLine } from './books.ts';
import { deliverStream, deliverWhole, untilGone, type Delivered, type Delivery } from './deliver.ts';
import { draw, drawId } from './draw.ts';
import type { FaultDesk, Verdict } from './faultDesk.ts';
import { FAULTS } from './faults.ts';
import { PACES, type WallModel } from './places.ts';
import { promptTokens } from './promptSize.ts';
import { respond, type Scripted } from './script/respond.ts';
import type { AnswerMeta, WallRequest, WallVendorRules, WallWire, WireError } from './wire.ts';

/** What all requests of one server share. */
export interface ServerContext {
  readonly rules: WallVendorRules;
  readonly region: Environment;
  readonly models: readonly WallModel[];
  readonly apiKey: string;
  readonly seed: number;
  readonly clock: ClockPort;
  readonly desk: FaultDesk;
  /** Opens a line in the books. */
  openLine(attempt: string | null): OpenLine;
}

/** One exchange. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
  readonly requestId: string;
}

/** Jitter (0-1) of a server's latency around its own. */
const LATENCY_JITTER = 0.2;

/** Serves a model request whose body has been read (`undefined`: not JSON) and closes its line. */
export async function serveRequest(
  context: ServerContext,
  exchange: Exchange,
  wire: WallWire,
  body: unknown,
): Promise<void> {
  const attempt = exchange.request.headers['x-belay-attempt'];
  const line = context.openLine(typeof attempt === 'string' ? attempt : null);
  try {
    line.outcome = await served(context, exchange, wire, body, line);
  } finally {
    line.endedAtMs = context.clock.nowMs();
  }
}

async function served(
  context: ServerContext,
  exchange: Exchange,
  wire: WallWire,
  body: unknown,
  line: OpenLine,
): Promise<OpenLine['outcome']> {
  const refuse = (error: WireError): 'rejected' => {
    line.status = error.status;
    sendError(context, exchange, error);
    return 'rejected';
  };
  const denied = context.rules.authorize(exchange.request.headers, context.apiKey);
  if (denied) return refuse(denied);
  if (body === undefined) return refuse(context.rules.notJson);
  const checked = wire.parse(body, context.models);
  if (!checked.ok) return refuse(checked.error);

  const request = checked.value;
  const response = respond(request, context.seed);
  const size = promptTokens(request);
  const verdict = context.desk.judge({
    step: response.step,
    vendor: context.rules.vendor,
    region: context.region,
    promptTokens: size,
    roomTokens: request.model.contextWindowTokens - (request.maxOutputTokens ?? 0),
    isRefusal: response.answer.refusal !== null,
  });
  Object.assign(line, {
    model: request.model.name,
    step: response.step,
    requestNumber: verdict.requestNumber,
    isStreaming: request.isStreaming,
    promptTokens: size,
    fault: verdict.fault,
    faultDetail: verdict.detail,
  } satisfies Partial<OpenLine>);
  const isTurnedAway = await turnedAway(context, exchange, wire, request, verdict, line);
  return isTurnedAway ?? answered(context, exchange, wire, request, response, verdict, line);
}

/** Faults that come instead of an answer; `null` when there will be one. */
async function turnedAway(
  context: ServerContext,
  exchange: Exchange,
  wire: WallWire,
  request: WallRequest,
  verdict: Verdict,
  line: OpenLine,
): Promise<'faulted' | null> {
  const row = verdict.fault === null ? null : FAULTS[verdict.fault];
  if (!row || row.place === 'stream' || row.place === 'answer') return null;
  line.isFaultShown = true;
  if (row.place === 'connection') {
    exchange.request.socket.resetAndDestroy();
    return 'faulted';
  }
  if (row.place === 'queue') {
    bill(line, request.model, line.promptTokens, 0);
    await untilGone(exchange.gone);
    return 'faulted';
  }
  const error =
    row.place === 'front-door'
      ? context.rules.frontDoor[row.answer]
      : overflow(wire, request, verdict, line.promptTokens);
  line.status = error.status;
  sendError(context, exchange, error);
  return 'faulted';
}

/** A window that the schedule has narrowed leaves no room for the answer either, so only the prompt is named. */
function overflow(wire: WallWire, request: WallRequest, verdict: Verdict, size: number): WireError {
  if (verdict.detail === null) return wire.tooLong(size, 0, verdict.windowTokens);
  return wire.tooLong(size, request.maxOutputTokens ?? 0, request.model.contextWindowTokens);
}

async function answered(
  context: ServerContext,
  exchange: Exchange,
  wire: WallWire,
  request: WallRequest,
  response: Scripted,
  verdict: Verdict,
  line: OpenLine,
): Promise<Delivered> {
  const { seed, clock, rules, region } = context;
  const own = [seed, rules.vendor, region, line.number] as const;
  const answer = cutAnswer(
    response.answer,
    request.maxOutputTokens,
    request.stopSequences,
    (index) => `${wire.callIdPrefix}${drawId(24, ...own, index)}`,
  );
  const meta: AnswerMeta = {
    answerId: `${wire.answerIdPrefix}${drawId(24, ...own, 'answer')}`,
    model: request.model.name,
    createdSeconds: Math.floor(clock.nowMs() / 1000),
    inputTokens: line.promptTokens,
    includeUsage: request.includeUsage,
  };
  const row = verdict.fault === null ? null : FAULTS[verdict.fault];
  const fault = row?.place === 'stream' ? row : null;
  const cutLook = draw(seed, response.step, verdict.requestNumber, 'cut') < 0.5 ? 'socket-closed' : 'early-end';
  if (fault?.then === 'cut') line.faultDetail = request.isStreaming ? cutLook : 'socket-closed';
  const pace = PACES[rules.vendor][region];
  const jitter = 1 + LATENCY_JITTER * (2 * draw(...own, 'latency') - 1);
  const delivery: Delivery = {
    response: exchange.response,
    clock,
    gone: exchange.gone,
    headers: rules.headers(exchange.requestId),
    firstTokenMs: pace.firstTokenMs * jitter,
    tokensPerSecond: pace.tokensPerSecond / jitter,
    outputTokens: answer.outputTokens,
    fault,
    cutLook,
    onTokens: (sentTokens) => bill(line, request.model, line.promptTokens, sentTokens),
    onFaultShown: () => (line.isFaultShown = true),
  };
  line.status = 200;
  bill(line, request.model, line.promptTokens, 0);
  const delivered = request.isStreaming
    ? await deliverStream(delivery, wire.frames(answer, meta))
    : await deliverWhole(delivery, wire.whole(answer, meta));
  if (verdict.fault === 'refusal' && delivered === 'answered') line.isFaultShown = true;
  return delivered;
}

function bill(line: OpenLine, model: WallModel, inputTokens: number, outputTokens: number): void {
  line.billedInputTokens = inputTokens;
  line.billedOutputTokens = outputTokens;
  line.costUsd = costOf(model.price, inputTokens, outputTokens);
}

/** Answers with a vendor's error. */
export function sendError(context: Pick<ServerContext, 'rules'>, exchange: Exchange, error: WireError): void {
  const { response, requestId } = exchange;
  response.writeHead(error.status, {
    'content-type': 'application/json',
    ...context.rules.headers(requestId),
    ...error.headers,
  });
  response.end(JSON.stringify(context.rules.errorBody(error, requestId)));
}
