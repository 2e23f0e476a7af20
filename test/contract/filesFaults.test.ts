// An edit of several files on a real disk on which any single step fails: all files or none, and a report that is true.
import { lstatSync, renameSync, rmSync, symlinkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Disk, realDisk } from '../../src/adapters/files/disk.ts';
import type { AppliedFiles } from '../../src/engine/ports.ts';
import {
  areImagesKept,
  fillScenario,
  SCENARIO_PATHS,
  scenarioState,
  scenarioTexts,
  scenarioWrites,
} from '../support/applyScenario.ts';
import { type DiskWorkspace, diskWorkspace, FAST_DISK } from '../support/diskWorkspace.ts';
import { deleting, hashOf, outcomes, writing } from '../support/fileContract.ts';
import { type DiskStep, steppedDisk, systemError } from '../support/steppedDisk.ts';

// Hundreds of edits on a real disk; most of the time is the disk's.
vi.setConfig({ testTimeout: 120_000 });

/** The scenario with `before` asked at every step. */
async function attempt(
  before: (step: DiskStep, world: DiskWorkspace) => void,
  check: (done: AppliedFiles, world: DiskWorkspace, steps: readonly DiskStep[]) => void | Promise<void>,
  changes: Partial<Disk> = {},
): Promise<void> {
  let world: DiskWorkspace | null = null;
  const disk = steppedDisk((step) => {
    if (world) before(step, world);
  }, changes);
  world = diskWorkspace(disk, FAST_DISK);
  try {
    fillScenario(world);
    const done = await world.files.apply(scenarioWrites());
    const { steps } = disk;
    await check(done, world, steps);
  } finally {
    world.dispose();
  }
}

async function stepsOfScenario(changes: Partial<Disk> = {}): Promise<readonly DiskStep[]> {
  let all: readonly DiskStep[] = [];
  await attempt(
    () => undefined,
    (done, world, steps) => {
      expect(done).toMatchObject({ ok: true });
      expect(scenarioState(world)).toBe('after');
      all = steps;
    },
    changes,
  );
  return all;
}

const noLinks: Partial<Disk> = { link: () => Promise.reject(systemError('ENOTSUP')) };

/** What the report says must be what is on the disk. */
function expectTrue(done: AppliedFiles, { get }: DiskWorkspace): void {
  for (const { path, outcome, hash } of done.files) {
    const bytes = get(path);
    expect(hash, path).toBe(bytes && hashOf(bytes));
    const { before, after } = scenarioTexts(path);
    if (outcome === 'changed') expect(bytes?.toString(), path).toBe(after);
    if (outcome === 'untouched' || outcome === 'restored') expect(bytes?.toString(), path).toBe(before);
    if (outcome === 'damaged') expect([before, after, undefined], path).toContain(bytes?.toString());
  }
}

const leftovers = ({ all }: DiskWorkspace): readonly string[] => all().filter((path) => !SCENARIO_PATHS.includes(path));

describe('an edit that deletes a file', () => {
  it('takes it away only when all the others are written, wherever the deletion stands in the edit', async () => {
    let world: DiskWorkspace | null = null;
    const seen: unknown[] = [];
    const disk = steppedDisk(() => {
      if (world?.get('old.txt') === null) seen.push([world.get('a.txt'), world.get('new.txt')].map(String));
    });
    world = diskWorkspace(disk, FAST_DISK);
    try {
      world.put('old.txt', Buffer.from('old\n'));
      world.put('a.txt', Buffer.from('one\n'));
      seen.length = 0;
      const writes = [
        deleting('old.txt', 'old\n'),
        writing('a.txt', 'ONE\n', 'one\n'),
        writing('new.txt', 'new\n', null),
      ];
      expect(await world.files.apply(writes)).toMatchObject({ ok: true });
      // At the first step after it is gone the others have their new bytes already.
      expect(seen[0]).toEqual(['ONE\n', 'new\n']);
    } finally {
      world.dispose();
    }
  });
});

