// Properties of the three-way merge: it takes what one side changed, is the same from both sides, and loses nothing of ours.
// Oracle: git merge-file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLines, withLf } from '../../src/core/edits/lines.ts';
import { mergeThreeWay } from '../../src/core/edits/merge.ts';
import { changed, cuts, mixed } from '../support/randomTexts.ts';

/** What git makes of three texts, and whether it sees a conflict. */
function gitMerge(
  base: string,
  ours: string,
  theirs: string,
): { readonly text: string; readonly hasConflict: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'merge-'));
  try {
    for (const [name, text] of Object.entries({ base, ours, theirs })) writeFileSync(join(folder, name), text);
    const { status, stdout } = spawnSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { text: stdout, hasConflict: status !== 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('three-way merge', () => {
  it('takes the side that changed, whatever the line endings', () => {
    fc.assert(
      fc.property(mixed, mixed, (base, side) => {
        expect(mergeThreeWay(base, base, side)).toEqual({ text: side, conflicts: [] });
        expect(mergeThreeWay(base, side, base)).toEqual({ text: side, conflicts: [] });
        expect(mergeThreeWay(base, side, side)).toEqual({ text: side, conflicts: [] });
      }),
      { numRuns: 2000 },
    );
  });

  const threeTexts = fc
    .tuple(mixed, cuts, cuts)
    .map(([base, ours, theirs]) => [base, changed(base, ours), changed(base, theirs)] as const)
    // A text whose only line ends are CR is another case.
    .filter((texts) => !texts.some((text) => /\r(?!\n)/.test(text)));

  it('has the same conflicts from either side, and the same text where there are none', () => {
    fc.assert(
      fc.property(threeTexts, ([base, ours, theirs]) => {
        const one = mergeThreeWay(base, ours, theirs);
        const other = mergeThreeWay(base, theirs, ours);
        expect(other.conflicts.map((conflict) => [conflict.base, conflict.theirs, conflict.ours])).toEqual(
          one.conflicts.map((conflict) => [conflict.base, conflict.ours, conflict.theirs]),
        );
        // How an equal new line ends is ours.
        if (one.conflicts.length === 0) expect(withLf(other.text).trimEnd()).toBe(withLf(one.text).trimEnd());
      }),
      { numRuns: 3000 },
    );
  });

  it('loses no line of ours that theirs did not take away, where all lines are different', () => {
    const numbered = fc.nat(25).map((count) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join(''));
    const tagged = (side: string) =>
      fc
        .array(fc.tuple(fc.nat(30), fc.nat(3), fc.array(fc.nat(9), { maxLength: 3 })), { maxLength: 4 })
        .map((all) =>
          all.map(([at, gone, fresh], i) => [at, gone, fresh.map((n, k) => `${side} ${i}.${k}.${n}`)] as const),
        );
    fc.assert(
      fc.property(numbered, tagged('ours'), tagged('theirs'), (base, first, second) => {
        const [ours, theirs] = [changed(base, first), changed(base, second)];
        const { text, conflicts } = mergeThreeWay(base, ours, theirs);
        const [inBase, inOurs, inTheirs, inText] = [base, ours, theirs, text].map((one) => new Set(one.split('\n')));
        const inConflicts = new Set(conflicts.flatMap((conflict) => conflict.theirs.split('\n')));
        for (const one of inOurs!) expect(inText!.has(one) || (inBase!.has(one) && !inTheirs!.has(one))).toBe(true);
        for (const one of inTheirs!)
          expect(inText!.has(one) || inConflicts.has(one) || (inBase!.has(one) && !inOurs!.has(one))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('shows every conflict where it says', () => {
    fc.assert(
      fc.property(threeTexts, ([base, ours, theirs]) => {
        const { text, conflicts } = mergeThreeWay(base, ours, theirs);
        const merged = cutLines(text);
        for (const conflict of conflicts) {
          const lines = cutLines(conflict.ours);
          const at = conflict.line - 1;
          expect(merged.texts.slice(at, at + lines.count)).toEqual(lines.texts.slice(0, lines.count));
          expect(
            [base, ours, theirs].map((one, i) => one.includes([conflict.base, conflict.ours, conflict.theirs][i]!)),
          ).toEqual([true, true, true]);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with git merge-file on texts whose lines are all different', () => {
    const numbered = fc.nat(25).map((count) => Array.from({ length: count + 5 }, (_, i) => `line ${i}\n`).join(''));
    const edit = fc.array(
      fc.tuple(
        fc.nat(30),
        fc.nat(2),
        fc.array(
          fc.integer({ min: 100, max: 9999 }).map((n) => `new ${n}`),
          { maxLength: 2 },
        ),
      ),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(numbered, edit, edit, (base, first, second) => {
        const [ours, theirs] = [`${changed(base.trimEnd(), first)}\n`, `${changed(base.trimEnd(), second)}\n`];
        const merged = gitMerge(base, ours, theirs);
        const { text, conflicts } = mergeThreeWay(base, ours, theirs);
        expect(conflicts.length === 0).toBe(!merged.hasConflict);
        if (conflicts.length === 0) expect(text).toBe(merged.text);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
