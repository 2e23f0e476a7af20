// The plan of an undo, rule by rule: what a move is, what waits for what, whose change a file is, and with which permissions.
import { describe, expect, it } from 'vitest';
import { PLAIN_FORMAT } from '../../../../src/core/edits/textFormat.ts';
import type { FileChange } from '../../../../src/core/ledger/entry.ts';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { planUndo } from '../../../../src/core/ledger/undo/plan.ts';
import type { UndoEntry, UndoFile, UndoPlan } from '../../../../src/core/ledger/undo/plan.ts';
import type { PresentFile } from '../../../../src/core/ledger/undo/strand.ts';
import type { KnownText } from '../../../../src/core/ledger/undo/takeBack.ts';

/** What stands at a path: a text, or a text with its mode, or why it cannot be used. */
type Now = Readonly<
  Record<string, string | { readonly text: string; readonly mode: number } | { readonly blocked: string }>
>;

const texts = new Map<string, string>();
const hash = (text: string): string => {
  texts.set(sha256Hex(text), text);
  return sha256Hex(text);
};
const change = (path: string, before: string | null, after: string | null, mode?: number): FileChange => ({
  path,
  beforeHash: before === null ? null : hash(before),
  afterHash: after === null ? null : hash(after),
  ...(mode === undefined ? {} : { mode }),
});
const entry = (key: string, ...changes: FileChange[]): UndoEntry => ({ key, changes });
const move = (from: string, to: string, text: string, mode?: number): FileChange[] => [
  change(to, null, text, mode),
  change(from, text, null),
];

function plan(
  entries: readonly UndoEntry[],
  now: Now,
  restoresDeleted = false,
  lost: readonly string[] = [],
): UndoPlan {
  const present = (path: string): PresentFile => {
    const file = now[path];
    if (file === undefined) return { kind: 'missing' };
    if (typeof file === 'string') return { kind: 'file', hash: hash(file), mode: 0o644 };
    if ('blocked' in file) return { kind: 'blocked', reason: file.blocked };
    return { kind: 'file', hash: hash(file.text), mode: file.mode };
  };
  const textOf = (of: string): KnownText => {
    const text = texts.get(of) ?? '';
    return lost.includes(text) ? { kind: 'missing', reason: 'pruned' } : { kind: 'text', text, format: PLAIN_FORMAT };
  };
  return planUndo(entries, { present, textOf }, restoresDeleted);
}

const fileAt = (made: UndoPlan, path: string): UndoFile | undefined => made.files.find((file) => file.path === path);
/** What becomes of each path: a text, `deleted`, `left <reason>` or why nothing is done. */
function outcome(made: UndoPlan): Record<string, string> {
  return Object.fromEntries(
    made.files.map((file) => {
      if (file.action === 'left') return [file.path, `left ${file.reason}`];
      if (file.action !== 'write') return [file.path, file.action === 'none' ? file.why : 'deleted'];
      return [file.path, file.content.kind === 'text' ? file.content.text : (texts.get(file.content.hash) ?? '?')];
    }),
  );
}
const lines = (...changed: readonly (readonly [number, string])[]): string =>
  Array.from({ length: 12 }, (_, i) => changed.find(([at]) => at === i)?.[1] ?? `line ${i}`).join('\n');

