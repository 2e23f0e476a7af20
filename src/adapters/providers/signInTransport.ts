// Takes the requests of AWS's and Google's sign-in over our own client, so that they use the same proxy, authorities and (in
// the editor) patched modules as the requests they are for. Calls to the machine's own metadata address are the libraries'
// matter: those must never go through a proxy.
import type { FetchFunction } from './httpFetch.ts';
import { httpFetch } from './httpFetch.ts';
import { readAll, type HttpClient } from './httpClient.ts';

/** Tokens and the errors of token servers are small. */
const ANSWER_LIMIT_BYTES = 1024 * 1024;

/** A request as AWS's clients hand it to whoever sends it. */
interface AwsRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer as they expect it. */
interface AwsResponse {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
}

/** What AWS's clients send through; `signal` ends it. */
export interface AwsHandler {
  handle(request: AwsRequest): Promise<AwsResponse>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

/** Sends AWS's sign-in requests. */
export function awsHandler(client: HttpClient, signal: AbortSignal): AwsHandler {
  return {
    async handle({ method, headers, body, ...address }) {
      const text = textOf(body);
      const response = await client.send(
        {
          method: method === 'GET' ? 'GET' : 'POST',
          url: urlOf(address),
          headers: { ...headers, 'accept-encoding': 'identity' },
          ...(text === null ? {} : { body: text }),
        },
        signal,
      );
      try {
        const bytes = await readAll(response.body, ANSWER_LIMIT_BYTES, () => undefined);
        return { response: { statusCode: response.status, headers: { ...response.headers }, body: bytes } };
      } finally {
        response.release();
      }
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function urlOf({ protocol, hostname, port, path, query }: Omit<AwsRequest, 'method' | 'headers' | 'body'>): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each ?? ''));
  return url;
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  throw new TypeError('only text bodies are supported');
}

/** A fetch for Google's clients, which send forms as well as texts. `signal` ends it besides the request's own. */
export function googleFetch(client: HttpClient, signal: AbortSignal): FetchFunction {
  const fetch = httpFetch(client);
  return (input, init = {}) => {
    const { body } = init;
    const signals = init.signal ? [init.signal, signal] : [signal];
    const headers = new Headers(init.headers);
    if (body instanceof URLSearchParams && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    return fetch(input, {
      ...(init.method === undefined ? {} : { method: init.method }),
      headers,
      body: body instanceof URLSearchParams ? body.toString() : (body ?? null),
      signal: AbortSignal.any(signals),
    });
  };
}
