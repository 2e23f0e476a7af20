// Writes a streamed answer. Until the call is committed nothing is sent, so that a failure keeps its HTTP status; but no
// client is left in silence: after `keepAliveMs` the headers and comments go out, and a failure is then an in-stream error.
// After such an error the stream ends without its terminal marker, so that nobody takes half an answer for a whole one.
import type { CallEvent, CallSummary } from '../engine/controller.ts';
import { failureProblem, stoppingProblem, summaryHeaders } from './callFailures.ts';
import { sendProblem } from './exchange.ts';
import { headerText, type HeaderValues } from './responseWriter.ts';
import { ignoredFields, type RunningCall } from './runningCall.ts';
import { unfinishedProblem } from './wires/problem.ts';
import type { AnswerChunk, StreamEncoder, WireProblem } from './wires/wire.ts';

const streamHeaders: HeaderValues = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
const trailerNames = 'x-belay-candidate, x-belay-rung, x-belay-attempts, x-belay-cost-usd';

/** Serves one streamed call to its end. */
export async function streamAnswer(running: RunningCall): Promise<void> {
  const { exchange, parts, call, facts } = running;
  const { writer } = exchange;
  const encoder = call.stream(facts);
  const done = new AbortController();
  const alive = keepAlive(running, done.signal);
  try {
    // Read to its end whatever happens here: after the last event the controller still has its books to close.
    for await (const event of running.events) {
      if (writer.hasEnded || writer.closed.aborted) continue;
      if (event.type === 'finished' || event.type === 'failed') done.abort();
      await answerEvent(running, encoder, event);
    }
    if (!writer.hasEnded && !writer.closed.aborted) {
      await fail(running, encoder, parts.stopping.aborted ? stoppingProblem : unfinishedProblem(facts.requestId), {});
    }
  } catch (error) {
    if (!writer.hasHeaders) throw error;
    parts.reportBug(error, facts.requestId);
    if (!writer.hasEnded) await fail(running, encoder, unfinishedProblem(facts.requestId), {});
  } finally {
    done.abort();
    await alive;
  }
}

/** Sends what one event means. A client that has gone gets nothing; its call ends by the signal. */
async function answerEvent(running: RunningCall, encoder: StreamEncoder, event: CallEvent): Promise<void> {
  switch (event.type) {
    case 'committed':
      return openCommitted(running, event);
    case 'event':
      open(running, {});
      return writeAll(running, encoder.encode(event.event));
    case 'finished':
      return finish(running, encoder, event.summary);
    case 'failed':
      running.parts.calls.noteSummary(event.failure.summary);
      return fail(running, encoder, failureProblem(event.failure), summaryHeaders(event.failure.summary));
    default:
      return event satisfies never;
  }
}

async function writeAll(running: RunningCall, chunks: readonly AnswerChunk[]): Promise<void> {
  for (const chunk of chunks) {
    if (!(await running.exchange.writer.write(chunk))) return;
  }
}

function open(running: RunningCall, headers: HeaderValues): void {
  const { exchange } = running;
  const takesTrailers = /\btrailers\b/i.test(exchange.headers.te ?? '');
  exchange.writer.open(200, {
    ...streamHeaders,
    'x-belay-request-id': exchange.requestId,
    ...(takesTrailers ? { trailer: trailerNames } : {}),
    ...headers,
  });
}

async function openCommitted(running: RunningCall, event: Extract<CallEvent, { type: 'committed' }>): Promise<void> {
  const { writer } = running.exchange;
  const { candidate, rung, attempts } = event;
  if (writer.hasHeaders) {
    await writer.write(
      `: x-belay-candidate=${headerText(candidate)} x-belay-rung=${rung} x-belay-attempts=${attempts}\n\n`,
    );
    return;
  }
  open(running, {
    'x-belay-candidate': candidate,
    'x-belay-rung': rung,
    'x-belay-attempts': String(attempts),
    ...ignoredFields(running, candidate),
  });
}

async function finish(running: RunningCall, encoder: StreamEncoder, summary: CallSummary): Promise<void> {
  const { exchange, parts } = running;
  parts.calls.noteSummary(summary);
  const ending = encoder.finish(summary);
  if (!ending.ok) return fail(running, encoder, ending.error, summaryHeaders(summary));
  open(running, summaryHeaders(summary));
  await writeAll(running, ending.value);
  exchange.writer.end(summaryHeaders(summary));
}

async function fail(
  running: RunningCall,
  encoder: StreamEncoder,
  problem: WireProblem,
  headers: HeaderValues,
): Promise<void> {
  const { writer } = running.exchange;
  if (!writer.hasHeaders) return sendProblem(running.exchange, problem, headers);
  await writer.write(encoder.fail(problem));
  writer.end(headers);
}

/** Ends when `signal` is aborted. */
async function keepAlive(running: RunningCall, signal: AbortSignal): Promise<void> {
  const { exchange, parts } = running;
  const { writer } = exchange;
  for (;;) {
    const before = writer.writeCount;
    const isOver = await parts.clock.sleep(parts.limits.keepAliveMs, signal).then(
      () => false,
      () => true,
    );
    if (isOver || writer.closed.aborted) return;
    if (writer.writeCount !== before) continue;
    open(running, {});
    writer.writeIfIdle(exchange.wire.keepAlive);
  }
}