describe('an edit of several files of which one step fails', () => {
  it.each<[string, string, Partial<Disk>]>([
    ['the disk is full', 'ENOSPC', {}],
    ['the disk reports an error', 'EIO', {}],
    ['the disk is full, where there are no hard links', 'ENOSPC', noLinks],
  ])('is undone as a whole when %s', async (_, code, changes) => {
    const steps = await stepsOfScenario(changes);
    expect(steps.length).toBeGreaterThan(40);
    for (const { index, kind, paths } of steps) {
      const label = `${code} at step ${index}: ${kind} ${paths.join(' -> ')}`;
      await attempt(
        (step) => {
          if (step.index === index) throw systemError(code);
        },
        async (done, world) => {
          const state = scenarioState(world);
          expect(state, label).toBe(done.ok ? 'after' : 'before');
          expectTrue(done, world);
          // Only what could not be removed is left, and nobody sees it.
          expect(leftovers(world).length, label).toBeLessThanOrEqual(kind === 'unlink' ? 1 : 0);
          expect(await world.files.list(), label).not.toContain(leftovers(world)[0] ?? 'none');
          if (!done.ok) expect(done.error, label).toMatch(/[.] No file of this edit is changed[.]$/);
        },
        changes,
      );
    }
  });

  it('is undone as a whole when the disk stays full from some step on, since that needs no space', async () => {
    const needsSpace = ['make', 'write', 'sync', 'mkdir', 'link', 'copyFile'];
    for (const { index } of await stepsOfScenario())
      await attempt(
        (step) => {
          if (step.index >= index && needsSpace.includes(step.kind)) throw systemError('ENOSPC');
        },
        (done, world) => {
          const damaged = done.files.filter(({ outcome }) => outcome === 'damaged');
          // A deleted file goes back under its old name by a link or, without, by a rename; neither writes data.
          if (damaged.length === 0) expect(scenarioState(world), String(index)).toBe(done.ok ? 'after' : 'before');
          expectTrue(done, world);
          expect(done.ok ? '' : done.error).not.toContain('undefined');
        },
      );
  });

  it('says which files could not be brought back and where their bytes are when the disk is lost half way', async () => {
    let damagedCount = 0;
    for (const { index } of await stepsOfScenario()) {
      let isLost = true;
      await attempt(
        (step) => {
          if (isLost && step.index >= index) throw systemError('EIO');
        },
        async (done, world) => {
          isLost = false;
          expectTrue(done, world);
          const damaged = done.files.filter(({ outcome }) => outcome === 'damaged');
          damagedCount += damaged.length;
          for (const { path, reason } of damaged) {
            expect(reason).toContain(path);
            expect(done.error).toContain(reason ?? 'no reason');
            const { before } = scenarioTexts(path);
            if (before !== undefined) expect(reason).toContain(hashOf(before));
          }
          if (damaged.length > 0) expect(await areImagesKept(world.files)).toBe(true);
        },
      );
    }
    expect(damagedCount).toBeGreaterThan(5);
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk quota is used up'],
    ['EMFILE', 'this process has too many files open'],
    ['ENFILE', 'this machine has too many files open'],
    ['EROFS', 'on a read-only disk'],
    ['EFBIG', 'larger than this system allows'],
    ['EIO', 'Check the disk'],
    ['EWEIRD', 'could not be used (EWEIRD)'],
  ])('says what %s means, and of which file', async (code, words) => {
    await attempt(
      (step) => {
        if (step.kind === 'write' && step.paths[0]?.includes('/src/.b.txt')) throw systemError(code);
      },
      (done) => {
        expect(done.error).toMatch(/^src\/b\.txt /);
        expect(done.error).toContain(words);
        expect(done.files.find(({ path }) => path === 'src/b.txt')?.reason).toContain(words);
      },
    );
  });

  it('names the file, the cause and the remedy', async () => {
    const steps = await stepsOfScenario();
    const index = steps.findIndex(({ kind, paths }) => kind === 'rename' && paths[1]?.endsWith('src/b.txt')) + 1;
    await attempt(
      (step) => {
        if (step.index === index) throw systemError('EPERM');
      },
      (done) => {
        expect(done.error).toBe(
          'src/b.txt may not be changed by this user, or is locked against changes. Change its permissions or attributes. ' +
            'Brought back to what it was: a.txt. No file of this edit is changed.',
        );
        expect(outcomes(done)).toEqual({
          'a.txt': 'restored',
          'c.txt': 'untouched',
          'new/deep/f.txt': 'untouched',
          'src/b.txt': 'untouched',
          'src/d.txt': 'untouched',
        });
      },
    );
  });
});

