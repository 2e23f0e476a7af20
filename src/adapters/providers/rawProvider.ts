// The raw path: a caller's own body goes to a candidate of the same wire with only the model name replaced, and the
// answer's bytes come back event by event as they were framed. Without such a body the translators write one.
// The stream is over at the wire's terminal marker; what a server sends after it is not part of the answer.
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest } from '../../core/chat.ts';
import type { ProviderEvent } from '../../engine/ports.ts';
import type { AnswerRelay } from './answerRelay.ts';
import { bodyKind, isFailure, isSuccess } from './answerRelay.ts';
import { byteMeter, EVENT_LIMIT_BYTES, STREAM_LIMIT_BYTES, tooLarge, WHOLE_LIMIT_BYTES } from './answerLimits.ts';
import { anthropicBody } from './anthropicRequest.ts';
import type { Authenticate } from './credential.ts';
import { callerHeaders, wireHeaders } from './endpoint.ts';
import type { HttpClient, HttpResponse } from './httpClient.ts';
import { readAll, readText } from './httpClient.ts';
import { BODY_LIMIT } from './observation.ts';
import { openaiBody } from './openaiRequest.ts';
import { rawBody } from './rawBody.ts';
import { createSseFramer } from './sseFramer.ts';
import { TroubleError } from './trouble.ts';
import { untilFinished } from './untilFinished.ts';

/** One attempt, as all paths are given it. */
export interface AttemptInput {
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  readonly signal: AbortSignal;
  readonly attemptId: string | undefined;
  /** Told once the request has left this machine. */
  readonly onSent: (rttMs?: number) => void;
  /** Says who the request is from. */
  readonly authenticate: Authenticate;
  readonly url: URL;
  readonly relay: AnswerRelay;
  /** How long more may come after the provider has said why it stopped, in ms. */
  readonly finishGraceMs: number;
}

/** Sends once and yields what arrives. */
export async function* streamRaw(
  client: HttpClient,
  input: AttemptInput,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { relay, signal } = input;
  let response: HttpResponse | undefined;
  let isOver = false;
  try {
    const request = {
      method: 'POST',
      url: input.url,
      headers: headersOf(input),
      body: JSON.stringify(bodyOf(input)),
    } as const;
    const proof = await input.authenticate(request);
    const { onSent } = input;
    response = await client.send({ ...request, onSent, headers: { ...request.headers, ...proof } }, signal);
    relay.sawHeaders(response);
    if (isSuccess(response.status) && bodyKind(response.headers) === 'events') {
      const stream = eventStream(relay);
      const rules = {
        hasFinished: () => relay.hasFinished,
        isBreak: () => true,
        graceMs: input.finishGraceMs,
        giveUp: () => response?.destroy(),
      };
      for await (const chunk of untilFinished(response.body, rules)) {
        for (const event of stream.push(chunk)) {
          if (signal.aborted) return;
          yield event;
        }
        if (stream.isOver()) break;
      }
      for (const event of stream.end()) {
        if (signal.aborted) return;
        yield event;
      }
    } else {
      for (const event of await wholeAnswer(response, relay)) {
        if (signal.aborted) return;
        yield event;
      }
    }
    isOver = true;
  } catch (error) {
    if (signal.aborted) return;
    yield relay.failedBy(error);
  } finally {
    if (isOver) response?.release();
    else response?.destroy();
  }
}

/** Reads an event stream chunk by chunk; a failure or the terminal marker ends it. */
function eventStream(relay: AnswerRelay): {
  push(chunk: Uint8Array): ProviderEvent[];
  end(): ProviderEvent[];
  isOver(): boolean;
} {
  const framer = createSseFramer();
  const count = byteMeter('The answer', STREAM_LIMIT_BYTES);
  let hasFailed = false;
  let hasEnded = false;
  const add = (events: ProviderEvent[], event: ProviderEvent | null): void => {
    if (event) events.push(event);
    hasFailed ||= event !== null && isFailure(event);
  };
  return {
    isOver: () => hasFailed || hasEnded,
    push(chunk) {
      const events: ProviderEvent[] = [];
      count(chunk.length);
      for (const frame of framer.push(chunk)) {
        const { event, isLast } = relay.frame(frame);
        add(events, event);
        hasEnded ||= isLast;
        if (hasFailed || hasEnded) return events;
      }
      if (framer.pendingBytes() > EVENT_LIMIT_BYTES) {
        add(events, relay.failedBy(new TroubleError(tooLarge('One event', EVENT_LIMIT_BYTES))));
      }
      return events;
    },
    end() {
      const events: ProviderEvent[] = [];
      // Some servers leave out the last blank line.
      const rest = hasFailed || hasEnded ? null : framer.end();
      if (rest) add(events, relay.rest(rest));
      if (!hasFailed) add(events, relay.ended());
      return events;
    },
  };
}

/** An answer that is no stream: an error's text, or the whole answer as JSON. */
async function wholeAnswer(response: HttpResponse, relay: AnswerRelay): Promise<ProviderEvent[]> {
  if (!isSuccess(response.status)) {
    return [relay.failedByStatus(await readText(response.body, BODY_LIMIT))];
  }
  if (bodyKind(response.headers) !== 'json') {
    return [relay.failedByContentType(await readText(response.body, BODY_LIMIT))];
  }
  const bytes = await readAll(response.body, WHOLE_LIMIT_BYTES, () => {
    relay.sawBody();
  });
  const event = relay.whole(bytes, 'raw');
  const failed = isFailure(event) ? null : relay.ended();
  return failed ? [event, failed] : [event];
}

function bodyOf({ request, candidate }: AttemptInput): object {
  if (request.raw?.wire === candidate.wire) return rawBody(request.raw, request, candidate);
  return candidate.wire === 'anthropic-messages' ? anthropicBody(request, candidate) : openaiBody(request, candidate);
}

function headersOf({ request, candidate, attemptId }: AttemptInput): Record<string, string> {
  return {
    ...wireHeaders(candidate.wire),
    ...(request.raw?.wire === candidate.wire ? callerHeaders(request.raw.headers) : {}),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
    ...(attemptId === undefined ? {} : { 'x-belay-attempt': attemptId }),
  };
}
