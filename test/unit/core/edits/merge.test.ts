import { describe, expect, it } from 'vitest';
import { differencesOf } from '../../../../src/core/edits/lineDiff.ts';
import { mergeThreeWay } from '../../../../src/core/edits/merge.ts';

describe('three-way merge', () => {
  it('takes changes of both sides', () => {
    expect(mergeThreeWay('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\ne\n')).toEqual({
      text: 'A\nb\nc\nD\ne\n',
      conflicts: [],
    });
  });
  it('keeps ours in a conflict, without markers, and tells the rest', () => {
    expect(mergeThreeWay('x\na\ny\nz\n', 'x\nours\nmore\ny\nz\n', 'w\nx\ntheirs\ny\nz\n')).toEqual({
      text: 'w\nx\nours\nmore\ny\nz\n',
      conflicts: [{ line: 3, base: 'a\n', ours: 'ours\nmore\n', theirs: 'theirs\n' }],
    });
  });
  it('sees no conflict where both made the same change, next to others', () => {
    expect(mergeThreeWay('a\nb\nc\n', 'a\nB\nc\nd\n', 'A\nB\nc\n').conflicts).toHaveLength(1);
    expect(mergeThreeWay('a\nx\nb\ny\nc\n', 'a\nx\nB\ny\nC\n', 'A\nx\nB\ny\nc\n')).toEqual({
      text: 'A\nx\nB\ny\nC\n',
      conflicts: [],
    });
  });
  it('merges line endings by themselves', () => {
    const crlf = 'a\r\nb\r\nc\r\nd\r\n';
    expect(mergeThreeWay('a\nb\nc\nd\n', crlf, 'a\nb\nc\nD\nnew\n')).toEqual({
      text: 'a\r\nb\r\nc\r\nD\r\nnew\r\n',
      conflicts: [],
    });
    expect(mergeThreeWay(crlf, 'x\r\nb\r\nc\r\nd\r\n', 'a\nb\nc\nd\n')).toEqual({
      text: 'x\nb\nc\nd\n',
      conflicts: [],
    });
    expect(mergeThreeWay('a\nb\r\nc\n', 'a\nb\r\nc\nd\n', 'A\nb\r\nc\n').text).toBe('A\nb\r\nc\nd\n');
  });
  it('keeps a missing last line ending, and never runs two lines together', () => {
    expect(mergeThreeWay('a\nb\nc', 'A\nb\nc', 'a\nb\nc')).toEqual({ text: 'A\nb\nc', conflicts: [] });
    expect(mergeThreeWay('a\nb\nc', 'A\nb\nc', 'a\nb\nc\n')).toEqual({ text: 'A\nb\nc\n', conflicts: [] });
    expect(mergeThreeWay('a\nb\nc', 'A\nb\nc', 'a\nb\nc\nd')).toEqual({ text: 'A\nb\nc\nd', conflicts: [] });
    expect(mergeThreeWay('a\nb', 'a\nb', '')).toEqual({ text: '', conflicts: [] });
  });
  it('merges large files, and says so where it cannot compare all', () => {
    const base = Array.from({ length: 20_000 }, (_, i) => (i % 4 ? `line ${i}` : ''));
    const ours = base.map((line, i) => (i % 100 === 1 ? `${line} ours` : line));
    const theirs = base.map((line, i) => (i % 100 === 51 ? `${line} theirs` : line));
    const merged = mergeThreeWay(base.join('\n'), ours.join('\n'), theirs.join('\n'));
    expect(merged.conflicts).toEqual([]);
    expect(merged.text).toBe(base.map((_, i) => (ours[i] === base[i] ? theirs[i] : ours[i])).join('\n'));
    const kinds = Array.from({ length: 20_000 }, (_, i) => 'abcdefgh'.charAt((i * 7919 + ((i * i) % 13)) % 8));
    const [a, b] = [
      kinds.map((line, i) => (i % 5 ? line : `q${i % 9}`)),
      kinds.map((line, i) => (i % 6 ? line : `r${i % 9}`)),
    ];
    const limited = mergeThreeWay(kinds.join('\n'), a.join('\n'), b.join('\n'));
    expect(limited).toMatchObject({ text: a.join('\n'), conflicts: [{ line: 1 }] });
    expect(limited.limit).toContain('too many lines');
  });
});

describe('differences of lines', () => {
  it('lead from one list to the other, also where they are cut at single lines or are coarse', () => {
    const lists = [
      [
        Array.from({ length: 3000 }, (_, i) => `${i}`),
        Array.from({ length: 3000 }, (_, i) => (i % 7 ? `${i}` : `x${i}`)),
      ],
      [Array.from({ length: 2000 }, (_, i) => `${i % 3}`), Array.from({ length: 2100 }, (_, i) => `${i % 4}`)],
      [Array.from({ length: 3000 }, (_, i) => `${i}`), Array.from({ length: 3000 }, (_, i) => `${3000 - i}`)],
      [[], ['a']],
      [['a'], []],
    ] as const;
    for (const [a, b] of lists) {
      const made: string[] = [];
      let at = 0;
      for (const { aStart, aLength, bStart, bLength } of differencesOf(a, b)) {
        made.push(...a.slice(at, aStart), ...b.slice(bStart, bStart + bLength));
        at = aStart + aLength;
      }
      expect([...made, ...a.slice(at)]).toEqual([...b]);
    }
  });
});
