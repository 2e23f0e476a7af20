import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../../src/core/edits/parse.ts';

const filesOf = (text: string) => {
  const edits = parseEdits(text);
  if (!edits.ok) throw new Error(edits.error);
  expect(edits.format).toBe('apply-patch');
  return edits.set.files;
};
const errorOf = (text: string): string => {
  const edits = parseEdits(text, { format: 'apply-patch' });
  return edits.ok ? 'no error' : edits.error;
};
const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const keep = (text: string) => ({ kind: 'keep', text });
const remove = (text: string) => ({ kind: 'remove', text });
const add = (text: string) => ({ kind: 'add', text });

describe('an apply_patch text', () => {
  it('adds, deletes, updates and moves files', () => {
    const text = patch(
      '*** Add File: hello.txt',
      '+Hello',
      '+',
      '*** Update File: src/app.py',
      '*** Move to: src/main.py',
      '@@ def greet():',
      '-print("Hi")',
      '+print("Hello")',
      '*** Update File: only/moved.ts',
      '*** Move to: here.ts',
      '*** Delete File: obsolete.txt',
    );
    expect(filesOf(text)).toEqual([
      { kind: 'create', path: 'hello.txt', text: 'Hello\n\n' },
      {
        kind: 'hunks',
        path: 'src/app.py',
        moveTo: 'src/main.py',
        hunks: [{ oldStart: null, anchors: ['def greet():'], lines: [remove('print("Hi")'), add('print("Hello")')] }],
      },
      { kind: 'move', path: 'only/moved.ts', moveTo: 'here.ts' },
      { kind: 'delete', path: 'obsolete.txt' },
    ]);
  });
  it('has hunks with chains of anchors, empty context, an end of file, and none before the first', () => {
    const text = patch(
      '*** Update File: a',
      ' ctx',
      '-x',
      '+y',
      '@@ class A',
      '@@   def b():',
      ' one',
      '',
      '-two',
      '*** End of File',
      '@@',
      '+three',
    );
    expect(filesOf(text)).toEqual([
      {
        kind: 'hunks',
        path: 'a',
        hunks: [
          { oldStart: null, anchors: [], lines: [keep('ctx'), remove('x'), add('y')] },
          {
            oldStart: null,
            anchors: ['class A', 'def b():'],
            lines: [keep('one'), keep(''), remove('two')],
            isAtEnd: true,
          },
          { oldStart: null, anchors: [], lines: [add('three')], isAtEnd: true },
        ],
      },
    ]);
  });
  it('takes numbers after @@ for what they are', () => {
    for (const [line, anchors] of [
      ['@@ -1,3 +1,4 @@', []],
      ['@@ -1,3 +1,4 @@ def f():', ['def f():']],
      ['@@ def f(): @@', ['def f():']],
    ] as const)
      expect(filesOf(patch('*** Update File: a', line, '-x'))).toMatchObject([{ hunks: [{ anchors }] }]);
  });
  const plain = patch('*** Delete File: a').trimEnd();
  it.each([
    ['a heredoc', `apply_patch <<'EOF'\n${plain}\nEOF\n`, 'a'],
    ['a bare heredoc', `<<EOF\n${plain}\nEOF`, 'a'],
    ['a heredoc after cd', `cd sub/dir && apply_patch <<"PATCH"\n${plain}\nPATCH\n`, 'sub/dir/a'],
    ['a fence', `Here it is:\n\`\`\`\n${plain}\n\`\`\`\n`, 'a'],
    ['a quote', `apply_patch "\n${plain}\n"`, 'a'],
    ['white space', `\n  ${plain}  \n\n`, 'a'],
    ['CRLF', plain.replaceAll('\n', '\r\n'), 'a'],
  ])('is found in %s', (_, text, path) => {
    expect(filesOf(text)).toEqual([{ kind: 'delete', path }]);
  });
  it('joins two updates of one file in order, and refuses other second mentions', () => {
    const two = patch('*** Update File: a', '@@', '-x', '*** Update File: ./a', '@@', '-y');
    expect(filesOf(two)).toMatchObject([{ path: 'a', hunks: [{ lines: [remove('x')] }, { lines: [remove('y')] }] }]);
    expect(errorOf(patch('*** Delete File: a', '*** Add File: a', '+x'))).toContain('a is named twice');
    expect(errorOf(patch('*** Add File: b', '+x', '*** Update File: a', '*** Move to: b'))).toContain(
      'b is named twice',
    );
  });
  it.each([
    ['a cut patch', '*** Begin Patch\n*** Update File: a\n@@\n-x\n', 'the patch is cut off. Expected "*** End Patch"'],
    ['no start', '*** Update File: a\n@@\n-x\n*** End Patch', 'expected "*** Begin Patch"'],
    ['an unknown section', patch('*** Rename File: a'), 'Line 2 of the edit: "*** Rename File: a" starts no file.'],
    ['no path', patch('*** Delete File: '), 'Line 2 of the edit: expected the path'],
    ['an update without hunks', patch('*** Update File: a'), 'Line 3 of the edit: the update of a is empty.'],
    ['an anchor without lines', patch('*** Update File: a', '@@', '-x', '@@ class A'), 'cut off in a hunk'],
    ['a line without a sign', patch('*** Update File: a', '@@', 'x'), 'Line 4 of the edit: "x" is no line of a hunk.'],
    ['a new line without +', patch('*** Add File: a', '+x', 'y'), 'Line 4 of the edit: "y" is no line of a new file.'],
    ['an empty line in a new file', patch('*** Add File: a', '+x', '', '+y'), 'Line 4'],
    ['no file', patch(), 'the patch holds no file'],
    ['text behind it', `${patch('*** Delete File: a')}\nrm -rf b\n`, 'stands behind "*** End Patch"'],
    [
      'commands before it',
      `rm -rf b; apply_patch <<EOF\n${patch('*** Delete File: a')}EOF\n`,
      'expected nothing before',
    ],
    ['two patches', patch('*** Delete File: a') + patch('*** Delete File: b'), 'stands behind'],
    ['an end of file without lines', patch('*** Update File: a', '@@', '*** End of File'), 'expected lines of a hunk'],
  ])('is refused as a whole with %s', (_, text, error) => {
    expect(errorOf(text)).toContain(error);
  });
});