describe('a move', () => {
  const mine = 'A\nmine\n';
  it.each<[string, FileChange[], Now, Record<string, string>]>([
    ['one path lost what another got', move('f', 'g', 'A\n'), { g: mine }, { f: mine, g: 'deleted' }],
    [
      'in either order, and beside other changes',
      [change('f', 'A\n', null), change('h', 'x', 'y'), change('g', null, 'A\n')],
      { g: mine, h: 'y' },
      { f: mine, g: 'deleted', h: 'x' },
    ],
    [
      'two moves in one entry',
      [...move('f', 'g', 'A\n'), ...move('h', 'i', 'B\n')],
      { g: mine, i: 'B\n' },
      { f: mine, g: 'deleted', h: 'B\n', i: 'deleted' },
    ],
  ])('is seen where %s', (_name, changes, now, wanted) => {
    expect(outcome(plan([entry('k', ...changes)], now))).toEqual(wanted);
  });

  it.each<[string, FileChange[], Now, Record<string, string>]>([
    [
      'the old place keeps a file',
      [change('f', 'A\n', 'B\n'), change('g', null, 'A\n')],
      { f: 'B\n', g: mine },
      { f: 'A\n', g: 'left made' },
    ],
    [
      'the new place had a file',
      [change('f', 'A\n', null), change('g', 'B\n', 'A\n')],
      { g: 'A\n' },
      { f: 'A\n', g: 'B\n' },
    ],
    [
      'other bytes came to the new place',
      [change('f', 'A\n', null), change('g', null, 'B\n')],
      { g: 'B\nmine\n' },
      { f: 'A\n', g: 'left made' },
    ],
    [
      'the bytes came to two places',
      [change('f', 'A\n', null), change('g', null, 'A\n'), change('h', null, 'A\n')],
      { g: mine, h: 'A\n' },
      { f: 'A\n', g: 'left made', h: 'deleted' },
    ],
    [
      'two places lost the bytes',
      [change('f', 'A\n', null), change('g', 'A\n', null), change('h', null, 'A\n')],
      { h: mine },
      { f: 'A\n', g: 'A\n', h: 'left made' },
    ],
    [
      'the new place was changed again',
      [change('f', 'A\n', null), change('g', null, 'A\n'), change('g', 'A\n', 'B\n')],
      { g: 'B\nmine\n' },
      { f: 'A\n', g: 'left made' },
    ],
    [
      'the old place was changed before',
      [change('f', 'X\n', 'A\n'), change('f', 'A\n', null), change('g', null, 'A\n')],
      { g: mine },
      { f: 'X\n', g: 'left made' },
    ],
    ['nothing was lost', [change('g', null, 'A\n')], { g: mine }, { g: 'left made' }],
  ])('is none where %s', (_name, changes, now, wanted) => {
    expect(outcome(plan([entry('k', ...changes)], now))).toEqual(wanted);
  });

  it('is recorded as one path that loses and one that gets what stands there', () => {
    const made = plan([entry('k', ...move('f', 'g', 'A\n'))], { g: { text: mine, mode: 0o600 } });
    expect(made.entries).toStrictEqual([
      {
        key: 'k',
        changes: [change('g', mine, null, 0o600), change('f', null, mine, 0o600)],
        isTaken: true,
        isWhole: true,
      },
    ]);
    expect(made.files).toStrictEqual([
      {
        path: 'f',
        keys: ['k'],
        action: 'write',
        content: { kind: 'image', hash: hash(mine) },
        expectedHash: null,
        afterHash: hash(mine),
        isMerged: false,
        mode: 0o600,
      },
      { path: 'g', keys: ['k'], action: 'delete', expectedHash: hash(mine), mode: 0o600 },
    ]);
  });

  it('of a file that somebody deleted since stays deleted, or makes it again at the old place', () => {
    const entries = [entry('k', ...move('f', 'g', 'A\n', 0o755))];
    expect(plan(entries, {})).toMatchObject({
      files: [{ path: 'f' }, { path: 'g', action: 'none', why: 'gone' }],
      entries: [{ changes: [], isTaken: false }],
    });
    const again = plan(entries, {}, true);
    expect(outcome(again)).toEqual({ f: 'A\n', g: 'already' });
    expect(fileAt(again, 'f')).toMatchObject({ mode: 0o755 });
    expect(again.entries).toStrictEqual([
      { key: 'k', changes: [change('f', null, 'A\n', 0o755)], isTaken: true, isWhole: true },
    ]);
  });

  it('takes the permissions that the ledger knows, of the new place before those of the old one', () => {
    const modeOf = (to?: number, from?: number): unknown => {
      const changes = [change('g', null, 'A\n', to), change('f', 'A\n', null, from)];
      return fileAt(plan([entry('k', ...changes)], {}, true), 'f');
    };
    expect(modeOf(0o700, 0o600)).toMatchObject({ mode: 0o700 });
    expect(modeOf(undefined, 0o600)).toMatchObject({ mode: 0o600 });
    expect(modeOf()).not.toHaveProperty('mode');
  });

  it('does not carry a file over one that stands at the old place, even where Belay deleted it later', () => {
    const entries = [entry('2', change('g', 'A\n', null)), entry('1', ...move('f', 'g', 'A\n'))];
    expect(outcome(plan(entries, {}))).toEqual({ f: 'A\n', g: 'already' });
    const made = plan(entries, { f: 'mine' });
    expect(outcome(made)).toEqual({ f: 'left occupied', g: 'left occupied' });
    expect(fileAt(made, 'g')).toMatchObject({ message: 'it came from f, where something else stands now' });
    expect(fileAt(made, 'f')).toMatchObject({
      message: 'g came from here and is left: it came from f, where something else stands now',
    });
    expect(made.entries).toMatchObject([
      { key: '2', isTaken: false, isWhole: false },
      { key: '1', isTaken: false, isWhole: false },
    ]);
  });

  it('does not take a text for the moved one that has too little of it, whatever else was changed in it', () => {
    const before = lines();
    const after = lines([0, 'Belay']);
    const others = lines([0, 'Belay'], ...[3, 4, 5, 6, 7, 8, 9].map((at) => [at, `mine ${at}`] as const));
    const entries = [entry('2', change('g', before, after)), entry('1', ...move('f', 'g', before))];
    expect(outcome(plan(entries, { g: others }))).toEqual({ f: 'left changed', g: 'left changed' });
    const few = lines([0, 'Belay'], [9, 'mine']);
    expect(outcome(plan(entries, { g: few }))).toEqual({ f: lines([9, 'mine']), g: 'deleted' });
  });
});

