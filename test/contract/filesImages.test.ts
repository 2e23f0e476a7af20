// The store of before-images on a real disk: what it costs, what it notices, what it forgets.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realDisk } from '../../src/adapters/files/disk.ts';
import { type ImageStore, imageStore } from '../../src/adapters/files/imageStore.ts';
import { type DiskWorkspace, diskWorkspace, FAST_DISK, filesBelow } from '../support/diskWorkspace.ts';
import { hashOf, writing } from '../support/fileContract.ts';
import { must } from '../support/memoryEntries.ts';
import { seededRandom } from '../support/random.ts';
import { steppedDisk, systemError } from '../support/steppedDisk.ts';

// Hundreds of edits on a real disk; most of the time is the disk's.
vi.setConfig({ testTimeout: 120_000 });

let world: DiskWorkspace;
let store: ImageStore;
beforeEach(() => {
  world = diskWorkspace(undefined, FAST_DISK);
  store = imageStore(world.beforeDirectory, realDisk);
});
afterEach(() => world.dispose());

const kept = (): readonly string[] => (existsSync(world.beforeDirectory) ? filesBelow(world.beforeDirectory) : []);
/** What the store takes on a disk of 4 KiB blocks. */
const sizeBytes = (): number =>
  kept().reduce((sum, path) => sum + Math.ceil(statSync(join(world.beforeDirectory, path)).size / 4096) * 4096, 0);
const save = async (path: string, bytes: Uint8Array): Promise<string> => {
  world.put(path, bytes);
  return (await store.keepFile(world.at(path), path)) ?? '';
};
const age = (path: string): void => utimesSync(path, 1000, 1000);
const ageAll = (): void => kept().forEach((path) => age(join(world.beforeDirectory, path)));

/** Bytes as source code has them: words that repeat, not noise and not zeros. */
function sourceText(random: { next(): number }, length: number): Buffer {
  const words = Array.from({ length: 300 }, () => Math.floor(random.next() * 2 ** 40).toString(36));
  let text = '';
  while (text.length < length)
    text += `${words[Math.floor(random.next() * words.length)] ?? ''}${' \n'[text.length % 2] ?? ''}`;
  return Buffer.from(text.slice(0, length));
}

