// The plan of an undo: which files it writes and with what, from hashes and texts alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAIN_FORMAT } from '../../../../src/core/edits/textFormat.ts';
import type { TextFormat } from '../../../../src/core/edits/textFormat.ts';
import type { FileChange } from '../../../../src/core/ledger/entry.ts';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { planUndo } from '../../../../src/core/ledger/undo/plan.ts';
import type { UndoEntry, UndoPlan } from '../../../../src/core/ledger/undo/plan.ts';
import type { KnownText } from '../../../../src/core/ledger/undo/takeBack.ts';

/** Files by their text; null: there is none. */
type Files = Readonly<Record<string, string | null>>;

const texts = new Map<string, string>();
const hash = (text: string | null): string | null => {
  if (text === null) return null;
  texts.set(sha256Hex(text), text);
  return sha256Hex(text);
};
const change = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  beforeHash: hash(before),
  afterHash: hash(after),
});

interface Options {
  readonly restoresDeleted?: boolean;
  /** Texts that are not kept. */
  readonly lost?: readonly string[];
  readonly binary?: readonly string[];
  readonly formats?: Readonly<Record<string, TextFormat>>;
}

function plan(entries: readonly UndoEntry[], now: Files, options: Options = {}): UndoPlan {
  const { restoresDeleted = false, lost = [], binary = [], formats = {} } = options;
  const textOf = (of: string): KnownText => {
    const text = texts.get(of) ?? Object.values(now).find((one) => one !== null && sha256Hex(one) === of) ?? null;
    if (text === null || lost.includes(text)) return { kind: 'missing', reason: 'not kept' };
    if (binary.includes(text)) return { kind: 'not-text' };
    return { kind: 'text', text, format: formats[text] ?? PLAIN_FORMAT };
  };
  const present = (path: string): ReturnType<Parameters<typeof planUndo>[1]['present']> => {
    const text = now[path] ?? null;
    return text === null ? { kind: 'missing' } : { kind: 'file', hash: hash(text) ?? '', mode: 0o644 };
  };
  return planUndo(entries, { present, textOf }, restoresDeleted);
}

/** What the files are after the plan; a file that is left is `LEFT`. */
function result(made: UndoPlan, now: Files): Files {
  const files: Record<string, string | null> = { ...now };
  for (const file of made.files) {
    if (file.action === 'delete') files[file.path] = null;
    if (file.action === 'left') files[file.path] = `LEFT ${file.reason}`;
    if (file.action !== 'write') continue;
    files[file.path] = file.content.kind === 'text' ? file.content.text : (texts.get(file.content.hash) ?? '?');
  }
  return Object.fromEntries(Object.entries(files).filter(([, text]) => text !== null));
}

const entry = (key: string, ...changes: FileChange[]): UndoEntry => ({ key, changes });
const A = 'a\nb\nc\nd\ne\n';

