// The live check of a provider against a real socket.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../src/adapters/time/realClock.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { ProbeInput } from '../../src/adapters/providers/probeProvider.ts';
import { probeProvider } from '../../src/adapters/providers/probeProvider.ts';
import { AWS_REGION, signatureViolations } from '../support/awsWire.ts';
import { SIGNED_IN } from '../support/wirePaths.ts';
import { WIRE_PROJECT, WIRE_TOKEN } from '../support/wireRoutes.ts';

const OPENAI = { kind: 'openai', auth: 'key', cloud: {}, region: 'default' } as const;

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function probe(
  handler: Handler,
  more: Partial<ProbeInput> = {},
): Promise<Awaited<ReturnType<typeof probeProvider>>> {
  const server = http.createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  try {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    return await probeProvider({
      ...OPENAI,
      baseUrl,
      key: 'sk-secret',
      signal: new AbortController().signal,
      clock: realClock(),
      ...more,
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const list = (response: http.ServerResponse): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'm1', object: 'model' }, { id: 'm2' }] }));
};

describe('probeProvider', () => {
  it.each([
    ['openai', '/v1/models', 'authorization'],
    ['openai-compatible', '/v1/models', 'authorization'],
    ['anthropic', '/v1/models?limit=1000', 'x-api-key'],
  ] as const)('lists the models of kind %s and measures the time on the given clock', async (kind, path, header) => {
    const clock = virtualClock(1_000);
    const result = await probe(
      (request, response) => {
        expect(request.url).toBe(path);
        expect(request.headers[header]).toContain('sk-secret');
        void clock.advance(250).then(() => {
          list(response);
        });
      },
      { kind, clock },
    );
    expect(result).toEqual({ ok: true, value: { models: ['m1', 'm2'], isListed: true, latencyMs: 250 } });
  });

  it('tells a wrong key without repeating it', async () => {
    const result = await probe((_request, response) => {
      response.statusCode = 401;
      response.end('{"error":{"message":"bad key sk-secret"}}');
    });
    expect(result).toMatchObject({ ok: false, error: { httpStatus: 401, streamPhase: 'before_headers' } });
    expect(JSON.stringify(result)).not.toContain('sk-secret');
  });

  it('tells an address that answers with something else', async () => {
    const result = await probe((_request, response) => response.end('<html></html>'));
    expect(result).toMatchObject({ ok: false, error: { httpStatus: 200, body: '<html></html>' } });
    expect(JSON.stringify(result)).toContain('Check the base URL');
  });

  it('tells an unreachable server and an address that is none', async () => {
    const clock = realClock();
    const signal = new AbortController().signal;
    const unreachable = await probeProvider({
      ...OPENAI,
      baseUrl: 'http://127.0.0.1:1/v1',
      key: '',
      signal,
      clock,
    });
    expect(unreachable).toMatchObject({ ok: false, error: { clientError: { code: 'ECONNREFUSED' } } });
    const bad = await probeProvider({ ...OPENAI, baseUrl: 'not a url', key: '', signal, clock });
    expect(bad).toMatchObject({ ok: false, error: { clientError: { code: 'belay_bad_base_url' } } });
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    const result = await probe(
      () => {
        controller.abort();
      },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ ok: false, error: { clientError: { code: 'ABORT_ERR' } } });
  });
});

