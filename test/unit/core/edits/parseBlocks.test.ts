import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../../src/core/edits/parse.ts';

const filesOf = (text: string, path?: string) => {
  const edits = parseEdits(text, path === undefined ? {} : { path });
  if (!edits.ok) throw new Error(edits.error);
  expect(edits.format).toBe('blocks');
  return edits.set.files;
};
const errorOf = (text: string, path?: string): string => {
  const edits = parseEdits(text, { format: 'blocks', ...(path !== undefined && { path }) });
  return edits.ok ? 'no error' : edits.error;
};
const block = (search: string, replace: string) => ({ search, replace, isWholeLines: true });
const body = '<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n';

describe('the file of a block', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['`src/a.ts`', 'src/a.ts'],
    ['**src/a.ts**', 'src/a.ts'],
    ['**`src/a.ts`**', 'src/a.ts'],
    ['### src/a.ts', 'src/a.ts'],
    ['1. `src/a.ts`:', 'src/a.ts'],
    ['src/a.ts:', 'src/a.ts'],
    ['File: src/a.ts', 'src/a.ts'],
    ['File path: my notes/a b.md', 'my notes/a b.md'],
    ['"my notes/a b.md"', 'my notes/a b.md'],
    ['C:\\work\\a.ts', 'C:\\work\\a.ts'],
    ['Makefile', 'Makefile'],
    ['.gitignore', '.gitignore'],
  ])('is named by %s', (line, path) => {
    expect(filesOf(`${line}\n${body}`)).toEqual([{ kind: 'blocks', path, blocks: [block('old\n', 'new\n')] }]);
  });
  it.each([
    ['```typescript\n', '```\n'],
    ['```ts\n', '```\n'],
    ['````\n', '````\n'],
    ['~~~\n', '~~~\n'],
  ])('stands above the fence %s', (open, close) => {
    expect(filesOf(`src/a.ts\n\n${open}${body}${close}`)[0]?.path).toBe('src/a.ts');
  });
  it.each(['```ts src/a.ts', '```src/a.ts', '```ts:src/a.ts', '```ts title="src/a.ts"', '```\nsrc/a.ts'])(
    'or behind it: %s',
    (fence) => {
      expect(filesOf(`Here it is.\n\n${fence}\n${body}\`\`\`\n`)[0]?.path).toBe('src/a.ts');
    },
  );
  it('stays the same until another is named, also after a sentence', () => {
    const files = filesOf(`a.ts\n${body}\nAnd then this:\n\n${body.replace('old', 'other')}\nb.ts\n${body}`);
    expect(files).toEqual([
      { kind: 'blocks', path: 'a.ts', blocks: [block('old\n', 'new\n'), block('other\n', 'new\n')] },
      { kind: 'blocks', path: 'b.ts', blocks: [block('old\n', 'new\n')] },
    ]);
  });
  it('is not guessed from a sentence', () => {
    expect(errorOf(`Change it in src/a.ts like this:\n${body}`)).toBe(
      'Line 2 of the edit: a block needs the name of its file, alone on the line above.',
    );
    expect(errorOf(body)).toContain('needs the name of its file');
  });
  it('is the one that the caller knows, whatever stands above', () => {
    expect(filesOf(`Then change this.\n${body}`, 'x.ts')[0]?.path).toBe('x.ts');
  });
});

