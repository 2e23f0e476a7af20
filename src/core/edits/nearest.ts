// The place that looks most like a text that was not found, to show it to the agent. Lines vote for the place that would put
// them where they stand; lines that are nowhere vote by their words. Bounded on long texts: no line is compared with all.
import { describeDifference } from './differences.ts';
import type { TextLines } from './lines.ts';

/** The place that looks most like the search text. Lines count from 1. */
export interface Nearest {
  readonly line: number;
  readonly excerpt: string;
  /** 0-1: share of the search text's lines that are there, give or take white space. */
  readonly likeness: number;
  /** How the first line that is not there as wanted differs from the one that is; empty where nothing does. */
  readonly difference: string;
}

/** Finds places like a text, again and again in the same file. */
export interface NearestFinder {
  nearest(wanted: readonly string[]): Nearest | null;
}

const EXCERPT_LINES = 12;
const EXCERPT_CHARS = 240;
/** Only so much of a line has words. */
const WORD_CHARS = 400;
/** A line or word that is there more often says nothing about the place. */
const MAX_VOTES = 60;
/** So many lines of a search text vote, and so many places are looked at closely. */
const MAX_WANTED = 400;
const MAX_PLACES = 24;
const MIN_LIKENESS = 0.3;
/** Places may be looked for only so often in one file; more failures than that need no picture each. */
const MAX_CALLS = 25;

interface WordIndex {
  readonly lines: ReadonlyMap<string, readonly number[]>;
  readonly words: ReadonlyMap<string, readonly number[]>;
}

export function nearestFinder(file: TextLines): NearestFinder {
  let index: WordIndex | null = null;
  let calls = 0;
  return {
    nearest(wanted) {
      if (++calls > MAX_CALLS || file.count === 0) return null;
      index ??= buildIndex(file);
      return nearestIn(file, index, wanted);
    },
  };
}

function buildIndex({ texts, count }: TextLines): WordIndex {
  const lines = new Map<string, number[]>();
  const words = new Map<string, number[]>();
  const add = (map: Map<string, number[]>, key: string, line: number): void => {
    const places = map.get(key);
    if (!places) map.set(key, [line]);
    else if (places.length <= MAX_VOTES && places.at(-1) !== line) places.push(line);
  };
  for (let i = 0; i < count; i++) {
    const line = (texts[i] ?? '').slice(0, WORD_CHARS).trim();
    if (line === '') continue;
    add(lines, line, i);
    for (const word of wordsOf(line)) add(words, word, i);
  }
  return { lines, words };
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.slice(0, WORD_CHARS).match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function nearestIn(file: TextLines, index: WordIndex, wanted: readonly string[]): Nearest | null {
  const lines = wanted.slice(0, MAX_WANTED).map((line) => line.slice(0, WORD_CHARS).trim());
  const votes = new Map<number, number>();
  const vote = (at: number, weight: number): void => void votes.set(at, (votes.get(at) ?? 0) + weight);
  for (const [i, line] of lines.entries()) {
    const places = index.lines.get(line) ?? [];
    if (line !== '' && places.length <= MAX_VOTES) for (const at of places) vote(at - i, 1);
    if (places.length > 0) continue;
    const words = wordsOf(line);
    for (const word of words) {
      const at = index.words.get(word) ?? [];
      if (at.length <= MAX_VOTES) for (const place of at) vote(place - i, 1 / words.size);
    }
  }
  const places = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_PLACES);
  let best = { at: -1, score: 0 };
  for (const [at] of places) {
    if (at < 0) continue;
    const score = lines.reduce(
      (sum, line, i) => sum + lineLikeness(line, file.texts[at + i]?.slice(0, WORD_CHARS).trim() ?? ''),
      0,
    );
    if (score > best.score) best = { at, score };
  }
  const likeness = best.score / lines.length;
  return best.at < 0 || likeness < MIN_LIKENESS ? null : describe(file, wanted, best.at, likeness);
}

function describe(file: TextLines, wanted: readonly string[], at: number, likeness: number): Nearest {
  const size = Math.min(wanted.length, EXCERPT_LINES, file.count - at);
  const excerpt = file.texts
    .slice(at, at + size)
    .map((line) => (line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS).toWellFormed()}...` : line))
    .join('\n');
  const different = wanted.findIndex((line, i) => line !== file.texts[at + i]);
  const difference =
    different < 0
      ? ''
      : `In line ${at + different + 1} ${describeDifference(wanted[different] ?? '', file.texts[at + different] ?? '')}.`;
  return { line: at + 1, excerpt, likeness, difference };
}

/** 1 for equal lines, else the share of words in common (of the longer line). Empty lines say nothing. */
function lineLikeness(a: string, b: string): number {
  if (a === b) return a === '' ? 0.5 : 1;
  const words = wordsOf(a);
  const others = wordsOf(b);
  const larger = Math.max(words.size, others.size);
  if (larger === 0) return 0;
  let common = 0;
  for (const word of words) if (others.has(word)) common++;
  return common / larger;
}
