// The contract of the provider port where a cloud has its own ways: AWS's event stream and its exceptions, Google's errors
// in lists, Azure's addresses as people paste them, and the models of the editor. Over real sockets.
import { describe, expect, it } from 'vitest';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import type { ProviderEvent, ProviderPort } from '../../src/engine/ports.ts';
import { awsFrame, chunkFrame, exceptionFrame, framed } from '../support/awsWire.ts';
import {
  answered,
  answeredBytes,
  candidateOf,
  collect,
  countFinishes,
  PATHS,
  REQUEST,
  run,
  runAll,
  runOf,
  TEXTS,
  WHOLE_TEXT,
  withServer,
} from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { jsonAnswer, streamed } from '../support/wireServer.ts';

const EXCEPTIONS = [
  'throttlingException',
  'modelStreamErrorException',
  'internalServerException',
  'validationException',
  'modelTimeoutException',
  'serviceUnavailableException',
];

describe.each(PATHS.filter(({ framing }) => framing === 'aws'))("AWS's event stream: $name", (path) => {
  const events = wireScript(path.wire).events({ texts: TEXTS });
  const frames = events.map(framed);
  const phases = [
    ['before_first_token', frames.slice(0, 1)],
    ['mid_stream', frames.slice(0, 5)],
  ] as const;

  it.each(phases)('tells each exception with its type and its words %s', async (phase, good) => {
    const runs = await runAll(
      path,
      EXCEPTIONS.map((type) => answeredBytes(path, [...good, exceptionFrame(type, 'Not now.')])),
    );
    for (const [i, { parts, failed }] of runs.entries()) {
      expect(countFinishes(parts)).toBe(0);
      expect(failed).toMatchObject({
        httpStatus: 200,
        streamPhase: phase,
        clientError: { code: 'belay_in_band_error' },
        body: { type: 'error', error: { type: EXCEPTIONS[i], message: 'Not now.' } },
      });
    }
  });

  it('tells an exception that nobody has described yet with its type', async () => {
    const { failed } = await run(
      path,
      answeredBytes(path, [...frames.slice(0, 5), exceptionFrame('newException', 'x')]),
    );
    expect(failed?.clientError?.code).toBe('belay_in_band_error');
    expect(failed?.body).toMatchObject({ type: 'error', error: { type: 'newException' } });
  });

  it('tells a message whose checksum is wrong, wherever the damage is', async () => {
    const victim = frames[5] ?? Buffer.alloc(0);
    const damaged = [4, 8, 20, victim.length - 10, victim.length - 1].map((at) => {
      const copy = Buffer.from(victim);
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
      return copy;
    });
    const runs = await runAll(
      path,
      damaged.map((bad) => answeredBytes(path, [...frames.slice(0, 5), bad, ...frames.slice(6)])),
    );
    for (const { parts, failed } of runs) {
      expect(countFinishes(parts)).toBe(0);
      expect(failed).toMatchObject({ streamPhase: 'mid_stream', clientError: { code: 'belay_malformed_chunk' } });
    }
  });

  it('takes no memory for a length that no message has', async () => {
    const [huge, none] = await runAll(path, [
      answeredBytes(path, [...frames.slice(0, 5), Buffer.from('fffffff0', 'hex')], { stall: true }),
      answeredBytes(path, [...frames.slice(0, 5), Buffer.from('00000000', 'hex')], { stall: true }),
    ]);
    expect(huge?.failed?.clientError?.code).toBe('belay_event_too_large');
    expect(none?.failed?.clientError?.code).toBe('belay_malformed_chunk');
  });

  it('goes on over messages that are no part of the answer', async () => {
    const other = awsFrame({ ':event-type': 'news', ':message-type': 'event' }, '{}');
    const { parts, failed } = await run(
      path,
      answeredBytes(
        path,
        frames.flatMap((frame) => [frame, other, chunkFrame('{"amazon-keep-alive":1}')]),
      ),
    );
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
  });

  it('reads server-sent events where a gateway has already translated them', async () => {
    const { parts, failed } = await run(path, streamed(events));
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
  });

  it("keeps AWS's name of an error, which stands in a header only", async () => {
    const headers = { 'x-amzn-errortype': 'ThrottlingException:http://x/', 'x-amzn-requestid': 'r1' };
    const { failed } = await run(path, jsonAnswer(429, { message: 'Too many requests' }, headers));
    expect(failed).toMatchObject({ httpStatus: 429, headers, body: { message: 'Too many requests' } });
  });
});

describe.each(PATHS.filter(({ kind, wire }) => kind === 'gemini' || (kind === 'vertex' && wire === 'openai-chat')))(
  "Google's errors: $name",
  (path) => {
    const error = { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' } };

    it('are read out of the list they come in, whatever the status', async () => {
      const events = wireScript(path.wire).events({ texts: TEXTS });
      const [status, whole, inStream] = await runAll(path, [
        jsonAnswer(429, [error]),
        jsonAnswer(200, [error]),
        answered(path, [...events.slice(0, 3), `data: ${JSON.stringify([error])}\n\n`]),
      ]);
      expect(status?.failed).toMatchObject({ httpStatus: 429, body: error });
      expect(whole?.failed).toMatchObject({ body: error, clientError: { code: 'belay_in_band_error' } });
      expect(inStream?.failed).toMatchObject({ body: error, clientError: { code: 'belay_in_band_error' } });
    });
  },
);

describe.each(PATHS.filter(({ kind }) => kind === 'azure'))("Azure's address: $name", (path) => {
  it.each(['', '/', '/openai', '/openai/', '/openai/v1', '/openai/v1/', '/openai/deployments/other/chat/completions'])(
    'is the resource, whatever was pasted after it: "%s"',
    async (rest) => {
      await withServer(
        path,
        () => answered(path, wireScript(path.wire).events({ texts: TEXTS })),
        async ({ server, candidate, providers }) => {
          const baseUrl = new URL(server.baseUrl).origin + rest;
          const signal = new AbortController().signal;
          const { failed } = runOf(await collect(providers.stream(REQUEST, { ...candidate, baseUrl }, signal)));
          expect(failed).toBeNull();
        },
      );
    },
  );
});

describe('the models of the editor', () => {
  const path = PATHS[0];
  if (!path) throw new Error('there is at least one path');
  const candidate = { ...candidateOf(path, 'vscode://language-models'), kind: 'vscode', path: 'editor' } as const;
  const secrets = (): Promise<string> => Promise.reject(new Error('no key is asked for'));

  it('are served by the editor', async () => {
    const part: ProviderEvent = { parts: [{ type: 'text-delta', text: 'hello' }] };
    const seen: unknown[] = [];
    const editor: ProviderPort = {
      // eslint-disable-next-line @typescript-eslint/require-await -- the port's shape
      async *stream(request, asked, _signal, attemptId) {
        seen.push(request, asked, attemptId);
        yield part;
      },
    };
    const providers = createProviders({ secrets, editor });
    const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal, 'a1'));
    providers.dispose();
    expect(events).toEqual([part]);
    expect(seen).toEqual([REQUEST, candidate, 'a1']);
  });

  it('are said to be in VS Code only where there is none', async () => {
    const providers = createProviders({ secrets });
    const events = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
    providers.dispose();
    expect(events).toMatchObject([{ failed: { clientError: { code: 'belay_unsupported_candidate' } } }]);
    expect(JSON.stringify(events)).toMatch(/only Belay inside VS Code/);
  });
});
