// The loopback server: one node:http server on 127.0.0.1 and its life. Every request is admitted, routed and answered;
// whatever goes wrong inside becomes a 500 with the request id and nothing else.
// A client that closes its half of the connection counts as gone, and its call is ended: on the wire that looks just like
// a client that was killed, and one of those must not keep a provider at work (and paid) for an answer nobody reads.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { foldRedundancy, noRedundancy } from '../core/scheduler/redundancy/redundancyFigures.ts';
import type { Controller } from '../engine/controller.ts';
import type { ClockPort, Result } from '../engine/ports.ts';
import { createAdmission, type Admission, type GatewayAuth } from './admission.ts';
import { CallLog } from './callLog.ts';
import { stoppingProblem } from './callFailures.ts';
import { sendProblem, type Exchange, type GatewayParts } from './exchange.ts';
import { boundedLabels, MAX_ROLES } from './labels.ts';
import { defaultLimits, type GatewayLimits } from './limits.ts';
import type { ContextNames } from './requestContext.ts';
import { ResponseWriter } from './responseWriter.ts';
import { routeRequest, wireOfPath } from './router.ts';
import { explainStart, type GatewayStartFault } from './startFault.ts';
import { internalProblem } from './wires/problem.ts';

const HOST = '127.0.0.1';

export interface GatewayOptions {
  readonly controller: Controller;
  readonly clock: ClockPort;
  /** 0 takes any free port. */
  readonly port: number;
  /** A token of your own, or none at all; absent: a random one is made. */
  readonly auth?: GatewayAuth;
  readonly limits?: Partial<GatewayLimits>;
  /** Names of callers that do not say who they are; the tenant is `local` by default. */
  readonly names?: Partial<ContextNames>;
  /** Gets every bug (never shown to a client). */
  readonly reportBug?: (error: unknown, requestId: string) => void;
}

export interface Gateway {
  /** Base address without a trailing slash, e.g. `http://127.0.0.1:4523`. OpenAI clients take `${url}/v1`. */
  readonly url: string;
  /** Null when there is none. */
  readonly token: string | null;
  readonly port: number;
  /** Takes no new requests, lets running ones go on for `drainMs`, then ends them. Resolves when all sockets are closed. */
  close(): Promise<void>;
}

/** Starts listening; a port that cannot be used is a fault that names it and says what to do. */
export async function startGateway(options: GatewayOptions): Promise<Result<Gateway, GatewayStartFault>> {
  const auth = options.auth ?? { token: `belay_${randomBytes(32).toString('base64url')}` };
  const gateway = new RunningGateway(options, auth);
  const fault = await gateway.listen(options.port);
  if (fault) return { ok: false, error: fault };
  const { port } = gateway;
  const token = 'token' in auth ? auth.token : null;
  return { ok: true, value: { url: `http://${HOST}:${port}`, token, port, close: () => gateway.close() } };
}

class RunningGateway {
  port = 0;
  private readonly auth: GatewayAuth;
  private readonly server: Server;
  private readonly parts: GatewayParts;
  private readonly ending = new AbortController();
  private readonly stopping = new AbortController();
  private readonly subscription: { dispose(): void };
  private readonly exchanges = new Set<Promise<void>>();
  private readonly answering = new WeakSet<Duplex>();
  private admission: Admission | null = null;
  private redundancy = noRedundancy;
  private closed: Promise<void> | null = null;

  constructor(options: GatewayOptions, auth: GatewayAuth) {
    const { controller, clock } = options;
    const { gatewayBodyBytes } = controller.settings.advanced.limits;
    const limits: GatewayLimits = { ...defaultLimits, bodyBytes: gatewayBodyBytes, ...options.limits };
    const calls = new CallLog(limits.rememberedCalls);
    this.auth = auth;
    this.parts = {
      controller,
      clock,
      limits,
      names: { tenant: 'local', ...options.names },
      calls,
      stopping: this.stopping.signal,
      feedsEnding: this.ending.signal,
      running: new Set(),
      requestCounts: new Map(),
      redundancy: () => this.redundancy.totals,
      roleLabel: boundedLabels(MAX_ROLES),
      reportBug: options.reportBug ?? (() => undefined),
    };
    this.subscription = controller.onDidEmit((event) => {
      calls.noteEvent(event);
      this.redundancy = foldRedundancy(this.redundancy, event);
    });
    this.server = createGatewayServer(limits);
    this.server.on('request', (request, response) => this.accept(request, response, false));
    this.server.on('checkContinue', (request, response) => this.accept(request, response, true));
    this.server.on('clientError', (error, socket) => answerMalformed(error, socket, this.answering.has(socket)));
  }