describe('an edit while another program is busy with its files', () => {
  const foreign = 'written by somebody else\n';

  it.each(['a.txt', 'c.txt', 'new/deep/f.txt'])(
    'never loses what is written into %s meanwhile, at whatever step',
    async (path) => {
      const steps = await stepsOfScenario();
      for (const { index, kind, paths } of steps) {
        const label = `before step ${index}: ${kind} ${paths.join(' -> ')}`;
        await attempt(
          (step, world) => {
            if (step.index === index) world.put(path, Buffer.from(foreign));
          },
          (done, world) => {
            expect(world.get(path)?.toString(), label).toBe(foreign);
            if (!done.ok) expectTrue(withoutDamage(done, path), world);
          },
        );
      }
    },
  );

  /** The file that somebody else wrote is what it is; the others are as before. */
  const withoutDamage = (done: AppliedFiles, path: string): AppliedFiles => ({
    ...done,
    files: done.files.filter((file) => file.path !== path),
  });

  it('sees a file that another program puts in the place of the one that it looked at', async () => {
    let world: DiskWorkspace | null = null;
    const disk: Disk = {
      ...realDisk,
      link: async (from, to) => {
        await realDisk.link(from, to);
        if (from !== world?.at('a.txt')) return;
        writeFileSync(world.at('a.txt~'), foreign);
        renameSync(world.at('a.txt~'), world.at('a.txt'));
      },
    };
    world = diskWorkspace(disk, FAST_DISK);
    try {
      fillScenario(world);
      const done = await world.files.apply(scenarioWrites());
      expect(done.error).toMatch(/^a\.txt was changed by somebody else since it was read/);
      expect(world.get('a.txt')?.toString()).toBe(foreign);
      expect(leftovers(world)).toEqual([]);
    } finally {
      world.dispose();
    }
  });

  it('leaves what somebody else has made of a changed file, when the edit must be undone, and says where the old is', async () => {
    for (const path of ['a.txt', 'src/b.txt', 'new/deep/f.txt', 'c.txt'])
      await attempt(
        (step, world) => {
          if (step.kind !== 'rename' || step.paths[0] !== world.at('src/d.txt')) return;
          world.put(path, Buffer.from(foreign));
          throw systemError('EIO');
        },
        (done, world) => {
          expect(world.get(path)?.toString(), path).toBe(foreign);
          expect(outcomes(done)).toMatchObject({ [path]: 'damaged', 'src/d.txt': 'untouched' });
          expectTrue(withoutDamage(done, path), world);
          expect(done.error).toContain(`${path} was `);
          expect(done.error).toContain('somebody else has changed it since');
          const { before } = scenarioTexts(path);
          expect(done.error).toContain(before === undefined ? 'Delete it if you do not want it' : hashOf(before));
        },
      );
  });

  it('waits a little for a file that is locked, as virus scanners do on Windows, and then says so', async () => {
    for (const [platform, code, tries] of [
      ['win32', 'EPERM', 3],
      ['win32', 'EACCES', 4],
      ['win32', 'EBUSY', 5],
      ['linux', 'EBUSY', 2],
    ] as const) {
      let left = tries;
      await attempt(
        (step) => {
          if (step.kind === 'rename' && step.paths[1]?.endsWith('a.txt') && left-- > 0) throw systemError(code);
        },
        (done) => expect(done, `${platform} ${code}`).toMatchObject({ ok: true }),
        { platform },
      );
    }
    await attempt(
      (step) => {
        if (step.kind === 'rename' && step.paths[1]?.endsWith('a.txt')) throw systemError('EPERM');
      },
      (done, world) => {
        expect(done.error).toContain('a.txt may not be written by this user, or another program has it open. Close it');
        expect(scenarioState(world)).toBe('before');
      },
      { platform: 'win32' },
    );
  });

  it('does not follow a folder that is swapped for a link to the outside, at whatever step', async () => {
    for (const { index, kind, paths } of await stepsOfScenario()) {
      const label = `before step ${index}: ${kind} ${paths.join(' -> ')}`;
      let isSwapped = false;
      await attempt(
        (step, world) => {
          if (step.index !== index) return;
          isSwapped = true;
          const outside = join(world.folder, 'outside');
          mkdirSync(outside);
          for (const name of ['b.txt', 'd.txt'])
            writeFileSync(join(outside, name), scenarioTexts(`src/${name}`).before ?? '');
          renameSync(world.at('src'), join(world.folder, 'src-moved'));
          symlinkSync(outside, world.at('src'));
        },
        (_done, world) => {
          if (!isSwapped) return;
          for (const name of ['b.txt', 'd.txt']) {
            const path = join(world.folder, 'outside', name);
            expect(readFileSync(path, 'utf8'), label).toBe(scenarioTexts(`src/${name}`).before);
          }
        },
      );
    }
  });

  it('does not follow a file that is swapped for a link to the outside', async () => {
    for (const { index } of await stepsOfScenario())
      await attempt(
        (step, world) => {
          if (step.index !== index) return;
          const outside = join(world.folder, 'outside.txt');
          writeFileSync(outside, scenarioTexts('a.txt').before ?? '');
          rmSync(world.at('a.txt'));
          symlinkSync(outside, world.at('a.txt'));
        },
        (_done, world) => {
          const outside = join(world.folder, 'outside.txt');
          expect(readFileSync(outside, 'utf8'), String(index)).toBe(scenarioTexts('a.txt').before);
        },
      );
  });
});

describe('an edit on disks of other systems', () => {
  it('copies a file before it writes it where only the system can keep its attributes (macOS, Windows)', async () => {
    for (const platform of ['darwin', 'win32'] as const) {
      const copied: string[] = [];
      await attempt(
        (step) => {
          if (step.kind === 'copyFile') copied.push(step.paths[0]?.split('/').at(-1) ?? '');
        },
        (done, world) => {
          expect(done.error).toBeNull();
          expect(scenarioState(world)).toBe('after');
          expect(copied).toEqual(['a.txt', 'b.txt']);
        },
        { platform },
      );
    }
  });

  it('does the same without hard links', async () => {
    await stepsOfScenario(noLinks);
    const world = diskWorkspace(steppedDisk(() => undefined, noLinks));
    try {
      world.put('a.txt', Buffer.from('a'));
      expect(await world.files.apply([writing('b.txt', 'b', null), deleting('a.txt', 'a')])).toMatchObject({
        ok: true,
      });
      expect(world.all()).toEqual(['b.txt']);
      expect(lstatSync(dirname(world.at('b.txt'))).isDirectory()).toBe(true);
    } finally {
      world.dispose();
    }
  });
});
