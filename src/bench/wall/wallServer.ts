// One HTTP server of the wall: reads bodies, finds the door for a path, and knows when a client has gone.
// It listens on loopback only, on a port the system picks.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { drawId } from './draw.ts';
import { sendError, serveRequest, type Exchange, type ServerContext } from './serveRequest.ts';

/** Longest body that is read, in bytes. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

export interface WallServer {
  /** The base URL that the vendor's official client takes. */
  readonly baseUrl: string;
  /** Ends all connections, open answers included, and waits for the requests to be booked. */
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1. Rejects when no port can be had. */
export async function startWallServer(context: ServerContext): Promise<WallServer> {
  const running = new Set<Promise<void>>();
  let arrivals = 0;
  const server = createServer((request, response) => {
    arrivals += 1;
    const requestId = `req_${drawId(20, context.seed, context.rules.vendor, context.region, arrivals)}`;
    const work = handle(context, request, response, requestId).catch((error: unknown) => {
      // A bug in the wall: the client sees a broken connection, the test run sees the reason.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
      process.emitWarning(`wall: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    });
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}${context.rules.basePath}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(running);
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
      else reject(new Error('the wall has no port'));
    });
  });
}

async function handle(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  // A socket that was torn down by either side reports it here; the outcome is already known from `close`.
  response.on('error', () => leaving.abort());
  const exchange: Exchange = { request, response, gone: leaving.signal, requestId };
  const method = request.method ?? 'GET';
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  const text = await bodyOf(request);
  if (text === null) {
    sendError(context, exchange, context.rules.tooLarge);
    return;
  }
  const wire = context.rules.wires.find((each) => method === 'POST' && each.path === path);
  if (wire) {
    await serveRequest(context, exchange, wire, parsed(text));
    return;
  }
  serveFree(context, exchange, method, path, text);
}

function serveFree(context: ServerContext, exchange: Exchange, method: string, path: string, text: string): void {
  const { rules } = context;
  const door = rules.freeDoors.find((each) => each.method === method && each.path === path);
  const denied = rules.authorize(exchange.request.headers, context.apiKey);
  if (!door || denied) {
    sendError(context, exchange, denied ?? rules.unknownPath(method, path));
    return;
  }
  const body = door.method === 'POST' ? parsed(text) : null;
  const answer = body === undefined ? { ok: false as const, error: rules.notJson } : door.answer(body, context.models);
  if (!answer.ok) {
    sendError(context, exchange, answer.error);
    return;
  }
  exchange.response.writeHead(200, { 'content-type': 'application/json', ...rules.headers(exchange.requestId) });
  exchange.response.end(JSON.stringify(answer.value));
}

/** The body as text; `null` when it is longer than the limit (the rest is not kept). */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of request) {
      if (!Buffer.isBuffer(chunk)) continue;
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
    }
  } catch {
    // The client left while sending: what arrived is not a request, and nobody waits for an answer.
    return '';
  }
  return sizeBytes > BODY_LIMIT_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

/** `undefined` when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
