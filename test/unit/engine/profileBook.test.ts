import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import type { Candidate } from '../../../src/core/candidate.ts';
import type { DecisionEvent } from '../../../src/core/events.ts';
import { forgetModel, recordOutcome, recordQuality, unknownProfile } from '../../../src/core/scheduler/profile.ts';
import { FINGERPRINT_PATIENCE } from '../../../src/core/servedModel.ts';
import { sizeOfText } from '../../../src/core/textSize.ts';
import { carefulEstimator, learnTokens } from '../../../src/core/tokens.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { TokenBook } from '../../../src/engine/tokenBook.ts';
import { call } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { seededRandom } from '../../support/random.ts';
import { fails, type ScriptStep } from '../../support/scriptedProvider.ts';

interface Said {
  readonly servedModel?: string;
  readonly fingerprint?: string;
}

const served = (said: Said): readonly ScriptStep[] => [
  { afterMs: 5, parts: [{ type: 'response-start', ...said }] },
  {
    afterMs: 40,
    parts: [
      { type: 'text-delta', text: 'well' },
      { type: 'usage', usage: { inputTokens: 30, outputTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    ],
  },
];

/** Calls one after the other, each answered as said; what was told of models, with the number of the call. */
async function calls(
  book: ProfileBook,
  pool: readonly Candidate[],
  said: readonly Said[],
): Promise<(DecisionEvent['body'] & { at: number })[]> {
  const told: (DecisionEvent['body'] & { at: number })[] = [];
  for (const [at, each] of said.entries()) {
    const { log } = await call(pool, { [pool[0]!.id]: [served(each)] }, { profiles: book });
    for (const { body } of log) if (body.type === 'model-changed' || body.type === 'notice') told.push({ ...body, at });
  }
  return told;
}

const a = candidate('a', { model: 'gpt-4o' });
const times = (count: number, said: (i: number) => Said): Said[] => Array.from({ length: count }, (_, i) => said(i));

describe('a model that changes silently', () => {
  it('resets quality and speed of its candidate once and tells it, and keeps its failures', async () => {
    const book = new ProfileBook();
    await call([a], { a: [fails(503)] }, { profiles: book });
    const { attempts: failedAttempts, internalFailures } = book.all.a!;
    expect(internalFailures).toBeGreaterThan(0);
    book.recordQuality('a', 'coder', 1);
    expect(
      await calls(
        book,
        [a],
        times(6, () => ({ servedModel: 'gpt-4o-2024-05-13' })),
      ),
    ).toEqual([]);
    expect(book.all.a).toMatchObject({ successes: 6, quality: { coder: { alpha: 2 } } });
    const told = await calls(
      book,
      [a],
      times(4, () => ({ servedModel: 'gpt-4o-2024-08-06' })),
    );
    expect(told).toMatchObject([
      { type: 'model-changed', candidate: 'a', from: 'gpt-4o-2024-05-13', to: 'gpt-4o-2024-08-06', at: 0 },
    ]);
    expect(book.all.a).toMatchObject({ quality: {}, successes: 4, internalFailures, attempts: failedAttempts + 10 });
    expect(book.all.a!.meanTotalMs).toBe(45);
  });

  it('is not seen in fingerprints that flicker, and is when they change for good', async () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed);
      const flicker = (name: string) => () => ({ fingerprint: `${name}-${Math.floor(random.next() * 3)}` });
      const book = new ProfileBook();
      expect(await calls(book, [a], times(60, flicker('old'))), `seed ${seed}`).toEqual([]);
      const told = await calls(book, [a], times(30, flicker('new')));
      expect(told, `seed ${seed}`).toMatchObject([{ type: 'model-changed', at: FINGERPRINT_PATIENCE - 1 }]);
    }
  });

  it('is never suspected where the provider hides the names, or the caller names the model', async () => {
    expect(
      await calls(
        new ProfileBook(),
        [a],
        times(40, () => ({})),
      ),
    ).toEqual([]);
    const open = candidate('a', { model: '{model}' });
    expect(
      await calls(
        new ProfileBook(),
        [open],
        times(10, (i) => ({ servedModel: `m-${i}` })),
      ),
    ).toEqual([]);
  });

  it('is noticed across a restart, once', async () => {
    const store = memoryStore();
    const before = new ProfileBook();
    await calls(
      before,
      [a],
      times(3, () => ({ servedModel: 'gpt-4o-2024-05-13' })),
    );
    await before.save(store);
    const after = new ProfileBook();
    await after.load(store);
    expect(after.all.a?.successes).toBe(3);
    expect(
      await calls(
        after,
        [a],
        times(2, () => ({ servedModel: 'gpt-4o-2024-08-06' })),
      ),
    ).toHaveLength(1);
    await after.save(store);
    const third = new ProfileBook();
    await third.load(store);
    expect(third.all.a?.successes).toBe(2);
    expect(
      await calls(
        third,
        [a],
        times(2, () => ({ servedModel: 'gpt-4o-2024-08-06' })),
      ),
    ).toEqual([]);
  });

  it('is told at once, and once, where it is plainly not the one that was asked for', async () => {
    const told = await calls(
      new ProfileBook(),
      [a],
      times(5, () => ({ servedModel: 'gpt-4o-mini-2024-07-18' })),
    );
    expect(told).toMatchObject([{ type: 'notice', severity: 'warning', at: 0 }]);
    expect(told[0]?.type === 'notice' && told[0].message).toContain('asked for gpt-4o');
  });
});

