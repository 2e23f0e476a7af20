// Properties of edits: a diff that git makes of two texts gives the new text, once; nothing outside of the changed lines
// changes; a plan that fails has no text. Oracles: git diff, git apply.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planBlocks } from '../../src/core/edits/blocks.ts';
import type { EditBlock, EditSet, FileEdit, FilePlan, Hunk } from '../../src/core/edits/editSet.ts';
import { planHunks } from '../../src/core/edits/hunks.ts';
import { cutLines, withLf } from '../../src/core/edits/lines.ts';
import { parseEdits } from '../../src/core/edits/parse.ts';
import type { EditFormat } from '../../src/core/edits/parse.ts';
import { planFile } from '../../src/core/edits/plan.ts';
import { wholeText } from '../../src/core/edits/wholeText.ts';
import { printDiff } from '../support/editForms.ts';
import { changed, content, cuts, lf, mixed, wild } from '../support/randomTexts.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edits-'));
  for (const name of ['a', 'b']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(args: readonly string[], input?: string): { readonly code: number; readonly out: string } {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...(input !== undefined && { input }),
  });
  if (error) throw error;
  return { code: status ?? -1, out: stdout + (status === 0 || status === 1 ? '' : stderr) };
}

function inFolder(name: 'a' | 'b', texts: readonly string[]): void {
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, name, `${i}.txt`), text);
}

/** Diffs of many texts at once, parsed: each file with its text before and after. */
function gitDiffs(
  pairs: readonly (readonly [string, string])[],
  context: number,
): readonly { readonly file: FileEdit; readonly before: string; readonly after: string }[] {
  for (const name of ['a', 'b'] as const) {
    rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, name));
  }
  const usable = pairs.filter(([before, after]) => before !== after && before.trim() !== '' && after.trim() !== '');
  if (usable.length === 0) return [];
  inFolder(
    'a',
    usable.map(([before]) => before),
  );
  inFolder(
    'b',
    usable.map(([, after]) => after),
  );
  const { out } = git(['diff', '--no-index', '--no-color', '--no-prefix', `-U${context}`, 'a', 'b']);
  const { files } = parsed(out, 'diff');
  expect(files.length).toBe(usable.length);
  return files.map((file) => {
    const [before, after] = usable[Number(/(\d+)\.txt$/.exec(file.path)?.[1])]!;
    return { file, before, after };
  });
}

function parsed(text: string, format?: EditFormat): EditSet {
  const edits = parseEdits(text, format ? { format } : {});
  if (!edits.ok) throw new Error(`${edits.error}\n${text.slice(0, 2000)}`);
  return edits.set;
}

function textOf(plan: FilePlan, about?: unknown): string {
  if (plan.kind !== 'write') throw new Error(JSON.stringify({ plan, about }));
  return plan.text;
}

const pair = fc.oneof(
  fc.tuple(lf, lf),
  fc.tuple(lf, cuts).map(([text, places]) => [text, changed(text, places)] as const),
);

