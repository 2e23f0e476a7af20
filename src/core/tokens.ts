// Tokens of a text before a provider has counted them. Per model, tokens per character of each kind are fitted to the last
// counts that `usage` told: by least absolute deviations, so that a few absurd counts carry nothing away, with older answers
// weighing less. Nothing learned: careful figures that count too many.
import { CHAR_KINDS, totalChars, type TextSize } from './textSize.ts';

/** A prompt and what the provider counted for it. */
interface Sample {
  readonly chars: readonly number[];
  readonly tokens: number;
  /** How far it is believed, up to 1: less where it lies far from what was expected with confidence. */
  readonly trust: number;
}

/** What is known of a model's tokenizer. Saved; `version` is of this shape. */
export interface TokenEstimator {
  readonly version: 1;
  /** The last answers, newest first. */
  readonly samples: readonly Sample[];
  /** Tokens per character, by kind (`CHAR_KINDS`), fitted to the samples. */
  readonly rates: readonly number[];
  /** How far counts usually lie from the fit, as a share. */
  readonly noise: number;
}

interface Kind {
  /** Careful tokens per character: above what the common tokenizers need for each kind in its usual company. */
  readonly prior: number;
  readonly least: number;
  readonly most: number;
}

const KINDS: readonly Kind[] = [
  { prior: 0.3, least: 0.03, most: 1 },
  { prior: 0.2, least: 0.005, most: 1 },
  { prior: 0.75, least: 0.05, most: 2 },
  { prior: 1.3, least: 0.1, most: 4 },
  { prior: 0.8, least: 0.05, most: 4 },
];

/** Tokens of one image: what the dearest common vendor counts for a large one, since neither size nor rule is known here. */
export const IMAGE_TOKENS = 1600;

/** Answers that are remembered, and how much less each counts than the one after it. */
const MOST_SAMPLES = 24;
const FADING = 0.95;
/** Prompts of fewer tokens count less, since rounding to whole tokens weighs more in them. */
const WHOLE_WEIGHT_TOKENS = 500;
/** A model's rates differ from the prior by a common factor; each by itself by about this share more. */
const OWN_DEVIATION = 0.6;
/** Noise that is assumed of a model until as many answers have told its own. */
const USUAL_NOISE = 0.01;
const USUAL_ANSWERS = 4;
const FIT_ROUNDS = 12;

/** A count is believed within these multiples of the careful estimate; beyond, something else than this text was counted. */
const LEAST_RATIO = 0.15;
const MOST_RATIO = 4;
/** Shorter prompts teach nothing: what a provider adds around every prompt would look like dense text. */
const LEAST_CHARS = 200;
/** How far one answer alone, and two alone, may move the common factor. Later ones correct each other. */
const EARLY_LIMITS: readonly (readonly [number, number])[] = [
  [0.6, 1.5],
  [0.4, 2.5],
];

/** So many answers are needed before one can be strange, and so many strange ones in a row are no accident. */
const SETTLED_ANSWERS = 5;
const STRANGE_LIMIT = 3;
/** A miss of more than so many expected errors is strange, and believed so little at least. */
const ORDINARY_ERRORS = 4;
const LEAST_TRUST = 0.25;

const size = CHAR_KINDS.length;

/** Nothing learned yet. */
export const carefulEstimator: TokenEstimator = {
  version: 1,
  samples: [],
  rates: KINDS.map(({ prior }) => prior),
  noise: USUAL_NOISE,
};

/** Tokens of a size, rounded up. Never zero for text, never less for a longer text. Worked, careful: `hello` -> 1.5 -> 2. */
export function estimateTokens({ rates }: TokenEstimator, text: TextSize): number {
  // A hair is taken off before rounding: 0.1 * 30 must not become 4.
  return Math.ceil(dot(rates, text.chars) - 1e-9) + text.images * IMAGE_TOKENS;
}

/** How far an estimate may be off, as a share of it (standard deviation). 0 for no text. */
export function estimateError({ samples, noise }: TokenEstimator, { chars }: TextSize): number {
  const careful = carefulTokens(chars);
  if (careful <= 0) return 0;
  const rows = samples.map(rowOf);
  // What the samples say of this mix of kinds, on top of what is believed of every model.
  const information = normalMatrix(
    rows,
    rows.map(({ weight }) => weight / noise ** 2),
    1 / OWN_DEVIATION ** 2,
  );
  const shares = sharesOf(chars, careful);
  return Math.sqrt(Math.max(0, dot(shares, solve(information, shares)))) + noise;
}

/** Whether enough was learned to tell the kinds of content apart. */
export function isSettled({ samples }: TokenEstimator): boolean {
  return samples.length >= SETTLED_ANSWERS;
}

/**
 * A model of which little is known, read by one that is known well: kinds of content weigh alike in all tokenizers, which
 * differ mostly by a common factor. Of a model that has never counted the factor is not known, and 1.
 */
export function borrowed(little: TokenEstimator, known: TokenEstimator): TokenEstimator {
  const ratios = little.samples.map(({ chars, tokens }): [number, number] => [tokens / dot(known.rates, chars), 1]);
  const factor = ratios.length === 0 ? 1 : weightedMedian(ratios);
  return { ...little, rates: known.rates.map((rate) => rate * factor) };
}

/**
 * Learns that a provider counted `tokens` for a prompt of size `text`. Prompts with images and very short ones teach nothing,
 * nor do counts that cannot be of this text.
 */
