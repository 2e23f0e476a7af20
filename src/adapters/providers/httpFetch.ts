// `fetch` for the vendors' SDKs on top of our own HTTP client. The platform's fetch has hidden timers (300 s to the
// headers, 300 s between two chunks) and costs most of an SDK call; this one has none and closes its socket on abort.
import type { HttpClient, HttpRequest, HttpResponse } from './httpClient.ts';

/** What the SDKs need of fetch. */
export type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const NO_BODY_STATUS = new Set([101, 204, 205, 304]);

/** A fetch for text requests (the SDKs send JSON strings); other bodies are refused. `onSent`: see HttpRequest. */
export function httpFetch(client: HttpClient, onSent?: HttpRequest['onSent']): FetchFunction {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { body } = init;
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new TypeError('only text bodies are supported');
    const signal = init.signal ?? new AbortController().signal;
    const response = await client.send(
      {
        method: init.method?.toUpperCase() === 'POST' ? 'POST' : 'GET',
        url,
        headers: requestHeaders(init.headers, body ?? null),
        ...(typeof body === 'string' ? { body } : {}),
        ...(onSent === undefined ? {} : { onSent }),
      },
      signal,
    );
    const hasBody = !NO_BODY_STATUS.has(response.status);
    if (!hasBody) response.release();
    const isKnown = response.status >= 200 && response.status <= 599;
    const told = new Response(hasBody ? bodyStream(response) : null, {
      status: isKnown ? response.status : 502,
      headers: response.headers,
    });
    // The platform's Response refuses what servers do send.
    return isKnown ? told : Object.defineProperty(told, 'status', { value: response.status });
  };
}

function requestHeaders(headers: RequestInit['headers'], body: string | null): Record<string, string> {
  const flat = Object.fromEntries(new Headers(headers));
  return {
    ...flat,
    'accept-encoding': 'identity',
    ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
}

function bodyStream(response: HttpResponse): ReadableStream<Uint8Array> {
  const chunks = response.body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) {
          response.release();
          controller.close();
        } else {
          controller.enqueue(next.value);
        }
      },
      cancel: () => {
        response.release();
      },
    },
    { highWaterMark: 0 },
  );
}
