import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../../src/core/edits/parse.ts';

const read = (text: string, path?: string) => parseEdits(text, { format: 'diff', ...(path !== undefined && { path }) });
const filesOf = (text: string, path?: string) => {
  const edits = read(text, path);
  if (!edits.ok) throw new Error(edits.error);
  return edits.set.files;
};
const errorOf = (text: string, path?: string): string => {
  const edits = read(text, path);
  return edits.ok ? 'no error' : edits.error;
};
const steps = (...lines: string[]) =>
  lines.map((line) => ({
    kind: line.startsWith('-') ? 'remove' : line.startsWith('+') ? 'add' : 'keep',
    text: line.slice(1),
  }));
const hunk = '@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n';
const lines = steps(' a', '-b', '+c', ' d');

describe('the files of a diff', () => {
  it.each([
    ['--- a/src/x.ts\n+++ b/src/x.ts\n', 'src/x.ts'],
    ['--- src/x.ts\n+++ src/x.ts\n', 'src/x.ts'],
    ['--- i/x.ts\n+++ w/x.ts\n', 'x.ts'],
    ['--- a/x.ts\t2024-01-01 10:00:00.000000000 +0100\n+++ b/x.ts\t2024-01-02 10:00:00\n', 'x.ts'],
    ['--- a/x.ts 2024-01-01 10:00:00.123 +0100\n+++ b/x.ts 2024-01-02 10:00:00\n', 'x.ts'],
    ['--- "a/caf\\303\\251 \\"q\\".txt"\n+++ "b/caf\\303\\251 \\"q\\".txt"\n', 'caf\u00e9 "q".txt'],
    ['--- a/with space.txt\t\n+++ b/with space.txt\t\n', 'with space.txt'],
    ['--- x.c.orig\n+++ x.c\n', 'x.c'],
    ['diff --git a/x.ts b/x.ts\nindex 1234567..89abcde 100644\n--- a/x.ts\n+++ b/x.ts\n', 'x.ts'],
    ['Index: x.ts\n===================================================================\n--- x.ts\n+++ x.ts\n', 'x.ts'],
    ['Some words first.\n\n```diff\n--- a/x.ts\n+++ b/x.ts\n', 'x.ts'],
    ['diff --git a/b c.ts b/b c.ts\n', 'b c.ts'],
  ])('%j name %s', (head, path) => {
    expect(filesOf(head + hunk)).toMatchObject([{ kind: 'hunks', path, hunks: [{ lines }] }]);
  });
  it('are the one that the caller knows where the headers do not say', () => {
    expect(filesOf(hunk, 'x.ts')).toMatchObject([{ path: 'x.ts', hunks: [{ oldStart: 1, lines }] }]);
    expect(filesOf(`--- original\n+++ modified\n${hunk}`, 'x.ts')).toMatchObject([{ path: 'x.ts' }]);
    expect(errorOf(hunk)).toContain('the hunks name no file');
    expect(errorOf(`--- one.ts\n+++ two.ts\n${hunk}`)).toContain('two names');
  });
  it('may be several, and one twice in order', () => {
    const diff = `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}--- a/x\n+++ b/x\n@@ -9 +9 @@\n-q\n+r\n`;
    expect(filesOf(diff)).toMatchObject([
      { path: 'x', hunks: [{ lines }, { lines: steps('-q', '+r') }] },
      { path: 'y', hunks: [{ lines }] },
    ]);
  });
  it('may be new, deleted, renamed, or empty', () => {
    expect(filesOf('--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n')).toEqual([
      { kind: 'create', path: 'n.ts', text: 'a\nb\n' },
    ]);
    expect(
      filesOf(
        'diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n',
      ),
    ).toEqual([{ kind: 'create', path: 'run', text: 'a', mode: 0o755 }]);
    expect(filesOf('diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n')).toEqual([
      { kind: 'create', path: 'e', text: '' },
    ]);
    expect(filesOf('--- a/o.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n')).toEqual([
      { kind: 'delete', path: 'o.ts', expected: 'a\nb\n' },
    ]);
    expect(filesOf('diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n')).toEqual([
      { kind: 'delete', path: 'e', expected: '' },
    ]);
    const rename = 'diff --git a/o.ts b/n.ts\nsimilarity index 90%\nrename from o.ts\nrename to n.ts\n';
    expect(filesOf(rename)).toEqual([{ kind: 'move', path: 'o.ts', moveTo: 'n.ts' }]);
    expect(filesOf(`${rename}--- a/o.ts\n+++ b/n.ts\n${hunk}`)).toMatchObject([
      { kind: 'hunks', path: 'o.ts', moveTo: 'n.ts' },
    ]);
  });
  it('must not be named in parts that do not go together', () => {
    const twice = `--- a/x\n+++ b/x\n${hunk}--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`;
    expect(errorOf(twice)).toContain('x is named twice');
    const rename = 'diff --git a/o b/x\nrename from o\nrename to x\n';
    expect(errorOf(`${rename}diff --git a/x b/x\n--- a/x\n+++ b/x\n${hunk}`)).toContain('named twice');
    expect(errorOf(`${rename}--- a/x\n+++ b/x\n${hunk}`)).toContain('name different files');
    expect(errorOf(`diff --git a/x b/x\n--- a/y\n+++ b/y\n${hunk}`)).toContain('name different files');
  });
});