describe('one change', () => {
  it.each<[string, FileChange, string | null, Options, Files]>([
    ['as Belay left it', change('f', 'old', 'new'), 'new', {}, { f: 'old' }],
    ['as it was before', change('f', 'old', 'new'), 'old', {}, { f: 'old' }],
    ['made and unchanged', change('f', null, 'new'), 'new', {}, {}],
    ['made and changed', change('f', null, 'new'), 'newer', {}, { f: 'LEFT made' }],
    ['made and deleted', change('f', null, 'new'), null, {}, {}],
    ['deleted', change('f', 'old', null), null, {}, { f: 'old' }],
    ['deleted and occupied', change('f', 'old', null), 'mine', {}, { f: 'LEFT occupied' }],
    ['deleted by a person', change('f', 'old', 'new'), null, {}, {}],
    ['deleted by a person, asked for', change('f', 'old', 'new'), null, { restoresDeleted: true }, { f: 'old' }],
    [
      'merged',
      change('f', A, A.replace('b', 'B')),
      A.replace('b', 'B').replace('e', 'E'),
      {},
      { f: A.replace('e', 'E') },
    ],
    ['conflict', change('f', A, A.replace('b', 'B')), A.replace('b', 'x'), {}, { f: 'LEFT changed' }],
    ['image lost', change('f', A, 'lost'), `${A}z\n`, { lost: ['lost'] }, { f: 'LEFT no-image' }],
    ['binary', change('f', A, 'bin'), `${A}z\n`, { binary: ['bin'] }, { f: 'LEFT binary' }],
  ])('%s', (_name, one, now, options, wanted) => {
    expect(result(plan([entry('k', one)], { f: now }, options), { f: now })).toEqual(wanted);
  });

  it('writes the kept bytes where a merge gives just these', () => {
    const after = `${A.replace('b', 'B')}z\n`;
    const made = plan([entry('k', change('f', A, after))], { f: A.replace('b', 'B') });
    expect(made.files).toMatchObject([{ action: 'write', content: { kind: 'image', hash: hash(A) }, isMerged: true }]);
  });

  it('takes the encoding of the side that changed it, and leaves what both changed', () => {
    const wide: TextFormat = { encoding: 'utf-16le', hasMark: true };
    const marked: TextFormat = { encoding: 'utf-8', hasMark: true };
    const [after, now] = [`${A}after\n`, `first\n${A}after\n`];
    const one = entry('k', change('f', A, after));
    const write = (formats: Options['formats']): unknown =>
      plan([one], { f: now }, { ...(formats ? { formats } : {}) }).files[0];
    expect(write({ [now]: wide })).toMatchObject({ content: { format: wide } });
    expect(write({ [A]: wide })).toMatchObject({ content: { format: wide } });
    expect(write({ [now]: wide, [A]: marked })).toMatchObject({ action: 'left', reason: 'changed' });
  });

  it('asks for the texts that it needs, and for none where hashes are enough', () => {
    const entries = [entry('k', change('f', 'old', 'new'))];
    const unknown = { textOf: (): KnownText => ({ kind: 'unknown' }) };
    const at = (text: string): UndoPlan =>
      planUndo(entries, { ...unknown, present: () => ({ kind: 'file', hash: sha256Hex(text), mode: 0 }) });
    expect(at('new').wanted).toEqual([]);
    expect(new Set(at('other').wanted)).toEqual(new Set(['other', 'new', 'old'].map(sha256Hex)));
  });
});

describe('several changes', () => {
  it('folds changes that follow each other into one', () => {
    const entries = [
      entry('3', change('f', 'c', 'd')),
      entry('2', change('f', 'b', 'c')),
      entry('1', change('f', 'a', 'b')),
    ];
    const made = plan(entries, { f: 'd' });
    expect(result(made, { f: 'd' })).toEqual({ f: 'a' });
    expect(made.entries.map(({ key, changes }) => [key, changes])).toEqual([
      ['3', [{ path: 'f', beforeHash: hash('d'), afterHash: hash('c'), mode: 0o644 }]],
      ['2', [{ path: 'f', beforeHash: hash('c'), afterHash: hash('b'), mode: 0o644 }]],
      ['1', [{ path: 'f', beforeHash: hash('b'), afterHash: hash('a'), mode: 0o644 }]],
    ]);
  });

  it('keeps what a person changed between two of them', () => {
    const [one, mine] = [A.replace('a', 'A'), A.replace('a', 'A').replace('e', 'mine')];
    const two = mine.replace('c', 'C');
    const entries = [entry('2', change('f', mine, two)), entry('1', change('f', A, one))];
    expect(result(plan(entries, { f: two }), { f: two })).toEqual({ f: A.replace('e', 'mine') });
  });

  it('needs no write where they cancel each other out', () => {
    const entries = [entry('2', change('f', 'b', 'a')), entry('1', change('f', 'a', 'b'))];
    expect(plan(entries, { f: 'a' }).files).toMatchObject([{ action: 'none', why: 'already' }]);
  });

  it('leaves a file whole where only a part could be taken back', () => {
    const [one, mine] = [A.replace('a', 'A'), A.replace('a', 'mine')];
    const entries = [
      entry('2', change('f', mine, `${mine}z\n`), change('g', 'x', 'y')),
      entry('1', change('f', A, one)),
    ];
    const now = { f: `${mine}z\n`, g: 'y' };
    const made = plan(entries, now);
    expect(result(made, now)).toEqual({ f: 'LEFT changed', g: 'x' });
    expect(made.entries).toMatchObject([
      { key: '2', isTaken: true, isWhole: false },
      { key: '1', isTaken: false, isWhole: false },
    ]);
  });
});

