// The contract of the provider port, first half: what a good answer is read as, however it is framed, split or packed.
// Held by all paths over real sockets.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  answered,
  answeredBytes,
  collect,
  countFinishes,
  encoded,
  PATHS,
  REQUEST,
  run,
  runAll,
  runOf,
  secretOf,
  streamType,
  TEXTS,
  typesOf,
  WHOLE_TEXT,
  withServer,
} from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { jsonAnswer } from '../support/wireServer.ts';

describe.each(PATHS)('provider contract, answers: $name', (path) => {
  const script = wireScript(path.wire);
  const events = script.events({ texts: TEXTS });
  const bytes = Buffer.concat(events.map((event) => encoded(path, event)));

  it('streams text, usage with cached tokens and one finish', async () => {
    const { parts, failed } = await run(path, answered(path, events));
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
    expect(parts[0]).toMatchObject({ type: 'response-start', servedModel: 'served-1' });
    expect(parts.findLast((p) => p.type === 'usage')).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 12,
        outputTokens: 7,
        cachedInputTokens: 5,
        ...(path.wire === 'anthropic-messages' ? { cacheWriteInputTokens: 3 } : {}),
      },
    });
    expect(parts.filter((p) => p.type === 'finish')).toEqual([
      { type: 'finish', reason: 'stop', rawReason: path.wire === 'openai-chat' ? 'stop' : 'end_turn' },
    ]);
  });

  it('gives parallel tool calls out complete, with their text as written, before the finish', async () => {
    const calls = [
      { id: 'call_a', name: 'read', pieces: ['{"path": ', '"a.ts"', '}'] },
      { id: 'call_b', name: 'read', pieces: ['{ "path":"b', '.ts" }'] },
    ];
    const { parts, failed } = await run(path, answered(path, script.events({ texts: ['Reading.'], calls })));
    expect(failed).toBeNull();
    expect(parts.filter((p) => p.type === 'tool-call')).toEqual([
      { type: 'tool-call', id: 'call_a', name: 'read', argsText: '{"path": "a.ts"}' },
      { type: 'tool-call', id: 'call_b', name: 'read', argsText: '{ "path":"b.ts" }' },
    ]);
    expect(typesOf(parts)).toContain('tool-call-progress');
    expect(parts.find((p) => p.type === 'finish')).toMatchObject({ reason: 'tool-calls' });
    expect(typesOf(parts).lastIndexOf('tool-call')).toBeLessThan(typesOf(parts).indexOf('finish'));
  });

  it('sends the translated request once, with our key, the upstream model and the attempt id', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ server, candidate, providers }) => {
        const all = await collect(providers.stream(REQUEST, candidate, new AbortController().signal, 'attempt-7'));
        expect(runOf(all).failed).toBeNull();
        expect(server.seen.length).toBe(1);
        expect(server.seen[0]?.body).toMatchObject({ model: path.upstream, stream: true });
        expect(JSON.stringify(server.seen[0]?.headers)).toContain(secretOf(path));
        expect(server.seen[0]?.headers['x-belay-attempt']).toBe('attempt-7');
      },
    );
  });

  it.runIf(path.auth === 'key')('asks a server that wants no key without one', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ server, candidate, providers }) => {
        const all = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        expect(runOf(all).failed).toBeNull();
        expect(JSON.stringify(server.seen[0]?.headers)).not.toMatch(/authorization|api-key/);
      },
      '',
    );
  });

  it('reads the same answer however it is split, byte by byte included', async () => {
    const offsets = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => i * 7 + 1);
    const [reference, single, ...runs] = await runAll(path, [
      answered(path, events),
      answeredBytes(
        path,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
      ...offsets.map((at) => answeredBytes(path, [bytes.subarray(0, at), bytes.subarray(at)])),
    ]);
    expect(textOfParts(reference?.parts ?? [])).toBe(WHOLE_TEXT);
    for (const other of [single, ...runs]) expect(other).toEqual(reference);
  });

  it.runIf(path.framing === 'sse')('reads CRLF framing, cut inside a line end, and skips comments', async () => {
    const crlf = Buffer.from(
      [': hello\r\n\r\n', ...events.map((e) => e.replaceAll('\n', '\r\n')), ': bye\r\n\r\n'].join(''),
    );
    const cuts = [crlf.indexOf('\r\n') + 1, crlf.indexOf('\r\n\r\n', 20) + 1, crlf.indexOf('\r\n\r\n', 20) + 3];
    const runs = await runAll(
      path,
      cuts.map((at) => answeredBytes(path, [crlf.subarray(0, at), crlf.subarray(at)])),
    );
    for (const { parts, failed } of runs) {
      expect(failed).toBeNull();
      expect(textOfParts(parts)).toBe(WHOLE_TEXT);
      expect(countFinishes(parts)).toBe(1);
    }
  });

  it('reads a stream that was compressed unasked', async () => {
    const headers = { 'content-type': streamType(path), 'content-encoding': 'gzip' };
    const { parts, failed } = await run(path, { headers, steps: [{ write: gzipSync(bytes) }, { end: true }] });
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
  });

  it('reads a whole JSON answer where it asked for a stream', async () => {
    const calls = [{ id: 'c1', name: 'read', pieces: ['{"path":"a"}'] }];
    const { parts, failed } = await run(path, jsonAnswer(200, script.whole({ texts: TEXTS, calls })));
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
    expect(parts.find((p) => p.type === 'tool-call')).toEqual({
      type: 'tool-call',
      id: 'c1',
      name: 'read',
      argsText: '{"path":"a"}',
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  it('reports one finish where the provider sends two', async () => {
    const at = events.findIndex((e) => e.includes('"finish_reason":"stop"') || e.includes('message_delta'));
    const doubled = [...events.slice(0, at + 1), events[at] ?? '', ...events.slice(at + 1), script.terminal];
    const { parts, failed } = await run(path, answered(path, doubled));
    expect(failed).toBeNull();
    expect(countFinishes(parts)).toBe(1);
  });

  it('ends at the terminal marker though the server keeps the connection open', async () => {
    const { parts, failed } = await run(path, answered(path, events, { stall: true }));
    expect(failed).toBeNull();
    expect(countFinishes(parts)).toBe(1);
  });

  it('keeps 50 running answers apart when one of them fails', async () => {
    const cut = answered(path, events.slice(0, path.wire === 'openai-chat' ? 3 : 5), { cut: true });
    await withServer(
      path,
      (n) => (n === 20 ? cut : answered(path, events)),
      async ({ candidate, providers }) => {
        const signal = new AbortController().signal;
        const all = await Promise.all(
          Array.from({ length: 50 }, () => collect(providers.stream(REQUEST, candidate, signal))),
        );
        const runs = all.map(runOf);
        expect(runs.filter((r) => r.failed === null && textOfParts(r.parts) === WHOLE_TEXT).length).toBe(49);
        expect(runs.filter((r) => r.failed?.clientError?.code === 'ECONNRESET').length).toBe(1);
      },
    );
  });
});
