// What `mv` may be told by: the common rules of the probes of files, and those of moves alone.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../../../src/core/ledger/key.ts';
import { fileMoveProbe } from '../../../../../src/core/ledger/probes/fileMove.ts';
import { compareStates, splitOptions, statesFootprint } from '../../../../../src/core/ledger/probes/fileStates.ts';
import { baseName } from '../../../../../src/core/ledger/probes/paths.ts';
import { inWorld, OTHER } from '../../../../support/probeWorld.ts';
import type { World } from '../../../../support/probeWorld.ts';

const scope = { workspace: '/w', folder: '/w', isAlone: true, mark: null };
const step = (...words: string[]) => ({ words, output: null, input: '', decidesExit: true, folder: '' });
const before = (world: World, ...words: string[]) => {
  const { said, asked } = inWorld(fileMoveProbe.plan(step('mv', ...words))?.before(scope) ?? null, world);
  return { files: (said?.data.files ?? null) as unknown, asked };
};
const A = sha256Hex('a');

describe('the probe of mv', () => {
  it('is told the paths that it names', () => {
    expect(fileMoveProbe.plan(step('mv', '-fv', 'a', 'b', 'c'))).toMatchObject({
      words: { sources: ['a', 'b'], destination: 'c' },
      targets: ['a', 'b', 'c'],
    });
    expect(fileMoveProbe.plan(step('rename', 'a', 'b'))).toBeNull();
    expect(fileMoveProbe.plan({ ...step('mv', 'a', 'b'), output: { path: 'f', isAppend: false } })).toBeNull();
  });

  it('does not list the workspace for a file, and looks at no file of a folder with more than 100', () => {
    const { files, asked } = before({ files: { a: 'a', 'a/odd': 'b' } }, 'a', 'c');
    expect(files).toEqual([
      { path: 'a', before: A, after: null },
      { path: 'c', before: null, after: A },
    ]);
    expect(asked.some(({ ask }) => ask === 'list')).toBe(false);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`d/${i}`, 'a']));
    const large = before({ files: { d: null, ...many } }, 'd', 'e');
    expect(large.files).toBeNull();
    expect(large.asked.filter(({ ask }) => ask === 'look').length).toBeLessThan(10);
  });

  it.each<[string, World, readonly string[]]>([
    ['the source is outside', { files: { a: 'a' } }, ['../x', 'c']],
    ['the source has no name here', { files: { a: 'a' }, nameless: ['a'] }, ['a', 'c']],
    ['the target is outside', { files: { a: 'a' } }, ['a', '../c']],
    ['the source is not there', {}, ['a', 'c']],
    ['the source cannot be seen', { files: { a: 'a' }, hidden: ['a'] }, ['a', 'c']],
    ['the source is a device', { files: { a: OTHER } }, ['a', 'c']],
    ['the target cannot be seen', { files: { a: 'a' }, hidden: ['c'] }, ['a', 'c']],
    ['the target in a folder cannot be seen', { files: { a: 'a', d: null }, hidden: ['d/a'] }, ['a', 'd']],
    ['it is moved onto itself', { files: { a: 'a' } }, ['a', './a']],
    ['it is moved into itself', { files: { d: null } }, ['d', 'd/e']],
    ['several go to what is no folder', { files: { a: 'a', b: 'b', c: 'c' } }, ['a', 'b', 'c']],
    ['several go to nothing', { files: { a: 'a', b: 'b' } }, ['a', 'b', 'c']],
    ['two get the same name', { files: { 'x/a': 'a', 'y/a': 'b', d: null } }, ['x/a', 'y/a', 'd']],
    ['a file in the folder cannot be seen', { files: { d: null, 'd/x': 'a' }, hidden: ['d/x'] }, ['d', 'e']],
    [
      'a file in the folder is gone by now',
      { files: { d: null, 'd/x': { kind: 'missing', hash: null, sizeBytes: 0 } } },
      ['d', 'e'],
    ],
  ])('has no baseline where %s', (_name, world, words) => {
    expect(before(world, ...words).files).toBeNull();
  });
});

describe('the states of paths', () => {
  const files = [
    { path: 'a', before: 'h', after: null },
    { path: 'b', before: null, after: 'h' },
    { path: 'c', before: 'k', after: 'k' },
  ];
  const said = (now: Readonly<Record<string, string>>, isAlone = true): string => {
    const { says, detail } = compareStates(files, new Map(Object.entries(now)), isAlone);
    return `${says}: ${detail}`;
  };
  it('are told with all their names where they agree', () => {
    expect(said({ a: 'h', c: 'k' })).toBe('ABSENT: a, b, c: as before the command');
    expect(said({ b: 'h', c: 'k' })).toBe('COMMITTED: a, b, c: as this command leaves it');
    expect(said({ b: 'h', c: 'k' }, false)).toMatch(/^COMMITTED: a, b, c: as this command leaves it; .*other parts/);
  });

  it.each<[Record<string, string>, string]>([
    [{ b: 'x', c: 'k' }, 'a is as after the command; b has other content; c is as it should stay'],
    [{ a: 'h', b: 'folder', c: 'k' }, 'a is as before it; b is a folder; c is as it should stay'],
    [{ a: 'folder', b: 'h' }, 'a is a folder; b is as after the command; c has disappeared'],
    [{ a: 'other', c: 'k' }, 'a has other content; b is as before it; c is as it should stay'],
  ])('%j are told one by one', (now, told) => {
    expect(said(now)).toBe(`UNKNOWN: the command may have been done in part or something else happened: ${told}`);
  });

  it('belong to their paths', () => {
    expect(statesFootprint({ workspace: '/w', isAlone: true, files })).toEqual({
      workspace: '/w',
      paths: ['a', 'b', 'c'],
      refs: [],
      runsPrograms: false,
    });
  });
});

describe('options (POSIX utility syntax, with long ones)', () => {
  const known = new Set(['f', 'v', '--force']);
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [['a', 'b'], [], ['a', 'b']],
    [['-f', 'a'], ['f'], ['a']],
    [['-fv', 'a', '-v'], ['f', 'v'], ['a']],
    [['--force', 'a'], ['--force'], ['a']],
    [['-', 'a'], [], ['-', 'a']],
    [['-f', '--', '-v', '--', 'a'], ['f'], ['-v', '--', 'a']],
    [[''], [], ['']],
  ])('of %j are %j', (words, options, rest) => {
    const split = splitOptions(words, known);
    expect([[...(split?.options ?? [])], split?.rest]).toEqual([options, rest]);
  });

  it.each([[['-x']], [['-fx']], [['--verbose']], [['--f']], [['a', '-b']]])('that are not known: %j', (words) => {
    expect(splitOptions(words, known)).toBeNull();
  });
});

describe('the last part of a path', () => {
  it.each([
    ['a', 'a'],
    ['a/b', 'b'],
    ['a/b/', 'b'],
    ['a//b//', 'b'],
    ['/a', 'a'],
    ['./a', 'a'],
    ['a.', 'a.'],
    ['..a', '..a'],
    ['.a', '.a'],
    ['.', null],
    ['..', null],
    ['a/.', null],
    ['a/..', null],
    ['a/../', null],
    ['/', null],
    ['', null],
  ])('of "%s" is %s', (path, name) => {
    expect(baseName(path)).toBe(name);
  });
});
