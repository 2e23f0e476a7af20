import { describe, expect, it } from 'vitest';
import { planBlocks } from '../../../../src/core/edits/blocks.ts';
import type { EditBlock } from '../../../../src/core/edits/editSet.ts';

const one = (text: string, search: string, replace: string, more: Partial<EditBlock> = {}) =>
  planBlocks(text, [{ search, replace, ...more }]);
const whole = { isWholeLines: true } as const;

describe('placing one block', () => {
  it('replaces a single place and says its line', () => {
    expect(one('a\nb\nc', 'b', 'x$&')).toMatchObject({
      kind: 'changed',
      text: 'a\nx$&\nc',
      blocks: [{ index: 0, outcome: 'applied', line: 2, message: '' }],
    });
  });
  it('counts overlapping places and lists their lines', () => {
    const plan = one('aaa\nb\naa', 'aa', 'b');
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'several', line: 1 }] });
    expect(plan.blocks[0]?.message).toContain('3 times (lines 1, 1, 3)');
  });
  it('takes whole lines only where the block stands for them', () => {
    expect(one('max = 1\nx = 1\n', 'x = 1\n', 'x = 2\n').kind).toBe('failed');
    expect(one('max = 1\nx = 1\n', 'x = 1\n', 'x = 2\n', whole)).toMatchObject({ text: 'max = 1\nx = 2\n' });
    expect(one('a\nb', 'b\n', 'x\ny\n', whole)).toMatchObject({ text: 'a\nx\ny' });
    expect(one('a\nb', 'a\nb\n', 'b\n', whole)).toMatchObject({ text: 'b' });
  });
  it('replaces every place where all are meant, and leaves those that have the new text', () => {
    expect(one('log(a); log(b)', 'log', 'print', { occurrence: 'all' })).toMatchObject({ text: 'print(a); print(b)' });
    const plan = one('log.a; logger.b; log.c', 'log', 'logger', { occurrence: 'all' });
    expect(plan).toMatchObject({ text: 'logger.a; logger.b; logger.c' });
    expect(plan.blocks[0]?.message).toContain('1 of 3 places');
    expect(one('logger.a; logger.b', 'log', 'logger', { occurrence: 'all' })).toMatchObject({ kind: 'needless' });
    expect(one('x', 'log', 'logger', { occurrence: 'all' }).blocks[0]?.outcome).toBe('not-found');
  });
  it('fills only an empty text from an empty search', () => {
    expect(one('', '', 'hi\n')).toMatchObject({ kind: 'changed', text: 'hi\n' });
    expect(one('hi\n', '', 'hi\n')).toMatchObject({ kind: 'needless' });
    expect(one('x', '', 'hi')).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'not-found' }] });
    expect(
      planBlocks('', [
        { search: '', replace: 'a' },
        { search: '', replace: 'b' },
      ]).kind,
    ).toBe('failed');
  });
  it('does not empty a text that nobody asked to empty', () => {
    expect(one('all of it\n', 'all of it\n', '')).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'applied' }] });
    expect(one('all of it\n', 'all of it', '\n').kind).toBe('failed');
    expect(one('all of it\nb\n', 'all of it\n', '')).toMatchObject({ kind: 'changed', text: 'b\n' });
  });
});

describe('line endings', () => {
  it('are those of the file, and a byte order mark stays', () => {
    expect(one('\ufeffa\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\n')).toMatchObject({ text: '\ufeffx\r\ny\r\nc\r\n' });
    expect(one('a\nb\n', 'a\r\nb', 'x\r\ny\r\nz')).toMatchObject({ text: 'x\ny\nz\n' });
    expect(one('a\rb\rc', 'b\nc', 'x\ny\nz')).toMatchObject({ text: 'a\rx\ry\rz' });
  });
  it('of lines that stay are kept where the file mixes them, and new lines take their neighbours', () => {
    const text = 'a\r\nb\nc\r\nd\n';
    expect(one(text, 'a\nb\nc\n', 'a\nnew\nb\nc2\n')).toMatchObject({ text: 'a\r\nnew\r\nb\nc2\r\nd\n' });
    expect(one(text, 'a\nb\nc\n', 'a\nnew\nb\nc2\n', whole)).toMatchObject({ text: 'a\r\nnew\r\nb\nc2\r\nd\n' });
    expect(one(text, 'b\nc', 'b\nx\nc')).toMatchObject({ text: 'a\r\nb\nx\nc\r\nd\n' });
  });
  it('never become CR CR LF, and letters outside ASCII stay', () => {
    const plan = one('caf\u00e9\r\nna\u00efve\r\n', 'caf\u00e9\r\n', 'caf\u00e9!\r\n');
    expect(plan).toMatchObject({ text: 'caf\u00e9!\r\nna\u00efve\r\n' });
  });
});

