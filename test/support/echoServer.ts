// A provider that is careless with keys: it is fine with the right one for its list of models, and every chat call fails in
// another way that quotes the key back, by the name of the model. One name answers properly, with the key in its text.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a model does, by its name. */
const acts: Readonly<Record<string, (key: string, response: ServerResponse) => void>> = {
  'echo-refused': (key, response) =>
    json(response, 401, { error: { message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key' } }),
  'echo-page': (key, response) => {
    response
      .writeHead(502, { 'content-type': 'text/html' })
      .end(`<html><body>Bad gateway for <b>${key}</b></body></html>`);
  },
  'echo-nested': (key, response) =>
    json(response, 400, {
      error: JSON.stringify({ error: { message: `request of ${key}`, headers: { authorization: `Bearer ${key}` } } }),
    }),
  'echo-limit': (key, response) => {
    response.setHeader('retry-after', '1');
    response.setHeader('x-request-id', `req-${key}`);
    response.setHeader('x-ratelimit-reset-requests', key);
    json(response, 429, { error: { message: `limit of ${key} reached`, type: key, code: 'rate_limit_exceeded' } });
  },
  'echo-stream': (key, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    response.end(
      `data: ${JSON.stringify({ error: { message: `stream of ${key} failed`, code: 'server_error' } })}\n\n`,
    );
  },
  'echo-broken': (key, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: {"error":"${key}`, () => response.destroy());
  },
  'echo-text': (key, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: `your key is ${key}` }));
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  },
};

/** The models that fail. */
export const failingModels = Object.keys(acts).filter((name) => name !== 'echo-text');
/** The model that answers. */
export const answeringModel = 'echo-text';

/** The server, on a free port of this machine. */
export interface EchoServer {
  readonly baseUrl: string;
  /** Models whose chat calls arrived with the right key. */
  readonly called: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts it for this key. */
export async function startEchoServer(key: string): Promise<EchoServer> {
  const called = new Set<string>();
  const server = createServer((request, response) => {
    void answer(request, response, { key, called });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    called,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { key, called }: { readonly key: string; readonly called: Set<string> },
): Promise<void> {
  const told = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (request.url?.endsWith('/models') === true) {
    if (told !== key) json(response, 401, { error: { message: `Incorrect API key provided: ${told}.` } });
    else json(response, 200, { object: 'list', data: Object.keys(acts).map((id) => ({ id, object: 'model' })) });
    return;
  }
  let body = '';
  for await (const piece of request) body += String(piece);
  const { model = '' } = JSON.parse(body) as { readonly model?: string }; // What our own client sends.
  if (told === key) called.add(model);
  (acts[model] ?? acts['echo-refused'])?.(told, response);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function chunk(delta: object, finish: string | null = null): string {
  const event = {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'echo',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  return `data: ${JSON.stringify(event)}\n\n`;
}
