import { describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../../src/core/edits/editSet.ts';
import { planFile } from '../../../../src/core/edits/plan.ts';

const MISSING = { exists: false, text: '' };
const file = (text: string) => ({ exists: true, text });
const path = 'src/a.ts';
const reasonOf = (edit: FileEdit, now: { exists: boolean; text: string }): string => {
  const plan = planFile(edit, now);
  return 'reason' in plan ? `${plan.kind}: ${plan.reason}` : plan.kind;
};

describe('planning a file of blocks', () => {
  const edit = (search: string, replace: string): FileEdit => ({ kind: 'blocks', path, blocks: [{ search, replace }] });
  it('writes the new text, or names the file with what is wrong', () => {
    expect(planFile(edit('a', 'b'), file('a'))).toMatchObject({ kind: 'write', path, text: 'b' });
    expect(reasonOf(edit('x', 'b'), file('a'))).toMatch(/^failed: src\/a\.ts: The text to replace is not there/);
    expect(reasonOf(edit('a', 'a'), file('a'))).toBe(
      'needless: src/a.ts: The old and the new text are the same, so nothing needs to change.',
    );
  });
  it('makes a missing file only from an empty search text', () => {
    expect(planFile(edit('', 'new\n'), MISSING)).toMatchObject({ kind: 'write', text: 'new\n' });
    expect(planFile(edit('', ''), MISSING)).toMatchObject({ kind: 'write', text: '' });
    expect(reasonOf(edit('a', 'b'), MISSING)).toContain('src/a.ts does not exist');
    expect(reasonOf({ kind: 'blocks', path, blocks: [] }, file('a'))).toContain('has no block');
  });
  it('needs another intent to leave nothing of a text', () => {
    expect(reasonOf(edit('all\n', ''), file('all\n'))).toContain('Delete the file, or send its whole new text');
    expect(planFile({ kind: 'whole', path, text: '' }, file('all\n'))).toMatchObject({ kind: 'write', text: '' });
  });
});

describe('planning a file of hunks', () => {
  const hunks = [
    {
      oldStart: 1,
      anchors: [],
      lines: [
        { kind: 'remove' as const, text: 'a' },
        { kind: 'add' as const, text: 'b' },
      ],
    },
  ];
  it('moves the file with the change, or alone where the change is there', () => {
    const edit: FileEdit = { kind: 'hunks', path, hunks, moveTo: 'src/b.ts' };
    expect(planFile(edit, file('a\n'))).toMatchObject({ kind: 'write', text: 'b\n', moveTo: 'src/b.ts' });
    expect(planFile({ ...edit, hunks: [] }, file('a\n'))).toMatchObject({ kind: 'move', moveTo: 'src/b.ts' });
    const telling = [
      {
        ...hunks[0]!,
        lines: [
          { kind: 'remove' as const, text: 'old' },
          { kind: 'add' as const, text: 'new' },
        ],
      },
    ];
    expect(planFile({ ...edit, hunks: telling }, file('new\n'))).toMatchObject({ kind: 'move', moveTo: 'src/b.ts' });
    expect(planFile({ ...edit, moveTo: path }, file('a\n'))).not.toHaveProperty('moveTo');
    expect(planFile(edit, file('c\n')).kind).toBe('failed');
  });
  it('needs the file and a hunk', () => {
    expect(reasonOf({ kind: 'hunks', path, hunks }, MISSING)).toContain('does not exist');
    expect(reasonOf({ kind: 'hunks', path, hunks: [] }, file('a'))).toContain('has no hunk');
  });
});

describe('planning a whole file', () => {
  const whole = (text: string): FileEdit => ({ kind: 'whole', path, text });
  it('writes it, or says that it is so already', () => {
    expect(planFile(whole('b\n'), MISSING)).toMatchObject({ kind: 'write', text: 'b\n' });
    expect(planFile(whole('b\n'), file('a\n'))).toMatchObject({ kind: 'write', text: 'b\n' });
    expect(reasonOf(whole('a\n'), file('a\n'))).toContain('exactly this text already');
  });
  it('keeps the line endings of the file, and takes those that the text names', () => {
    expect(planFile(whole('a\nx\nc\n'), file('a\r\nb\r\nc\r\n'))).toMatchObject({ text: 'a\r\nx\r\nc\r\n' });
    expect(planFile(whole('a\nx\nc\n'), file('a\r\nb\r\nc\n'))).toMatchObject({ text: 'a\r\nx\r\nc\n' });
    expect(planFile(whole('a\nb\nc'), file('a\r\nb\nc\n'))).toMatchObject({ text: 'a\r\nb\nc' });
    expect(planFile(whole('a\nb\nc\n'), file('a\r\nb\nc'))).toMatchObject({ text: 'a\r\nb\nc\r\n' });
    expect(planFile(whole('a\r\n'), file('a\n'))).toMatchObject({ text: 'a\r\n' });
    expect(planFile(whole('a\n'), file('a\r\n')).kind).toBe('needless');
  });
  it.each([
    '// ... existing code ...',
    '# ... rest of the file unchanged',
    '/* ...remaining methods... */',
    '<!-- ... other content ... -->',
    '    // rest of the code remains the same',
    '... existing code ...',
    '// \u2026 (unchanged) \u2026',
    '{/* ... existing code ... */}',
  ])('refuses a text in which %j stands for the rest', (line) => {
    expect(reasonOf(whole(`a\n${line}\nb\n`), file('a\nmany lines\nb\n'))).toContain(
      'Line 2 of the new src/a.ts stands for text that was left out',
    );
    expect(planFile(whole(`a\n${line}\nb\n`), MISSING).kind).toBe('write');
    expect(planFile(whole(`x\n${line}\nb\n`), file(`a\n${line}\nb\n`)).kind).toBe('write');
  });
  it.each([
    '    ...rest,',
    '  return { ...existing };',
    '# the rest of us agree',
    '...',
    'x = [...other];',
    '[other]',
    '// other methods are below',
    "print('... existing code ...')",
  ])('takes %j for text', (line) => {
    expect(planFile(whole(`a\n${line}\n`), file('b\n')).kind).toBe('write');
  });
});

describe('planning a new, deleted or moved file', () => {
  it('makes a file only where there is none', () => {
    expect(planFile({ kind: 'create', path, text: 'a\n' }, MISSING)).toEqual({
      kind: 'write',
      path,
      blocks: [],
      text: 'a\n',
    });
    expect(planFile({ kind: 'create', path, text: 'a\n', mode: 0o755 }, MISSING)).toMatchObject({ mode: 0o755 });
    expect(reasonOf({ kind: 'create', path, text: 'a\n' }, file('a\r\n'))).toContain(
      'needless: src/a.ts exists already with exactly this text',
    );
    expect(reasonOf({ kind: 'create', path, text: 'a\n' }, file('b'))).toContain(
      'failed: src/a.ts exists already, with other text',
    );
  });
  it('deletes a file only with the text that is thought to be in it', () => {
    expect(planFile({ kind: 'delete', path }, file('a'))).toEqual({ kind: 'delete', path, blocks: [] });
    expect(planFile({ kind: 'delete', path, expected: 'a\n' }, file('a\r\n')).kind).toBe('delete');
    expect(reasonOf({ kind: 'delete', path, expected: 'a\n' }, file('a\nmore\n'))).toContain(
      'failed: src/a.ts has other text',
    );
    expect(reasonOf({ kind: 'delete', path }, MISSING)).toContain('needless');
  });
  it('moves a file that is there', () => {
    expect(planFile({ kind: 'move', path, moveTo: 'b' }, file('a'))).toEqual({
      kind: 'move',
      path,
      moveTo: 'b',
      blocks: [],
    });
    expect(reasonOf({ kind: 'move', path, moveTo: path }, file('a'))).toContain('needless');
    expect(reasonOf({ kind: 'move', path, moveTo: 'b' }, MISSING)).toContain('does not exist');
  });
});
