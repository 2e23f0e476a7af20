// The SDK path's half that is the same for every vendor. The SDKs hide what the classifier needs (error bodies, causes,
// early ends), so their fetch is watched: what passes through it is noted here, before the SDK forms its own opinion.
import type { ProviderEvent } from '../../engine/ports.ts';
import type { AnswerRelay, FailedEvent } from './answerRelay.ts';
import { byteMeter, EVENT_LIMIT_BYTES, STREAM_LIMIT_BYTES, WHOLE_LIMIT_BYTES } from './answerLimits.ts';
import { bodyKind, isFailure } from './answerRelay.ts';
import { frameMeter } from './awsFrames.ts';
import { wireHeaders } from './endpoint.ts';
import { readAll, readText } from './httpClient.ts';
import type { FetchFunction } from './httpFetch.ts';
import { BODY_LIMIT } from './observation.ts';
import type { AttemptInput } from './rawProvider.ts';
import { untilFinished } from './untilFinished.ts';

/** A day: longer than any timer of the engine, so that no SDK timer ever decides. */
export const SDK_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** What a vendor's adapter brings. */
export interface SdkCall {
  /** Sends the request through `fetch` and resolves to the parsed chunks; an abort closes the socket. */
  open(fetch: FetchFunction, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** The provider's error where `error` reports one from inside a 200 answer, else undefined. */
  inBandBody(error: unknown): unknown;
  /** Whether the chunk is the wire's last one. */
  isLast(chunk: unknown): boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/** What was seen on the wire below the SDK. */
interface Witness {
  failed: FailedEvent | null;
  whole: Uint8Array | null;
  networkError: unknown;
  /** The body came to its end, and not after a blank line or a whole message. */
  endedInsideEvent: boolean;
  /** The body is AWS's event stream, which the SDK takes apart: whatever it then throws is about the framing. */
  isFramed: boolean;
}

/** Sends once through an SDK and yields what arrives. */
export async function* streamThroughSdk(
  baseFetch: FetchFunction,
  input: AttemptInput,
  call: SdkCall,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { relay, signal, finishGraceMs } = input;
  const witness: Witness = {
    failed: null,
    whole: null,
    networkError: null,
    endedInsideEvent: false,
    isFramed: false,
  };
  const silence = new AbortController();
  const rules = {
    hasFinished: () => relay.hasFinished,
    isBreak: (error: unknown) => isBreak(error, call, witness),
    graceMs: finishGraceMs,
    giveUp: () => silence.abort(),
    // The reader of AWS's stream always has a read open and waits for it before it lets go.
    leave: () => {
      if (witness.isFramed) silence.abort();
    },
  };
  try {
    const fetch = watchedFetch(ownRequest(baseFetch, input), relay, witness);
    const chunks = await call.open(fetch, AbortSignal.any([signal, silence.signal]));
    for await (const chunk of untilFinished(chunks, rules)) {
      if (signal.aborted) return;
      const event = relay.chunk(chunk);
      yield event;
      if (isFailure(event)) return;
      if (call.isLast(chunk)) break;
    }
    if (signal.aborted) return;
    if (witness.whole !== null) {
      const event = relay.whole(witness.whole, 'sdk');
      yield event;
      if (isFailure(event)) return;
    }
    const failed = witness.failed ?? relay.ended();
    if (failed) yield failed;
  } catch (error) {
    if (signal.aborted) return;
    yield failureOf(error, relay, call, witness);
  }
}

/** Whether the connection broke, as against something that the provider said. */
function isBreak(error: unknown, call: SdkCall, witness: Witness): boolean {
  if (witness.isFramed) return witness.networkError !== null || witness.endedInsideEvent;
  if (error instanceof SyntaxError) return witness.endedInsideEvent;
  return !(error instanceof RangeError) && call.inBandBody(error) === undefined;
}

function failureOf(error: unknown, relay: AnswerRelay, call: SdkCall, witness: Witness): FailedEvent {
  if (witness.failed) return witness.failed;
  if (witness.networkError !== null) return relay.failedBy(witness.networkError);
  const body = call.inBandBody(error);
  if (body !== undefined) return relay.failedInBand(body);
  if (error instanceof SyntaxError || witness.isFramed) {
    // The SDK tried to read half a chunk at the end of a cut stream: that is a cut.
    const ended = witness.endedInsideEvent ? relay.ended() : null;
    return ended ?? relay.failedByMalformedChunk();
  }
  // What nests too deep for the SDK's own words about it.
  return error instanceof RangeError ? relay.failedByMalformedChunk() : relay.failedBy(error);
}

/** Headers that an SDK sets by itself or that we asked it to set. */
const OWN_HEADERS = /^(accept|content-type|user-agent|x-stainless-.*|anthropic-version|x-belay-.*)$/;

/**
 * The SDKs write the body; where it goes and under whose name is ours, as on the raw path: they take addresses and headers
 * from the environment (ANTHROPIC_CUSTOM_HEADERS, OPENAI_BASE_URL), which are meant for another program and may hold another
 * account's credentials. A redirect is not followed: it would take the credential along.
 */
function ownRequest(baseFetch: FetchFunction, { url, candidate, authenticate }: AttemptInput): FetchFunction {
  return async (_address, init) => {
    const known = Object.fromEntries([...new Headers(init?.headers)].filter(([name]) => OWN_HEADERS.test(name)));
    // In a cloud the version stands in the body.
    const headers = { ...known, ...(candidate.kind === 'anthropic' ? wireHeaders(candidate.wire) : {}) };
    const body = typeof init?.body === 'string' ? init.body : '';
    const proof = await authenticate({ method: 'POST', url, headers, body });
    return baseFetch(url, { ...init, method: 'POST', headers: { ...headers, ...proof }, redirect: 'manual' });
  };
}

function watchedFetch(baseFetch: FetchFunction, relay: AnswerRelay, witness: Witness): FetchFunction {
  return async (input, init) => {
    let response: Response;
    try {
      response = await baseFetch(input, init);
    } catch (error) {
      witness.networkError = error;
      throw error;
    }
    const headers = Object.fromEntries(response.headers);
    relay.sawHeaders({ status: response.status, headers });
    if (!response.ok) {
      const text = await readText(bytesOf(response), BODY_LIMIT);
      witness.failed = relay.failedByStatus(text);
      return new Response(text, { status: response.status, headers: response.headers });
    }
    const kind = bodyKind(headers);
    if (!response.body) return emptyStream();
    if (kind === 'events') return watchedBody(response, witness);
    if (kind === 'aws-events') return watchedFrames(response, witness);
    if (kind === 'json') {
      try {
        witness.whole = await readAll(bytesOf(response), WHOLE_LIMIT_BYTES, () => {
          relay.sawBody();
        });
      } catch (error) {
        witness.networkError = error;
        throw error;
      }
    } else {
      witness.failed = relay.failedByContentType(await readText(bytesOf(response), BODY_LIMIT));
    }
    return emptyStream();
  };
}

/** What an SDK is given where there is nothing for it to read. */
function emptyStream(): Response {
  return new Response('', { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

/** Hands the body through, as far as it is not too large for the SDK to hold, and notes how it ended. */
function watchedBody(response: Response, witness: Witness): Response {
  let tail = '';
  const countAll = byteMeter('The answer', STREAM_LIMIT_BYTES);
  let countLine = byteMeter('One event', EVENT_LIMIT_BYTES);
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      try {
        countAll(chunk.length);
        const end = Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR));
        if (end !== -1) countLine = byteMeter('One event', EVENT_LIMIT_BYTES);
        countLine(chunk.length - 1 - end);
      } catch (error) {
        witness.networkError = error;
        throw error;
      }
      tail = (tail + Buffer.from(chunk.subarray(-4)).toString('latin1')).slice(-4);
      controller.enqueue(chunk);
    },
    flush: () => {
      witness.endedInsideEvent = !/(\n\n|\r\r|\r\n\r\n)$/.test(tail);
    },
  });
  return new Response(response.body?.pipeThrough(watch) ?? null, {
    status: response.status,
    headers: response.headers,
  });
}

/** Hands AWS's event stream through, as far as the SDK can take it apart, and notes how it ended. */
function watchedFrames(response: Response, witness: Witness): Response {
  witness.isFramed = true;
  const chunks = bytesOf(response)[Symbol.asyncIterator]();
  const meter = frameMeter();
  const countAll = byteMeter('The answer', STREAM_LIMIT_BYTES);
  const watched = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const next = await chunks.next();
          if (next.done === true) {
            witness.endedInsideEvent = meter.isInside();
            controller.close();
            return;
          }
          countAll(next.value.length);
          meter.push(next.value);
          controller.enqueue(next.value);
        } catch (error) {
          witness.networkError = error;
          throw error;
        }
      },
      cancel: async () => {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status: response.status, headers: response.headers });
}

/** The body as bytes; none is an empty one. */
function bytesOf(response: Response): AsyncIterable<Uint8Array> {
  return response.body ?? new Blob([]).stream();
}
