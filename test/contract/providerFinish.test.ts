// The contract of the provider port: what comes after a complete answer cannot unmake it, and no answer, however it is
// packed, fills the memory. Held by all paths over real sockets.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import {
  answered,
  candidateOf,
  collect,
  countFinishes,
  MAIN_PATHS,
  PATHS,
  REQUEST,
  run,
  runOf,
  SIGNED_IN,
  TEXTS,
  WHOLE_TEXT,
  type Path,
  type Run,
} from '../support/wirePaths.ts';
import { textOfParts, wireScript } from '../support/wireScripts.ts';
import { startWireServer, WIRE_KEY, type WireAnswer } from '../support/wireServer.ts';

const GRACE_MS = 50;
const MIB = 1024 * 1024;

/** One attempt of a provider whose silence after the finish is borne for `GRACE_MS`. */
async function runBriefly(path: Path, answer: WireAnswer): Promise<Run & { readonly ms: number }> {
  const server = await startWireServer(path.route, () => answer);
  const providers = createProviders({
    secrets: () => Promise.resolve(WIRE_KEY),
    signIn: SIGNED_IN,
    finishGraceMs: GRACE_MS,
  });
  try {
    const startedAt = performance.now();
    const signal = new AbortController().signal;
    const events = await collect(providers.stream(REQUEST, candidateOf(path, server.baseUrl), signal));
    return { ...runOf(events), ms: performance.now() - startedAt };
  } finally {
    providers.dispose();
    await server.close();
  }
}

describe.each(PATHS.filter(({ wire }) => wire === 'openai-chat'))('after the finish: $name', (path) => {
  const events = wireScript(path.wire).events({ texts: TEXTS });
  const untilFinish = events.slice(0, events.findIndex((e) => e.includes('"finish_reason":"stop"')) + 1);
  const usage = events.find((e) => e.includes('"usage"')) ?? '';

  it.each([
    ['resets', { cut: true }],
    ['ends', { end: true }],
    ['falls silent', { stall: true }],
  ] as const)('a complete answer stays complete when the provider %s', async (_, last) => {
    const { parts, failed } = await runBriefly(path, answered(path, untilFinish, last));
    expect(failed).toBeNull();
    expect(textOfParts(parts)).toBe(WHOLE_TEXT);
    expect(countFinishes(parts)).toBe(1);
  });

  it('the usage may still come, and half of it does no harm', async () => {
    const { parts, failed } = await runBriefly(path, answered(path, [...untilFinish, usage], { stall: true }));
    expect(failed).toBeNull();
    expect(parts.at(-1)).toMatchObject({ type: 'usage' });
    for (const last of [{ cut: true }, { end: true }, { stall: true }] as const) {
      const half = await runBriefly(path, answered(path, [...untilFinish, usage.slice(0, 30)], last));
      expect(half.failed).toBeNull();
      expect(countFinishes(half.parts)).toBe(1);
    }
  });

  it('pings do not keep it open', async () => {
    const pings = Array.from({ length: 2_000 }, () => ': ping\n\n');
    const { failed, ms } = await runBriefly(path, answered(path, [...untilFinish, ...pings], { stall: true }));
    expect(failed).toBeNull();
    expect(ms).toBeLessThan(2_000);
  });

  it('an error of the provider is an error all the same', async () => {
    const { event } = wireScript(path.wire).inBand('server_error', 'late');
    const { failed } = await runBriefly(path, answered(path, [...untilFinish, event], { cut: true }));
    expect(failed?.clientError?.code).toBe('belay_in_band_error');
  });

  it('silence before it is not the end', async () => {
    const answer = answered(path, untilFinish.slice(0, -1), { stall: true });
    const first = await Promise.race([
      runBriefly(path, answer),
      new Promise((resolve) => setTimeout(resolve, 4 * GRACE_MS, 'still open')),
    ]);
    expect(first).toBe('still open');
  });
});

const packed = (type: string, ...texts: readonly (string | Buffer)[]): WireAnswer => ({
  headers: { 'content-type': type, 'content-encoding': 'gzip' },
  steps: [{ write: gzipSync(Buffer.concat(texts.map((t) => Buffer.from(t)))) }, { end: true }],
});
const BOMBS = [
  ['one JSON document', packed('application/json', '{"id":"', Buffer.alloc(65 * MIB, 'a'), '"}')],
  ['one event', packed('text/event-stream', 'data: "', Buffer.alloc(33 * MIB, 'a'), '"\n\n')],
  ['ever more events', packed('text/event-stream', Buffer.alloc(129 * MIB, `: ${'a'.repeat(MIB - 4)}\n\n`))],
] as const;

describe.each(MAIN_PATHS)('an answer without end: $name', (path) => {
  it.each(BOMBS)('is refused as too large, packed small: %s', async (_, answer) => {
    const { parts, failed } = await run(path, answer);
    expect(parts).toEqual([]);
    expect(failed?.clientError?.code).toBe('belay_event_too_large');
  });

  it('is malformed where it nests without end', async () => {
    const deep = '{"choices":'.repeat(200_000);
    const { failed } = await run(path, answered(path, [`event: message_start\ndata: ${deep}\n\n`]));
    expect(failed?.clientError?.code).toBe('belay_malformed_chunk');
    const closed = `{"type":"error","error":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const error = await run(path, answered(path, [`event: message_start\ndata: ${closed}\n\n`]));
    expect(error.failed?.clientError?.code).toMatch(/^belay_(malformed_chunk|in_band_error)$/);
  });
});