describe('the store of before-images', () => {
  it('keeps equal bytes once, compressed, for this user only', async () => {
    const text = sourceText(seededRandom(1), 50_000);
    const hash = await save('a.txt', text);
    expect(await save('b.txt', text)).toBe(hash);
    expect(hash).toBe(hashOf(text));
    expect(kept()).toEqual([`images/${hash.slice(0, 2)}/${hash}`]);
    const file = join(world.beforeDirectory, kept()[0] ?? '');
    expect(statSync(file).size).toBeLessThan(text.length / 2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const folder of ['.', 'images', `images/${hash.slice(0, 2)}`])
      expect(statSync(join(world.beforeDirectory, folder)).mode & 0o077, folder).toBe(0);
    expect(await store.read(hash)).toEqual(text);
  });

  it.each([0, 1, 131_071, 131_072, 131_073, 400_000, 3_000_000])('gives %i bytes back as they were', async (length) => {
    const random = seededRandom(length);
    const noise = Buffer.from(Array.from({ length }, () => Math.floor(random.next() * 256)));
    const hash = await save('a.bin', noise);
    expect(await store.has(hash)).toBe(true);
    const again = imageStore(world.beforeDirectory, realDisk);
    expect(await again.has(hash)).toBe(true);
    expect((await again.read(hash)).equals(noise)).toBe(true);
    // What cannot be compressed is not blown up either.
    expect(kept().reduce((sum, path) => sum + statSync(join(world.beforeDirectory, path)).size, 0)).toBeLessThan(
      length * 1.01 + 200,
    );
  });

  it(
    'does not copy a large file for a small edit, wherever the edit is and whatever it moves',
    { timeout: 120_000 },
    async () => {
      const random = seededRandom(2);
      let text = sourceText(random, 6 * 1024 * 1024);
      const hashes = [await save('large.txt', text)];
      const first = sizeBytes();
      const edits = 40;
      for (let i = 0; i < edits; i++) {
        const at = Math.floor(random.next() * text.length);
        text = Buffer.concat([text.subarray(0, at), Buffer.from(`edit ${i}`), text.subarray(at + (i % 3) * 5)]);
        hashes.push(await save('large.txt', text));
      }
      expect(new Set(hashes).size).toBe(edits + 1);
      // Measured: about 50 KB an edit on disk of a file of 6 MB. 500 edits of 20 MB stay far below 50 MB.
      expect((sizeBytes() - first) / edits).toBeLessThan(90_000);
      expect((await store.read(hashes.at(-1) ?? '')).equals(text)).toBe(true);
      expect(await store.read(hashes[0] ?? '')).toHaveLength(6 * 1024 * 1024);
    },
  );

  it('notices an image that is damaged, in any byte, and never hands it out', async () => {
    const bytes = sourceText(seededRandom(3), 3000);
    const hash = await save('a.txt', bytes);
    const file = join(world.beforeDirectory, kept()[0] ?? '');
    const good = readFileSync(file);
    for (let i = 0; i < good.length; i += 7) {
      const bad = Buffer.from(good);
      bad[i] = (bad[i] ?? 0) ^ 0x10;
      writeFileSync(file, bad);
      await expect(store.read(hash), String(i)).rejects.toThrow(
        /kept bytes in \S+ are damaged and are not used.*Git\.$/,
      );
    }
    for (const bad of [Buffer.alloc(0), good.subarray(0, 20), good.subarray(0, -1)]) {
      writeFileSync(file, bad);
      await expect(store.read(hash)).rejects.toThrow(/damaged/);
    }
    const { files } = world;
    expect(await files.image(hash)).toMatchObject({ ok: false, error: expect.stringMatching(/damaged/) as string });
    const write = { kind: 'write', path: 'b.txt', content: { kind: 'image', hash }, expectedHash: null } as const;
    expect(await files.apply([write])).toMatchObject({ ok: false, error: expect.stringMatching(/damaged/) as string });
    expect(world.all()).toEqual(['a.txt']);
    // The same bytes once more mend it.
    expect(await imageStore(world.beforeDirectory, realDisk).keepFile(world.at('a.txt'), 'a.txt')).toBe(hash);
    expect(await store.read(hash)).toEqual(bytes);
  });

  it('notices a part of a large image that is damaged, gone or another one, and mends it with the same bytes', async () => {
    const bytes = sourceText(seededRandom(4), 900_000);
    const hash = await save('a.txt', bytes);
    const parts = kept().filter((path) => path.startsWith('parts/'));
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      const file = join(world.beforeDirectory, part);
      const good = readFileSync(file);
      const other = join(world.beforeDirectory, parts.find((each) => each !== part) ?? '');
      for (const spoil of [
        () => writeFileSync(file, Buffer.concat([good.subarray(0, -1), Buffer.from([0x55])])),
        () => rmSync(file),
        () => writeFileSync(file, readFileSync(other)),
      ]) {
        spoil();
        await expect(store.read(hash), part).rejects.toThrow(/damaged|gone/);
        const fresh = imageStore(world.beforeDirectory, realDisk);
        expect(await fresh.has(hash), part).toBe(false);
        expect(await fresh.keepFile(world.at('a.txt'), 'a.txt')).toBe(hash);
        expect((await store.read(hash)).equals(bytes), part).toBe(true);
      }
    }
  });

  it('refuses what is no hash, so that no other file is read', async () => {
    writeFileSync(join(world.folder, 'secret'), 'x');
    for (const hash of ['', '../../secret', 'f'.repeat(63), `${'f'.repeat(64)}/..`, 'F'.repeat(64)])
      expect(await world.files.image(hash)).toMatchObject({ ok: false });
  });

  it('is whole at every step of keeping an image: there or not there', async () => {
    const bytes = sourceText(seededRandom(5), 300_000);
    world.put('a.txt', bytes);
    for (let failAt = 1; ; failAt++) {
      const folder = join(world.folder, `before-${failAt}`);
      const disk = steppedDisk(({ index }) => {
        if (index === failAt) throw systemError('ENOSPC');
      });
      const broken = imageStore(folder, disk);
      const isKept = await broken.keepFile(world.at('a.txt'), 'a.txt').then(
        () => true,
        () => false,
      );
      const hash = hashOf(bytes);
      const after = imageStore(folder, realDisk);
      if (await after.has(hash)) expect((await after.read(hash)).equals(bytes)).toBe(true);
      else expect(isKept).toBe(false);
      if (isKept) {
        expect(failAt).toBeGreaterThan(10);
        break;
      }
    }
  });
});