export function learnTokens(before: TokenEstimator, text: TextSize, tokens: number): TokenEstimator {
  const { chars } = text;
  const careful = carefulTokens(chars);
  const isBelievable = tokens >= careful * LEAST_RATIO && tokens <= careful * MOST_RATIO;
  if (text.images > 0 || totalChars(text) < LEAST_CHARS || !isBelievable) return before;
  const known = [{ chars, tokens, trust: trustIn(before, text, tokens) }, ...before.samples].slice(0, MOST_SAMPLES);
  const isLasting = known.slice(0, STRANGE_LIMIT).every(({ trust }) => trust < 1);
  const samples = isLasting ? known.map((each, age) => (age < STRANGE_LIMIT ? { ...each, trust: 1 } : each)) : known;
  return { version: 1, samples, ...fit(samples.map(rowOf)) };
}

function trustIn(before: TokenEstimator, text: TextSize, tokens: number): number {
  if (!isSettled(before)) return 1;
  const miss = Math.abs(tokens / estimateTokens(before, text) - 1);
  return Math.max(LEAST_TRUST, Math.min(1, (ORDINARY_ERRORS * estimateError(before, text)) / miss));
}

/** A sample as an equation: shares of the careful estimate by kind, and the ratio of the count to it. */
interface Row {
  readonly shares: readonly number[];
  readonly ratio: number;
  readonly weight: number;
}

function rowOf({ chars, tokens, trust }: Sample, age: number): Row {
  const careful = carefulTokens(chars);
  const weight = trust * FADING ** age * Math.min(1, careful / WHOLE_WEIGHT_TOKENS);
  return { shares: sharesOf(chars, careful), ratio: tokens / careful, weight };
}

const carefulTokens = (chars: readonly number[]): number => dot(chars, carefulEstimator.rates);

const sharesOf = (chars: readonly number[], careful: number): readonly number[] =>
  KINDS.map(({ prior }, kind) => (at(chars, kind) * prior) / careful);

/**
 * Rates that meet the ratios: a common factor, the weighted median, and for each kind a deviation from it. Least absolute
 * deviations by least squares, weighed anew in each round; kinds that no sample holds keep the common factor.
 */
function fit(rows: readonly Row[]): Pick<TokenEstimator, 'rates' | 'noise'> {
  const [low, high] = EARLY_LIMITS[rows.length - 1] ?? [LEAST_RATIO, MOST_RATIO];
  const common = Math.max(low, Math.min(high, weightedMedian(rows.map(({ ratio, weight }) => [ratio, weight]))));
  let deviation: readonly number[] = KINDS.map(() => 0);
  let noise = USUAL_NOISE;
  // One or two answers cannot tell a kind from an accident.
  const rounds = rows.length <= EARLY_LIMITS.length ? 0 : FIT_ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const misses = rows.map((row) => Math.abs(row.ratio - common - dot(row.shares, deviation)));
    noise = noiseOf(rows, misses);
    const trust = rows.map((row, index) => row.weight / Math.max(noise, at(misses, index)));
    const target = KINDS.map(() => 0);
    for (const [index, row] of rows.entries()) {
      const pull = at(trust, index) * (row.ratio - common);
      for (let kind = 0; kind < size; kind++) target[kind] = at(target, kind) + pull * at(row.shares, kind);
    }
    deviation = solve(normalMatrix(rows, trust, noise / OWN_DEVIATION ** 2), target);
  }
  const rates = KINDS.map(({ prior, least, most }, kind) =>
    Math.max(least, Math.min(most, prior * (common + at(deviation, kind)))),
  );
  return { rates, noise };
}

/** The middle miss, drawn towards what is usual while few answers are known. */
function noiseOf(rows: readonly Row[], misses: readonly number[]): number {
  const middle = weightedMedian(rows.map((row, index) => [at(misses, index), row.weight]));
  return (middle * rows.length + USUAL_NOISE * USUAL_ANSWERS) / (rows.length + USUAL_ANSWERS);
}

/** Of values and weights; the upper one where two share the middle. 0 of none. */
function weightedMedian(pairs: readonly (readonly [number, number])[]): number {
  const sorted = pairs.toSorted(([a], [b]) => b - a);
  const half = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  let seen = 0;
  for (const [value, weight] of sorted) {
    seen += weight;
    if (seen >= half) return value;
  }
  return 0;
}

/** Sum of the outer products of the shares by their weights, with `ridge` on the diagonal. */
function normalMatrix(rows: readonly Row[], weights: readonly number[], ridge: number): number[][] {
  const matrix = KINDS.map((_, row) => KINDS.map((__, column) => (row === column ? ridge : 0)));
  for (const [index, { shares }] of rows.entries()) {
    for (let row = 0; row < size; row++) {
      const line = matrix[row] ?? [];
      const weight = at(weights, index) * at(shares, row);
      if (weight === 0) continue;
      for (let column = 0; column < size; column++) line[column] = at(line, column) + weight * at(shares, column);
    }
  }
  return matrix;
}

/** Solves a symmetric positive definite system by elimination. `matrix` is used up. */
function solve(matrix: number[][], target: readonly number[]): readonly number[] {
  const right = [...target];
  for (const [pivot, pivotLine] of matrix.entries()) {
    for (let row = pivot + 1; row < size; row++) {
      const line = matrix[row] ?? [];
      const factor = at(line, pivot) / at(pivotLine, pivot);
      for (let column = pivot; column < size; column++)
        line[column] = at(line, column) - factor * at(pivotLine, column);
      right[row] = at(right, row) - factor * at(right, pivot);
    }
  }
  const solution = KINDS.map(() => 0);
  for (let row = size - 1; row >= 0; row--) {
    const line = matrix[row] ?? [];
    const known = solution.reduce((sum, value, column) => sum + (column > row ? at(line, column) * value : 0), 0);
    solution[row] = (at(right, row) - known) / at(line, row);
  }
  return solution;
}

const at = (values: readonly number[], index: number): number => values[index] ?? 0;

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += at(a, index) * at(b, index);
  return sum;
}
