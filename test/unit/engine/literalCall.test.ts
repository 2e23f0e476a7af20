// Literal mode from call to profile: how a failed call is taken, where quality comes from without a judge, and what losers leave behind.
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ChatRequest } from '../../../src/core/chat.ts';
import type { QualityEvidence } from '../../../src/core/scheduler/balanced/types.ts';
import type { FailedCallReading } from '../../../src/core/scheduler/profile.ts';
import { parseSettings, type Settings } from '../../../src/core/settings.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { qualityDoor } from '../../../src/engine/qualityDoor.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { call, request } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails, type ScriptStep } from '../../support/scriptedProvider.ts';

const [a, b, c] = [candidate('a'), candidate('b'), candidate('c')];
const reading = (
  failedCallReading: FailedCallReading,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  'belay.advanced': { scheduler: { failedCallReading, ...more } },
});
const LITERAL = { settings: { mode: 'literal' } } as const;

/** An answer whose only tool call is no JSON. */
const brokenCall = (afterMs: number): readonly ScriptStep[] => [
  {
    afterMs,
    parts: [
      { type: 'text-delta', text: 'I read it.' },
      { type: 'tool-call', id: '1', name: 'read_file', argsText: '{' },
      { type: 'finish', reason: 'tool-calls' },
    ],
  },
];

async function learned(
  script: readonly ScriptStep[],
  raw: Record<string, unknown>,
  mode: Settings['mode'] = 'literal',
): Promise<ProfileBook['all']> {
  const profiles = new ProfileBook();
  const outcome = await call([a, b], { a: [script], b: [answers('hi', 3000)] }, { profiles, raw, settings: { mode } });
  await outcome.clock.advance(200_000);
  return profiles.all;
}

describe('a failed call in literal mode', () => {
  it('counts as quality 0 by reading A, and lowers rho alone by reading B, which is the default', async () => {
    for (const raw of [reading('B'), {}]) {
      const { a: known } = await learned(fails(503), raw);
      expect(known).toMatchObject({ quality: {}, internalFailures: 1 });
    }
    const { a: known } = await learned(fails(503), reading('A'));
    expect(known).toMatchObject({ quality: { chat: { alpha: 1, beta: 2 } }, internalFailures: 1 });
  });

  it('is one by both readings only where the candidate or the way to it has failed', async () => {
    const reset = [{ afterMs: 10, failed: { clientError: { code: 'ECONNRESET' } } }];
    expect((await learned(reset, reading('A'))).a).toMatchObject({ quality: { chat: { beta: 2 } }, linkFailures: 1 });
    // Our own request was wrong: that says nothing of anybody.
    const wrong = fails(400, { body: { error: { type: 'invalid_request_error', message: 'bad field' } } });
    expect((await learned(wrong, reading('A'))).a?.quality).toEqual({});
  });

  it('changes no quality in the other modes, whatever the reading', async () => {
    const { a: known } = await learned(fails(503), reading('A'), 'balanced');
    expect(known).toMatchObject({ quality: {}, internalFailures: 1 });
  });

  it('that came with an unusable answer counts once: as q = 0 by A, as what its kind says of quality by B', async () => {
    const byA = await learned(brokenCall(100), reading('A'));
    expect(byA.a).toMatchObject({ quality: { chat: { alpha: 1, beta: 2 } }, internalFailures: 1 });
    const byB = await learned(brokenCall(100), reading('B'));
    // T5: q = .2 with a tenth of the weight (core/scheduler/attemptTrace).
    expect(byB.a!.quality.chat!.alpha).toBeCloseTo(1.02, 12);
    expect(byB.a!.quality.chat!.beta).toBeCloseTo(1.08, 12);
    expect(byB.a).toMatchObject({ internalFailures: 1, attempts: 1 });
  });
});