describe('white space that differs', () => {
  const code = 'class A {\n    run() {\n        go();  \n        stop();\n    }\n}\n';
  it('at the ends of lines is overlooked where the place is the only one, and said', () => {
    const plan = one(code, '        go();\n        stop();\n', '        go();\n        wait();\n        stop();\n');
    expect(plan).toMatchObject({ kind: 'changed', text: code.replace('go();  \n', 'go();  \n        wait();\n') });
    expect(plan.blocks[0]?.message).toContain('ends of lines');
  });
  it('as indentation is overlooked where the new lines can be indented by the same rule', () => {
    const plan = one(
      code,
      'run() {\n    go();\n    stop();\n}\n',
      'run() {\n    go();\n    if (x) {\n        y();\n    }\n\n    stop();\n}\n',
    );
    expect(plan).toMatchObject({
      text: 'class A {\n    run() {\n        go();  \n        if (x) {\n            y();\n        }\n\n        stop();\n    }\n}\n',
    });
    expect(plan.blocks[0]?.message).toContain('indentation');
    expect(one('f:\n\ta\n\t\tb\n', 'f:\n  a\n    b\n', 'f:\n  a\n    c\n')).toMatchObject({ text: 'f:\n\ta\n\t\tc\n' });
    expect(one('f:\n    a\n', 'f:\n\ta\n', 'f:\n\ta\n\tb\n')).toMatchObject({ text: 'f:\n    a\n    b\n' });
    expect(one('x\n  a1\n', '    x\n      a1\n', '    x\n      a2\n')).toMatchObject({ text: 'x\n  a2\n' });
  });
  it('is refused where a new line would need a guess, or where it fits twice', () => {
    const odd = one('f:\n\ta\n', 'f:\n  a\n', 'f:\n   b\n');
    expect(odd).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'not-found', line: 1 }] });
    expect(odd.blocks[0]?.message).toContain('not clear');
    expect(one('x\n  a1\n', '    x\n      a1\n', '  x\n').kind).toBe('failed');
    const twice = one('  go(1);  \nx\n  go(1); \n', '    go(1);\n', '    go(2);\n');
    expect(twice).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'several' }] });
    expect(one('  }\nx\n', '        }\n', '        };\n').kind).toBe('failed');
  });
  it('and nothing else is overlooked', () => {
    expect(one('call(a, b)\n', 'call(a,b)\n', 'x\n').kind).toBe('failed');
    expect(one('a\n\nb\n', 'a\nb\n', 'x\n').kind).toBe('failed');
    expect(one('Value\n', 'value\n', 'x\n').kind).toBe('failed');
  });
});

describe('what is there already', () => {
  it('is a success without a write', () => {
    expect(one('a\nnew\nb\n', 'a\n', 'a\nnew\n')).toMatchObject({
      kind: 'needless',
      blocks: [{ outcome: 'already-applied', line: 1 }],
    });
    expect(one('await foo()', 'foo()', 'await foo()')).toMatchObject({ kind: 'needless' });
    expect(one('x = 2\n', 'x = 1\n', 'x = 2\n')).toMatchObject({ kind: 'needless' });
    expect(one('before\nafter\n', 'before\ngone\nafter\n', 'before\nafter\n', whole)).toMatchObject({
      kind: 'needless',
    });
    expect(one('a1, b1, a1', 'a1', 'a1, b1, a1')).toMatchObject({ kind: 'needless' });
    expect(one('    deep\n', '  deep\n', '    deep\n', whole)).toMatchObject({ kind: 'needless' });
  });
  it('is not claimed where the new text proves nothing', () => {
    expect(one('x = 2\n', 'x = 1', '').kind).toBe('failed');
    expect(one('}\n', 'x = 1', '}').kind).toBe('failed');
    expect(one('foo( );\nbar();\n', 'foo();\nbar();\n', 'bar();\n').kind).toBe('failed');
    expect(one('cab\n', 'foo', 'a').kind).toBe('failed');
    const other = one("print('total', a, b)\nx\nprint(total)\n", 'print("total", a, b)', 'print(total)');
    expect(other).toMatchObject({ kind: 'failed' });
  });
  it('is done only once where a block is sent twice', () => {
    const block = { search: 'b', replace: 'c' };
    expect(planBlocks('a b', [block, block])).toMatchObject({
      kind: 'changed',
      text: 'a c',
      blocks: [{ outcome: 'applied' }, { outcome: 'already-applied', message: 'It is the same as block 1.' }],
    });
  });
  it('says plainly when old and new text are the same', () => {
    for (const text of ['same', 'other']) {
      const plan = one(text, 'same', 'same');
      expect(plan).toMatchObject({ kind: 'needless', blocks: [{ outcome: 'identical' }] });
      expect(plan).toMatchObject({ reason: 'The old and the new text are the same, so nothing needs to change.' });
    }
    expect(one('a\r\nb', 'a\nb', 'a\r\nb')).toMatchObject({ kind: 'needless', blocks: [{ outcome: 'identical' }] });
  });
});

