// The one HTTP client of all provider paths: node:http(s) with keep-alive, one send, no retry, no redirect, no timer of
// its own on a request (the engine owns connect, first-token, idle and total timers). Aborting destroys the socket at once.
import type http from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { byteMeter } from './answerLimits.ts';
import { plainTransport, type Transport } from './transport.ts';

/** Idle pooled sockets older than this are closed, before a router on the way forgets them. */
const IDLE_SOCKET_MS = 30_000;
/** How long the rest of a finished answer may take to arrive before its socket is given up. */
const DRAIN_MS = 1_000;

/** A request with its whole body. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Called when the last byte has been handed to the system: from then on the server may have all of it. `rttMs`: the round trip of
   * the handshake, where a connection was made for it.
   */
  readonly onSent?: (rttMs?: number) => void;
}

/** An answer whose headers have arrived. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they come, decoded if the server compressed them unasked; rejects when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** To be called after the terminal marker: gives the socket back if the answer ends soon, else closes it. */
  release(): void;
  /** To be called when the answer is given up before its end: closes the socket at once unless everything has arrived. */
  destroy(): void;
}

/** Sends requests over pooled connections. */
export interface HttpClient {
  /** Resolves at the headers; rejects with the system's error, or when aborted. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes the pool; running requests end. */
  dispose(): void;
}

/** A client with its own pool, over the given modules, proxy and authorities. */
export function createHttpClient(transport: Transport = plainTransport): HttpClient {
  const { http, https, proxyEnv, ca } = transport;
  const options = {
    keepAlive: true,
    scheduling: 'lifo' as const,
    timeout: IDLE_SOCKET_MS,
  };
  const authorities = ca === undefined ? {} : { ca: [...ca] };
  const proxied = proxyEnv === undefined ? {} : { proxyEnv };
  const agents = {
    'http:': new http.Agent({ ...options, ...proxied }),
    'https:': new https.Agent({ ...options, ...authorities, ...proxied }),
  };
  // What this machine serves stays on it: a proxy would read it, and would look for the server on its own machine.
  const ownAgents =
    proxyEnv === undefined
      ? agents
      : { 'http:': new http.Agent(options), 'https:': new https.Agent({ ...options, ...authorities }) };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const isTls = request.url.protocol === 'https:';
        const settings = { method: request.method, headers: request.headers };
        const pool = isLoopback(request.url.hostname) ? ownAgents : agents;
        const outgoing = isTls
          ? https.request(request.url, { ...settings, agent: pool['https:'] })
          : http.request(request.url, { ...settings, agent: pool['http:'] });
        const abort = (): void => {
          const reason = new Error('aborted');
          outgoing.destroy(reason);
          // A request that still waits for its connection (a proxy that says nothing) would keep quiet about it.
          reject(reason);
        };
        signal.addEventListener('abort', abort, { once: true });
        let isAnswered = false;
        outgoing.once('close', () => {
          signal.removeEventListener('abort', abort);
          // However it came about: who waits for the headers waits no longer.
          if (!isAnswered) reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
        });
        // Stays for the whole life: an error after the headers reaches the reader through the body.
        outgoing.on('error', reject);
        let rttMs: number | undefined;
        outgoing.once('socket', (socket) => {
          timeConnect(socket, (ms) => {
            rttMs = ms;
          });
        });
        const tellSent = once(() => request.onSent?.(rttMs));
        outgoing.once('finish', tellSent);
        outgoing.once('response', (incoming) => {
          // Who answers has read enough, also where the last of the body is still on its way.
          tellSent();
          isAnswered = true;
          resolve(responseOf(outgoing, incoming));
        });
        // Nobody asked for another protocol; without a listener neither an answer nor an error would come.
        outgoing.once('upgrade', (incoming, socket) => {
          isAnswered = true;
          resolve(emptyResponse(incoming));
          socket.destroy();
        });
        outgoing.end(request.body);
      }),
    dispose: () => {
      for (const agent of [...Object.values(agents), ...Object.values(ownAgents)]) agent.destroy();
    },
  };
}

/** Hosts of this machine, as a URL writes them. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/** One round trip is what a TCP handshake takes; the look-up of the name is none of it. Nothing is told of a kept connection. */
function timeConnect(socket: Socket, tell: (rttMs: number) => void): void {
  if (!socket.connecting) return;
  let fromMs = performance.now();
  socket.once('lookup', () => {
    fromMs = performance.now();
  });
  socket.once('connect', () => {
    tell(performance.now() - fromMs);
  });
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** An answer of headers alone. */
function emptyResponse(incoming: http.IncomingMessage): HttpResponse {
  return {
    status: incoming.statusCode ?? 0,
    headers: flatHeaders(incoming.headers),
    body: Readable.from([]),
    release: () => undefined,
    destroy: () => undefined,
  };
}

function responseOf(outgoing: http.ClientRequest, incoming: http.IncomingMessage): HttpResponse {
  // Without a listener an error between two reads would end the process.
  incoming.on('error', () => undefined);
  return {
    status: incoming.statusCode ?? 0,
    headers: flatHeaders(incoming.headers),
    body: decoded(incoming),
    release: () => {
      if (incoming.complete || incoming.destroyed) {
        incoming.resume();
        return;
      }
      const timer = setTimeout(() => outgoing.destroy(), DRAIN_MS);
      timer.unref();
      incoming.once('close', () => {
        clearTimeout(timer);
      });
      incoming.resume();
    },
    destroy: () => {
      if (incoming.complete) incoming.resume();
      else outgoing.destroy();
    },
  };
}

function flatHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** We ask for no compression; some proxies compress all the same. */
function decoded(incoming: http.IncomingMessage): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(incoming.headers['content-encoding']);
  if (!decoder) return readUntilReleased(incoming);
  // An error of either end reaches the reader by the decoder's own 'error'.
  pipeline(incoming, decoder, () => undefined);
  decoder.on('error', () => undefined);
  return readUntilReleased(decoder);
}

function decoderOf(encoding: string | undefined): (Readable & NodeJS.WritableStream) | null {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH });
    case 'deflate':
      return zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH });
    case 'br':
      return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
    default:
      return null;
  }
}

/** Leaving the loop early must not destroy the socket: `release` decides what becomes of it. */
function readUntilReleased(stream: Readable): AsyncIterable<Uint8Array> {
  return stream.iterator({ destroyOnReturn: false });
}

/** Reads an error body: at most `limitBytes`, and what came before the connection broke. */
export async function readText(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limitBytes) break;
    }
  } catch {
    // The status is already known and says more than the missing rest of its text.
  }
  return Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8');
}

/**
 * Reads a whole body of at most `limitBytes`, counted after decompression; more is a `TroubleError`. Rejects when the
 * connection breaks; `onCut` is told of it where part of the body had come.
 */
export async function readAll(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  onCut: () => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const count = byteMeter('The answer', limitBytes);
  try {
    for await (const chunk of body) {
      count(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (chunks.length > 0) onCut();
    throw error;
  }
  return Buffer.concat(chunks);
}
