// One change of whole lines as steps: lines that stay, go and come, in order. Hunks are written so; search/replace blocks are
// brought into this form, so that both are placed and carried out by the same code.
import { differencesOf } from './lineDiff.ts';
import type { Hunk } from './editSet.ts';

export type Step = Hunk['lines'][number];

export function oldLines(steps: readonly Step[]): readonly string[] {
  return steps.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
}

export function newLines(steps: readonly Step[]): readonly string[] {
  return steps.filter(({ kind }) => kind !== 'remove').map(({ text }) => text);
}

export function addedLines(steps: readonly Step[]): readonly string[] {
  return steps.filter(({ kind }) => kind === 'add').map(({ text }) => text);
}

/** The steps from one list of lines to another; equal lines stay. */
export function stepsBetween(before: readonly string[], after: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  const keep = (until: number): void => {
    for (; at < until; at++) steps.push({ kind: 'keep', text: before[at] ?? '' });
  };
  for (const { aStart, aLength, bStart, bLength } of differencesOf(before, after)) {
    keep(aStart);
    for (; at < aStart + aLength; at++) steps.push({ kind: 'remove', text: before[at] ?? '' });
    for (let i = bStart; i < bStart + bLength; i++) steps.push({ kind: 'add', text: after[i] ?? '' });
  }
  keep(before.length);
  return steps;
}

/** Whether the old and the new lines are the same. */
export function isIdentical(steps: readonly Step[]): boolean {
  const before = oldLines(steps);
  const after = newLines(steps);
  return before.length === after.length && before.every((line, i) => line === after[i]);
}

/**
 * Where the old lines stand inside the new ones, when the change only adds lines in front of them or behind them; null for
 * every other change. Such a change can be made again and again, so what is there has to be looked at before.
 */
export function insertionOffset(steps: readonly Step[]): number | null {
  const kinds = steps.map(({ kind }) => kind);
  if (kinds.includes('remove') || !kinds.includes('add') || !kinds.includes('keep')) return null;
  const first = kinds.indexOf('keep');
  return kinds.slice(first, kinds.lastIndexOf('keep') + 1).includes('add') ? null : first;
}

/**
 * Whether finding the new lines means that the change was made. New lines with a word in them say so; where lines only go,
 * the lines that stay must have been brought together from both sides of the gap.
 */
export function isTelling(steps: readonly Step[]): boolean {
  const removed = new Set(steps.filter(({ kind }) => kind === 'remove').map(({ text }) => text));
  if (addedLines(steps).some((line) => hasWord(line) && !removed.has(line))) return true;
  const changes = steps.flatMap(({ kind }, i) => (kind === 'keep' ? [] : [i]));
  const before = steps.slice(0, changes[0] ?? 0);
  const after = steps.slice((changes.at(-1) ?? steps.length) + 1);
  return [before, after].every((part) => part.some(({ text }) => hasWord(text)));
}

export function hasWord(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}