/** Answers by path; what is not named is 404. Checks who asks by `proof`. */
function answers(
  table: Readonly<Record<string, readonly [number, unknown]>>,
  proof: (request: http.IncomingMessage) => unknown,
): { readonly handler: Handler; readonly asked: string[]; readonly proofs: unknown[] } {
  const asked: string[] = [];
  const proofs: unknown[] = [];
  return {
    asked,
    proofs,
    handler: (request, response) => {
      asked.push(request.url ?? '');
      proofs.push(proof(request));
      const [status, body] = table[request.url ?? ''] ?? [404, { error: { message: 'no such path' } }];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
  };
}

const bearer = (request: http.IncomingMessage): unknown => request.headers.authorization;
const works = (models: readonly string[], isListed = true): object => ({ ok: true, value: { models, isListed } });

describe('probeProvider, Gemini', () => {
  it('lists the models without the prefix of the list', async () => {
    const { handler, proofs } = answers({ '/v1/models': [200, { data: [{ id: 'models/gemini-9' }] }] }, bearer);
    expect(await probe(handler, { kind: 'gemini' })).toMatchObject(works(['gemini-9']));
    expect(proofs).toEqual(['Bearer sk-secret']);
  });
});

describe('probeProvider, Azure', () => {
  const deployments = '/v1/openai/deployments?api-version=2022-12-01';
  const key = (request: http.IncomingMessage): unknown => request.headers['api-key'];

  it('lists deployments, which are what can be asked for', async () => {
    const { handler, proofs } = answers({ [deployments]: [200, { data: [{ id: 'my-gpt', model: 'gpt-9' }] }] }, key);
    expect(await probe(handler, { kind: 'azure' })).toMatchObject(works(['my-gpt']));
    expect(proofs).toEqual(['sk-secret']);
  });

  it('says that there is no list where the resource has none but works', async () => {
    const { handler, asked } = answers({ '/v1/openai/v1/models': [200, { data: [{ id: 'gpt-9' }] }] }, key);
    expect(await probe(handler, { kind: 'azure' })).toMatchObject(works([], false));
    expect(asked).toEqual([deployments, '/v1/openai/v1/models']);
    const dated = answers({ '/v1/openai/models?api-version=2025-04-01-preview': [200, {}] }, key);
    const cloud = { apiVersion: '2025-04-01-preview' };
    expect(await probe(dated.handler, { kind: 'azure', cloud })).toMatchObject(works([], false));
  });

  it('tells a refused key', async () => {
    const { handler } = answers({ [deployments]: [401, { error: { message: 'no' } }] }, key);
    expect(await probe(handler, { kind: 'azure' })).toMatchObject({ ok: false, error: { httpStatus: 401 } });
  });
});

describe('probeProvider, Bedrock', () => {
  const models = {
    modelSummaries: [
      { modelId: 'vendor.direct-v1', inferenceTypesSupported: ['ON_DEMAND'], responseStreamingSupported: true },
      { modelId: 'vendor.by-profile-v1', inferenceTypesSupported: ['INFERENCE_PROFILE'] },
      { modelId: 'vendor.no-stream-v1', inferenceTypesSupported: ['ON_DEMAND'], responseStreamingSupported: false },
    ],
  };
  const profiles = { inferenceProfileSummaries: [{ inferenceProfileId: 'eu.vendor.by-profile-v1' }] };
  const list = '/foundation-models?byOutputModality=TEXT';
  const more = '/inference-profiles?maxResults=1000';

  it('lists models and inference profiles with a key', async () => {
    const { handler, proofs } = answers({ [list]: [200, models], [more]: [200, profiles] }, bearer);
    const found = await probe(handler, { kind: 'bedrock', region: AWS_REGION });
    expect(found).toMatchObject(works(['vendor.direct-v1', 'eu.vendor.by-profile-v1']));
    expect(proofs).toEqual(['Bearer sk-secret', 'Bearer sk-secret']);
  });

  it('signs both questions with AWS keys, and does without the second answer', async () => {
    const { handler, proofs } = answers({ [list]: [200, models], [more]: [403, {}] }, (request) =>
      signatureViolations({ method: 'GET', path: request.url ?? '', headers: request.headers, bodyText: '' }),
    );
    const given = { kind: 'bedrock', region: AWS_REGION, auth: 'sign-in', signIn: SIGNED_IN } as const;
    expect(await probe(handler, given)).toMatchObject(works(['vendor.direct-v1']));
    expect(proofs).toEqual([[], []]);
  });

  it('takes a key that may not list for one that works, and a wrong one for a wrong one', async () => {
    const denied = 'User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:ListFoundationModels';
    const allowed = answers({ [list]: [403, { message: denied }] }, bearer);
    expect(await probe(allowed.handler, { kind: 'bedrock', region: AWS_REGION })).toMatchObject(works([], false));
    const wrong = answers(
      { [list]: [403, { message: 'The security token included in the request is invalid.' }] },
      bearer,
    );
    const result = await probe(wrong.handler, { kind: 'bedrock', region: AWS_REGION });
    expect(result).toMatchObject({ ok: false, error: { httpStatus: 403 } });
  });
});

describe('probeProvider, Vertex', () => {
  const cloud = { project: WIRE_PROJECT };
  const given = { kind: 'vertex', region: 'europe-west4', auth: 'sign-in', signIn: SIGNED_IN, cloud } as const;
  const of = (publisher: string): string => `/v1beta1/publishers/${publisher}/models?pageSize=300`;
  const named = (name: string): readonly [number, unknown] => [200, { publisherModels: [{ name }] }];

  it('lists the models of Google and of Anthropic for the project', async () => {
    const { handler, proofs } = answers(
      {
        [of('google')]: named('publishers/google/models/gemini-9'),
        [of('anthropic')]: named('publishers/anthropic/models/claude-9'),
      },
      ({ headers }) => [headers.authorization, headers['x-goog-user-project']],
    );
    expect(await probe(handler, given)).toMatchObject(works(['google/gemini-9', 'claude-9']));
    expect(proofs[0]).toEqual([`Bearer ${WIRE_TOKEN}`, WIRE_PROJECT]);
  });

  it('checks project and region where listing is not allowed', async () => {
    const place = `/v1/projects/${WIRE_PROJECT}/locations/europe-west4`;
    const { handler, asked } = answers({ [of('google')]: [403, {}], [place]: [200, { locationId: 'x' }] }, bearer);
    expect(await probe(handler, given)).toMatchObject(works([], false));
    expect(asked).toEqual([of('google'), place]);
    const lost = answers({ [of('google')]: [403, {}], [place]: [403, { error: { message: 'denied' } }] }, bearer);
    expect(await probe(lost.handler, given)).toMatchObject({ ok: false, error: { httpStatus: 403 } });
  });

  it('tells that nobody is signed in, with the remedy', async () => {
    const { handler, asked } = answers({}, bearer);
    const signIn = { googleToken: () => Promise.resolve(null) };
    const result = await probe(handler, { ...given, signIn });
    expect(result).toMatchObject({ ok: false, error: { clientError: { code: 'belay_sign_in' } } });
    expect(JSON.stringify(result)).toContain('gcloud auth application-default login');
    expect(asked).toEqual([]);
  });
});

describe('probeProvider, VS Code', () => {
  it('says where its models can be seen', async () => {
    const result = await probe(() => undefined, { kind: 'vscode', baseUrl: 'vscode://language-models', auth: 'none' });
    expect(result).toMatchObject({ ok: false, error: { clientError: { code: 'belay_unsupported_candidate' } } });
  });
});
