// Which commands only add to the end of a file, what is kept of the file before, and what its growth says afterwards.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../../../src/core/ledger/key.ts';
import { appendProbe, compareAppend } from '../../../../../src/core/ledger/probes/append.ts';
import type { AppendBaseline } from '../../../../../src/core/ledger/probes/append.ts';
import type { Step } from '../../../../../src/core/ledger/probes/script.ts';
import { fileOf, inWorld, OTHER } from '../../../../support/probeWorld.ts';
import type { World } from '../../../../support/probeWorld.ts';

const step = (words: readonly string[], more: Partial<Step> = {}): Step => {
  return { words, output: null, input: '', decidesExit: true, folder: '', ...more };
};
const added = { output: { path: 'f', isAppend: true } } as const;
const scope = { workspace: '/w', folder: '/w', isAlone: true, mark: null };

describe('an append', () => {
  it.each<[readonly string[], Partial<Step>, string, string | null]>([
    [['echo', 'a'], added, 'f', 'a\n'],
    [['printf', 'a'], added, 'f', 'a'],
    [['cat'], { ...added, input: 'a' }, 'f', 'a'],
    [['cat'], { ...added, input: null }, 'f', null],
    [['tee', '-a', 'g'], { input: 'a' }, 'g', 'a'],
    [['tee', '--append', 'g'], { input: null }, 'g', null],
  ])('is %j with %j: to %s', (words, more, target, tail) => {
    expect(appendProbe.plan(step(words, more))).toMatchObject({
      kind: 'append',
      words: { target, tail },
      targets: [target],
    });
  });

  it.each<[readonly string[], Partial<Step>]>([
    [['ls'], added],
    [['echo', 'a'], {}],
    [['echo', 'a'], { output: { path: 'f', isAppend: false } }],
    // What `cat` of a file prints is another file's, and may be its own.
    [['cat', 'f'], added],
    [['cat', '-'], added],
    [['tee', '-a', 'g'], added],
    [['tee', '-a', 'g'], { output: { path: 'f', isAppend: false } }],
    [['tee', '-a'], {}],
    [['tee', '-a', 'g', 'h'], {}],
    [['tee', 'f'], {}],
    [['tee', '-i', 'g'], {}],
    [['tee', '', 'g'], {}],
    [['echo', '-a', 'g'], {}],
    [['sponge', '-a', 'g'], {}],
    [[], {}],
  ])('is not %j with %j', (words, more) => {
    expect(appendProbe.plan(step(words, more))).toBeNull();
  });
});

