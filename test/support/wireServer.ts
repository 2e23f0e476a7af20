// A model server that plays scripts over real sockets and is strict about what it is asked: path, authentication and body
// are checked, and a request that breaks a rule is answered with 400 and the list of broken rules.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Wire } from '../../src/core/chat.ts';
import { anthropicViolations, openaiViolations } from './wireRules.ts';

/** What the server does after it has read a request, in order. */
export type WireStep =
  /** One write; the next step waits until it has left. */
  | { readonly write: string | Uint8Array }
  /** Ends the answer as HTTP wants it. */
  | { readonly end: true }
  /** Destroys the socket. */
  | { readonly cut: true }
  /** Says nothing more until the client closes. */
  | { readonly stall: true };

/** One scripted answer. `silent`: no headers; `reset`: the socket dies before the headers. */
export type WireAnswer =
  | { readonly silent: true }
  | { readonly reset: true }
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly steps: readonly WireStep[];
    };

/** A request as it came. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly bodyText: string;
  readonly body: unknown;
}

/** A running server. */
export interface WireServer {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
  /** Sockets that were ever opened. */
  readonly connections: () => number;
  /** Resolves when the first request has been read. */
  readonly asked: Promise<void>;
  /** Resolves when the client closed the connection of an unfinished answer. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

/** The only key the server accepts; a request without any is taken for one to a local server. */
export const WIRE_KEY = 'sk-test-key-0123456789';

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };
const PATHS: Readonly<Record<string, string>> = {
  'openai-chat': '/v1/chat/completions',
  'anthropic-messages': '/v1/messages',
};

/** Starts a server of one wire on a free port; `script` answers the n-th request (from 0). */
export async function startWireServer(
  wire: Wire,
  script: (n: number, request: SeenRequest) => WireAnswer,
): Promise<WireServer> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const asked = Promise.withResolvers<undefined>();
  const hungUp = Promise.withResolvers<undefined>();
  const server = http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (c: Buffer) => chunks.push(c));
    incoming.on('end', () => {
      const request = seenRequest(incoming, Buffer.concat(chunks).toString('utf8'));
      const n = seen.push(request) - 1;
      asked.resolve(undefined);
      outgoing.on('close', () => {
        if (!outgoing.writableFinished) hungUp.resolve(undefined);
      });
      const broken = violations(wire, incoming.method ?? '', request);
      void play(outgoing, broken.length > 0 ? refusal(broken) : script(n, request));
    });
  });
  server.on('connection', (socket: Socket) => {
    opened++;
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  return {
    baseUrl: `http://127.0.0.1:${port}${wire === 'anthropic-messages' ? '' : '/v1'}`,
    seen,
    connections: () => opened,
    asked: asked.promise,
    hungUp: hungUp.promise,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** An answer that sends each text as one write and ends well. */
export function streamed(writes: readonly (string | Uint8Array)[], end: WireStep = { end: true }): WireAnswer {
  return { headers: STREAM_HEADERS, steps: [...writes.map((write) => ({ write })), end] };
}

/** An answer of one JSON document. */
export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [{ write: JSON.stringify(body) }, { end: true }],
  };
}

function seenRequest(incoming: http.IncomingMessage, bodyText: string): SeenRequest {
  let body: unknown = null;
  try {
    body = JSON.parse(bodyText);
  } catch {
    // Told as a violation below.
  }
  return { path: incoming.url ?? '', headers: incoming.headers, bodyText, body };
}

function violations(wire: Wire, method: string, { path, headers, body }: SeenRequest): string[] {
  const found: string[] = [];
  if (method !== 'POST' || path.split('?')[0] !== PATHS[wire]) found.push(`path: ${method} ${path}`);
  const isKnown =
    headers.authorization === `Bearer ${WIRE_KEY}` ||
    (wire === 'anthropic-messages' && headers['x-api-key'] === WIRE_KEY);
  const isAnonymous = headers.authorization === undefined && headers['x-api-key'] === undefined;
  if (!isKnown && !isAnonymous) found.push('authentication');
  if (wire === 'anthropic-messages' && headers['anthropic-version'] === undefined) found.push('anthropic-version');
  if (headers['content-type']?.startsWith('application/json') !== true) found.push('content-type');
  if (/gzip|br|deflate/.test(headers['accept-encoding'] ?? ''))
    found.push('accept-encoding: no compression of streams');
  return [...found, ...(wire === 'anthropic-messages' ? anthropicViolations(body) : openaiViolations(body))];
}

function refusal(broken: readonly string[]): WireAnswer {
  return jsonAnswer(400, {
    type: 'error',
    error: { type: 'invalid_request_error', message: `rules broken: ${broken.join('; ')}` },
  });
}

async function play(outgoing: http.ServerResponse, answer: WireAnswer): Promise<void> {
  if ('silent' in answer) return;
  if ('reset' in answer) {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  outgoing.writeHead(answer.status ?? 200, answer.headers ?? STREAM_HEADERS);
  outgoing.flushHeaders();
  for (const step of answer.steps) {
    if (outgoing.destroyed || 'stall' in step) return;
    if ('end' in step) outgoing.end();
    else if ('cut' in step) outgoing.destroy();
    else await written(outgoing, step.write);
  }
}

/** Waits for the write to leave, and one turn more, so that two writes rarely arrive as one. */
async function written(outgoing: http.ServerResponse, bytes: string | Uint8Array): Promise<void> {
  if (bytes.length === 0) return;
  await new Promise<void>((resolve) => {
    outgoing.write(bytes, () => setImmediate(resolve));
  });
}