describe('blocks as agents write them', () => {
  it('have the markers of Cline or of older prompts as well', () => {
    expect(filesOf('------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE', 'a')).toEqual([
      { kind: 'blocks', path: 'a', blocks: [block('old\n', 'new\n')] },
    ]);
    expect(filesOf('<<<<<<< ORIGINAL\nold\n=======\nnew\n>>>>>>> UPDATED\n', 'a')).toHaveLength(1);
    expect(filesOf('<<<<<<< SEARCH>\nold\n=======\nnew\n>>>>>>> REPLACE\n', 'a')).toHaveLength(1);
    expect(filesOf('<<<<<< SEARCH\nold\n======\nnew\n>>>>>> REPLACE\n', 'a')).toEqual([
      { kind: 'blocks', path: 'a', blocks: [block('old\n', 'new\n')] },
    ]);
  });
  it('have line headers that are read over, and only at the start', () => {
    const text =
      '<<<<<<< SEARCH\n:start_line:10\n:end_line: 12\n-------\nold\n=======\n:start_line:1\n>>>>>>> REPLACE\n';
    expect(filesOf(text, 'a')[0]).toMatchObject({ blocks: [block('old\n', ':start_line:1\n')] });
    expect(filesOf(body.replace('old', '-------\nold'), 'a')[0]).toMatchObject({
      blocks: [block('-------\nold\n', 'new\n')],
    });
  });
  it('have a backslash before lines of the text that look like markers', () => {
    const text =
      '<<<<<<< SEARCH\n\\<<<<<<< HEAD\nours\n\\=======\ntheirs\n\\>>>>>>> branch\n=======\nours\n\\------- SEARCH\n>>>>>>> REPLACE\n';
    expect(filesOf(text, 'a')[0]).toMatchObject({
      blocks: [block('<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n', 'ours\n------- SEARCH\n')],
    });
  });
  it('may hold other conflict markers and shorter rules', () => {
    const text = '<<<<<<< SEARCH\nTitle\n=====\n<<<<<<< HEAD\n>>>>>>> main\n=======\nTitle\n>>>>>>> REPLACE\n';
    expect(filesOf(text, 'a')[0]).toMatchObject({
      blocks: [block('Title\n=====\n<<<<<<< HEAD\n>>>>>>> main\n', 'Title\n')],
    });
  });
  it('may have an empty side, and CRLF', () => {
    expect(filesOf('<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE', 'a')[0]).toMatchObject({
      blocks: [block('', 'new\n')],
    });
    expect(filesOf('<<<<<<< SEARCH\nold\n=======\n>>>>>>> REPLACE', 'a')[0]).toMatchObject({
      blocks: [block('old\n', '')],
    });
    expect(filesOf(`a.ts\r\n${body.replaceAll('\n', '\r\n')}`)[0]).toMatchObject({
      path: 'a.ts',
      blocks: [block('old\n', 'new\n')],
    });
  });
});

describe('damaged blocks', () => {
  it.each([
    [
      'no end',
      '<<<<<<< SEARCH\nold\n=======\nnew\n',
      'Line 5 of the edit: the text ends inside of the block of line 1. Expected ">>>>>>> REPLACE".',
    ],
    ['no divider and no end', '<<<<<<< SEARCH\nold', 'Expected "=======".'],
    ['no divider', '<<<<<<< SEARCH\nold\n>>>>>>> REPLACE', 'Line 3 of the edit: the block of line 1 has no divider.'],
    [
      'two dividers',
      '<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE',
      'Line 5 of the edit: the block of line 1 has a second divider.',
    ],
    [
      'a block in a block',
      '<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n',
      'Line 5 of the edit: a block starts inside of the one of line 1.',
    ],
    [
      'an end without a start',
      'old\n=======\nnew\n>>>>>>> REPLACE\n',
      'Line 4 of the edit: ">>>>>>> REPLACE" ends a block that has no start.',
    ],
    ['a broken start', `${body}<<<<<<< SEAR\n`, 'Line 6 of the edit: "<<<<<<< SEAR" is no marker'],
    [
      'a start that is cut off',
      `${body.replace('<<<<<<< S', '------- S')}\n-------`,
      'is no marker, but like the start of one',
    ],
    ['no block at all', 'only prose', 'there is no block'],
  ])('with %s are refused', (_, text, error) => {
    expect(errorOf(text, 'a')).toContain(error);
  });
  it('take the good ones with them: nothing is half done', () => {
    expect(parseEdits(`a.ts\n${body}\n${body.slice(0, 30)}`).ok).toBe(false);
  });
});