describe('moves', () => {
  const moved = (key: string, from: string, to: string, text: string): UndoEntry =>
    entry(key, change(to, null, text), change(from, text, null));

  it('go back through several places, with what was changed on the way', () => {
    const entries = [moved('3', 'g', 'h', 'B'), entry('2', change('g', 'A', 'B')), moved('1', 'f', 'g', 'A')];
    expect(result(plan(entries, { h: 'B' }), { h: 'B' })).toEqual({ f: 'A' });
  });

  it('change places with a file that was made at the old one', () => {
    const entries = [entry('2', change('f', null, 'new')), moved('1', 'f', 'g', 'A')];
    expect(result(plan(entries, { f: 'new', g: 'A' }), { f: 'new', g: 'A' })).toEqual({ f: 'A' });
  });

  it('leave both ends where the file made at the old place is left', () => {
    const entries = [entry('2', change('f', null, 'new')), moved('1', 'f', 'g', 'A')];
    const now = { f: 'mine', g: 'A' };
    expect(result(plan(entries, now), now)).toEqual({ f: 'LEFT made', g: 'LEFT occupied' });
  });

  it('bring back what stood at the new place before', () => {
    const entries = [moved('2', 'f', 'g', 'A'), entry('1', change('g', 'old', null))];
    expect(result(plan(entries, { g: 'A' }), { g: 'A' })).toEqual({ f: 'A', g: 'old' });
  });

  it('take later changes along, but no other file that was put at the new place', () => {
    const entries = [moved('1', 'f', 'g', A)];
    const changed = `${A}mine\n`;
    expect(result(plan(entries, { g: changed }), { g: changed })).toEqual({ f: changed });
    const other = 'not\nat\nall\nthe\na\n';
    expect(result(plan(entries, { g: other }), { g: other })).toEqual({ f: 'LEFT changed', g: 'LEFT changed' });
    expect(result(plan(entries, { g: changed }, { binary: [A] }), { g: changed })).toMatchObject({ g: 'LEFT changed' });
    expect(result(plan(entries, { g: changed }, { lost: [A] }), { g: changed })).toMatchObject({ g: 'LEFT no-image' });
  });

  it('are nothing where a person moved the file back', () => {
    expect(result(plan([moved('1', 'f', 'g', 'A')], { f: 'A' }), { f: 'A' })).toEqual({ f: 'A' });
  });
});

describe('of any history', () => {
  const paths = ['f', 'g', 'h'] as const;
  const content = fc.constantFrom(null, 'one', 'two', 'three', '');
  const step = fc.record({ path: fc.constantFrom(...paths), text: content, isBelay: fc.boolean() });

  /** Plays steps of Belay and of a person; entries newest first, and the files at the end and without Belay. */
  const played = (steps: readonly { path: string; text: string | null; isBelay: boolean }[]) => {
    const now: Record<string, string | null> = {};
    const entries: UndoEntry[] = [];
    for (const [i, { path, text, isBelay }] of steps.entries()) {
      const before = now[path] ?? null;
      if (before === text) continue;
      now[path] = text;
      if (isBelay) entries.unshift(entry(String(i), change(path, before, text)));
    }
    return { now, entries };
  };

  it('only paths of the entries are in the plan, each once, and what Belay alone did is taken back wholly', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { now, entries } = played(steps);
        const made = plan(entries, now);
        const known = new Set(entries.flatMap(({ changes }) => changes.map(({ path }) => path)));
        expect(made.files.map(({ path }) => path)).toEqual([...known].sort());
        const byBelayAlone = paths.filter(
          (path) => known.has(path) && !steps.some((one) => one.path === path && !one.isBelay),
        );
        for (const path of byBelayAlone) expect(result(made, now)[path] ?? null).toBe(null);
      }),
    );
  });

  it('the parts of the entries, one after the other, lead from what is there to what is written', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { now, entries } = played(steps);
        const made = plan(entries, now);
        const hashes = new Map(paths.map((path) => [path as string, hash(now[path] ?? null)]));
        for (const { changes } of made.entries)
          for (const { path, beforeHash, afterHash } of changes) {
            expect(hashes.get(path)).toBe(beforeHash);
            hashes.set(path, afterHash);
          }
        for (const file of made.files) {
          const wanted =
            file.action === 'write' ? file.afterHash : file.action === 'delete' ? null : hash(now[file.path] ?? null);
          expect(hashes.get(file.path)).toBe(wanted);
        }
      }),
    );
  });

  it('an undo of the undo leads back to what was there', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { now, entries } = played(steps);
        const undone = plan(entries, now);
        const after = result(undone, now);
        if (Object.values(after).some((text) => text?.startsWith('LEFT') === true)) return;
        const redo = undone.entries.map(({ key, changes }) => entry(key, ...changes)).toReversed();
        const again = result(plan(redo, after), after);
        expect(again).toEqual(Object.fromEntries(Object.entries(now).filter(([, text]) => text !== null)));
      }),
    );
  });
});
