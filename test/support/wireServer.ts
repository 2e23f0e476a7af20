// A model server that plays scripts over real sockets and is strict about what it is asked: path, authentication and body
// are checked (see wireRoutes), and a request that breaks a rule is answered with 400 and the list of broken rules.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Wire } from '../../src/core/chat.ts';
import { plainBody, proofViolations, routeOf, type WireRoute } from './wireRoutes.ts';
import { anthropicViolations } from './anthropicRules.ts';
import { openaiViolations } from './wireRules.ts';

export { WIRE_KEY } from './wireRoutes.ts';

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
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly bodyText: string;
  /** As the wire's own vendor would get it: what a cloud has in its path is put back. */
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

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Starts a server of one API on a free port; `script` answers the n-th request (from 0). A keyless one wants no proof. */
export async function startWireServer(
  api: Wire | WireRoute,
  script: (n: number, request: SeenRequest) => WireAnswer,
  isKeyless = false,
): Promise<WireServer> {
  const route = typeof api === 'string' ? routeOf(api) : api;
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const asked = Promise.withResolvers<undefined>();
  const hungUp = Promise.withResolvers<undefined>();
  const server = http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (c: Buffer) => chunks.push(c));
    incoming.on('end', () => {
      const { request, broken } = checked(route, isKeyless, incoming, Buffer.concat(chunks).toString('utf8'));
      const n = seen.push(request) - 1;
      asked.resolve(undefined);
      outgoing.on('close', () => {
        if (!outgoing.writableFinished) hungUp.resolve(undefined);
      });
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
    baseUrl: `http://127.0.0.1:${port}${route.base}`,
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

/** A request as it came, and the rules that it breaks. */
function checked(
  route: WireRoute,
  isKeyless: boolean,
  incoming: http.IncomingMessage,
  bodyText: string,
): { readonly request: SeenRequest; readonly broken: readonly string[] } {
  const { method = '', url: path = '', headers } = incoming;
  const form = plainBody(route, path, jsonOf(bodyText));
  const request = { method, path, headers, bodyText, body: form.body };
  const [address = '', query = ''] = path.split('?', 2);
  const broken = [...proofViolations(route, isKeyless, request), ...form.violations];
  if (method !== 'POST' || !route.path.test(address) || query !== (route.query ?? ''))
    broken.push(`path: ${method} ${path}`);
  // In a cloud it stands in the body.
  const isVersioned = headers['anthropic-version'] !== undefined;
  if (route.wire === 'anthropic-messages' && isVersioned === Boolean(route.claude)) broken.push('anthropic-version');
  if (headers['content-type']?.startsWith('application/json') !== true) broken.push('content-type');
  if (/gzip|br|deflate/.test(headers['accept-encoding'] ?? ''))
    broken.push('accept-encoding: no compression of streams');
  const rules = route.wire === 'anthropic-messages' ? anthropicViolations : openaiViolations;
  return { request, broken: [...broken, ...rules(form.body)] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told as a violation by the wire's rules.
    return null;
  }
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
