import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../../src/core/edits/parse.ts';
import type { EditFormat } from '../../../../src/core/edits/parse.ts';
import { planFile } from '../../../../src/core/edits/plan.ts';

// Each of these takes minutes or more where the work grows with the square of the text.
const MANY = 1_000_000;

describe('texts that are made to be slow', () => {
  it.each<readonly [string, string, EditFormat | undefined, boolean]>([
    ['blank lines behind a hunk', `--- a/x\n+++ b/x\n@@ x @@\n-a\n${'\n'.repeat(MANY)}`, 'diff', true],
    ['blank lines in a hunk', `--- a/x\n+++ b/x\n@@ x @@\n-a\n${'\n'.repeat(MANY)}+b\n`, 'diff', true],
    [
      'blank lines in a patch',
      `*** Begin Patch\n*** Update File: a\n@@\n-a\n${'\n'.repeat(MANY)}x\n*** End Patch`,
      undefined,
      false,
    ],
    [
      'blank lines in a new file',
      `*** Begin Patch\n*** Add File: a\n+a\n${'\n'.repeat(MANY)}+x\n*** End Patch`,
      undefined,
      false,
    ],
    [
      'hunks with wrong counts',
      `--- a/x\n+++ b/x\n${'@@ -1,9 +1,9 @@\n a\n-b\n'.repeat(20_000)}\`\`\`\n`,
      'diff',
      true,
    ],
    ['dividers', `a.ts\n<<<<<<< SEARCH\n${'=======\n'.repeat(MANY)}>>>>>>> REPLACE\n`, undefined, false],
    ['starts of blocks', '<<<<<<< SEARCH\n'.repeat(MANY), 'blocks', false],
    ['half markers', '<\n'.repeat(MANY), 'blocks', false],
    [
      'long lines of markers',
      `a.ts\n<<<<<<< SEARCH\n${'<'.repeat(MANY)}\n=======\n${' '.repeat(MANY)}x\n>>>>>>> REPLACE\n`,
      undefined,
      true,
    ],
    ['white space', `${' '.repeat(MANY)}x\n${'\t'.repeat(MANY)}`, undefined, false],
    ['new lines', '\n'.repeat(MANY), undefined, false],
    ['a quoted path', `diff --git "${'\\a'.repeat(MANY)}\n--- a\n+++ b\n@@\n+x`, 'diff', false],
    ['a path with a time', `--- a${' '.repeat(MANY)}x\n+++ b${' 2'.repeat(MANY)}\n@@\n+x`, 'diff', false],
    ['an anchor', `*** Begin Patch\n*** Update File: a\n@@ ${' '.repeat(MANY)}x\n-a\n*** End Patch`, undefined, true],
    ['a heading', `--- a/x\n+++ b/x\n@@ ${'@@ '.repeat(MANY)}x\n-a\n`, 'diff', true],
    [
      'a file name',
      `${'*'.repeat(MANY)}${' '.repeat(MANY)}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n`,
      undefined,
      false,
    ],
    ['fences', 'a.ts\n```\nx\n```\n'.repeat(50_000), 'whole', false],
    ['open fences', '```\n````\n'.repeat(100_000), 'whole', false],
  ])('are parsed in time: %s', (_, text, format, isEdit) => {
    expect(parseEdits(text, format ? { format } : {}).ok).toBe(isEdit);
  });

  const longLine = 'a'.repeat(2 * MANY);
  it.each<readonly [string, string, string, string]>([
    ['a long line that nearly fits', longLine, `${'a'.repeat(MANY)}b`, 'failed'],
    ['a long line that fits everywhere', longLine, 'a'.repeat(MANY), 'failed'],
    ['the same line again and again', 'x\n'.repeat(MANY), 'x\nx\n', 'failed'],
    [
      'lines that nearly fit again and again',
      `${'x\n'.repeat(5000)}y\n`.repeat(100),
      `${'x\n'.repeat(5001)}z\n`,
      'failed',
    ],
    ['a search text as long as the file', `${'x\n'.repeat(MANY / 4)}y\n`, `${'x\n'.repeat(MANY / 4)}y`, 'write'],
  ])('are planned in time: %s', (_, text, search, kind) => {
    const edit = { kind: 'blocks', path: 'a', blocks: [{ search, replace: 'new1' }] } as const;
    expect(planFile(edit, { exists: true, text }).kind).toBe(kind);
  });

  it('are planned in time: every place of a short text', () => {
    const edit = { kind: 'blocks', path: 'a', blocks: [{ search: 'aa', replace: 'b1', occurrence: 'all' }] } as const;
    expect(planFile(edit, { exists: true, text: 'a'.repeat(MANY / 5) })).toMatchObject({
      text: 'b1'.repeat(MANY / 10),
    });
  });

  it('are planned in time: thousands of blocks, found or not', () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `const value${i} = compute(${i}); // a line of text`);
    const text = `${lines.join('\n')}\n`;
    const blocks = Array.from({ length: 5000 }, (_, k) => ({
      search: `${lines[k * 10]}\n`,
      replace: `new ${k}\n`,
      isWholeLines: true,
    }));
    expect(planFile({ kind: 'blocks', path: 'a', blocks }, { exists: true, text }).kind).toBe('write');
    const lost = blocks.map(({ search }) => ({ search: `lost ${search}`, replace: 'x' }));
    const plan = planFile({ kind: 'blocks', path: 'a', blocks: lost }, { exists: true, text });
    expect([plan.kind, plan.blocks.length]).toEqual(['failed', 5000]);
  });
});
