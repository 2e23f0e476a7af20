import { describe, expect, it } from 'vitest';
import type { Hunk } from '../../../../src/core/edits/editSet.ts';
import { planHunks } from '../../../../src/core/edits/hunks.ts';

/** A hunk from lines with their signs; `@` before them: anchors; `$`: the end of the file. */
function hunk(body: string, more: Partial<Hunk> = {}): Hunk {
  const kinds = { ' ': 'keep', '-': 'remove', '+': 'add' } as const;
  const lines = body.split('\n').flatMap((line) => {
    const sign = line.charAt(0);
    return sign === ' ' || sign === '-' || sign === '+' ? [{ kind: kinds[sign], text: line.slice(1) }] : [];
  });
  return { oldStart: null, anchors: [], lines, ...more };
}

const twoClasses = `class A:
    def run(self):
        start()
        stop()

class B:
    def run(self):
        start()
        stop()
`;

describe('placing hunks', () => {
  it('goes by the lines, wherever the numbers point', () => {
    const plan = planHunks('a\nb\nc\nd\n', [hunk(' b\n-c\n+x', { oldStart: 1 })]);
    expect(plan).toMatchObject({ kind: 'changed', text: 'a\nb\nx\nd\n', blocks: [{ outcome: 'applied', line: 2 }] });
  });
  it('refuses lines that are there more than once, with what would decide', () => {
    const plan = planHunks(twoClasses, [
      hunk('         start()\n-        stop()\n+        end()'.replaceAll('         start', '         start')),
    ]);
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'several', line: 3 }] });
    expect(plan.blocks[0]?.message).toContain('lines 3, 8');
    expect(plan.blocks[0]?.message).toContain('after @@');
  });
  it('lets an anchor, or a chain of them, decide', () => {
    const edit = '         start()\n-        stop()\n+        end()';
    const [first, second] = [twoClasses.replace('stop', 'end'), twoClasses.replace(/stop(?![\s\S]*stop)/, 'end')];
    expect(planHunks(twoClasses, [hunk(edit, { anchors: ['class A:'] })])).toMatchObject({ text: first });
    expect(planHunks(twoClasses, [hunk(edit, { anchors: ['class B:'] })])).toMatchObject({ text: second });
    expect(planHunks(twoClasses, [hunk(edit, { anchors: ['class B:', 'def run(self):'] })])).toMatchObject({
      text: second,
    });
    expect(planHunks(twoClasses, [hunk(edit, { anchors: ['def run(self):'] })]).kind).toBe('failed');
    expect(planHunks(twoClasses, [hunk(edit, { anchors: ['class C:'] })]).kind).toBe('failed');
  });
  it('refuses the only place where it is above the anchor', () => {
    const plan = planHunks('x = 1\nclass A:\n  y\n', [hunk('-x = 1\n+x = 2', { anchors: ['class A:'] })]);
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'not-found', line: 1 }] });
    expect(plan.blocks[0]?.message).toContain('above "class A:"');
  });
  it('believes the numbers only where they prove right', () => {
    const text = 'x\ny\nx\ny\nx\nlast\n';
    expect(planHunks(text, [hunk('-x\n+z', { oldStart: 3 })])).toMatchObject({ text: 'x\ny\nz\ny\nx\nlast\n' });
    const sure = hunk('-last\n+end', { oldStart: 6 });
    expect(planHunks(text, [hunk('-x\n+z', { oldStart: 3 }), sure])).toMatchObject({ text: 'x\ny\nz\ny\nx\nend\n' });
    const wrong = hunk('-last\n+end', { oldStart: 7 });
    expect(planHunks(text, [hunk('-x\n+z', { oldStart: 3 }), wrong]).kind).toBe('failed');
    expect(planHunks(text, [hunk('-x\n+z', { oldStart: 2 })]).kind).toBe('failed');
  });
  it('lets the order of the hunks decide where only one place is between its neighbours', () => {
    const text = 'x\nfirst\nx\nsecond\nx\n';
    const hunks = [hunk('-first\n+1'), hunk('-x\n+z'), hunk('-second\n+2')];
    expect(planHunks(text, hunks)).toMatchObject({ text: 'x\n1\nz\n2\nx\n' });
    expect(planHunks(text, [hunks[0]!, hunks[1]!]).kind).toBe('failed');
  });
  it('puts hunks that only add at the end of the file where that is asked, and nowhere else', () => {
    expect(planHunks('a\n', [hunk('+b', { isAtEnd: true })])).toMatchObject({ text: 'a\nb\n' });
    expect(planHunks('a', [hunk('+b', { isAtEnd: true })])).toMatchObject({ text: 'a\nb' });
    expect(planHunks('', [hunk('+b')])).toMatchObject({ text: 'b\n' });
    expect(planHunks('a\nb1\n', [hunk('+b1', { isAtEnd: true })]).kind).toBe('needless');
    const lost = planHunks('a\n', [hunk('+b', { anchors: ['a'] })]);
    expect(lost.blocks[0]?.message).toContain('only adds lines');
  });
  it('holds to the end of the file where the hunk says so', () => {
    const text = 'a\nb\na\nb\n';
    expect(planHunks(text, [hunk(' a\n-b\n+c', { isAtEnd: true })])).toMatchObject({ text: 'a\nb\na\nc\n' });
    const plan = planHunks('a\nb\nc\n', [hunk(' a\n-b\n+x', { isAtEnd: true })]);
    expect(plan.blocks[0]?.message).toContain('must stand at the end of the file, but its lines are at line 1');
  });
  it('adds and takes away the last line ending as the marks say, and keeps a missing one without marks', () => {
    const marks = (old: boolean, fresh: boolean) => ({ noNewlineAtEnd: { old, new: fresh } });
    expect(planHunks('a\nb', [hunk('-b\n+b', marks(true, false))])).toMatchObject({ text: 'a\nb\n' });
    expect(planHunks('a\nb\n', [hunk('-b\n+b', marks(false, true))])).toMatchObject({ text: 'a\nb' });
    expect(planHunks('a\nb\n', [hunk('-b\n+b', marks(true, false))]).kind).toBe('needless');
    expect(planHunks('a\nb', [hunk('-b\n+c')])).toMatchObject({ text: 'a\nc' });
    expect(planHunks('a\nb', [hunk(' b\n+c')])).toMatchObject({ text: 'a\nb\nc' });
    expect(planHunks('a\nb', [hunk(' a\n-b')])).toMatchObject({ text: 'a\n' });
    expect(planHunks('x\na\nb\nc', [hunk('-a\n b\n-c')])).toMatchObject({ text: 'x\nb\n' });
    const stale = planHunks('a\nb\n', [hunk('-b\n+c', marks(true, true))]);
    expect(stale.blocks[0]?.message).toContain('the file ends with a line ending');
  });
  it('keeps the bytes of its context, whatever the hunk has there', () => {
    const plan = planHunks('a  \r\nb\nc\t\r\n', [hunk(' a\n-b\n+x\n+y\n c')]);
    expect(plan).toMatchObject({ text: 'a  \r\nx\ny\nc\t\r\n', blocks: [{ outcome: 'applied', line: 1 }] });
    expect(plan.blocks[0]?.message).toContain('ends of lines');
  });
  it('indents new lines as the file is, where that is clear', () => {
    const plan = planHunks('{\n\tif (a) {\n\t\tb1();\n\t}\n}\n', [
      hunk(' if (a) {\n-    b1();\n+    b2();\n+    c2();\n }'),
    ]);
    expect(plan).toMatchObject({ kind: 'failed' });
    const clear = planHunks('{\n    if (a) {\n        b1();\n    }\n}\n', [
      hunk('   if (a) {\n-      b1();\n+      b2();\n   }'),
    ]);
    expect(clear).toMatchObject({ text: '{\n    if (a) {\n        b2();\n    }\n}\n' });
  });
  it('says when a hunk is there already, or changes nothing', () => {
    expect(planHunks('a\nnew1\nb\n', [hunk(' a\n+new1\n b')])).toMatchObject({
      kind: 'needless',
      blocks: [{ outcome: 'already-applied', line: 1 }],
    });
    expect(planHunks('a\nb\nnew1\n', [hunk(' a\n b\n+new1')])).toMatchObject({ kind: 'needless' });
    expect(planHunks('new1\na\nb\n', [hunk('+new1\n a\n b')])).toMatchObject({ kind: 'needless' });
    expect(planHunks('a\nb\n', [hunk(' a\n-gone\n b')])).toMatchObject({ kind: 'needless' });
    expect(planHunks('b\n', [hunk('-gone\n b')])).toMatchObject({ kind: 'failed' });
    expect(planHunks('a\nb\n', [hunk(' a\n b')])).toMatchObject({
      kind: 'needless',
      blocks: [{ outcome: 'identical' }],
    });
    expect(planHunks('a\nb\n', [hunk('-a\n+a')])).toMatchObject({
      kind: 'needless',
      blocks: [{ outcome: 'identical' }],
    });
  });
  it('applies the rest of a diff of which a part is there already', () => {
    const plan = planHunks('a\nB1\nc\nd\ne\n', [hunk(' a\n-b\n+B1\n c'), hunk(' d\n-e\n+E1')]);
    expect(plan).toMatchObject({
      text: 'a\nB1\nc\nd\nE1\n',
      blocks: [{ outcome: 'already-applied' }, { outcome: 'applied' }],
    });
  });
  it('allows hunks to share context, not changed lines', () => {
    expect(planHunks('a\nb\nc\n', [hunk('-a\n+1\n b'), hunk(' b\n-c\n+3')])).toMatchObject({ text: '1\nb\n3\n' });
    const plan = planHunks('a\nb\nc\n', [hunk('-a\n+1\n b'), hunk(' a\n b\n-c\n+3')]);
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'applied' }, { outcome: 'overlaps' }] });
  });
});

describe('hunks that are made to be slow', () => {
  it('end in a refusal, without a text', () => {
    const text = `${'x\n'.repeat(2000)}y\n`.repeat(300);
    const lines = [
      ...Array.from({ length: 2500 }, () => ({ kind: 'keep' as const, text: 'x' })),
      { kind: 'add' as const, text: 'z' },
    ];
    const plan = planHunks(
      text,
      Array.from({ length: 200 }, () => ({ oldStart: null, anchors: [], lines })),
    );
    expect(plan.kind).toBe('failed');
    expect('reason' in plan && plan.reason).toContain('repeats itself');
  });
  it('are placed in a large file by the thousand', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `const value${i} = compute(${i}); // a line of text`);
    const hunks = Array.from({ length: 10_000 }, (_, k) =>
      hunk(` ${lines[k * 10]}\n-${lines[k * 10 + 1]}\n+new ${k}\n ${lines[k * 10 + 2]}`),
    );
    const plan = planHunks(`${lines.join('\n')}\n`, hunks);
    if (plan.kind !== 'changed') throw new Error('not placed');
    expect(plan.text.split('\n').filter((line) => line.startsWith('new '))).toHaveLength(10_000);
  });
});