  async listen(port: number): Promise<GatewayStartFault | null> {
    const error = await new Promise<Error | null>((resolve) => {
      this.server.once('error', resolve);
      this.server.listen({ host: HOST, port, exclusive: true }, () => {
        this.server.off('error', resolve);
        resolve(null);
      });
    });
    if (error) {
      this.subscription.dispose();
      return explainStart(error, port);
    }
    const address = this.server.address();
    this.port = typeof address === 'object' && address ? address.port : port;
    this.admission = createAdmission(this.auth, this.port);
    // A failing accept (no file descriptors left) must not end the process.
    this.server.on('error', (failure) => this.parts.reportBug(failure, 'server'));
    return null;
  }

  close(): Promise<void> {
    this.closed ??= this.drain();
    return this.closed;
  }

  private async drain(): Promise<void> {
    const { clock, limits } = this.parts;
    this.ending.abort();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const drained = new AbortController();
    const timeout = clock.sleep(limits.drainMs, drained.signal).then(
      () => this.stopping.abort(),
      () => undefined,
    );
    await Promise.race([this.idle(), timeout]);
    drained.abort();
    this.stopping.abort();
    await timeout;
    // Whoever was cut off gets its error event before the sockets go.
    const parted = new AbortController();
    const patience = clock.sleep(LAST_WORDS_MS, parted.signal).catch(() => undefined);
    await Promise.race([this.idle(), patience]);
    parted.abort();
    this.server.closeAllConnections();
    await closed;
    this.subscription.dispose();
  }

  /** Resolves when no request is being answered. */
  private async idle(): Promise<void> {
    while (this.exchanges.size > 0) await Promise.all(this.exchanges);
  }

  private accept(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const { socket } = request;
    this.answering.add(socket);
    const answered = this.answer(request, response, awaitsContinue)
      .catch((error: unknown) => {
        this.parts.reportBug(error, 'server');
        response.destroy();
      })
      .then(() => handedOver(response))
      .then(() => {
        this.exchanges.delete(answered);
        if (response.writableEnded) this.answering.delete(socket);
      });
    this.exchanges.add(answered);
  }

  private async answer(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<void> {
    const { parts } = this;
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const writer = new ResponseWriter(request, response, parts.clock, parts.limits.writeStallMs);
    writer.isBodyWithheld = awaitsContinue;
    const exchange: Exchange = {
      request,
      writer,
      headers: singleHeaders(request),
      query: new URLSearchParams(query),
      requestId: `req-${randomUUID()}`,
      wire: wireOfPath(path),
      continueBody: () => {
        if (writer.isBodyWithheld) response.writeContinue();
        writer.isBodyWithheld = false;
      },
    };
    try {
      const routed = routeRequest(request.method ?? '', path);
      // No admission yet means not listening: refuse.
      const refusal = this.admission ? this.admission.refuse(request.headers, routed.needsToken) : stoppingProblem;
      if (refusal) await sendProblem(exchange, refusal, refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {});
      else if (this.ending.signal.aborted) await sendProblem(exchange, stoppingProblem, { connection: 'close' });
      else await routed.run(parts, exchange);
    } catch (error) {
      parts.reportBug(error, exchange.requestId);
      if (writer.hasEnded) return;
      if (writer.hasHeaders) writer.destroy();
      else await sendProblem(exchange, internalProblem(exchange.requestId));
    } finally {
      // Nothing was sent to a client that left before its answer.
      const status = writer.hasHeaders ? String(writer.status) : 'none';
      parts.requestCounts.set(status, (parts.requestCounts.get(status) ?? 0) + 1);
    }
  }
}

/** After the drain, so long for the last error events to leave. */
const LAST_WORDS_MS = 500;

function createGatewayServer(limits: GatewayLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.max(100, Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs) / 4),
    maxHeaderSize: limits.headerBytes,
    insecureHTTPParser: false,
    keepAliveTimeout: 75_000,
  });
  server.maxConnections = limits.maxConnections;
  server.timeout = 0;
  return server;
}

/** Resolves when the last byte of a response has left this process, or cannot. */
function handedOver(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

const malformedStatus: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** Answers what is not HTTP, is too slow or too large, without a handler; nothing of the request is repeated. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = malformedStatus.get(error.code ?? '') ?? '400 Bad Request';
  const body = JSON.stringify({
    error: { message: `${status}.`, type: 'invalid_request_error', code: 'malformed_request', param: null },
  });
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}
