import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHAR_KINDS, noSize, sizeOfText, totalChars, type TextSize } from '../../../src/core/textSize.ts';
import {
  carefulEstimator,
  estimateError,
  estimateTokens,
  IMAGE_TOKENS,
  learnTokens,
  type TokenEstimator,
} from '../../../src/core/tokens.ts';
import { seededRandom } from '../../support/random.ts';

/** Chance of a seed; whole numbers are drawn from 0 to `below` - 1. */
function chance(seed: number): { share: () => number; below: (n: number) => number } {
  const random = seededRandom(seed);
  return { share: () => random.next(), below: (n) => Math.floor(random.next() * n) };
}

const SAMPLES = [
  'The quick brown fox jumps over the lazy dog, and nobody knows why it does so every single time. ',
  'export function sum(a: number[], b = 0): number {\n  return a.reduce((x, y) => x + y, b);\n}\n',
  '{"id":17,"name":"price-book","tags":["a","b"],"total":{"cents":1999,"currency":"EUR"}},',
  '这个函数把金额按比例分给每个人，剩下的一分给第一个。',
  'Größe, Übermut und ein paar слова по-русски. ',
];

/** A prompt of random length, mostly of one kind, as requests of an agent are. */
function prompt(draw: ReturnType<typeof chance>): TextSize {
  const pieces = Array.from({ length: 1 + draw.below(6) }, () => {
    const sample = SAMPLES[draw.below(SAMPLES.length)]!;
    return sample.repeat(5 + draw.below(100));
  });
  return sizeOfText(pieces.join('\n'));
}

/** Answers of a model that counts `rates` tokens per character, learned one by one. */
function learned(
  rates: readonly number[],
  answers: number,
  draw: ReturnType<typeof chance>,
  noise = 0,
): TokenEstimator {
  let estimator = carefulEstimator;
  for (let i = 0; i < answers; i++) {
    const text = prompt(draw);
    estimator = learnTokens(estimator, text, Math.round(counted(rates, text) * (1 + noise * (2 * draw.share() - 1))));
  }
  return estimator;
}

const counted = (rates: readonly number[], text: TextSize): number =>
  Math.ceil(text.chars.reduce((sum, n, kind) => sum + n * rates[kind]!, 0));

const errorOn = (estimator: TokenEstimator, rates: readonly number[], text: TextSize): number =>
  Math.abs(estimateTokens(estimator, text) / counted(rates, text) - 1);

const seeds = Array.from({ length: 24 }, (_, i) => i + 1);
const even = (rate: number): readonly number[] => CHAR_KINDS.map(() => rate);

describe('a careful estimate', () => {
  it('counts more than common tokenizers do', () => {
    // As counted by a tokenizer of 100,000 words, rounded up.
    const known = [
      [SAMPLES[0]!, 21],
      [SAMPLES[1]!, 30],
      [SAMPLES[2]!, 32],
      [SAMPLES[3]!, 29],
    ] as const;
    for (const [text, tokens] of known) {
      expect(estimateTokens(carefulEstimator, sizeOfText(text)), text).toBeGreaterThanOrEqual(tokens);
      expect(estimateTokens(carefulEstimator, sizeOfText(text)), text).toBeLessThan(tokens * 1.8);
    }
  });

  it('works as said: hello has 5 letters of .3', () => {
    expect(estimateTokens(carefulEstimator, sizeOfText('hello'))).toBe(2);
    expect(estimateTokens(carefulEstimator, { ...noSize, images: 2 })).toBe(2 * IMAGE_TOKENS);
    expect(estimateTokens(carefulEstimator, noSize)).toBe(0);
  });
});