describe('what waits for something else', () => {
  it('is a moved file whose old place cannot be used', () => {
    const made = plan([entry('k', ...move('f', 'g', 'A'))], { f: { blocked: 'it is a folder' }, g: 'A' });
    expect(made.files).toStrictEqual([
      {
        path: 'f',
        keys: ['k'],
        action: 'left',
        reason: 'blocked',
        message: 'it is a folder',
        nowHash: null,
        beforeHash: null,
      },
      {
        path: 'g',
        keys: ['k'],
        action: 'left',
        reason: 'waits',
        message: 'f is left, which is in its way',
        nowHash: hash('A'),
        beforeHash: hash('A'),
      },
    ]);
    expect(made.entries).toEqual([{ key: 'k', changes: [], isTaken: false, isWhole: false }]);
  });

  it('is what stood at the new place before, where the moved file does not leave it', () => {
    const entries = [entry('2', ...move('f', 'g', 'A')), entry('1', change('g', 'old', null))];
    const made = plan(entries, { f: 'mine', g: 'A' });
    expect(outcome(made)).toEqual({ f: 'left occupied', g: 'left occupied' });
    expect(made.entries).toMatchObject([
      { key: '2', changes: [], isWhole: false },
      { key: '1', changes: [], isTaken: false, isWhole: false },
    ]);
  });

  it('is a whole chain, whatever the order in which its files are met', () => {
    const entries = [
      entry('3', change('h', 'B', 'C')),
      entry('2', ...move('f', 'g', 'A')),
      entry('1', ...move('g', 'h', 'B')),
    ];
    const now = { f: { blocked: 'it is a folder' }, g: 'A', h: 'C' };
    const made = plan(entries, now);
    expect(outcome(made)).toEqual({ f: 'left blocked', g: 'left waits', h: 'left waits' });
    expect(fileAt(made, 'h')).toMatchObject({ message: 'g is left, which is in its way' });
    expect(made.entries.every(({ changes, isTaken, isWhole }) => changes.length === 0 && !isTaken && !isWhole)).toBe(
      true,
    );
    expect(outcome(plan(entries, { g: 'A', h: 'C' }))).toEqual({ f: 'A', g: 'B', h: 'deleted' });
  });

  it('is nothing that is only moved through the same place', () => {
    const entries = [entry('2', ...move('g', 'h', 'A')), entry('1', ...move('f', 'g', 'A'))];
    const made = plan(entries, { f: 'mine', h: 'A' });
    expect(outcome(made)).toEqual({ f: 'left occupied', g: 'left waits', h: 'left occupied' });
    expect(fileAt(made, 'g')).toMatchObject({ message: 'h is left, which is in its way' });
  });

  it('is both ends where the moved file cannot be used and another stands at its old place', () => {
    const made = plan([entry('k', ...move('f', 'g', 'A'))], { f: 'mine', g: { blocked: 'it cannot be read' } });
    expect(outcome(made)).toEqual({ f: 'left blocked', g: 'left blocked' });
    expect(fileAt(made, 'f')).toMatchObject({ message: 'g came from here and is left: it cannot be read' });
  });
});

