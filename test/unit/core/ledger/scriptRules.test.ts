// What a command's words say for certain, rule by rule (bash(1), POSIX 2.2, 2.7 and the utilities cd, echo, printf and cat).
import { describe, expect, it } from 'vitest';
import { printedText, stepsOf } from '../../../../src/core/ledger/probes/script.ts';
import type { Step } from '../../../../src/core/ledger/probes/script.ts';

const ENV = { PATH: '/bin' };
const steps = (command: string, env: Record<string, string> = ENV): readonly Step[] | null =>
  stepsOf({ shell: 'bash', command, env });
const first = (command: string): Step | undefined => steps(command)?.[0];

describe('the words of a program', () => {
  const plain = (...command: string[]): unknown => stepsOf({ shell: 'none', command, env: ENV });
  it.each([
    [['touch', '$x', '; y']],
    [['sh']],
    [['sh', '-c']],
    [['sh', '-x', 'touch f']],
    [['sh', '-c', 'touch f', 'g']],
    [['node', '-c', 'touch f']],
    [['/usr/local/bin/fish', '-c', 'touch f']],
    [[]],
  ])('%j are one step without a shell', (command) => {
    expect(plain(...command)).toEqual([{ words: command, output: null, input: '', decidesExit: true, folder: '' }]);
  });

  it.each(['bash', 'sh', 'dash', '/bin/bash', '/bin/sh', '/usr/bin/bash', '/bin/dash'])(
    'and a text for %s are a script',
    (shell) => {
      expect(plain(shell, '-c', 'touch f; touch g')).toMatchObject([
        { words: ['touch', 'f'] },
        { words: ['touch', 'g'] },
      ]);
    },
  );

  it('are not read where a variable makes the shell do more; ENV is nothing to bash under any of its names', () => {
    const of = (shell: string, env: Record<string, string>): boolean =>
      stepsOf({ shell: 'none', command: [shell, '-c', 'touch f'], env }) !== null;
    for (const shell of ['bash', '/bin/bash', '/usr/bin/bash']) {
      expect([shell, of(shell, { ENV: '/x' }), of(shell, { BASH_ENV: '/x' })]).toEqual([shell, true, false]);
    }
    for (const shell of ['sh', 'dash', '/bin/sh']) expect([shell, of(shell, { ENV: '/x' })]).toEqual([shell, false]);
  });

  it('are replaced where one of several is a function of the environment, or cd is where a folder is entered', () => {
    const env = (name: string): Record<string, string> => ({ [`BASH_FUNC_${name}%%`]: '() { other; }' });
    expect(steps('touch f; git add f', env('git'))).toBeNull();
    expect(steps('git add f; touch f', env('git'))).toBeNull();
    expect(steps('touch f; touch g', env('git'))).toHaveLength(2);
    expect(steps('touch f', env('cd'))).toHaveLength(1);
    expect(steps('cd /w && touch f', env('cd'))).toBeNull();
    expect(steps('>| f', env('git'))).toHaveLength(1);
  });
});

describe('a list', () => {
  it.each([
    ['a', [true]],
    ['a; b', [false, true]],
    ['a\nb\nc', [false, false, true]],
    ['a && b', [true, true]],
    ['a && b; c', [false, false, true]],
    ['a | b', [false, true]],
    ['a | b | c; d | e', [false, false, false, false, true]],
    ['a && b | c', [true, false, true]],
  ])('%s fails with these of its parts: %j', (command, decides) => {
    expect(steps(command)?.map(({ decidesExit }) => decidesExit)).toEqual(decides);
  });

  it.each([
    'a || b',
    'a && b || c',
    'a || b && c',
    'a &',
    'a & b',
    'a; b &',
    '! a',
    'time a',
    '! a | b',
    '(a)',
    '{ a; }',
    'a; (b)',
    'a | (b)',
    'if a; then b; fi',
    'X=1',
    'X=1 a',
    'export X=1',
    'a; export X=1',
    // No script at all.
    '&',
    'a )',
    'a; (',
    'a "b',
    'a &&',
  ])('is not read where it says %s', (command) => {
    expect(steps(command)).toBeNull();
  });
});

