// Real processes that change files and are killed (kill -9) at every single step, or that want the same file at once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { realDisk } from '../../src/adapters/files/disk.ts';
import { isUnfinished } from '../../src/adapters/files/unfinished.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { AppliedFiles, FileWrite } from '../../src/engine/ports.ts';
import type { ApplyTask } from '../support/applyChild.ts';
import {
  areImagesKept,
  fillScenario,
  SCENARIO_PATHS,
  scenarioState,
  scenarioTexts,
  scenarioWrites,
} from '../support/applyScenario.ts';
import { type DiskWorkspace, diskWorkspace, FAST_DISK } from '../support/diskWorkspace.ts';
import { hashOf, writing } from '../support/fileContract.ts';
import { seededRandom } from '../support/random.ts';

// Hundreds of edits on a real disk; most of the time is the disk's.
vi.setConfig({ testTimeout: 120_000 });

const CHILD = join(mkdtempSync(join(tmpdir(), 'belay-child-')), 'applyChild.mjs');

beforeAll(() => {
  // Bundled, since several hundred of them are started.
  const entryPoints = [join(import.meta.dirname, '../support/applyChild.ts')];
  buildSync({ entryPoints, outfile: CHILD, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
});
afterAll(() => rmSync(dirname(CHILD), { recursive: true }));

interface Ended {
  readonly signal: string | null;
  readonly results: readonly AppliedFiles[];
  /** The paths of every step. */
  readonly steps: readonly (readonly string[])[];
}

interface Started {
  readonly child: ChildProcess;
  /** It has said something. */
  readonly ready: Promise<unknown>;
  readonly ended: Promise<Ended>;
}

function start(task: ApplyTask): Started {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ready = once(child.stdout, 'data');
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (_code, signal) => {
      const line = output.split('\n').find((each) => each.startsWith('{'));
      // What the child prints.
      const { results, steps } = (line === undefined ? { results: [], steps: [] } : JSON.parse(line)) as Ended;
      resolve({ signal, results, steps });
    }),
  );
  return { child, ready, ended };
}

function taskIn(world: DiskWorkspace, more: Partial<ApplyTask> = {}): ApplyTask {
  const { root, beforeDirectory } = world;
  return { root, beforeDirectory, edits: [scenarioWrites()], killAtStep: null, ...more };
}

async function inWorld(work: (world: DiskWorkspace) => Promise<void>): Promise<void> {
  const world = diskWorkspace(undefined, FAST_DISK);
  try {
    await work(world);
  } finally {
    world.dispose();
  }
}

/** Files that are not of the scenario. */
const others = (world: DiskWorkspace): readonly string[] =>
  world.all().filter((path) => !SCENARIO_PATHS.includes(path));

/** After a crash: each file old or new, the old bytes kept, and the next edit works and leaves nothing of the crash. */
async function expectSurvived(world: DiskWorkspace, label: string): Promise<void> {
  const state = scenarioState(world);
  if (typeof state !== 'string')
    for (const path of SCENARIO_PATHS) expect(state[path], `${label}: ${path}`).not.toBe('neither');
  expect(
    others(world).every((path) => isUnfinished(path.split('/').at(-1) ?? '')),
    label,
  ).toBe(true);
  expect(await world.files.list(), label).toEqual(world.all().filter((path) => SCENARIO_PATHS.includes(path)));
  if (state !== 'before') expect(await areImagesKept(world.files), label).toBe(true);
  const next = ['a.txt', 'src/b.txt', 'new/deep/f.txt', 'src/none.txt'].map((path): FileWrite => {
    const bytes = world.get(path);
    return writing(path, 'after the crash', bytes);
  });
  expect(await world.files.apply(next), label).toMatchObject({ ok: true });
  expect(others(world), label).toEqual(['src/none.txt']);
}

