// The decision channel over HTTP: a live stream of decision events, and what is remembered of one call.
// A reader that falls behind is dropped; it never slows a call down.
import { idPattern } from './requestContext.ts';
import { sendJson, sendProblem, type Exchange, type GatewayParts } from './exchange.ts';
import { badRequest } from './wires/problem.ts';
import type { DecisionEvent } from '../core/events.ts';

const KEEP_ALIVE = ': keep-alive\n\n';
const MAX_REPLAY = 2000;

/** `GET /belay/decisions`: live; `?replay=N` or `Last-Event-ID` send past events first, as far as they are kept. */
export async function streamDecisions(parts: GatewayParts, exchange: Exchange): Promise<void> {
  const replay = Number(exchange.query.get('replay') ?? '0');
  if (!Number.isInteger(replay) || replay < 0 || replay > MAX_REPLAY) {
    return sendProblem(exchange, badRequest('replay', `replay: expected a whole number from 0 to ${MAX_REPLAY}.`));
  }
  const { writer } = exchange;
  writer.open(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' });
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  const send = (event: DecisionEvent): void => {
    if (ended.signal.aborted) return;
    if (writer.push(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`, parts.limits.feedBacklogBytes)) return;
    stop();
    // Ending it properly would wait for the reader it is dropped for.
    writer.destroy();
  };
  const subscription = parts.controller.onDidEmit(send);
  writer.closed.addEventListener('abort', stop, { once: true });
  parts.feedsEnding.addEventListener('abort', stop, { once: true });
  if (writer.closed.aborted || parts.feedsEnding.aborted) stop();
  try {
    for (const event of pastEvents(parts, replay, exchange.headers['last-event-id'])) send(event);
    while (!ended.signal.aborted) {
      writer.writeIfIdle(KEEP_ALIVE);
      await parts.clock.sleep(parts.limits.keepAliveMs, ended.signal).catch(() => undefined);
    }
  } finally {
    subscription.dispose();
    parts.feedsEnding.removeEventListener('abort', stop);
    writer.end();
  }
}

function pastEvents(parts: GatewayParts, replay: number, lastEventId: string | undefined): readonly DecisionEvent[] {
  if (lastEventId === undefined || !/^\d{1,15}$/.test(lastEventId)) return parts.controller.recentEvents(replay);
  return parts.controller.recentEvents(MAX_REPLAY).filter((event) => event.seq > Number(lastEventId));
}

/** `GET /belay/decisions/{request id}`. */
export async function oneCall(parts: GatewayParts, exchange: Exchange, requestId: string): Promise<void> {
  const record = idPattern.test(requestId) ? parts.calls.get(requestId) : undefined;
  if (record) return sendJson(exchange, record);
  return sendProblem(exchange, {
    status: 404,
    message: `No call with this request id is remembered. Ids are in the x-belay-request-id header of an answer; the last ${parts.limits.rememberedCalls} calls are kept.`,
    code: 'call_not_found',
    param: null,
    retryAfterMs: null,
  });
}