describe('quality without a judge', () => {
  function door(raw: Record<string, unknown> = {}): {
    profiles: ProfileBook;
    judge: (evidence: QualityEvidence) => void;
  } {
    const settings = { ...parseSettings(raw).settings, mode: 'literal' } as const;
    const profiles = new ProfileBook();
    const scheduler = new SchedulerBook(virtualClock());
    const learn = qualityDoor({ profiles, scheduler, candidates: () => [a], settings: () => settings });
    return { profiles, judge: (evidence) => learn('a', 'coder', evidence) };
  }

  it.each<[QualityEvidence, number, number]>([
    [{ source: 'verifier', q: 1 }, 2, 1],
    [{ source: 'verifier', q: 0 }, 1, 2],
    [{ source: 'acceptance', q: 1, weight: 0.5 }, 1.5, 1],
    [{ source: 'schema', q: 1 }, 1.25, 1],
    [{ source: 'schema', q: 0 }, 1, 1.25],
    [{ source: 'semantic-fault', q: 0 }, 1, 2],
    [{ source: 'judge', q: 0.8 }, 1.4, 1.1],
  ])('reaches the soft counts of literal mode by its weight: %o', (evidence, alpha, beta) => {
    const { profiles, judge } = door();
    judge(evidence);
    expect(profiles.all.a!.quality.coder!.alpha).toBeCloseTo(alpha, 12);
    expect(profiles.all.a!.quality.coder!.beta).toBeCloseTo(beta, 12);
  });

  it('is not counted beside the failed call itself by reading A', () => {
    const { profiles, judge } = door(reading('A'));
    judge({ source: 'semantic-fault', q: 0 });
    judge({ source: 'schema', q: 0 });
    expect(profiles.all).toEqual({});
    judge({ source: 'schema', q: 1 });
    expect(profiles.all.a!.quality.coder).toEqual({ alpha: 1.25, beta: 1 });
  });

  it('is nothing where it is no number, or of nobody who is configured', () => {
    const { profiles, judge } = door();
    judge({ source: 'verifier', q: Number.NaN });
    expect(profiles.all).toEqual({});
    const scheduler = new SchedulerBook(virtualClock());
    const { settings } = parseSettings({});
    const learn = qualityDoor({ profiles, scheduler, candidates: () => [], settings: () => settings });
    learn('a', 'coder', { source: 'verifier', q: 1 });
    expect(profiles.all).toEqual({});
  });

  it('comes from the schema of a held answer, of the winner and of losers that were checked after it', async () => {
    const schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } };
    const body = { response_format: { type: 'json_schema', json_schema: { name: 'p', schema } } };
    const { tools: _tools, ...rest } = request;
    const asked: ChatRequest = { ...rest, tools: [], raw: { wire: 'openai-chat', body, headers: {} } };
    const profiles = new ProfileBook();
    const scripts = {
      a: [answers('{"price": 1}')],
      b: [answers('{"price": 2}', 5000)],
      c: [answers('no price', 6000)],
    };
    const { clock, text } = await call([a, b, c], scripts, { ...LITERAL, profiles, asked, raw: reading('B') });
    await clock.advance(20_000);
    expect(text).toBe('{"price": 1}');
    const { a: winner, b: good, c: bad } = profiles.all;
    expect(winner!.quality.chat).toEqual({ alpha: 1.25, beta: 1 });
    expect(good!.quality.chat).toEqual({ alpha: 1.25, beta: 1 });
    expect(bad).toMatchObject({ quality: { chat: { alpha: 1, beta: 1.25 } }, internalFailures: 1, successes: 0 });
  });
});