describe('a folder', () => {
  it.each([
    ['cd /w && a', '/w'],
    ['cd sub && a', 'sub'],
    ['cd sub/ && a', 'sub/'],
    ['cd a- && b', 'a-'],
    ['cd a && cd b && c', 'a/b'],
    ['cd a && cd b/ && c', 'a/b/'],
    ['cd a && cd /b && c', '/b'],
    ['cd ./a && b', './a'],
    ['cd . && a', '.'],
    ['cd "a b" && c', 'a b'],
    ['cd ..x && a', '..x'],
    ['cd a > /dev/null && b', 'a'],
  ])('is entered by %s', (command, folder) => {
    expect(first(command)?.folder).toBe(folder);
  });

  it('holds from its cd on, and ends with the chain', () => {
    expect(steps('a && cd b && c')?.map(({ folder }) => folder)).toEqual(['', 'b']);
  });

  it.each([
    'cd && a',
    'cd "" && a',
    'cd a b && c',
    'cd - && a',
    'cd -P a && b',
    'cd -- a && b',
    'cd .. && a',
    'cd a/../b && c',
    'cd ~ && a',
    'cd $X && a',
    'cd a > log && b',
    'cd a | b && c',
    'cd a; b',
    'a; cd b && c',
  ])('is not known after %s', (command) => {
    expect(steps(command)).toBeNull();
  });

  it.each([
    ['cd sub && a', false],
    ['cd sub/ && a', false],
    ['cd .. && a', false],
    ['cd .a && b', false],
    ['cd . && a', true],
    ['cd ./sub && a', true],
    ['cd /w && a', true],
  ])('that CDPATH may be searched for is not known where CDPATH is not: %s: %s', (command, isKnown) => {
    expect(stepsOf({ shell: 'bash', command }) !== null).toBe(isKnown);
    expect(steps(command, { CDPATH: '/x' }) !== null).toBe(isKnown);
  });
});

describe('the output of a step', () => {
  it.each([
    ['a > f', 'f', false],
    ['a >> f', 'f', true],
    ['a >| f', 'f', false],
    ['a 1> f', 'f', false],
    ['a 1>> f', 'f', true],
    ['> f', 'f', false],
    ['a > f 2>&1', 'f', false],
    ['a 2> /dev/null > f', 'f', false],
    ['a > "f g"', 'f g', false],
  ])('of %s goes to %s', (command, path, isAppend) => {
    expect(first(command)?.output).toEqual({ path, isAppend });
  });

  it.each([
    'a',
    'a > /dev/null',
    'a &> /dev/null',
    'a >> /dev/null',
    'a &>> /dev/null',
    'a >&2',
    'a 2>&1',
    'a 2> /dev/null',
  ])('of %s goes to no file', (command) => {
    expect(first(command)).toMatchObject({ words: ['a'], output: null });
  });

  it.each([
    'a 2> f',
    'a 2>> f',
    'a {fd}> f',
    'a &> f',
    'a >& f',
    'a >&12',
    'a >&f1',
    'a >&1f',
    'a >&$X',
    'a >&-',
    'a <> f',
    'a <> /dev/null',
    'a <&3',
    'a > $X',
    'a > ~/f',
    'a > f > g',
    'a > f >> f',
    // Which of the two gets it depends on their order.
    'a > f >&2',
    'a >&2 > f',
    'a > f > /dev/null',
    'a > /dev/null > f',
    'a &> /dev/null > f',
    'a > f 1>&2',
  ])('of %s is not known', (command) => {
    expect(steps(command)).toBeNull();
  });
});