describe('an entry', () => {
  it('is judged by its own files alone', () => {
    const entries = [entry('2', change('f', null, 'A')), entry('1', change('g', 'B', 'C'))];
    const made = plan(entries, { f: 'mine', g: 'C' });
    expect(made.entries).toStrictEqual([
      { key: '2', changes: [], isTaken: false, isWhole: false },
      { key: '1', changes: [change('g', 'C', 'B', 0o644)], isTaken: true, isWhole: true },
    ]);
    expect(made.files.map(({ path, keys }) => [path, keys])).toEqual([
      ['f', ['2']],
      ['g', ['1']],
    ]);
  });

  it('is named at every file that it changed, once', () => {
    const entries = [
      entry('3', change('f', 'B', 'C')),
      entry('2', change('f', 'A', 'B'), change('g', 'A', 'B')),
      entry('1', change('f', 'X', 'A')),
    ];
    expect(plan(entries, { f: 'C', g: 'B' }).files.map(({ path, keys }) => [path, keys])).toEqual([
      ['f', ['3', '2', '1']],
      ['g', ['2']],
    ]);
    const moved = [entry('2', change('f', null, 'new')), entry('1', ...move('f', 'g', 'A'))];
    const keys = Object.fromEntries(plan(moved, { f: 'new', g: 'A' }).files.map((file) => [file.path, file.keys]));
    expect(new Set(keys.f)).toEqual(new Set(['2', '1']));
    expect(keys.g).toEqual(['1']);
    // Somebody moved it back.
    const back = plan([entry('1', ...move('f', 'g', 'A'))], { f: 'A' });
    expect(back.files.map((file) => [file.path, file.keys])).toEqual([
      ['f', ['1']],
      ['g', ['1']],
    ]);
  });

  it('is not taken back where its file is as before already, or gone', () => {
    const made = plan([entry('2', change('f', 'A', 'B')), entry('1', change('g', 'A', 'B'))], { f: 'A' });
    expect(outcome(made)).toEqual({ f: 'already', g: 'gone' });
    expect(made.entries).toStrictEqual([
      { key: '2', changes: [], isTaken: false, isWhole: true },
      { key: '1', changes: [], isTaken: false, isWhole: true },
    ]);
  });

  it('is taken back where its file was moved with what was changed in it since', () => {
    const made = plan([entry('k', ...move('f', 'g', 'A\n'))], { g: 'A\nmine\n' });
    expect(made.entries).toMatchObject([{ isTaken: true, isWhole: true }]);
  });
});