describe('the reset of a profile', () => {
  it('goes back to the prior but for what belongs to the provider', () => {
    let profile = recordQuality(unknownProfile, 'coder', 1);
    profile = recordOutcome(profile, {
      kind: 'success',
      totalMs: 900,
      firstTokenMs: 300,
      sentBytes: 10,
      receivedBytes: 50,
      tokens: 15,
      link: null,
    });
    profile = recordOutcome(profile, { kind: 'link-failure', coolUntilMs: 77 });
    expect(forgetModel(profile)).toEqual({ ...unknownProfile, attempts: 2, linkFailures: 1, coolUntilMs: 77 });
  });
});

describe('the saved document', () => {
  const profile = {
    ...unknownProfile,
    attempts: 3,
    successes: 2,
    meanTotalMs: 812.5,
    quality: { coder: { alpha: 2, beta: 1 } },
  };

  it('of the first form, profiles alone, is still read', async () => {
    const store = memoryStore();
    // As the first version wrote it.
    await store.saveDocument(
      'profiles',
      '{"openai/main/gpt-4o@us":{"version":1,"quality":{"coder":{"alpha":2,"beta":1}},"attempts":3,"internalFailures":0,"linkFailures":0,"successes":2,"meanTotalMs":812.5,"meanFirstTokenMs":0,"bandwidth":0,"jitter":0,"meanBytes":0,"coolUntilMs":0}}',
    );
    const book = new ProfileBook();
    expect(await book.load(store)).toBeNull();
    expect(book.all).toEqual({ 'openai/main/gpt-4o@us': profile });
  });

  it('of the present form is read as it was written', async () => {
    const store = memoryStore();
    const text = sizeOfText('a few words to learn from, '.repeat(20));
    const estimator = learnTokens(carefulEstimator, text, 130);
    const document = { version: 2, profiles: { c: profile }, served: {}, tokens: { 'gpt-4o': estimator } };
    await store.saveDocument('profiles', JSON.stringify(document));
    const book = new ProfileBook();
    expect(await book.load(store)).toBeNull();
    expect(book.all).toEqual({ c: profile });
    expect(book.tokens.all).toEqual({ 'gpt-4o': estimator });
  });

  it.each([
    '',
    '[]',
    '{"version":3}',
    '{"c":{"version":1}}',
    '{"version":2,"profiles":{},"served":{},"tokens":{"m":{"version":1,"samples":[],"rates":[1],"noise":1}}}',
  ])('that cannot be read is told and left out: %s', async (written) => {
    const store = memoryStore();
    await store.saveDocument('profiles', written);
    const book = new ProfileBook();
    expect(await book.load(store)).toContain('could not be read');
    expect(book.all).toEqual({});
  });
});

describe('the estimators', () => {
  it('are kept for the latest models only, since callers may name any', () => {
    const book = new TokenBook();
    const text = sizeOfText('a few words to learn from, '.repeat(20));
    const one = learnTokens(carefulEstimator, text, 130);
    book.restore(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`model-${i}`, one])));
    expect(Object.keys(book.all)).toHaveLength(200);
    expect(book.all).toHaveProperty('model-499');
  });

  it('are forgotten with the model, however its name is written', () => {
    const book = new TokenBook();
    book.restore({ 'gpt-4o': learnTokens(carefulEstimator, sizeOfText('words '.repeat(100)), 110) });
    book.forget('OpenAI/GPT-4o');
    expect(book.all).toEqual({});
  });
});
