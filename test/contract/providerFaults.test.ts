// The contract of the provider port, second half: what each fault is told as, that nothing is tried twice, and that no
// fault is ever taken for a good answer. Held by all paths over real sockets.
import { describe, expect, it } from 'vitest';
import {
  answered,
  answeredBytes,
  collect,
  countFinishes,
  encoded,
  familyOf,
  PATHS,
  REQUEST,
  run,
  runAll,
  secretOf,
  TEXTS,
  typesOf,
  WHOLE_TEXT,
  withServer,
} from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import type { WireAnswer } from '../support/wireServer.ts';
import { jsonAnswer } from '../support/wireServer.ts';

const STATUSES = [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 529];

describe.each(PATHS)('provider contract, faults: $name', (path) => {
  const isOpenai = path.wire === 'openai-chat';
  const script = wireScript(path.wire);
  const events = script.events({ texts: TEXTS });
  const bytes = Buffer.concat(events.map((event) => encoded(path, event)));
  /** The events before the first text, and up to the second. */
  const phases = [
    ['before_first_token', events.slice(0, 1)],
    ['mid_stream', events.slice(0, isOpenai ? 3 : 5)],
  ] as const;

  it('tells each status with its useful headers and its body, and does not try again', async () => {
    const body = { type: 'error', error: { type: 'some_error', message: 'It failed.', code: 'c1' } };
    const kept = {
      'retry-after': '7',
      'x-should-retry': 'true',
      'x-ratelimit-remaining-tokens': '3',
      'request-id': 'req_1',
    };
    const headers = { ...kept, 'set-cookie': 'a=b', server: 'x' };
    const runs = await runAll(
      path,
      STATUSES.map((status) => jsonAnswer(status, body, headers)),
    );
    for (const [i, { parts, failed }] of runs.entries()) {
      expect(parts).toEqual([]);
      expect(failed).toEqual({
        provider: familyOf(path),
        httpStatus: STATUSES[i],
        headers: { ...kept, 'content-type': 'application/json' },
        body,
        clientError: null,
        streamPhase: 'before_headers',
        finishReason: null,
        operation: 'model_read',
      });
    }
  });

  it('keeps an error text that is no JSON, and what came of one that was cut', async () => {
    const [page, cut, empty] = await runAll(path, [
      {
        status: 502,
        headers: { 'content-type': 'text/html' },
        steps: [{ write: '<h1>Bad Gateway</h1>' }, { end: true }],
      },
      { status: 503, headers: { 'content-length': '500' }, steps: [{ write: '{"error":' }, { cut: true }] },
      { status: 500, headers: {}, steps: [{ end: true }] },
    ]);
    expect(page?.failed).toMatchObject({
      httpStatus: 502,
      body: '<h1>Bad Gateway</h1>',
      streamPhase: 'before_headers',
    });
    expect(cut?.failed).toMatchObject({ httpStatus: 503, body: '{"error":', streamPhase: 'before_headers' });
    expect(empty?.failed).toMatchObject({ httpStatus: 500, body: null, streamPhase: 'before_headers' });
  });

  it('tells a reset before the headers with its network code', async () => {
    const { parts, failed } = await run(path, { reset: true });
    expect(parts).toEqual([]);
    expect(failed).toMatchObject({
      httpStatus: null,
      streamPhase: 'before_headers',
      clientError: { code: 'ECONNRESET' },
    });
  });

  it('tells a refused connection with its network code', async () => {
    await withServer(
      path,
      () => ({ silent: true }),
      async ({ server, candidate, providers }) => {
        await server.close();
        const all = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        expect(all).toMatchObject([
          { failed: { streamPhase: 'before_headers', clientError: { code: 'ECONNREFUSED' } } },
        ]);
      },
    );
  });

  it('never takes a cut or an early end, at any byte, for a good answer', async () => {
    const mark = isOpenai ? '"finish_reason":"stop"' : 'event: message_stop';
    const before = events.slice(
      0,
      events.findIndex((event) => event.includes(mark)),
    );
    const markAt = Buffer.concat(before.map((event) => encoded(path, event))).length;
    const offsets = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => i * 7);
    for (const end of [{ cut: true }, { end: true }] as const) {
      const runs = await runAll(
        path,
        offsets.map((at) => answeredBytes(path, [bytes.subarray(0, at)], end)),
      );
      for (const [i, { parts, failed }] of runs.entries()) {
        const at = offsets[i] ?? 0;
        expect(WHOLE_TEXT.startsWith(textOfParts(parts)), `text at ${at}`).toBe(true);
        if (countFinishes(parts) > 0) {
          expect(at, 'finish only after its marker').toBeGreaterThan(markAt);
          expect(failed?.streamPhase ?? 'after_finish').toBe('after_finish');
          continue;
        }
        const hasToken = parts.some((p) => p.type === 'text-delta');
        expect(failed?.streamPhase, `phase at ${at}`).toBe(hasToken ? 'mid_stream' : 'before_first_token');
        const code = 'cut' in end ? /^ECONNRESET$/ : /^belay_(stream_ended_early|empty_answer)$/;
        expect(failed?.clientError?.code, `code at ${at}`).toMatch(code);
      }
    }
  });

  it.each(phases)('tells a malformed chunk %s', async (phase, good) => {
    const broken = `${isOpenai ? '' : 'event: content_block_delta\n'}data: {"type":"content_block_delta","choices":[{"de\n\n`;
    const { parts, failed } = await run(path, answered(path, [...good, broken, ...events.slice(good.length)]));
    expect(countFinishes(parts)).toBe(0);
    expect(failed).toMatchObject({
      httpStatus: 200,
      streamPhase: phase,
      clientError: { code: 'belay_malformed_chunk' },
    });
  });

  it.each(phases)('tells an error inside the stream %s', async (phase, good) => {
    const { event, body } = script.inBand('overloaded_error', 'Overloaded');
    const { parts, failed } = await run(path, answered(path, [...good, event]));
    expect(countFinishes(parts)).toBe(0);
    expect(failed).toMatchObject({
      httpStatus: 200,
      streamPhase: phase,
      clientError: { code: 'belay_in_band_error' },
      body,
    });
  });

  it('tells an error body that came with status 200', async () => {
    const { body } = script.inBand('overloaded_error', 'Overloaded');
    const { parts, failed } = await run(path, jsonAnswer(200, body));
    expect(parts).toEqual([]);
    const seen = {
      httpStatus: 200,
      clientError: { code: 'belay_in_band_error' },
      body,
      streamPhase: 'before_first_token',
    };
    expect(failed).toMatchObject(seen);
  });

  it('tells a JSON answer that is cut, and one that is no JSON', async () => {
    const text = JSON.stringify(script.whole({ texts: TEXTS }));
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const [cut, broken] = await runAll(path, [
      { headers, steps: [{ write: text.slice(0, 40) }, { cut: true }] },
      { headers: { 'content-type': 'application/json' }, steps: [{ write: text.slice(0, 40) }, { end: true }] },
    ]);
    expect(cut?.failed).toMatchObject({ streamPhase: 'mid_stream', clientError: { code: 'ECONNRESET' } });
    expect(broken?.failed).toMatchObject({ streamPhase: 'mid_stream', clientError: { code: 'belay_malformed_chunk' } });
  });

  it('tells a page of HTML with status 200', async () => {
    const page = '<html>Log in</html>';
    const { failed } = await run(path, {
      headers: { 'content-type': 'text/html' },
      steps: [{ write: page }, { end: true }],
    });
    expect(failed).toMatchObject({ httpStatus: 200, body: page, clientError: { code: 'belay_wrong_content_type' } });
  });

  it('tells a stream without a single event, and one of pings only', async () => {
    const runs = await runAll(path, [
      answered(path, []),
      answered(path, [': ping\n\n', ': ping\n\n']),
      answered(path, ['\n\n']),
    ]);
    for (const { parts, failed } of runs) {
      expect(parts).toEqual([]);
      expect(failed).toMatchObject({ httpStatus: 200, streamPhase: 'before_first_token', finishReason: null });
      expect(failed?.clientError?.code).toBe('belay_empty_answer');
    }
  });

  it('tells a finished answer with nothing in it, without a finish but with its usage', async () => {
    const { parts, failed } = await run(path, answered(path, script.empty));
    expect(countFinishes(parts)).toBe(0);
    expect(typesOf(parts)).toContain('usage');
    expect(failed).toMatchObject({ streamPhase: 'after_finish', clientError: { code: 'belay_empty_answer' } });
    expect(failed?.finishReason).toBe(isOpenai ? 'stop' : 'end_turn');
  });

  it('never repeats the key that a provider quotes back', async () => {
    const secret = secretOf(path);
    const answers: WireAnswer[] = [
      jsonAnswer(401, { error: { message: `Incorrect API key: ${secret}` } }),
      {
        status: 401,
        headers: { 'content-type': 'text/plain' },
        steps: [{ write: `bad key ${secret}` }, { end: true }],
      },
      answered(path, [script.inBand('auth', `key ${secret} is gone`).event]),
    ];
    for (const { failed } of await runAll(path, answers)) {
      expect(JSON.stringify(failed)).not.toContain(secret);
      expect(JSON.stringify(failed)).toContain('[key]');
    }
  });

  it.runIf(path.auth === 'key')('tells a missing key by provider, account and remedy and sends nothing', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ server, candidate, providers }) => {
        const all = await collect(providers.stream(REQUEST, candidate, new AbortController().signal));
        expect(all).toMatchObject([
          { failed: { httpStatus: null, streamPhase: 'before_headers', clientError: { code: 'belay_missing_key' } } },
        ]);
        expect(JSON.stringify(all)).toMatch(/vendor.*main.*Add/);
        expect(server.connections()).toBe(0);
      },
      null,
    );
  });

  it('tells a base URL that is none, and a wire the kind does not speak', async () => {
    await withServer(
      path,
      () => answered(path, events),
      async ({ server, candidate, providers }) => {
        const signal = new AbortController().signal;
        const bad = await collect(providers.stream(REQUEST, { ...candidate, baseUrl: 'ftp://x' }, signal));
        expect(bad).toMatchObject([{ failed: { clientError: { code: 'belay_bad_base_url' } } }]);
        const other = await collect(providers.stream(REQUEST, { ...candidate, wire: 'openai-responses' }, signal));
        expect(other).toMatchObject([{ failed: { clientError: { code: 'belay_unsupported_candidate' } } }]);
        expect(server.connections()).toBe(0);
      },
    );
  });
});
