// Whatever the providers do, a call keeps its promises: checked over random scripts on the virtual clock.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../src/core/chat.ts';
import { call, type Outcome } from '../support/callHarness.ts';
import { candidate } from '../support/candidates.ts';
import type { ScriptStep } from '../support/scriptedProvider.ts';

const text = fc.constantFrom('alpha ', 'beta ', 'gamma ', 'delta ', 'é€😀 ');
const part: fc.Arbitrary<StreamPart> = fc.oneof(
  { weight: 6, arbitrary: text.map((value): StreamPart => ({ type: 'text-delta', text: value })) },
  { weight: 1, arbitrary: fc.constant<StreamPart>({ type: 'response-start' }) },
  { weight: 1, arbitrary: fc.constant<StreamPart>({ type: 'refusal-delta', text: 'no ' }) },
  { weight: 1, arbitrary: fc.constant<StreamPart>({ type: 'tool-call-progress', chars: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('read_file', 'evil')
      .chain((name) =>
        fc
          .constantFrom('{"path":"x"}', '{"path":', '{}')
          .map((argsText): StreamPart => ({ type: 'tool-call', id: 'c1', name, argsText })),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(-5, 0, 10, 1e308), fc.nat(50))
      .map(([inputTokens, outputTokens]): StreamPart => ({ type: 'usage', usage: { inputTokens, outputTokens } })),
  },
);
const finish = fc.constantFrom<StreamPart>(
  { type: 'finish', reason: 'stop' },
  { type: 'finish', reason: 'tool-calls' },
  { type: 'finish', reason: 'truncated' },
  { type: 'finish', reason: 'content-filter' },
  { type: 'finish', reason: 'refusal' },
);
const wait = fc.constantFrom(0, 1, 40, 900, 9000, 70_000);
const ending: fc.Arbitrary<readonly ScriptStep[]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(wait, finish).map(([afterMs, last]): readonly ScriptStep[] => [{ afterMs, parts: [last] }]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(wait, fc.constantFrom(400, 401, 403, 429, 500, 503, 529, 200))
      .map(([afterMs, httpStatus]): readonly ScriptStep[] => [
        { afterMs, failed: { httpStatus, streamPhase: 'mid_stream' } },
      ]),
  },
  { weight: 1, arbitrary: fc.constant<readonly ScriptStep[]>([{ hang: true }]) },
  { weight: 1, arbitrary: fc.constant<readonly ScriptStep[]>([]) },
);
const script = fc
  .tuple(fc.array(fc.tuple(wait, fc.array(part, { minLength: 1, maxLength: 3 })), { maxLength: 5 }), ending)
  .map(([steps, end]): readonly ScriptStep[] => [...steps.map(([afterMs, parts]) => ({ afterMs, parts })), ...end]);

/** The text of each scripted attempt, in the order in which attempts were started. */
function textsOf(scripts: Readonly<Record<string, readonly (readonly ScriptStep[])[]>>): readonly string[] {
  return Object.values(scripts).flatMap((own) =>
    own.map((steps) =>
      steps
        .flatMap((step) => ('parts' in step ? step.parts : []))
        .map((each) => (each.type === 'text-delta' ? each.text : ''))
        .join(''),
    ),
  );
}

function keepsItsPromises(outcome: Outcome, texts: readonly string[]): void {
  const { events, log, text: said } = outcome;
  const kinds = events.map((event) => event.type);
  const endings = kinds.filter((kind) => kind === 'finished' || kind === 'failed');
  expect(endings.length).toBe(1);
  expect(['finished', 'failed']).toContain(kinds.at(-1));
  const committed = kinds.indexOf('committed');
  expect(kinds.filter((kind) => kind === 'committed').length).toBe(
    kinds.includes('event') || kinds.at(-1) === 'finished' ? 1 : committed === -1 ? 0 : 1,
  );
  if (kinds.includes('event')) expect(committed).toBeLessThan(kinds.indexOf('event'));
  // Text comes from one attempt alone, whole or from its beginning.
  expect(texts.some((each) => each.startsWith(said))).toBe(true);

  const parts = events.flatMap((event) => (event.type === 'event' ? event.event.parts : []));
  const toolCalls = parts.filter((each) => each.type === 'tool-call');
  for (const each of toolCalls)
    expect({ name: each.name, argsText: each.argsText }).toEqual({ name: 'read_file', argsText: '{"path":"x"}' });
  if (toolCalls.length > 0) expect(parts.some((each) => each.type === 'finish')).toBe(true);
  const last = events.at(-1);
  if (last?.type === 'finished') expect(parts.some((each) => each.type === 'finish')).toBe(true);

  const launched = log.filter((event) => event.body.type === 'attempt-launched').map((event) => event.ids.attempt);
  const ended = log
    .filter((event) => /^attempt-(succeeded|failed|cancelled)$/.test(event.body.type))
    .map((event) => event.ids.attempt);
  expect([...ended].sort()).toEqual([...launched].sort());
  expect(log.filter((event) => event.body.type === 'call-finished')).toHaveLength(1);
  for (const { body } of log)
    if ('costUsd' in body) expect(Number.isFinite(body.costUsd) && body.costUsd >= 0).toBe(true);
  // Three candidates, at most four executions of the call, and one lower tier.
  expect(launched.length).toBeLessThanOrEqual(3 * 5);
}

describe('a recovered call', () => {
  for (const policy of ['stream', 'hold'] as const) {
    it(`keeps its promises with policy ${policy}, whatever its providers do`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(script, { minLength: 1, maxLength: 2 }),
          fc.array(script, { minLength: 1, maxLength: 2 }),
          fc.array(script, { minLength: 1, maxLength: 2 }),
          fc.boolean(),
          async (a, b, c, isLiteral) => {
            const scripts = { a, b, small: c };
            const outcome = await call(
              [candidate('a'), candidate('b'), candidate('small', { tier: 'small' })],
              scripts,
              { policy, settings: { mode: isLiteral ? 'literal' : 'balanced' } },
            );
            await outcome.clock.advance(400_000);
            keepsItsPromises(outcome, textsOf(scripts));
          },
        ),
        { numRuns: 250 },
      );
    });
  }
});
