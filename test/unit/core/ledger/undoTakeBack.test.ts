// What one file becomes when one change is taken back, and whether a moved file may go back: from hashes and texts alone.
import { describe, expect, it } from 'vitest';
import { PLAIN_FORMAT } from '../../../../src/core/edits/textFormat.ts';
import type { TextFormat } from '../../../../src/core/edits/textFormat.ts';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { movedBack, takeBack } from '../../../../src/core/ledger/undo/takeBack.ts';
import type { KnownText, TakenBack, Version } from '../../../../src/core/ledger/undo/takeBack.ts';

const text = (of: string, format = PLAIN_FORMAT): KnownText => ({ kind: 'text', text: of, format });
const lost = (reason: string): KnownText => ({ kind: 'missing', reason });
const stored = (hash: string): Version => ({ kind: 'stored', hash });
const merged = (of: string): Version => ({ kind: 'merged', hash: 'merged', text: of, format: PLAIN_FORMAT });

const never = (hash: string): KnownText => {
  throw new Error(`nobody has to know what ${hash} is`);
};
const among =
  (texts: Readonly<Record<string, KnownText>>) =>
  (hash: string): KnownText =>
    texts[hash] ?? never(hash);

describe('one change taken back by hashes alone', () => {
  const sides = { beforeHash: 'before', afterHash: 'after' };
  it.each<[string, Version | null, Parameters<typeof takeBack>[1], boolean, TakenBack]>([
    ['as Belay left it', stored('after'), sides, false, { kind: 'done', version: stored('before'), isMerged: false }],
    ['as it was', stored('before'), sides, false, { kind: 'already' }],
    ['as it was, which is no file', null, { beforeHash: null, afterHash: 'after' }, false, { kind: 'already' }],
    [
      'made',
      stored('after'),
      { beforeHash: null, afterHash: 'after' },
      false,
      { kind: 'done', version: null, isMerged: false },
    ],
    [
      'deleted',
      null,
      { beforeHash: 'before', afterHash: null },
      false,
      { kind: 'done', version: stored('before'), isMerged: false },
    ],
    ['deleted by somebody', null, sides, false, { kind: 'gone' }],
    ['deleted by somebody, asked for', null, sides, true, { kind: 'done', version: stored('before'), isMerged: false }],
    [
      'changed since it was made',
      stored('mine'),
      { beforeHash: null, afterHash: 'after' },
      true,
      {
        kind: 'left',
        reason: 'made',
        message: 'it was changed since Belay made it; delete it yourself if nothing in it is wanted',
      },
    ],
    [
      'occupied since it was deleted',
      stored('mine'),
      { beforeHash: 'before', afterHash: null },
      true,
      { kind: 'left', reason: 'occupied', message: 'something else stands there now' },
    ],
  ])('of a file that is %s', (_name, now, change, restoresDeleted, wanted) => {
    expect(takeBack(now, change, never, restoresDeleted)).toEqual(wanted);
  });
});