describe('sweeping images', () => {
  it('removes what is not named and not young, and tells how much that was', async () => {
    const [a, b, c] = [
      await save('a', Buffer.from('a')),
      await save('b', Buffer.from('b')),
      await save('c', Buffer.from('c')),
    ];
    ageAll();
    const young = await save('d', Buffer.from('d'));
    const before = kept().length;
    const freed = await store.sweep(new Set([b]));
    expect(freed).toBeGreaterThan(50);
    expect(kept().length).toBe(before - 2);
    for (const hash of [b, young]) expect(await store.has(hash)).toBe(true);
    for (const hash of [a, c]) await expect(store.read(hash)).rejects.toThrow(/not kept \(any more\)/);
  });

  it('takes an image that was asked for or kept again as young, whoever did', async () => {
    const [a, b] = [await save('a', Buffer.from('a')), await save('b', Buffer.from('b'))];
    ageAll();
    const other = imageStore(world.beforeDirectory, realDisk);
    expect(await other.has(a)).toBe(true);
    await other.keepFile(world.at('b'), 'b');
    expect(await store.sweep(new Set())).toBe(0);
    expect(await store.has(a)).toBe(true);
    expect(await store.has(b)).toBe(true);
  });

  it('removes the parts of large images that no remaining image shares', async () => {
    const random = seededRandom(6);
    const old = sourceText(random, 1_000_000);
    const first = await save('a', old);
    const changed = Buffer.concat([old.subarray(0, 500_000), Buffer.from('!'), old.subarray(500_000)]);
    const second = await save('a', changed);
    ageAll();
    expect(await store.sweep(new Set([second]))).toBeGreaterThan(0);
    expect((await store.read(second)).equals(changed)).toBe(true);
    await expect(store.read(first)).rejects.toThrow(/not kept/);
    expect(await store.sweep(new Set())).toBeGreaterThan(0);
    expect(kept()).toEqual([]);
  });

  it('keeps all parts when an image that stays cannot be read, and says so', async () => {
    const hash = await save('a', sourceText(seededRandom(7), 500_000));
    await save('b', sourceText(seededRandom(8), 500_000));
    ageAll();
    const top = join(world.beforeDirectory, kept().find((path) => path.endsWith(`${hash}.parts`)) ?? '');
    writeFileSync(top, 'rubbish');
    age(top);
    const parts = kept().filter((path) => path.startsWith('parts/'));
    await expect(store.sweep(new Set([hash]))).rejects.toThrow(/damaged/);
    expect(kept().filter((path) => path.startsWith('parts/'))).toEqual(parts);
    expect(await world.files.sweepImages(new Set([hash]))).toMatchObject({ ok: false });
  });

  it('puts an image back that was asked for in the moment it is removed', async () => {
    const hash = await save('a', Buffer.from('a'));
    ageAll();
    const path = join(world.beforeDirectory, kept()[0] ?? '');
    const disk = steppedDisk(({ kind, paths }) => {
      if (kind === 'rename' && paths[0] === path) utimesSync(path, new Date(), new Date());
    });
    expect(await imageStore(world.beforeDirectory, disk).sweep(new Set())).toBe(0);
    expect(await store.has(hash)).toBe(true);
  });

  it('leaves files alone that are not of the store', async () => {
    await save('a', Buffer.from('a'));
    const folder = join(world.beforeDirectory, 'images', 'ab');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    ageAll();
    await store.sweep(new Set());
    expect(kept()).toEqual(['images/ab/notes.txt']);
    renameSync(join(folder, 'notes.txt'), join(world.folder, 'notes.txt'));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('500 checkpoints of a repository whose files change', () => {
  // The bound of the issue (2 GB, less than the changed bytes and 50 MB) does not depend on the size of the repository: only
  // changed files are kept. So the repository is scaled to 40 MB (4,000 files) and one large file, the checkpoints are not.
  it('cost less than the changed bytes, and little for small edits of a large file', { timeout: 300_000 }, async () => {
    const random = seededRandom(9);
    const pool = sourceText(random, 2_000_000);
    const size = (): number => 500 + Math.floor(random.next() ** 3 * 60_000);
    const paths = Array.from({ length: 4000 }, (_, i) => `src/${i % 40}/file${i}.ts`);
    for (const path of paths) {
      const at = Math.floor(random.next() * 1_900_000);
      world.put(path, pool.subarray(at, at + size()));
    }
    world.put('data/large.json', pool);
    let changedBytes = 0;
    for (let i = 0; i < 500; i++) {
      const some = Array.from({ length: 4 }, () => paths[Math.floor(random.next() * paths.length)] ?? '');
      if (i % 10 === 0) some.push('data/large.json');
      const edit = [...new Set(some)].map((path) => {
        const old = world.get(path) ?? Buffer.from('');
        changedBytes += path.startsWith('data') ? 0 : old.length;
        const at = Math.floor(random.next() * old.length);
        return writing(path, `${old.toString('latin1', 0, at)}edit ${i}${old.toString('latin1', at)}`, old);
      });
      expect(await world.files.apply(edit)).toMatchObject({ ok: true });
    }
    // The large file was changed 50 times, 100 MB in all: not counted, and it must cost next to nothing.
    expect(changedBytes).toBeGreaterThan(20_000_000);
    const cost = sizeBytes();
    expect(cost).toBeLessThan(changedBytes * 0.8 + 5_000_000);
    expect(must(await world.files.sweepImages(new Set())).freedBytes).toBe(0);
  });
});