describe('a process that is killed while it changes several files', () => {
  it.each([false, true])(
    'leaves every file old or new at every step, and nothing that stays (without hard links: %s)',
    { timeout: 300_000 },
    async (withoutLinks) => {
      let kills: readonly number[] = [];
      await inWorld(async (world) => {
        fillScenario(world);
        const whole = await start(taskIn(world, { withoutLinks })).ended;
        expect(whole.results).toMatchObject([{ ok: true }]);
        const isInWorkspace = (paths: readonly string[]): boolean =>
          paths.some((path) => path.startsWith(`${world.root}/`) || path === world.root);
        // Every step in the workspace; of those in the store of images, which are tested by themselves, some.
        kills = whole.steps.flatMap((paths, i) => (isInWorkspace(paths) || i % 5 === 0 ? [i + 1] : []));
      });
      expect(kills.length).toBeGreaterThan(40);
      const states = new Set<string>();
      for (const killAtStep of kills)
        await inWorld(async (world) => {
          fillScenario(world);
          const { signal } = await start(taskIn(world, { killAtStep, withoutLinks })).ended;
          expect(signal, String(killAtStep)).toBe('SIGKILL');
          states.add(JSON.stringify(scenarioState(world)));
          await expectSurvived(world, `killed before step ${killAtStep}`);
        });
      // It was really killed in between: before, after, and after each single file.
      expect(states.size).toBe(6);
    },
  );

  it('leaves every file old or new at random moments', { timeout: 120_000 }, async () => {
    const random = seededRandom(4);
    for (let i = 0; i < 12; i++)
      await inWorld(async (world) => {
        fillScenario(world);
        const { child, ready, ended } = start(taskIn(world, { isHeld: true }));
        await ready;
        child.stdin?.write('go\n');
        const waitMs = random.next() * 25;
        const from = performance.now();
        while (performance.now() - from < waitMs) await new Promise((resolve) => setImmediate(resolve));
        child.kill('SIGKILL');
        await ended;
        await expectSurvived(world, `killed after ${waitMs} ms`);
      });
  });
});

describe('what a dead process left behind', () => {
  const NAME = /^\.a\.txt\.[0-9a-f]{8}\.[0-9a-f]{8}-\d+-[0-9a-f]{18}\.(new|old)\.belay-tmp$/;

  async function leave(world: DiskWorkspace): Promise<readonly string[]> {
    world.put('a.txt', Buffer.from('one\n'));
    const edits = [[writing('a.txt', 'two\n', 'one\n')]];
    await start(taskIn(world, { edits, killAtStep: 'rename .*/a[.]txt$' })).ended;
    return readdirSync(world.root).filter((name) => isUnfinished(name));
  }

  it('is not listed, and goes with the next write in its folder, though its second name made the file a hard link', async () => {
    await inWorld(async (world) => {
      const left = await leave(world);
      expect(left).toHaveLength(2);
      for (const name of left) expect(name).toMatch(NAME);
      expect(await world.files.list()).toEqual(['a.txt']);
      const now = world.get('a.txt');
      expect(await world.files.apply([writing('a.txt', 'three\n', now)])).toMatchObject({ ok: true });
      expect(world.all()).toEqual(['a.txt']);
    });
  });

  it('goes with the next sweep where it was seen in a folder in which nobody writes', async () => {
    await inWorld(async (world) => {
      await leave(world);
      await world.files.list();
      expect(await world.files.sweepImages(new Set())).toMatchObject({ ok: true });
      expect(world.all()).toEqual(['a.txt']);
    });
  });

  it('of a deletion is kept as an image before it goes, since it may be the last of its bytes', async () => {
    await inWorld(async (world) => {
      const left = await leave(world);
      const old = left.find((name) => name.includes('.old.')) ?? '';
      writeFileSync(world.at(old), 'nobody has these bytes elsewhere');
      expect(await world.files.apply([writing('b.txt', 'b', null)])).toMatchObject({ ok: true });
      expect(existsSync(world.at(old))).toBe(false);
      expect(await world.files.image(hashOf('nobody has these bytes elsewhere'))).toMatchObject({ ok: true });
    });
  });

  it('is told from files of the user by its whole name, and those are left alone and listed', async () => {
    await inWorld(async (world) => {
      const [left = ''] = await leave(world);
      const names = [
        'notes.belay-tmp',
        '.a.txt.belay-tmp',
        `x${left}`,
        left.replace('.belay-tmp', ''),
        left.replace(/[0-9a-f]{18}/, 'xyz'),
      ];
      for (const name of names) world.put(name, Buffer.from('mine'));
      expect(await world.files.apply([writing('b.txt', 'b', null)])).toMatchObject({ ok: true });
      expect(world.all()).toEqual(['a.txt', 'b.txt', ...names].sort());
      expect(await world.files.list()).toEqual(['a.txt', 'b.txt', ...names].sort());
    });
  });

  it('of a machine that cannot be asked stays for a minute, and holds its target up', async () => {
    await inWorld(async (world) => {
      world.put('a.txt', Buffer.from('one\n'));
      const [left = ''] = await leave(world);
      const foreign = left.replace(/\.[0-9a-f]{8}-/, '.00000000-');
      world.put(foreign, Buffer.from(''));
      const now = world.get('a.txt');
      const { root, beforeDirectory } = world;
      const hasty = { ...realDisk, pause: () => Promise.resolve() };
      const busy = await workspaceFiles({ root, beforeDirectory }, hasty).apply([writing('a.txt', 'x', now)]);
      expect(busy.error).toContain('a.txt is being changed by another Belay process');
      expect(world.get('a.txt')).toEqual(now);
      expect(world.all()).toEqual([foreign, 'a.txt'].sort());
      expect(await world.files.apply([writing('b.txt', 'x', null)])).toMatchObject({ ok: true });
    });
  });
});

