// One model call through the gateway: read the request, hand it to the controller, answer in the client's wire.
// A client that goes away takes its call with it; nothing is retried or judged here.
import type { CallOptions } from '../engine/controller.ts';
import { readJsonBody } from './body.ts';
import { stoppingProblem } from './callFailures.ts';
import { sendProblem, type Exchange, type GatewayParts } from './exchange.ts';
import { parseBelayHeaders, policyOf, requestContext, type BelayHeaders } from './requestContext.ts';
import type { RunningCall } from './runningCall.ts';
import { streamAnswer } from './streamAnswer.ts';
import { wholeAnswer } from './wholeAnswer.ts';
import type { AnswerFacts, WireCall } from './wires/wire.ts';

/** Serves one POST of a wire. */
export async function serveModelCall(parts: GatewayParts, exchange: Exchange): Promise<void> {
  const belay = parseBelayHeaders(exchange.headers);
  if (!belay.ok) return sendProblem(exchange, belay.error);
  const asked = belay.value['request-id'];
  // An id that is already taken would mix two calls in the log; the answer's header says which id it has.
  if (asked !== undefined && !parts.running.has(asked) && !parts.calls.has(asked)) exchange.requestId = asked;
  const body = await readJsonBody(exchange.request, parts.limits.bodyBytes, exchange.continueBody);
  if (body === null) return;
  const call = body.ok ? exchange.wire.parse(body.value, exchange.headers) : body;
  if (!call.ok) return sendProblem(exchange, call.error);
  if (parts.stopping.aborted) return sendProblem(exchange, stoppingProblem);
  await run(parts, exchange, call.value, belay.value);
}

async function run(parts: GatewayParts, exchange: Exchange, call: WireCall, belay: BelayHeaders): Promise<void> {
  const { controller, clock, names, running } = parts;
  const { requestId, writer } = exchange;
  const nowMs = clock.nowMs();
  const context = requestContext({
    belay,
    userAgent: exchange.headers['user-agent'],
    request: call.request,
    settings: controller.settings,
    names,
    roleLabel: parts.roleLabel,
    nowMs,
  });
  const options: CallOptions = { policy: policyOf(belay), requestId };
  const abort = new AbortController();
  const stop = (): void => {
    if (!writer.hasEnded) abort.abort();
  };
  writer.closed.addEventListener('abort', stop, { once: true });
  parts.stopping.addEventListener('abort', stop, { once: true });
  if (writer.closed.aborted) stop();
  running.add(requestId);
  try {
    const events = controller.complete(call.request, context, options, abort.signal);
    const facts: AnswerFacts = { requestId, createdSeconds: Math.floor(nowMs / 1000) };
    const answer: RunningCall = { exchange, parts, call, facts, events, signal: abort.signal };
    await (call.isStream ? streamAnswer(answer) : wholeAnswer(answer));
  } catch (error) {
    // An answer that broke here has no reader any more.
    abort.abort();
    throw error;
  } finally {
    running.delete(requestId);
    writer.closed.removeEventListener('abort', stop);
    parts.stopping.removeEventListener('abort', stop);
  }
}