describe('a text that is not there', () => {
  const text = 'function a() {\n  return one + two;\n}\nfunction b() {\n  return three;\n}\n';
  const messageOf = (file: string, search: string): string =>
    one(file, search, 'something else').blocks[0]?.message ?? '';
  it('shows the nearest place with its line, or says that nothing is like it', () => {
    const message = messageOf(text, 'function b() {\n  return four;\n}');
    expect(message).toContain('Nearest is line 4:\nfunction b() {\n  return three;\n}');
    expect(message).toContain('In line 5 at column 10 the file has "t", the search text "f"');
    expect(messageOf(text, 'zebra crossing')).toContain('nor anything like it');
  });
  it.each([
    ['a tab where the text has spaces', 'if x:\n\treturn value + 1', 'if x:\n    return  value + 1', 'tab'],
    ['typographic quotes', 'say(\u201chello world\u201d)', 'say("hello world")', 'typographic quotes'],
    ['the kind of quotes', "say('hello world')", 'say("hello world")', 'the kind of quotes'],
    ['a no-break space', 'let total\u00a0= 1', 'let total = 1', 'a special space (U+00A0)'],
    ['a zero-width space', 'let to\u200btal = 1 + count', 'let total = 1 + count', 'a zero-width space (U+200B)'],
    ['decomposed letters', 'cafe\u0301 = open door', 'caf\u00e9 = open door', 'composed and decomposed letters'],
    ['typographic dashes', 'range 1\u20132 of all', 'range 1-2 of all', 'typographic dashes'],
    ['escaped quotes', 'say("hello world")', 'say(\\"hello world\\")', 'backslashes'],
    ['HTML entities', 'if (a < b && c > d) go', 'if (a &lt; b &amp;&amp; c &gt; d) go', 'HTML entities'],
    ['letter case', 'const Total = sum(all)', 'const total = sum(all)', 'letter case'],
  ])('names %s', (_, file, search, words) => {
    expect(messageOf(`first\n${file}\nlast\n`, search)).toContain(words);
  });
  it('that an earlier block writes is said to be there', () => {
    const plan = planBlocks('a\n', [
      { search: 'a', replace: 'made()' },
      { search: 'made()', replace: 'b' },
    ]);
    expect(plan.blocks[1]?.message).toContain('in what block 1 writes');
  });
});

describe('several blocks', () => {
  const text = 'one\ntwo\nthree\nfour\n';
  it('are placed on the text as it is, and one that fails stops all, with a report of each', () => {
    const blocks = [
      { search: 'one', replace: '1' },
      { search: 'five', replace: '5' },
      { search: 'o', replace: '0' },
      { search: 'four', replace: '4' },
    ];
    const plan = planBlocks(text, blocks);
    expect(plan).not.toHaveProperty('text');
    expect(plan.blocks.map(({ index, outcome, line }) => [index, outcome, line])).toEqual([
      [0, 'applied', 1],
      [1, 'not-found', null],
      [2, 'several', 1],
      [3, 'applied', 4],
    ]);
    expect(plan).toMatchObject({ kind: 'failed' });
    expect('reason' in plan && plan.reason).toMatch(
      /^2 of 4 blocks cannot be applied, so none was\.\nblock 2: .*\n?block 3: /s,
    );
  });
  it('must not overlap', () => {
    const plan = planBlocks(text, [
      { search: 'one\ntwo', replace: 'x' },
      { search: 'two\nthree', replace: 'y' },
    ]);
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'applied' }, { outcome: 'overlaps' }] });
  });
  it('may share lines that both leave as they are, but not lines that one of them changes', () => {
    const shared = planBlocks(text, [
      { search: 'one\ntwo\n', replace: '1\ntwo\n', ...whole },
      { search: 'two\nthree\n', replace: 'two\n3\n', ...whole },
    ]);
    expect(shared).toMatchObject({ text: '1\ntwo\n3\nfour\n' });
    const changed = planBlocks(text, [
      { search: 'one\ntwo\n', replace: 'one\n2\n', ...whole },
      { search: 'two\nthree\n', replace: 'two\n3\n', ...whole },
    ]);
    expect(changed.blocks.map(({ outcome }) => outcome)).toEqual(['applied', 'overlaps']);
  });
  it('on one line do not disturb each other', () => {
    const plan = planBlocks('a(b, c)\r\nd', [
      { search: 'a(', replace: 'x(\n' },
      { search: ', c)', replace: ',\nc)' },
    ]);
    expect(plan).toMatchObject({ text: 'x(\r\nb,\r\nc)\r\nd' });
  });
  it('that insert different text at one point are refused: their order would decide', () => {
    const plan = planBlocks(text, [
      { search: 'one\n', replace: 'one\nx\n', ...whole },
      { search: 'one\n', replace: 'one\ny\n', ...whole },
    ]);
    expect(plan).toMatchObject({ kind: 'failed', blocks: [{ outcome: 'applied' }, { outcome: 'overlaps' }] });
  });
});
