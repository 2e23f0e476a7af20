// The raw path over real sockets: what goes out is the caller's body but for the model, what comes back is the provider's
// own JSON in plain frames, each in exactly one event, and the connection is used again.
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/core/chat.ts';
import type { ProviderEvent } from '../../src/engine/ports.ts';
import { collect, PATHS, REQUEST, secretOf, TEXTS, WHOLE_TEXT, withServer } from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { jsonAnswer, streamed } from '../support/wireServer.ts';

const bytesOf = (events: readonly ProviderEvent[]): Buffer =>
  Buffer.concat(events.flatMap((e) => ('failed' in e || !e.raw ? [] : [e.raw.bytes])));

describe.each(PATHS.filter((p) => p.path === 'raw'))('raw path: $name', (path) => {
  const script = wireScript(path.wire);
  const events = script.events({ texts: TEXTS, calls: [{ id: 'c1', name: 'read', pieces: ['{"path":', '"a.ts"}'] }] });
  const framed = [
    ': hello\n\n',
    ...events.slice(0, 2),
    '\n',
    ...events.slice(2, 4).map((e) => e.replaceAll('\n', '\r\n')),
    ...events.slice(4),
  ];
  const bytes = Buffer.from(framed.join(''));
  /** What may go on: the events themselves, without comments and without OpenAI's end mark. */
  const passed = Buffer.from(events.filter((e) => !e.includes('[DONE]')).join(''));
  /** A caller's body with fields that the neutral model does not know. */
  const body = {
    ...(path.wire === 'openai-chat'
      ? { reasoning_effort: 'high' }
      : { max_tokens: 99, thinking: { type: 'adaptive' } }),
    model: 'asked',
    messages: [
      {
        role: 'user',
        content:
          path.wire === 'openai-chat' ? 'Hi' : [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
      },
    ],
    stream: true,
    metadata: { user_id: 'u1' },
  };
  const headers = {
    'anthropic-beta': 'a-2026,b-2026',
    'Anthropic-Version': '2026-10-21',
    'openai-organization': 'org-1',
    'user-agent': 'some-agent/1.0',
    authorization: 'Bearer callers-own-secret',
    'x-api-key': 'callers-own-secret',
    cookie: 'callers-own-secret',
    'content-length': '5',
    'accept-encoding': 'gzip, br',
    host: 'elsewhere.example',
  };
  const request: ChatRequest = { ...REQUEST, raw: { wire: path.wire, body, headers } };

  it("sends the body as it is but for the model, the safe headers, and our proof in place of the caller's", async () => {
    await withServer(
      path,
      () => streamed(framed),
      async ({ server, candidate, providers }) => {
        await collect(providers.stream(request, candidate, new AbortController().signal));
        const [seen] = server.seen;
        expect(seen?.bodyText).toBe(JSON.stringify({ ...body, model: path.upstream }));
        expect(seen?.headers).toMatchObject({
          'anthropic-beta': 'a-2026,b-2026',
          'anthropic-version': '2026-10-21',
          'openai-organization': 'org-1',
          'user-agent': 'some-agent/1.0',
        });
        expect(JSON.stringify(seen?.headers)).not.toContain('callers-own-secret');
        expect(JSON.stringify(seen?.headers)).toContain(secretOf(path));
      },
    );
  });

  it("passes every event's own JSON on exactly once, however the stream was framed and split", async () => {
    const splits = [1, 2, 3, 5, 17, 64, bytes.length];
    const cut = (size: number): Uint8Array[] =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    await withServer(
      path,
      (n) => streamed(cut(splits[n] ?? 1)),
      async ({ candidate, providers }) => {
        const runs: ProviderEvent[][] = [];
        for (const _ of splits)
          runs.push(await collect(providers.stream(request, candidate, new AbortController().signal)));
        for (const run of runs) {
          expect(bytesOf(run).toString()).toBe(passed.toString());
          expect(run.length).toBe(runs[0]?.length);
        }
        // The bytes of a tool call wait until it is known what became of it.
        const withCall = runs[0]?.filter((e) => !('failed' in e) && e.parts.some((p) => p.type === 'tool-call')) ?? [];
        expect(withCall.length).toBe(1);
        expect(bytesOf(withCall).toString()).toContain('"c1"');
        const early =
          runs[0]?.slice(
            0,
            runs[0].findIndex((e) => withCall.includes(e)),
          ) ?? [];
        expect(bytesOf(early).toString()).not.toContain('"c1"');
        expect(textOfParts((runs[0] ?? []).flatMap((e) => ('failed' in e ? [] : e.parts)))).toBe(WHOLE_TEXT);
      },
    );
  });

  it('passes a whole JSON answer on as one event of its very bytes', async () => {
    const whole = script.whole({ texts: TEXTS });
    const asked: ChatRequest = { ...request, raw: { wire: path.wire, body: { ...body, stream: false }, headers: {} } };
    await withServer(
      path,
      () => jsonAnswer(200, whole),
      async ({ server, candidate, providers }) => {
        const events = await collect(providers.stream(asked, candidate, new AbortController().signal));
        expect(events.length).toBe(1);
        expect(bytesOf(events).toString()).toBe(JSON.stringify(whole));
        expect(server.seen[0]?.body).toMatchObject({ stream: false });
      },
    );
  });

  it('lets no half event through when the stream is cut', async () => {
    const at = bytes.indexOf(TEXTS[1] ?? '') + 2;
    await withServer(
      path,
      () => streamed([bytes.subarray(0, at)], { cut: true }),
      async ({ candidate, providers }) => {
        const events = await collect(providers.stream(request, candidate, new AbortController().signal));
        const before = bytesOf(events);
        expect(passed.subarray(0, before.length).equals(before)).toBe(true);
        expect(before.subarray(-2).toString()).toBe('\n\n');
        expect(events.at(-1)).toHaveProperty('failed');
      },
    );
  });

  it('translates where the caller spoke another wire', async () => {
    const other = path.wire === 'openai-chat' ? 'anthropic-messages' : 'openai-chat';
    const asked: ChatRequest = { ...REQUEST, raw: { wire: other, body: { nonsense: true }, headers } };
    await withServer(
      path,
      () => streamed(framed),
      async ({ server, candidate, providers }) => {
        const events = await collect(providers.stream(asked, candidate, new AbortController().signal));
        expect(events.some((e) => 'failed' in e)).toBe(false);
        expect(server.seen[0]?.body).not.toHaveProperty('nonsense');
        expect(server.seen[0]?.headers['user-agent']).toBeUndefined();
      },
    );
  });

  it('uses the connection again', async () => {
    await withServer(
      path,
      () => streamed(framed),
      async ({ server, candidate, providers }) => {
        for (let i = 0; i < 5; i++) {
          await collect(providers.stream(request, candidate, new AbortController().signal));
          // The end of the answer may arrive one turn after its terminal marker.
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(server.seen.length).toBe(5);
        expect(server.connections()).toBeLessThan(5);
      },
    );
  });
});

describe('raw path: content after the end', () => {
  const [path] = PATHS;
  it('is refused and not passed on', async () => {
    if (!path) throw new Error('the OpenAI wire has a raw path');
    const events = wireScript(path.wire).events({ texts: TEXTS });
    const late = 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"late"}}]}\n\n';
    const at = events.findIndex((e) => e.includes('"finish_reason":"stop"')) + 1;
    await withServer(
      path,
      () => streamed([...events.slice(0, at), late, ...events.slice(at)]),
      async ({ candidate, providers }) => {
        const all = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        const failed = { streamPhase: 'after_finish', clientError: { code: 'belay_content_after_finish' } };
        expect(all.at(-1)).toMatchObject({ failed });
        expect(bytesOf(all).toString()).not.toContain('late');
      },
    );
  });
});
