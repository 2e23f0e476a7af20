// The one HTTP client of all provider paths: node:http(s) with keep-alive, one send, no retry, no redirect, no timer of
// its own on a request (the engine owns connect, first-token, idle and total timers). Aborting destroys the socket at once.
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import zlib from 'node:zlib';
import { byteMeter } from './answerLimits.ts';

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

/** A client with its own pool. */
export function createHttpClient(): HttpClient {
  const options = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_SOCKET_MS } as const;
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const isTls = request.url.protocol === 'https:';
        const settings = { method: request.method, headers: request.headers };
        const outgoing = isTls
          ? https.request(request.url, { ...settings, agent: agents['https:'] })
          : http.request(request.url, { ...settings, agent: agents['http:'] });
        const abort = (): void => {
          outgoing.destroy(new Error('aborted'));
        };
        signal.addEventListener('abort', abort, { once: true });
        outgoing.once('close', () => {
          signal.removeEventListener('abort', abort);
        });
        // Stays for the whole life: an error after the headers reaches the reader through the body.
        outgoing.on('error', reject);
        outgoing.once('response', (incoming) => {
          resolve(responseOf(outgoing, incoming));
        });
        outgoing.end(request.body);
      }),
    dispose: () => {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
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