describe('what is learned from usage', () => {
  it('is within 2 % of a hidden ratio after 20 answers', () => {
    for (const seed of seeds) {
      const draw = chance(seed);
      const rates = even(1 / (2.2 + 3.3 * draw.share()));
      const estimator = learned(rates, 20, draw);
      for (let i = 0; i < 10; i++) expect(errorOn(estimator, rates, prompt(draw)), `seed ${seed}`).toBeLessThan(0.02);
    }
  });

  it('finds a ratio of its own for each kind of content, also when counts are a little off', () => {
    for (const seed of seeds) {
      const draw = chance(seed);
      const rates = carefulEstimator.rates.map((rate) => rate * (0.5 + 0.7 * draw.share()));
      const estimator = learned(rates, 20, draw, 0.005);
      const errors = Array.from({ length: 20 }, () => errorOn(estimator, rates, prompt(draw)));
      expect(errors.reduce((sum, error) => sum + error, 0) / 20, `seed ${seed}`).toBeLessThan(0.02);
    }
  });

  it('says itself how far it may be off: less with each answer', () => {
    const text = sizeOfText(SAMPLES.join('').repeat(20));
    const errors = [0, 1, 5, 20].map((n) => estimateError(learned(even(0.25), n, chance(5)), text));
    expect(errors).toEqual(errors.toSorted((a, b) => b - a));
    expect(errors[0]).toBeGreaterThan(0.3);
    expect(errors[3]).toBeLessThan(0.02);
  });

  it('is not carried away by one absurd count, early or late', () => {
    for (const seed of seeds) {
      const draw = chance(seed);
      const rates = even(0.25);
      const text = prompt(draw);
      const settled = learned(rates, 20, draw);
      for (const factor of [0, 0.01, 0.3, 3, 10, 1000]) {
        const after = learnTokens(settled, text, Math.round(counted(rates, text) * factor));
        const errors = Array.from({ length: 9 }, () => errorOn(after, rates, prompt(draw))).toSorted((a, b) => a - b);
        expect(errors[4], `seed ${seed} x${factor}, half of all prompts`).toBeLessThan(0.02);
        expect(errors[8], `seed ${seed} x${factor}, any prompt`).toBeLessThan(0.2);
        // Twenty honest answers later nothing is left of it; the same where it was the very first.
        let [healed, young] = [after, learnTokens(carefulEstimator, text, Math.round(counted(rates, text) * factor))];
        for (let i = 0; i < 20; i++) {
          const next = prompt(draw);
          healed = learnTokens(healed, next, counted(rates, next));
          young = learnTokens(young, next, counted(rates, next));
        }
        expect(errorOn(healed, rates, text), `seed ${seed} x${factor}, healed`).toBeLessThan(0.02);
        expect(errorOn(young, rates, text), `seed ${seed} x${factor}, young`).toBeLessThan(0.03);
      }
    }
  });

  it('follows a tokenizer that really changes', () => {
    for (const seed of seeds) {
      const draw = chance(seed);
      let estimator = learned(even(0.25), 30, draw);
      /** Error on half of all prompts, after so many more answers. */
      const after = (answers: number): number => {
        for (let i = 0; i < answers; i++) {
          const text = prompt(draw);
          estimator = learnTokens(estimator, text, counted(even(0.34), text));
        }
        const errors = Array.from({ length: 9 }, () => errorOn(estimator, even(0.34), prompt(draw)));
        return errors.toSorted((x, y) => x - y)[4]!;
      };
      expect(after(16), `seed ${seed}`).toBeLessThan(0.1);
      expect(after(8), `seed ${seed}`).toBeLessThan(0.01);
    }
  });

  it('takes nothing from images, from prompts that say next to nothing, and from counts that cannot be', () => {
    const text = sizeOfText(SAMPLES[0]!.repeat(50));
    expect(learnTokens(carefulEstimator, { ...text, images: 1 }, 2000)).toBe(carefulEstimator);
    expect(learnTokens(carefulEstimator, sizeOfText('ping'), 350)).toBe(carefulEstimator);
    for (const tokens of [0, 1, totalChars(text) * 5, Infinity, NaN])
      expect(learnTokens(carefulEstimator, text, tokens)).toBe(carefulEstimator);
  });

  it('never estimates zero for text, never less for a longer text, and only whole numbers, whatever it was fed', () => {
    const feed = fc.array(
      fc.tuple(fc.string({ unit: 'binary', minLength: 0, maxLength: 900 }), fc.integer({ min: 0, max: 5000 })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(feed, fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }), (answers, text, more) => {
        let estimator = carefulEstimator;
        for (const [sent, tokens] of answers) estimator = learnTokens(estimator, sizeOfText(sent), tokens);
        const tokens = estimateTokens(estimator, sizeOfText(text));
        expect(Number.isInteger(tokens) && tokens >= 1).toBe(true);
        expect(estimateTokens(estimator, sizeOfText(text + more))).toBeGreaterThanOrEqual(tokens);
        expect(estimateError(estimator, sizeOfText(text))).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