describe('the input of a step', () => {
  it.each<[string, string | null]>([
    ['a', ''],
    ['a < /dev/null', ''],
    ['a < f', null],
    ['a < $X', null],
    ['a <<< word', 'word\n'],
    ['a <<< "b c"', 'b c\n'],
    ['a <<< $X', null],
    ['a 3<<< word', null],
    ['a <<E\nb\nE', 'b\n'],
    ["a <<'E'\n$b\nE", '$b\n'],
    ['a <<E\n$b\nE', null],
    ['a <<E\n`b`\nE', null],
    ['a <<E\n\\b\nE', null],
    ['a <<-E\n\tb\n\tE', null],
    ['a 3<<E\nb\nE', null],
    ['a <<E\nb\n', null],
    ['a < f < /dev/null', ''],
  ])('of %j is %j', (command, input) => {
    expect(first(command)).toMatchObject({ words: ['a'], input });
  });

  it.each<[string, string | null]>([
    ['echo a | b', 'a\n'],
    ['echo a | cat | b', 'a\n'],
    ['echo a |& b', null],
    ['echo a > f | b', null],
    ['date | b', null],
    ['echo a | b > f', 'a\n'],
    ['echo a | b < f', null],
    ['echo a | b < /dev/null', ''],
    ['echo a | b <<< c', 'c\n'],
  ])('behind a pipe is what the part before prints, unless it is turned elsewhere: %s', (command, input) => {
    const last = steps(command)?.at(-1);
    expect(last).toMatchObject({ words: ['b'], input });
  });
});

describe('a word', () => {
  it.each([
    ['a', 'a'],
    ["'a $b'", 'a $b'],
    ['"a b"', 'a b'],
    ['a"b"\'c\'', 'abc'],
    ['"it\'s"', "it's"],
    ['a~b', 'a~b'],
    ['HEAD~1^2', 'HEAD~1^2'],
    ['--x=y,z', '--x=y,z'],
    ['50%', '50%'],
    ['u@h:p', 'u@h:p'],
    ['""', ''],
  ])('%s means %s', (text, value) => {
    expect(first(`x ${text}`)?.words).toEqual(['x', value]);
  });

  it.each([
    '$a',
    '"$a"',
    '"b$a"',
    '"$a b"',
    '"`a`"',
    '"\\a"',
    '"a\\$b"',
    '\\a',
    'a\\ b',
    '*',
    'a?',
    '[a]',
    '{a,b}',
    '~',
    '~/a',
    'x=~/a',
    '$(a)',
    '`a`',
    "$'a'",
    '$"a"',
    '^a',
    'a!b',
    'é',
  ])('%s may mean something else', (text) => {
    expect(steps(`x ${text}`)).toBeNull();
  });
});

describe('what is printed', () => {
  it.each<[string[], string | null, string | null]>([
    [['echo', 'a', 'b'], '', 'a b\n'],
    [['echo', '-n', 'a'], '', null],
    [['echo', '-'], '', null],
    [['echo', 'a', '-n'], '', 'a -n\n'],
    [['echo', 'a\\n'], '', null],
    [['echo', 'a', '\\'], '', null],
    [['cat'], 'x', 'x'],
    [['cat', '-'], 'x', 'x'],
    [['cat', '-', 'f'], 'x', null],
    [['cat', '-', '-'], 'x', null],
    [['cat', '-n'], 'x', null],
    [['printf'], '', null],
    [['printf', 'a'], '', 'a'],
    [['printf', 'a-'], '', 'a-'],
    [['printf', 'a\\nb\\n'], '', 'a\nb\n'],
    [['printf', 'a\\tb'], '', null],
    [['printf', '%s'], '', null],
    [['printf', '-v', 'x'], '', null],
    [['printf', '-%s', 'x'], '', null],
    [['printf', '%s', 'a', 'b'], '', 'ab'],
    [['printf', '%s\\n', 'a', 'b\\c'], '', 'a\nb\\c\n'],
    [['printf', '%s\\nx', 'a'], '', null],
    [['printf', '%s ', 'a'], '', null],
    [['printf', 'x%s', 'a'], '', null],
    [['printf', 'x%s\\n', 'a'], '', null],
    [['printf', 'x', 'a'], '', null],
    [['print', 'a'], '', null],
    [['tee'], 'x', null],
    [[], 'x', null],
  ])('by %j, which reads %j, is %j', (words, input, text) => {
    expect(printedText({ words, input })).toBe(text);
  });
});