describe('hunks as models write them', () => {
  const head = '--- a/x\n+++ b/x\n';
  it('are read by their lines where the counts are wrong, and their numbers are not believed then', () => {
    const diff = `${head}@@ -10,9 +10,2 @@\n a\n-b\n+c\n d\n@@ -40,1 +40,1 @@ def f():\n-x\n+y\n z\n`;
    expect(filesOf(diff)).toMatchObject([
      {
        hunks: [
          { oldStart: null, lines },
          { oldStart: null, anchors: ['def f():'], lines: steps('-x', '+y', ' z') },
        ],
      },
    ]);
  });
  it('are believed in their numbers only where all of them agree', () => {
    const good = `${head}@@ -1,3 +1,4 @@\n a\n+n\n b\n c\n@@ -10,2 +11,1 @@\n-x\n y\n`;
    expect(filesOf(good)).toMatchObject([{ hunks: [{ oldStart: 1 }, { oldStart: 10 }] }]);
    expect(filesOf(good.replace('+11,1', '+10,1'))).toMatchObject([
      { hunks: [{ oldStart: null }, { oldStart: null }] },
    ]);
  });
  it('may have no numbers, or dots for them', () => {
    for (const start of ['@@', '@@ ... @@', '@@ @@', '@@ -,+ @@']) {
      expect(filesOf(`${head}${start}\n a\n-b\n+c\n d\n`)).toMatchObject([
        { hunks: [{ oldStart: null, anchors: [], lines }] },
      ]);
    }
    expect(filesOf(`${head}@@ class A @@\n-b\n+c\n`)).toMatchObject([{ hunks: [{ anchors: ['class A'] }] }]);
  });
  it('may have empty lines for empty context, CRLF, and a fence behind them', () => {
    expect(filesOf(`${head}@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n`)).toMatchObject([
      { hunks: [{ lines: steps(' a', ' ', '-b', '+c') }] },
    ]);
    expect(filesOf((head + hunk).replaceAll('\n', '\r\n'))).toMatchObject([{ path: 'x', hunks: [{ lines }] }]);
    expect(filesOf(`\`\`\`diff\n${head}@@ -1,9 +1,9 @@\n a\n-b\n+c\n d\n\n\`\`\`\nThat is all.\n`)).toMatchObject([
      { hunks: [{ lines }] },
    ]);
  });
  it('may hold lines that look like headers', () => {
    const diff = `${head}@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n @@ -1 +1 @@\n`;
    expect(filesOf(diff)).toMatchObject([{ hunks: [{ lines: steps('--- a/y', '+++ b/y', ' @@ -1 +1 @@') }] }]);
  });
  it('say how the file ends', () => {
    const diff = `${head}@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n`;
    expect(filesOf(diff)).toMatchObject([{ hunks: [{ noNewlineAtEnd: { old: true, new: false } }] }]);
  });
  it('may end in the signature of a mailed patch', () => {
    const mail = `From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n x | 2 +-\n 1 file changed\n\ndiff --git a/x b/x\n${head}${hunk}-- \n2.43.0\n\n`;
    expect(filesOf(mail)).toMatchObject([{ path: 'x', hunks: [{ lines }] }]);
  });
});

describe('diffs that are refused as a whole', () => {
  const head = '--- a/x\n+++ b/x\n';
  it.each([
    [
      'cut off in a hunk',
      `${head}@@ -1,4 +1,4 @@\n a\n-b\n`,
      'Line 3 of the edit: the hunk names 4 old and 4 new lines but the text ends after 2 and 1.',
    ],
    ['cut off before a hunk', head, 'Line 1 of the edit: the diff of x has no hunk.'],
    [
      'cut off behind a header of git',
      `${head}${hunk}diff --git a/y b/y\nindex 1..2 100644\n`,
      'the diff of y has no hunk',
    ],
    ['a hunk without lines', `${head}@@ -1 +1 @@\n`, 'Line 3 of the edit: the hunk has no lines.'],
    ['a line without a sign', `${head}${hunk}}} else {\n`, 'Line 8 of the edit: "}} else {" belongs to no hunk.'],
    ['half a header', `--- a/x\n${hunk}`, 'the hunks name no file'],
    [
      'binary content',
      'diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n',
      'Line 3 of the edit: binary content',
    ],
    ['a binary patch', 'diff --git a/x b/x\nGIT binary patch\nliteral 3\n', 'binary content'],
    ['a change of mode', `diff --git a/x b/x\nold mode 100644\nnew mode 100755\n`, 'cannot change the mode'],
    [
      'a link',
      'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n',
      'mode 120000 is no plain file',
    ],
    ['a copy', 'diff --git a/x b/y\ncopy from x\ncopy to y\n', 'cannot copy'],
    ['half a rename', 'diff --git a/x b/y\nrename from x\n', 'half of a rename'],
    ['a diff of a merge', `diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n`, 'diff of a merge'],
    [
      'old lines in a new file',
      '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n b\n',
      'said to be new, but has old lines',
    ],
    [
      'new lines in a deleted file',
      '--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n+b\n',
      'said to be deleted, but has new lines',
    ],
    [
      'a mark of the end in the middle',
      `${head}@@ -1,3 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+c\n d\n`,
      'this mark can only follow',
    ],
    ['a path that is none', `--- a/x\n+++ b/y\u0001\n${hunk}`, 'is no path'],
    ['no diff', 'nothing here', 'there is no hunk'],
  ])('%s', (_, text, error) => {
    expect(errorOf(text)).toContain(error);
  });
});