describe('the baseline of an append', () => {
  const MAX = 4 * 1024 * 1024;
  const before = (words: readonly string[], more: Partial<Step>, world: World) => {
    const { said, asked } = inWorld(appendProbe.plan(step(words, more))?.before(scope) ?? null, world);
    return { data: said?.data, read: asked.filter(({ ask }) => ask === 'bytes').length };
  };
  const echo = (world: World) => before(['echo', 'x'], added, world);

  it('is what the file is, and what it will be with the own text at its end', () => {
    expect(echo({ files: { f: 'é\n' } })).toEqual({
      data: {
        workspace: '/w',
        path: 'f',
        sizeBytes: 3,
        prefixHash: sha256Hex('é\n'),
        tail: { sizeBytes: 2, hash: sha256Hex('x\n') },
        afterHash: sha256Hex('é\nx\n'),
        isAlone: true,
      },
      read: 1,
    });
  });

  it('needs no bytes of a file that is empty or not there', () => {
    const fresh = { prefixHash: sha256Hex(''), afterHash: sha256Hex('x\n') };
    expect(echo({})).toMatchObject({ data: { ...fresh, sizeBytes: null }, read: 0 });
    expect(echo({ files: { f: '' } })).toMatchObject({ data: { ...fresh, sizeBytes: 0 }, read: 0 });
  });

  it('reads no file for a text that is not known, and none above 4 MiB', () => {
    expect(before(['tee', '-a', 'f'], { input: null }, { files: { f: 'old' } })).toMatchObject({
      data: { tail: null, afterHash: null, sizeBytes: 3, prefixHash: sha256Hex('old') },
      read: 0,
    });
    expect(before(['tee', '-a', 'f'], { input: null }, {})).toMatchObject({ data: { tail: null, afterHash: null } });
    expect(echo({ files: { f: fileOf('h', MAX) } })).toMatchObject({ data: { sizeBytes: MAX }, read: 1 });
    expect(echo({ files: { f: fileOf('h', MAX + 1) } })).toMatchObject({
      data: { sizeBytes: MAX + 1, prefixHash: 'h', afterHash: null, tail: { sizeBytes: 2 } },
      read: 0,
    });
  });

  it('does not know what a file will be whose bytes cannot be read', () => {
    expect(echo({ files: { f: 'old' }, unread: ['f'] })).toMatchObject({ data: { afterHash: null }, read: 1 });
  });

  it.each<[string, World]>([
    ['has no name here', { nameless: ['f'] }],
    ['cannot be looked at', { hidden: ['f'] }],
    ['is a folder', { files: { f: null } }],
    ['is a device', { files: { f: OTHER } }],
  ])('is none of what %s', (_name, world) => {
    expect(echo(world).data).toBeUndefined();
  });

  it('belongs to its one file', () => {
    const { data } = echo({});
    expect(appendProbe.footprint(data)).toEqual({ workspace: '/w', paths: ['f'], refs: [], runsPrograms: false });
  });

  it('is UNKNOWN later where the file cannot be looked at', () => {
    const { data } = echo({});
    expect(inWorld(appendProbe.after(data), { hidden: ['f'] }).said).toEqual({
      says: 'UNKNOWN',
      detail: 'f is hidden',
    });
    expect(inWorld(appendProbe.after(data), {}).said).toEqual({ says: 'ABSENT', detail: 'f still does not exist' });
  });
});

describe('what a file says after an append', () => {
  const baseline: AppendBaseline = {
    workspace: '/w',
    path: 'f',
    sizeBytes: 3,
    prefixHash: 'old',
    tail: { sizeBytes: 2, hash: 't' },
    afterHash: 'new',
    isAlone: true,
  };
  const fresh = { ...baseline, sizeBytes: null };
  const missing = { kind: 'missing', hash: null, sizeBytes: 0 } as const;
  it.each([
    [baseline, fileOf('new', 5), 'COMMITTED: f grew by exactly the 2 bytes of this command'],
    [fresh, fileOf('new', 2), 'COMMITTED: f grew by exactly the 2 bytes of this command'],
    [baseline, fileOf('old', 3), 'ABSENT: f is as it was (3 bytes)'],
    [fresh, missing, 'ABSENT: f still does not exist'],
    [baseline, missing, 'UNKNOWN: f has disappeared'],
    [baseline, { kind: 'folder', hash: null, sizeBytes: 0 } as const, 'UNKNOWN: f is no file any more'],
    [baseline, OTHER, 'UNKNOWN: f is no file any more'],
    [fresh, fileOf('old', 0), 'UNKNOWN: f was created but is empty'],
    [baseline, fileOf('odd', 3), 'UNKNOWN: what was in f before has changed'],
    [baseline, fileOf('odd', 1), 'UNKNOWN: what was in f before has changed'],
    [baseline, fileOf('odd', 4), 'UNKNOWN: f grew by 1 bytes that this command alone does not explain'],
    // Right bytes, but not of this length: it cannot be what was looked for.
    [baseline, fileOf('new', 6), 'UNKNOWN: f grew by 3 bytes that this command alone does not explain'],
    [
      { ...baseline, tail: null },
      fileOf('new', 5),
      'UNKNOWN: f grew by 2 bytes that this command alone does not explain',
    ],
  ])('is, case %$, as expected', (before, now, wanted) => {
    const { says, detail } = compareAppend(before, now);
    expect(`${says}: ${detail}`).toBe(wanted);
  });
});