describe('a file that is gone', () => {
  it('is told by itself, and stays gone unless it is asked for', () => {
    const entries = [entry('2', change('f', 'A', 'B')), entry('1', change('g', null, 'B'))];
    expect(outcome(plan(entries, {}))).toEqual({ f: 'gone', g: 'already' });
    expect(outcome(planUndoByDefault(entries))).toEqual({ f: 'gone', g: 'already' });
    expect(outcome(plan(entries, {}, true))).toEqual({ f: 'A', g: 'already' });
  });

  const planUndoByDefault = (entries: readonly UndoEntry[]): UndoPlan =>
    planUndo(entries, { present: () => ({ kind: 'missing' }), textOf: () => ({ kind: 'unknown' }) });

  it('is made again by the newest change alone', () => {
    const entries = [entry('2', change('f', 'B', 'C')), entry('1', change('f', 'A', 'B'))];
    expect(plan(entries, {}, true).entries).toStrictEqual([
      { key: '2', changes: [change('f', null, 'A')], isTaken: true, isWhole: true },
      { key: '1', changes: [], isTaken: true, isWhole: true },
    ]);
  });

  it('gets the permissions of before it was deleted, where they are known', () => {
    expect(fileAt(plan([entry('k', change('f', 'A', null, 0o755))], {}), 'f')).toMatchObject({
      action: 'write',
      mode: 0o755,
    });
    const unknown = plan([entry('k', change('f', 'A', null))], {});
    expect(fileAt(unknown, 'f')).not.toHaveProperty('mode');
    expect(unknown.entries).toStrictEqual([
      { key: 'k', changes: [change('f', null, 'A')], isTaken: true, isWhole: true },
    ]);
    // The oldest change knows what it was before.
    const entries = [entry('2', change('f', 'B', null, 0o600)), entry('1', change('f', 'A', 'B', 0o755))];
    expect(fileAt(plan(entries, {}), 'f')).toMatchObject({ mode: 0o755 });
    // What stands there keeps its own.
    expect(fileAt(plan([entry('k', change('f', 'A', 'B', 0o755))], { f: 'B' }), 'f')).not.toHaveProperty('mode');
  });
});

describe('changes of one file one after the other', () => {
  const [A, B, C] = [lines(), lines([1, 'one']), lines([1, 'one'], [5, 'two'])];
  const entries = [entry('2', change('f', B, C)), entry('1', change('f', A, B))];
  const now = lines([1, 'one'], [5, 'two'], [10, 'mine']);

  it('are taken back one by one where somebody changed it since and each can be', () => {
    const made = plan(entries, { f: now });
    const [middle, end] = [lines([1, 'one'], [10, 'mine']), lines([10, 'mine'])];
    expect(fileAt(made, 'f')).toMatchObject({ action: 'write', afterHash: hash(end), isMerged: true });
    expect(made.entries).toStrictEqual([
      { key: '2', changes: [change('f', now, middle, 0o644)], isTaken: true, isWhole: true },
      { key: '1', changes: [change('f', middle, end, 0o644)], isTaken: true, isWhole: true },
    ]);
  });

  it('need only the first and the last text, and then the newest takes all of it back', () => {
    const made = plan(entries, { f: now }, false, [B]);
    const end = lines([10, 'mine']);
    expect(outcome(made)).toEqual({ f: end });
    expect(made.entries).toStrictEqual([
      { key: '2', changes: [change('f', now, end, 0o644)], isTaken: true, isWhole: true },
      { key: '1', changes: [], isTaken: true, isWhole: true },
    ]);
  });

  it('go back through a move in between', () => {
    const moved = [entry('3', change('g', B, C)), entry('2', ...move('f', 'g', B)), entry('1', change('f', A, B))];
    const made = plan(moved, { g: now });
    const [middle, end] = [lines([1, 'one'], [10, 'mine']), lines([10, 'mine'])];
    expect(outcome(made)).toEqual({ f: end, g: 'deleted' });
    expect(made.entries.map(({ changes }) => changes)).toStrictEqual([
      [change('g', now, middle, 0o644)],
      [change('g', middle, null, 0o644), change('f', null, middle, 0o644)],
      [change('f', middle, end, 0o644)],
    ]);
  });
});