describe('several processes that change the same file', () => {
  it('let exactly one win each time, and none deadlocks', { timeout: 120_000 }, async () => {
    const rounds = 40;
    await inWorld(async (world) => {
      world.put('a.txt', Buffer.from('round 0'));
      world.put('b.txt', Buffer.from('round 0'));
      // Whoever wins a round writes the text that all expect in the next one. Half of them name the files the other way.
      const edits = Array.from({ length: rounds }, (_, i) =>
        ['a.txt', 'b.txt'].map((path) => writing(path, `round ${i + 1}`, `round ${i}`)),
      );
      const children = Array.from({ length: 4 }, (_, i) =>
        start(taskIn(world, { isHeld: true, edits: i % 2 === 0 ? edits : edits.map((edit) => [...edit].reverse()) })),
      );
      await Promise.all(children.map(({ ready }) => ready));
      for (const { child } of children) child.stdin?.write('go\n');
      const all = await Promise.all(children.map(({ ended }) => ended));
      for (let i = 0; i < rounds; i++) expect(all.filter(({ results }) => results[i]?.ok).length, String(i)).toBe(1);
      expect(new Set(all.map(({ results }) => results.filter(({ ok }) => ok).length)).size).toBeGreaterThan(1);
      expect(['a.txt', 'b.txt'].map((path) => readFileSync(world.at(path), 'utf8'))).toEqual(
        Array(2).fill(`round ${rounds}`),
      );
      expect(world.all()).toEqual(['a.txt', 'b.txt']);
    });
  });
});

describe('files with several names', () => {
  it('are refused, since a replaced file would no longer be the same under its other names', async () => {
    await inWorld(async (world) => {
      world.put('a.txt', Buffer.from('one\n'));
      linkSync(world.at('a.txt'), world.at('b.txt'));
      utimesSync(world.at('a.txt'), 0, 0);
      const done = await world.files.apply([writing('a.txt', 'two\n', 'one\n')]);
      expect(done.error).toContain('a.txt has other names on the disk (hard links) and was not changed');
      expect([world.get('a.txt'), world.get('b.txt')].map(String)).toEqual(['one\n', 'one\n']);
      expect(await world.files.apply([{ kind: 'delete', path: 'a.txt', expectedHash: hashOf('one\n') }])).toMatchObject(
        { ok: true },
      );
      expect(scenarioTexts('a.txt').before).toBe(world.get('b.txt')?.toString());
    });
  });
});