describe('a loser of literal mode', () => {
  const slow: readonly ScriptStep[] = [
    { afterMs: 5, sentRttMs: 40 },
    { afterMs: 995, parts: [{ type: 'text-delta', text: 'x' }] },
    { afterMs: 200, parts: [{ type: 'text-delta', text: 'x'.repeat(100) }] },
    { afterMs: 200, parts: [{ type: 'text-delta', text: 'x'.repeat(300) }] },
    {
      afterMs: 200,
      parts: [
        { type: 'usage', usage: { inputTokens: 900, outputTokens: 100 } },
        { type: 'finish', reason: 'stop' },
      ],
    },
  ];

  it('leaves its whole trace behind: q, s, t, tokens, round trip, loss and jitter', async () => {
    const profiles = new ProfileBook();
    const { clock } = await call([a, b], { a: [answers('best', 50, 50)], b: [slow] }, { ...LITERAL, profiles });
    expect(profiles.all.b?.attempts ?? 0).toBe(0);
    await clock.advance(20_000);
    expect(profiles.all.b).toMatchObject({
      attempts: 1,
      successes: 1,
      internalFailures: 0,
      linkFailures: 0,
      meanTotalMs: 1600,
      meanFirstTokenMs: 1000,
      meanReceivedBytes: 401,
      meanTokens: 1000,
      rttMs: 40,
    });
    // .5 and 1.5 bytes per ms: the mean is 1, and the second is .5 away from it.
    expect(profiles.all.b!.bandwidth).toBeCloseTo(1, 12);
    expect(profiles.all.b!.jitter).toBeCloseTo(0.5, 12);
    const lost = { ...LITERAL, profiles };
    const broken = [{ afterMs: 3000, failed: { clientError: { code: 'ECONNRESET' } } }];
    const next = await call([a, b], { a: [answers('best', 50, 50)], b: [broken] }, lost);
    await next.clock.advance(20_000);
    expect(profiles.all.b).toMatchObject({ attempts: 2, successes: 1, linkFailures: 1 });
  });

  it('whose tool call cannot be used has failed, though nobody was waiting for it any more', async () => {
    const profiles = new ProfileBook();
    const scripts = { a: [answers('best')], b: [brokenCall(5000)] };
    const { clock, log } = await call([a, b], scripts, { ...LITERAL, profiles });
    await clock.advance(20_000);
    expect(log.filter(({ body }) => body.type === 'attempt-failed')).toHaveLength(1);
    expect(profiles.all.b).toMatchObject({ successes: 0, internalFailures: 1 });
  });

  it('that is uneven is ranked behind one of the same speed that is steady', async () => {
    const steady = (ms: number): readonly ScriptStep[] => [
      { afterMs: 500, parts: [{ type: 'text-delta', text: 'x' }] },
      ...Array.from({ length: 10 }, (_, index): ScriptStep => {
        const wait = index % 2 === 0 ? ms : 2 * 300 - ms;
        return { afterMs: wait, parts: [{ type: 'text-delta', text: 'x'.repeat(90) }] };
      }),
      { afterMs: 0, parts: [{ type: 'finish', reason: 'stop' }] },
    ];
    const profiles = new ProfileBook();
    const scripts = { a: [steady(150)], b: [steady(300)] };
    const first = await call([a, b], scripts, { ...LITERAL, profiles });
    await first.clock.advance(20_000);
    expect(profiles.all.a!.meanTotalMs).toBe(profiles.all.b!.meanTotalMs);
    expect(profiles.all.a!.jitter).toBeGreaterThan(profiles.all.b!.jitter);
    const order = async (raw: Record<string, unknown>): Promise<unknown> => {
      const { log } = await call([a, b], scripts, { ...LITERAL, profiles, raw });
      const plan = log.find(({ body }) => body.type === 'plan-made')!.body;
      return plan.type === 'plan-made' ? plan.ranking.map(({ id }) => id) : null;
    };
    expect(await order({})).toEqual(['b', 'a']);
    // kappa = 0 takes the penalty away, and so does a floor that no stream reaches; the order of the route then decides.
    expect(await order({ 'belay.advanced': { scheduler: { kappa: 0 } } })).toEqual(['a', 'b']);
    expect(await order({ 'belay.advanced': { scheduler: { epsB: 50 } } })).toEqual(['a', 'b']);
  });
});
