import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../../src/core/edits/parse.ts';

const errorOf = (text: string, path?: string): string => {
  const edits = parseEdits(text, { format: 'whole', ...(path !== undefined && { path }) });
  return edits.ok ? 'no error' : edits.error;
};

describe('whole files', () => {
  it('are the text in each fence, with its name above or behind it', () => {
    const text = 'Here they are.\n\nsrc/a.ts\n```ts\nconst a = 1;\n```\n\n```py src/b.py\nb = 2\n```\n';
    expect(parseEdits(text)).toEqual({
      ok: true,
      format: 'whole',
      set: {
        files: [
          { kind: 'whole', path: 'src/a.ts', text: 'const a = 1;\n' },
          { kind: 'whole', path: 'src/b.py', text: 'b = 2\n' },
        ],
      },
    });
  });
  it('are the whole text where the caller names the file, without a fence around it', () => {
    const of = (text: string, path: string) => parseEdits(text, { format: 'whole', path });
    const files = (text: string, path: string) => ({
      ok: true,
      format: 'whole',
      set: { files: [{ kind: 'whole', path, text }] },
    });
    expect(of('a\nb', 'x.ts')).toEqual(files('a\nb', 'x.ts'));
    expect(of('\n```ts\na\n```\n', 'x.ts')).toEqual(files('a\n', 'x.ts'));
    expect(of('```ts\na\n```\n', 'x.md')).toEqual(files('```ts\na\n```\n', 'x.md'));
    expect(of('````md\n```ts\na\n```\n````\n', 'x.md')).toEqual(files('```ts\na\n```\n', 'x.md'));
    expect(of('', 'x.ts')).toEqual(files('', 'x.ts'));
  });
  it('hold fences where their own is longer', () => {
    const edits = parseEdits('doc.md\n````\n```js\nx\n```\n````\n');
    expect(edits).toMatchObject({ set: { files: [{ path: 'doc.md', text: '```js\nx\n```\n' }] } });
  });
  it.each([
    [
      'a fence that does not end',
      'a.ts\n```ts\nconst a',
      'Line 3 of the edit: the text ends inside of the fence of line 2. Expected "```"',
    ],
    [
      'a fence in a fence',
      'a.md\n```\ntext\n```js\nx\n```\n',
      'Line 4 of the edit: "```js" opens a fence inside of the one of line 2.',
    ],
    ['no name', 'Some code:\n\n```ts\nx\n```\n', 'Line 3 of the edit: a whole file needs its name'],
    ['no fence', 'nothing', 'there is no file'],
    ['the same file twice', 'a.ts\n```\nx\n```\na.ts\n```\ny\n```\n', 'a.ts is named twice'],
  ])('are refused with %s', (_, text, error) => {
    expect(errorOf(text)).toContain(error);
  });
  it('are refused with text behind the fence of a named file', () => {
    expect(errorOf('```ts\na\n```\nThat is it.\n', 'x.ts')).toContain('text follows the fence');
  });
});

describe('the form of an edit', () => {
  it('is seen from its first mark', () => {
    const formatOf = (text: string): string => {
      const edits = parseEdits(text);
      return edits.ok ? edits.format : edits.error;
    };
    expect(formatOf('*** Begin Patch\n*** Add File: a\n+<<<<<<< SEARCH\n+--- a\n++++ b\n*** End Patch')).toBe(
      'apply-patch',
    );
    expect(formatOf('a.ts\n<<<<<<< SEARCH\n*** Begin Patch\n=======\n>>>>>>> REPLACE')).toBe('blocks');
    expect(formatOf('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<<<<<<< SEARCH\n+x\n')).toBe('diff');
    expect(formatOf('just words')).toContain('no edit in a form that is known');
    expect(formatOf('')).toContain('no edit in a form that is known');
  });
});