describe('one change taken back by a merge', () => {
  const [A, B] = ['a\nb\nc\nd\ne\n', 'a\nB\nc\nd\ne\n'];
  const take = (ours: KnownText, after: KnownText, before: KnownText, now: Version = stored('now')): TakenBack =>
    takeBack(
      now,
      { beforeHash: sha256Hex(A), afterHash: 'after' },
      among({ now: ours, after, [sha256Hex(A)]: before }),
      false,
    );

  it('keeps what somebody changed elsewhere in it', () => {
    const wanted = 'a\nb\nc\nd\nE\n';
    expect(take(text('a\nB\nc\nd\nE\n'), text(B), text(A))).toEqual({
      kind: 'done',
      version: { kind: 'merged', hash: sha256Hex(wanted), text: wanted, format: PLAIN_FORMAT },
      isMerged: true,
    });
    expect(take({ kind: 'unknown' }, text(B), text(A), merged('a\nB\nc\nd\nE\n'))).toMatchObject({
      kind: 'done',
      version: { text: wanted },
    });
  });

  it('is the kept bytes where it comes to them, and nothing where it comes to what is there', () => {
    expect(take(text(B), text('a\nB\nc\nd\ne\nf\n'), text('a\nb\nc\nd\ne\nf\n'))).toEqual({
      kind: 'done',
      version: { kind: 'stored', hash: sha256Hex(A) },
      isMerged: true,
    });
    const mine = 'a\nb\nc\nd\nE\n';
    const there = takeBack(
      stored(sha256Hex(mine)),
      { beforeHash: sha256Hex(A), afterHash: 'after' },
      among({ [sha256Hex(mine)]: text(mine), after: text(B), [sha256Hex(A)]: text(A) }),
      false,
    );
    expect(there).toEqual({ kind: 'already' });
  });

  it.each<[string, KnownText, KnownText, KnownText, string, string]>([
    ['ours', lost('too large'), text(B), text(A), 'no-image', ': too large'],
    ['what Belay left', text('x'), lost('pruned'), text(A), 'no-image', ': pruned'],
    ['what was there', text('x'), text(B), lost('pruned'), 'no-image', ': pruned'],
  ])('needs the bytes of %s, and says why they are not there', (_name, ours, after, before, reason, why) => {
    expect(take(ours, after, before)).toEqual({
      kind: 'left',
      reason,
      message: `it was changed since, and the bytes that a merge needs are not kept${why}`,
    });
  });

  it('says no more of bytes that nobody has looked at', () => {
    const unknown: KnownText = { kind: 'unknown' };
    for (const [ours, after, before] of [
      [unknown, text(B), text(A)],
      [text('x'), unknown, text(A)],
      [text('x'), text(B), unknown],
    ] as const)
      expect(take(ours, after, before)).toEqual({
        kind: 'left',
        reason: 'no-image',
        message: 'it was changed since, and the bytes that a merge needs are not kept',
      });
  });

  it('is none of what is no text, whichever side that is', () => {
    const binary: KnownText = { kind: 'not-text' };
    for (const [ours, after, before] of [
      [binary, text(B), text(A)],
      [text('x'), binary, text(A)],
      [text('x'), text(B), binary],
    ] as const)
      expect(take(ours, after, before)).toEqual({
        kind: 'left',
        reason: 'binary',
        message: 'it was changed since and is no text, so nothing can be merged',
      });
  });

  it('names the first line of a conflict, and how many more there are', () => {
    const at = (changed: Readonly<Record<number, string>>): string =>
      Array.from({ length: 20 }, (_, i) => changed[i] ?? `${i}`).join('\n');
    const [before, after] = [at({}), at({ 2: 'Belay', 9: 'Belay', 15: 'Belay' })];
    const left = (now: string): TakenBack => take(text(now), text(after), text(before));
    expect(left(at({ 2: 'mine' }))).toEqual({
      kind: 'left',
      reason: 'changed',
      message: 'the same lines were changed since (at line 3)',
    });
    expect(left(at({ 2: 'mine', 9: 'mine', 15: 'mine' }))).toMatchObject({
      message: 'the same lines were changed since (at line 3 and at 2 more)',
    });
  });

  it('leaves a file whose encoding both changed, or cannot hold the result', () => {
    const wide: TextFormat = { encoding: 'utf-16le', hasMark: true };
    const marked: TextFormat = { encoding: 'utf-8', hasMark: true };
    expect(take(text(`${B}f\n`, wide), text(B), text(A, marked))).toEqual({
      kind: 'left',
      reason: 'changed',
      message: 'its encoding was changed both by Belay and since',
    });
    const narrow: TextFormat = { encoding: 'windows-1252', hasMark: false };
    expect(take(text(`${B}f\n`, narrow), text(B), text(A.replace('b', 'Ω')))).toEqual({
      kind: 'left',
      reason: 'changed',
      message: 'its encoding cannot hold both the old text and what was written since',
    });
  });
});

describe('a moved file', () => {
  const back = (ours: KnownText, base: KnownText, now: Version = stored('now')): unknown =>
    movedBack(now, 'moved', among({ now: ours, moved: base }));
  const few = {
    kind: 'left',
    reason: 'changed',
    message: 'what stands there now has too little of the file that was moved there',
  };
  const noImage = {
    kind: 'left',
    reason: 'no-image',
    message: 'it was changed since it was moved, and what it was is not kept',
  };

  it('goes back as it is without anybody knowing what is in it', () => {
    expect(movedBack(stored('moved'), 'moved', never)).toBeNull();
  });

  it.each<[string, string, string, boolean]>([
    ['half of its lines', 'a\nb\nc\nd\n', 'x\na\ny\nb\nz\n', true],
    ['less than half of them', 'a\nb\nc\nd\n', 'a\nx\ny\nz\n', false],
    ['all of them', 'a\nb\n', 'a\nb\nc\n', true],
    ['all of them in another order', 'a\nb\nc\n', 'c\nb\na\n', true],
    ['them with other line ends', 'a\nb\nc\n', 'a\r\nb\r\nc\r\n', true],
    ['one of several equal ones', 'a\na\na\na\n', 'a\nx\n', false],
    ['two of four equal ones', 'a\na\na\na\n', 'a\na\n', true],
    ['lines that say nothing', 'a\n\n \n\t\n  \nb\nc\n', '\n \n\t\n  \n', false],
    ['a third of those that say something', 'a\n\n\n\n\nb\nc\n', 'a\n\n\n\n\n', false],
    ['nothing, since it was empty', '', 'a\n', false],
  ])('with %s still in it goes back or not', (_name, base, now, isBack) => {
    expect(back(text(now), text(base))).toEqual(isBack ? null : few);
    expect(back({ kind: 'unknown' }, text(base), merged(now))).toEqual(isBack ? null : few);
  });

  it.each<[KnownText, KnownText]>([
    [lost('x'), text('a')],
    [text('a'), lost('x')],
    [{ kind: 'unknown' }, text('a')],
    [text('a'), { kind: 'unknown' }],
    [lost('x'), { kind: 'not-text' }],
  ])('is left where its lines are not known: %j, %j', (ours, base) => {
    expect(back(ours, base)).toEqual(noImage);
  });

  it.each<[KnownText, KnownText]>([
    [{ kind: 'not-text' }, text('a')],
    [text('a'), { kind: 'not-text' }],
    [{ kind: 'not-text' }, { kind: 'not-text' }],
  ])('is left where it was changed and is no text: %j, %j', (ours, base) => {
    expect(back(ours, base)).toEqual(few);
  });
});