describe('diffs', () => {
  it.each([0, 1, 3, 8])('of git with %i lines of context give the new text', (context) => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 120, maxLength: 120 }), (pairs) => {
        for (const { file, before, after } of gitDiffs(pairs, context)) {
          const plan = planFile(file, { exists: true, text: before });
          // Without context, new lines have no place of their own.
          if (context === 0 && plan.kind === 'failed') continue;
          expect(textOf(plan, { file, before })).toBe(after);
        }
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('are not applied twice where the lines of the text are all different', () => {
    const numbered = fc
      .integer({ min: 1, max: 30 })
      .map((count) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join(''));
    const fresh = fc.uniqueArray(
      fc.integer({ min: 100, max: 99_999 }).map((n) => `new ${n}`),
      { maxLength: 3 },
    );
    const places = fc.array(fc.tuple(fc.nat(30), fc.nat(3), fresh), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(numbered, places), { minLength: 100, maxLength: 100 }), (all) => {
        const pairs = all.map(([text, cut]) => [text, `${changed(text.trimEnd(), cut)}\n`] as const);
        for (const { file, before, after } of gitDiffs(pairs, 3)) {
          expect(textOf(planFile(file, { exists: true, text: before }))).toBe(after);
          const again = planFile(file, { exists: true, text: after });
          expect(again).not.toHaveProperty('text');
          if (file.kind === 'hunks' && file.hunks.every(({ lines }) => lines.some(({ kind }) => kind === 'add')))
            expect(again.kind).toBe('needless');
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it('printed from hunks are applied by git to the same text as here', () => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 60, maxLength: 60 }), (pairs) => {
        const diffs = gitDiffs(pairs, 3);
        const applied = git(
          ['apply', '--directory=a', '--unsafe-paths', '-'],
          printDiff(diffs.map(({ file }) => file)),
        );
        expect(applied).toEqual({ code: 0, out: '' });
        for (const { file, before } of diffs) {
          const text = textOf(planFile(file, { exists: true, text: before }));
          expect(readFileSync(join(folder, 'a', file.path), 'utf8')).toBe(text);
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it('keep every byte outside of their hunks, whatever the line endings', () => {
    fc.assert(
      fc.property(mixed, cuts, fc.constantFrom(1, 3), (text, places, context) => {
        const before = withLf(text);
        const after = changed(before, places);
        fc.pre(before.trim() !== '' && after.trim() !== '' && before !== after);
        const hunks = hunksOf(before, after, context);
        const plan = planHunks(text, hunks);
        if (plan.kind !== 'changed') return;
        expect(withLf(plan.text)).toBe(after);
        expectUntouched(text, plan.text);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Lines before the first and behind the last change have their bytes, and every line ending is one that the text had. */
function expectUntouched(before: string, after: string): void {
  const [a, b] = [cutLines(before), cutLines(after)];
  let head = 0;
  while (head < a.count && head < b.count && a.texts[head] === b.texts[head]) head++;
  let tail = 0;
  while (tail < a.count - head && tail < b.count - head && a.texts[a.count - 1 - tail] === b.texts[b.count - 1 - tail])
    tail++;
  const ends = (from: typeof a, start: number, end: number): readonly string[] => from.ends.slice(start, end);
  // The last line that is equal may have been ended, or have become the last one.
  if (head > 1) expect(ends(b, 0, head - 1)).toEqual(ends(a, 0, head - 1));
  if (tail > 0 && a.texts.length === a.count + 1 && b.texts.length === b.count + 1)
    expect(ends(b, b.count - tail, b.count)).toEqual(ends(a, a.count - tail, a.count));
  for (const end of b.ends) expect(['', '\n', ...a.ends]).toContain(end);
  if (!a.isMixed && a.count > 1) for (const end of b.ends.slice(0, -1)) expect(end).toBe(a.usualEnd);
}

/** The hunks of two texts with LF, by the longest common head and tail only: one hunk with context. */
function hunksOf(before: string, after: string, context: number): readonly Hunk[] {
  const [a, b] = [cutLines(before), cutLines(after)];
  const [old, fresh] = [a.texts.slice(0, a.count), b.texts.slice(0, b.count)];
  const isSameEnd = before.endsWith('\n') === after.endsWith('\n');
  const isEnded = before.endsWith('\n') && after.endsWith('\n');
  let head = 0;
  while (head < Math.min(old.length, fresh.length) - (isEnded ? 0 : 1) && old[head] === fresh[head]) head++;
  let tail = 0;
  while (isSameEnd && tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail))
    tail++;
  const step = (kind: 'keep' | 'remove' | 'add') => (text: string) => ({ kind, text });
  const start = Math.max(0, head - context);
  const kept = Math.min(tail, context);
  const reachesEnd = kept === tail && tail <= context;
  const marks = { old: !before.endsWith('\n') && reachesEnd, new: !after.endsWith('\n') && reachesEnd };
  return [
    {
      oldStart: start + 1,
      anchors: [],
      lines: [
        ...old.slice(start, head).map(step('keep')),
        ...old.slice(head, old.length - tail).map(step('remove')),
        ...fresh.slice(head, fresh.length - tail).map(step('add')),
        ...old.slice(old.length - tail, old.length - tail + kept).map(step('keep')),
      ],
      ...((marks.old || marks.new) && { noNewlineAtEnd: marks }),
    },
  ];
}

describe('blocks', () => {
  it('replace exactly their one place, and keep every other byte', () => {
    fc.assert(
      fc.property(mixed, fc.nat(), fc.nat(40), wild, wild, (text, from, size, first, second) => {
        const plain = withLf(text);
        const start = plain.length === 0 ? 0 : from % plain.length;
        const search = plain.slice(start, start + size + 1);
        const replace = `${first}\n${second}`;
        fc.pre(search.trim() !== '' && search !== replace);
        const plan = planBlocks(text, [{ search, replace }]);
        const places = plain.split(search).length - 1;
        if (plan.kind === 'changed') {
          expect(places).toBe(1);
          expect(withLf(plan.text)).toBe(plain.slice(0, start) + replace + plain.slice(start + search.length));
          expectUntouched(text, plan.text);
        } else if (plan.kind === 'failed') {
          expect(plan).not.toHaveProperty('text');
          const isOverlapping = plain.indexOf(search) !== plain.lastIndexOf(search);
          expect(
            isOverlapping ||
              (search + replace).trim() === plain.trim() ||
              plan.reason.includes('Nothing would be left'),
          ).toBe(true);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('are all planned on the text as it is, whatever their order', () => {
    const numbered = fc
      .array(content, { minLength: 6, maxLength: 20 })
      .map((all) => all.map((one, i) => `${i}: ${one}`));
    fc.assert(
      fc.property(numbered, fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 6 }), (all, chosen) => {
        const blocks = chosen.map((i): EditBlock => ({
          search: `${all[i]}\n`,
          replace: `new ${i}\nmore\n`,
          isWholeLines: true,
        }));
        const plan = planBlocks(all.join('\n') + '\n', blocks);
        const wanted = all.map((one, i) => (chosen.includes(i) ? `new ${i}\nmore` : one)).join('\n') + '\n';
        expect(plan).toMatchObject({ kind: 'changed', text: wanted });
        expect(planBlocks(all.join('\n') + '\n', [...blocks].reverse())).toMatchObject({
          kind: 'changed',
          text: wanted,
        });
        expect(planBlocks(wanted, blocks)).toMatchObject({ kind: 'needless' });
        const broken = planBlocks(all.join('\n'), [...blocks, { search: 'nowhere at all', replace: 'x' }]);
        expect(broken.kind).toBe('failed');
        expect(broken.blocks.map(({ outcome }) => outcome)).toEqual([...chosen.map(() => 'applied'), 'not-found']);
      }),
      { numRuns: 500 },
    );
  });

  it('never throw, and a plan that fails or needs nothing has no text', () => {
    const block = fc.record({
      search: lf,
      replace: lf,
      isWholeLines: fc.boolean(),
      occurrence: fc.constantFrom('one' as const, 'all' as const),
    });
    fc.assert(
      fc.property(mixed, fc.array(block, { minLength: 1, maxLength: 4 }), fc.boolean(), (text, blocks, exists) => {
        const plan = planFile({ kind: 'blocks', path: 'x', blocks }, { exists, text: exists ? text : '' });
        if (plan.kind !== 'write') expect(plan).not.toHaveProperty('text');
        else if (exists && text.trim() !== '') expect(plan.text.trim()).not.toBe('');
      }),
      { numRuns: 3000 },
    );
  });
});

describe('whole texts', () => {
  it('have the wanted lines, in the line endings of the file', () => {
    fc.assert(
      fc.property(mixed, lf, (now, fresh) => {
        fc.pre(!/\r(?!\n)/.test(now + fresh));
        const text = wholeText(now, fresh);
        expect(withLf(text)).toBe(fresh);
        expect(wholeText(now, withLf(now))).toBe(now);
        if (now.includes('\r\n') && !/(^|[^\r])\n/.test(now)) expect(text).toBe(fresh.replaceAll('\n', '\r\n'));
      }),
      { numRuns: 2000 },
    );
  });
});
