// Which handler answers which method and path. Paths are compared as they were sent, never normalised or decoded, so that
// no spelling of `..` leads anywhere.
import { oneCall, streamDecisions } from './decisions.ts';
import { sendJson, sendProblem, type Exchange, type GatewayParts } from './exchange.ts';
import { prometheusText } from './metrics.ts';
import { listModels, oneModel } from './models.ts';
import { redundancyText } from './redundancyMetrics.ts';
import { serveModelCall } from './modelCall.ts';
import { openaiChatWire } from './wires/openaiChat.ts';
import type { GatewayWire, WireProblem } from './wires/wire.ts';

type Handler = (parts: GatewayParts, exchange: Exchange, rest: string) => Promise<void>;

interface Route {
  readonly methods: readonly string[];
  /** The whole path, or its beginning when it ends in `/` and something must follow. */
  readonly path: string;
  /** What says nothing needs no token. */
  readonly needsToken: boolean;
  readonly handle: Handler;
}

/** All wires; the first one is the shape of failures outside of any wire. */
const wires: readonly [GatewayWire, ...GatewayWire[]] = [openaiChatWire];

const get = (path: string, handle: Handler): Route => ({ methods: ['GET'], path, needsToken: true, handle });

const routes: readonly Route[] = [
  { methods: ['HEAD'], path: '/', needsToken: false, handle: health },
  { methods: ['GET', 'HEAD'], path: '/healthz', needsToken: false, handle: health },
  ...wires.flatMap((wire) =>
    wire.paths.map((path): Route => ({ methods: ['POST'], path, needsToken: true, handle: serveModelCall })),
  ),
  get('/v1/models', listModels),
  get('/models', listModels),
  get('/v1/models/', oneModel),
  get('/models/', oneModel),
  get('/metrics', metrics),
  get('/belay/decisions', streamDecisions),
  get('/belay/decisions/', oneCall),
];

/** What is to be done with a request. `needsToken` holds for unknown paths too: they tell nothing. */
export interface RoutedRequest {
  readonly needsToken: boolean;
  readonly run: (parts: GatewayParts, exchange: Exchange) => Promise<void>;
}

/** The wire in whose shape a path's failures are told. */
export function wireOfPath(path: string): GatewayWire {
  return wires.find((wire) => wire.paths.includes(path)) ?? wires[0];
}

/** Total: an unknown path is a 404, a known one with another method a 405. */
export function routeRequest(method: string, path: string): RoutedRequest {
  const matching = routes.filter((route) => matches(route.path, path));
  const route = matching.find(({ methods }) => methods.includes(method));
  if (route) {
    const rest = path.slice(route.path.length);
    return { needsToken: route.needsToken, run: (parts, exchange) => route.handle(parts, exchange, rest) };
  }
  const methods = [...new Set(matching.flatMap((other) => other.methods))];
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return { needsToken: true, run: (_, exchange) => sendProblem(exchange, methodProblem(allow), { allow }) };
  }
  return { needsToken: true, run: (_, exchange) => sendProblem(exchange, pathProblem) };
}

function matches(pattern: string, path: string): boolean {
  const isPrefix = pattern !== '/' && pattern.endsWith('/');
  return isPrefix ? path.startsWith(pattern) && path.length > pattern.length : path === pattern;
}

async function health(_parts: GatewayParts, exchange: Exchange): Promise<void> {
  await sendJson(exchange, { status: 'ok' });
}

async function metrics(parts: GatewayParts, exchange: Exchange): Promise<void> {
  const text = prometheusText(parts.controller.snapshot(), {
    openCalls: parts.running.size,
    requests: parts.requestCounts,
  });
  const redundancy = redundancyText(parts.redundancy());
  await exchange.writer.send(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, text + redundancy);
}

const pathProblem: WireProblem = {
  status: 404,
  message: `Nothing is served at this path. The gateway serves ${[...new Set(routes.map((route) => route.path))].join(', ')}.`,
  code: 'path_not_found',
  param: null,
  retryAfterMs: null,
};

function methodProblem(allow: string): WireProblem {
  return {
    status: 405,
    message: `This path takes only ${allow}.`,
    code: 'method_not_allowed',
    param: null,
    retryAfterMs: null,
  };
}
