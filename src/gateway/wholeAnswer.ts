// Writes an answer that is sent whole: nothing goes out before the call has ended, so every failure has its HTTP status.
import type { CallSummary } from '../engine/controller.ts';
import { failureProblem, stoppingProblem, summaryHeaders } from './callFailures.ts';
import { sendProblem } from './exchange.ts';
import { ignoredFields, type RunningCall } from './runningCall.ts';
import { unfinishedProblem } from './wires/problem.ts';
import type { AnswerCollector } from './wires/wire.ts';

/** Serves one call that is not streamed to its end. */
export async function wholeAnswer(running: RunningCall): Promise<void> {
  const { exchange, parts, call, facts } = running;
  const collector = call.collect(facts);
  // Read to its end: after the last event the controller still has its books to close.
  for await (const event of running.events) {
    switch (event.type) {
      case 'committed':
        break;
      case 'event':
        collector.add(event.event);
        break;
      case 'finished':
        await finish(running, collector, event.summary);
        break;
      case 'failed': {
        const { failure } = event;
        parts.calls.noteSummary(failure.summary);
        await sendProblem(exchange, failureProblem(failure), summaryHeaders(failure.summary));
        break;
      }
      default:
        event satisfies never;
    }
  }
  if (exchange.writer.hasEnded) return;
  // Ended without a word: the call was cancelled, by its client (who reads no more) or by the gateway's end.
  await sendProblem(exchange, parts.stopping.aborted ? stoppingProblem : unfinishedProblem(facts.requestId));
}

async function finish(running: RunningCall, collector: AnswerCollector, summary: CallSummary): Promise<void> {
  const { exchange, parts } = running;
  parts.calls.noteSummary(summary);
  const body = collector.finish(summary);
  if (!body.ok) return sendProblem(exchange, body.error, summaryHeaders(summary));
  const ignored = summary.candidate === null ? {} : ignoredFields(running, summary.candidate);
  const headers = { 'content-type': 'application/json', 'x-belay-request-id': exchange.requestId };
  await exchange.writer.send(200, { ...headers, ...summaryHeaders(summary), ...ignored }, body.value);
}
