// Properties of the parsers of edits: what is printed in a form is read back as it was, a cut text is refused, and nothing
// makes a parser throw.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditBlock, FileEdit, Hunk } from '../../src/core/edits/editSet.ts';
import { parseEdits } from '../../src/core/edits/parse.ts';
import { planFile } from '../../src/core/edits/plan.ts';
import { printBlocks, printDiff, printPatch, printWhole } from '../support/editForms.ts';
import { content } from '../support/randomTexts.ts';

describe('what is printed is read back', () => {
  const path = fc.constantFrom(
    'src/a.ts',
    'b c/d e.md',
    'Makefile',
    'x/\u00e4\u4e2d.py',
    'deep/er/file.test.tsx',
    '.env.example',
    'q"uote/f.c',
  );
  const plainPath = path.filter((one) => !one.includes('"'));
  const oneLine = fc.oneof(
    content,
    fc.constantFrom(
      '<<<<<<< SEARCH',
      '=======',
      '>>>>>>> REPLACE',
      '\\=======',
      ':start_line: 4',
      '*** End Patch',
      '*** Add File: x',
      '--- a/x',
      '+++ b/x',
      '```',
      '\\ No newline at end of file',
      'diff --git a/x b/x',
    ),
  );
  const ended = fc.array(oneLine, { maxLength: 6 }).map((all) => all.map((one) => `${one}\n`).join(''));
  const step = fc.record({ kind: fc.constantFrom('keep' as const, 'remove' as const, 'add' as const), text: oneLine });
  const someSteps = fc.array(step, { minLength: 1, maxLength: 8 });
  const filesOf = (
    file: (name: fc.Arbitrary<string>) => fc.Arbitrary<FileEdit>,
    names: fc.Arbitrary<string>,
  ): fc.Arbitrary<FileEdit[]> =>
    fc
      .uniqueArray(names, { minLength: 1, maxLength: 4 })
      .chain((all) => fc.tuple(...all.map((name) => file(fc.constant(name)))));

  it('as blocks, in both styles', () => {
    const block = fc
      .record({ search: ended, replace: ended })
      .map((texts): EditBlock => ({ ...texts, isWholeLines: true }));
    const file = (name: fc.Arbitrary<string>): fc.Arbitrary<FileEdit> =>
      fc.record({
        kind: fc.constant('blocks' as const),
        path: name,
        blocks: fc.array(block, { minLength: 1, maxLength: 3 }),
      });
    fc.assert(
      fc.property(filesOf(file, plainPath), fc.constantFrom('aider' as const, 'cline' as const), (files, style) => {
        const text = printBlocks(files, style);
        expect(parseEdits(text)).toEqual({ ok: true, format: 'blocks', set: { files } });
        expect(parseEdits(text.replaceAll('\n', '\r\n'))).toEqual({ ok: true, format: 'blocks', set: { files } });
      }),
      { numRuns: 1500 },
    );
  });

  it('as apply_patch', () => {
    const anchors = fc.array(fc.constantFrom('class A', 'def b():', 'x'), { maxLength: 2 });
    const hunk = fc
      .record({ anchors, lines: someSteps, end: fc.boolean() })
      .map(({ anchors: names, lines: all, end }): Hunk => {
        const isAddition = names.length === 0 && all.every(({ kind }) => kind === 'add');
        return { oldStart: null, anchors: names, lines: all, ...((end || isAddition) && { isAtEnd: true }) };
      });
    const file = (name: fc.Arbitrary<string>): fc.Arbitrary<FileEdit> =>
      fc.oneof(
        fc.record({ kind: fc.constant('create' as const), path: name, text: ended }),
        fc.record({ kind: fc.constant('delete' as const), path: name }),
        fc.record({
          kind: fc.constant('hunks' as const),
          path: name,
          hunks: fc.array(hunk, { minLength: 1, maxLength: 3 }),
        }),
        name.map((one): FileEdit => ({ kind: 'move', path: one, moveTo: `moved/${one}` })),
      );
    fc.assert(
      fc.property(filesOf(file, path), (files) => {
        expect(parseEdits(printPatch(files))).toEqual({ ok: true, format: 'apply-patch', set: { files } });
      }),
      { numRuns: 1500 },
    );
  });

  it('as a diff', () => {
    const hunks = fc.array(someSteps, { minLength: 1, maxLength: 3 }).map((all): readonly Hunk[] => {
      let at = 1;
      return all.map((one) => {
        const start = at;
        at += one.filter(({ kind }) => kind !== 'add').length + 5;
        return { oldStart: start, anchors: [], lines: one };
      });
    });
    const notEmpty = ended.filter((text) => text !== '');
    const file = (name: fc.Arbitrary<string>): fc.Arbitrary<FileEdit> =>
      fc.oneof(
        fc.record({
          kind: fc.constant('create' as const),
          path: name,
          text: fc.oneof(
            ended,
            notEmpty.map((text) => `${text}x`),
          ),
        }),
        fc.record({ kind: fc.constant('create' as const), path: name, text: notEmpty, mode: fc.constant(0o755) }),
        fc.record({ kind: fc.constant('delete' as const), path: name, expected: ended }),
        fc.record({ kind: fc.constant('hunks' as const), path: name, hunks }),
        fc
          .record({ kind: fc.constant('hunks' as const), path: name, hunks })
          .map((one): FileEdit => ({ ...one, moveTo: `moved/${one.path}` })),
        name.map((one): FileEdit => ({ kind: 'move', path: one, moveTo: `moved/${one}` })),
      );
    fc.assert(
      fc.property(filesOf(file, path), (files) => {
        expect(parseEdits(printDiff(files), { format: 'diff' })).toEqual({ ok: true, format: 'diff', set: { files } });
      }),
      { numRuns: 1500 },
    );
  });

  it('as whole files', () => {
    const file = (name: fc.Arbitrary<string>): fc.Arbitrary<FileEdit> =>
      fc.record({ kind: fc.constant('whole' as const), path: name, text: ended });
    fc.assert(
      fc.property(filesOf(file, plainPath), (files) => {
        expect(parseEdits(printWhole(files), { format: 'whole' })).toEqual({
          ok: true,
          format: 'whole',
          set: { files },
        });
      }),
      { numRuns: 1000 },
    );
  });

  it('and any cut of it is refused, or is a whole edit by itself', () => {
    const block: EditBlock = { search: 'old line\nsecond\n', replace: 'new line\n', isWholeLines: true };
    const files: FileEdit[] = [{ kind: 'blocks', path: 'a.ts', blocks: [block, block] }];
    const text = printBlocks(files);
    for (let end = 0; end < text.length; end++) {
      const cut = parseEdits(text.slice(0, end), { format: 'blocks' });
      const rest = text.slice(0, end).split('>>>>>>> REPLACE').at(-1);
      if (cut.ok) expect(rest).not.toMatch(/[<=>]/);
    }
    const patch = printPatch([
      { kind: 'create', path: 'a', text: 'x\ny\n' },
      { kind: 'delete', path: 'b' },
    ]);
    for (let end = 0; end < patch.trimEnd().length; end++)
      expect(parseEdits(patch.slice(0, end), { format: 'apply-patch' }).ok).toBe(false);
    const diff = printDiff([
      {
        kind: 'hunks',
        path: 'a',
        hunks: [
          {
            oldStart: 1,
            anchors: [],
            lines: [
              { kind: 'keep', text: 'one' },
              { kind: 'remove', text: 'two' },
              { kind: 'add', text: 'three' },
              { kind: 'keep', text: 'four' },
            ],
          },
        ],
      },
    ]);
    for (let end = 0; end < diff.indexOf(' four') + 1; end++)
      expect(parseEdits(diff.slice(0, end), { format: 'diff' }).ok).toBe(false);
  });

  it('and no text at all makes a parser throw', () => {
    const piece = fc.oneof(
      oneLine,
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '*** Begin Patch',
        '*** Update File: a',
        '@@ x',
        '--- a',
        '+++ b',
        '+',
        '-',
        ' ',
        '```ts a.ts',
        '------- SEARCH',
      ),
    );
    const noise = fc.array(piece, { maxLength: 20 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(
        noise,
        fc.constantFrom(undefined, 'blocks' as const, 'diff' as const, 'apply-patch' as const, 'whole' as const),
        (text, format) => {
          const edits = parseEdits(text, format ? { format } : {});
          if (!edits.ok) expect(edits.error.length).toBeGreaterThan(10);
          else for (const file of edits.set.files) planFile(file, { exists: true, text: 'a\nb\nc\n' });
        },
      ),
      { numRuns: 4000 },
    );
  });
});
