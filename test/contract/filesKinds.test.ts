// What the file port keeps of a file besides its text, what it never opens, and what it says of files that may not or cannot
// be changed: on a real disk, as another user, on a full disk, with no handles left.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realDisk } from '../../src/adapters/files/disk.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { AppliedFiles, FilePort, FileWrite, Result } from '../../src/engine/ports.ts';
import { type DiskWorkspace, diskWorkspace } from '../support/diskWorkspace.ts';
import { deleting, hashOf, writing } from '../support/fileContract.ts';
import { must } from '../support/memoryEntries.ts';
import { canMount, mountedDisk } from '../support/mounts.ts';

// Hundreds of edits on a real disk; most of the time is the disk's.
vi.setConfig({ testTimeout: 60_000 });

let world: DiskWorkspace;
let files: FilePort;
beforeEach(() => {
  world = diskWorkspace();
  files = world.files;
  world.put('a.txt', Buffer.from('one\n'));
});
afterEach(() => world.dispose());

const isRoot = process.getuid?.() === 0;
/** Somebody else can be played, and can reach this checkout: not where it lies in a folder of its owner's own. */
const hasOther = isRoot && spawnSync(process.execPath, ['--version'], { uid: 65534, gid: 65534 }).status === 0;
const errorOf = <T>(result: Result<T, string>): string => (result.ok ? 'none' : result.error);
const changeOfA = (): FileWrite => writing('a.txt', 'two\n', 'one\n');

/** The edit as another process with other rights sees it. */
function applyElsewhere(
  port: { readonly root: string; readonly beforeDirectory: string },
  edit: readonly FileWrite[],
  { uid, prefix = '' }: { readonly uid?: number; readonly prefix?: string },
): AppliedFiles {
  const folder = mkdtempSync(join(tmpdir(), 'belay-child-'));
  try {
    chmodSync(folder, 0o755);
    const child = join(folder, 'child.mjs');
    const entryPoints = [join(import.meta.dirname, '../support/applyChild.ts')];
    buildSync({ entryPoints, outfile: child, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
    const task = JSON.stringify({ ...port, edits: [edit], killAtStep: null });
    const script = `${prefix} exec "$0" "$1" "$2"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, child, task], {
      encoding: 'utf8',
      ...(uid !== undefined && { uid, gid: uid }),
    });
    const line = stdout.split('\n').find((each) => each.startsWith('{'));
    if (line === undefined) throw new Error(`the child said nothing: ${stderr}`);
    // What the child prints.
    const [done] = (JSON.parse(line) as { readonly results: readonly AppliedFiles[] }).results;
    if (!done) throw new Error('the child did nothing');
    return done;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('what a file keeps when its text changes', () => {
  it.each([0o644, 0o600, 0o755, 0o751, 0o200, 0o4755, 0o2711, 0o1644])('its mode: %o', async (mode) => {
    chmodSync(world.at('a.txt'), mode);
    expect(await files.apply([changeOfA()])).toMatchObject({ ok: true });
    expect(statSync(world.at('a.txt')).mode & 0o7777).toBe(mode);
    expect(must(await files.look('a.txt')).mode).toBe(mode);
  });

  it.skipIf(!isRoot)('its owner and group, with the bits that chown clears', async () => {
    chownSync(world.at('a.txt'), 1234, 4321);
    chmodSync(world.at('a.txt'), 0o6755);
    expect(await files.apply([changeOfA()])).toMatchObject({ ok: true });
    expect(statSync(world.at('a.txt'))).toMatchObject({ uid: 1234, gid: 4321 });
    expect(statSync(world.at('a.txt')).mode & 0o7777).toBe(0o6755);
  });

  it.skipIf(!hasOther)('not the bits that lend rights, where its owner cannot be kept', () => {
    chmodSync(world.folder, 0o777);
    for (const folder of [world.root, world.folder]) chmodSync(folder, 0o777);
    chownSync(world.at('a.txt'), 1234, 1234);
    chmodSync(world.at('a.txt'), 0o6777);
    expect(applyElsewhere(world, [changeOfA()], { uid: 65534 })).toMatchObject({ ok: true });
    expect(statSync(world.at('a.txt'))).toMatchObject({ uid: 65534, gid: 65534 });
    expect(statSync(world.at('a.txt')).mode & 0o7777).toBe(0o777);
  });

  it('its line endings, whatever they are', async () => {
    const mixed = 'a\r\nb\nc\rd';
    world.put('a.txt', Buffer.from(mixed));
    const { text, format } = must(await files.read('a.txt'));
    expect(text).toBe(mixed);
    expect(await files.apply([writing('a.txt', text.replace('b', 'B'), mixed, format)])).toMatchObject({ ok: true });
    expect(world.get('a.txt')?.toString()).toBe('a\r\nB\nc\rd');
  });

  it('nothing of a file that is made: it gets the mode that is asked for, else that of the user', async () => {
    const made = (path: string, mode?: number): FileWrite => {
      const write = writing(path, 'x', null);
      return write.kind === 'write' && mode !== undefined ? { ...write, mode } : write;
    };
    const umask = process.umask(0o027);
    try {
      expect(await files.apply([made('new.txt'), made('run.sh', 0o755)])).toMatchObject({ ok: true });
    } finally {
      process.umask(umask);
    }
    expect(statSync(world.at('new.txt')).mode & 0o7777).toBe(0o640);
    expect(statSync(world.at('run.sh')).mode & 0o7777).toBe(0o755);
  });
});

describe('what is no plain file', () => {
  it('is told and never opened: a pipe, a socket, a device, a folder', async () => {
    execFileSync('mkfifo', [world.at('pipe')]);
    const server = createServer().listen(world.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    mkdirSync(world.at('folder'));
    const made = spawnSync('mknod', [world.at('device'), 'c', '1', '3']).status === 0 ? ['device'] : [];
    try {
      for (const path of ['pipe', 'socket', ...made]) {
        expect(must(await files.look(path))).toMatchObject({ kind: 'other', hash: null });
        for (const work of ['read', 'saveBefore'] as const)
          expect(errorOf<unknown>(await files[work](path)), path).toMatch(
            /is a device, a pipe or a socket and was not/,
          );
        expect((await files.apply([writing(path, 'x', null)])).error).toMatch(/is a device, a pipe or a socket/);
        expect((await files.apply([deleting(path, '')])).error).toMatch(/is a device, a pipe or a socket/);
      }
      expect(errorOf(await files.read('folder'))).toMatch(/^folder is a folder\. Name a file\.$/);
      expect((await files.apply([writing('folder', 'x', null)])).error).toMatch(/folder is a folder/);
      expect((await files.apply([deleting('folder', '')])).error).toMatch(/folder is a folder/);
    } finally {
      server.close();
    }
    expect(readdirSync(world.root)).toContain('pipe');
  });

  it('is refused as a text: binary, undecodable, too large', async () => {
    world.put('bin', Buffer.from([0x7f, 0x45, 0, 1]));
    world.put('odd.txt', Buffer.from([0xff, 0xfe, 0x41]));
    world.put('control.txt', Buffer.from([0x01, 0xe9]));
    world.put('large.txt', Buffer.from(''));
    truncateSync(world.at('large.txt'), 33 * 1024 * 1024);
    expect(errorOf(await files.read('bin'))).toMatch(/^bin is a binary file\. Only text files can be/);
    for (const path of ['odd.txt', 'control.txt'])
      expect(errorOf(await files.read(path))).toMatch(/is in an encoding that could not be told.*Convert it to UTF-8/);
    expect(errorOf(await files.read('large.txt'))).toMatch(/large\.txt is larger than 32 MiB and was not touched/);
    const { hash, sizeBytes } = must(await files.look('large.txt'));
    expect(sizeBytes).toBe(33 * 1024 * 1024);
    const shrink: FileWrite = { ...writing('large.txt', 'x', null), expectedHash: hash ?? '' };
    expect((await files.apply([shrink])).error).toMatch(/larger than 32 MiB/);
    const huge = writing('new.txt', 'x'.repeat(33 * 1024 * 1024), null);
    expect((await files.apply([huge])).error).toMatch(/new text for new\.txt is larger than 32 MiB/);
    expect(statSync(world.at('large.txt')).size).toBe(33 * 1024 * 1024);
    const sparse = world.at('sparse');
    writeFileSync(sparse, '');
    truncateSync(sparse, 300 * 1024 * 1024);
    expect(errorOf(await files.saveBefore('sparse'))).toMatch(/larger than 256 MiB/);
  });
});

describe('what may not be changed', () => {
  it('is a write-protected file: it is neither written nor deleted, also by root', async () => {
    chmodSync(world.at('a.txt'), 0o444);
    for (const write of [changeOfA(), deleting('a.txt', 'one\n')])
      expect((await files.apply([write])).error).toMatch(/a\.txt is write-protected.*Allow writing to it first\.$/);
    expect(world.get('a.txt')?.toString()).toBe('one\n');
  });

  it.skipIf(!hasOther)("is somebody else's file, and a file in somebody else's folder", () => {
    chmodSync(world.folder, 0o777);
    chmodSync(world.root, 0o777);
    chmodSync(world.at('a.txt'), 0o644);
    expect(applyElsewhere(world, [changeOfA()], { uid: 65534 }).error).toMatch(
      /^a\.txt may not be read or written by this user\. Change its permissions/,
    );
    chmodSync(world.root, 0o755);
    chmodSync(world.at('a.txt'), 0o666);
    expect(applyElsewhere(world, [changeOfA()], { uid: 65534 }).error).toMatch(/those of its folder/);
    expect(applyElsewhere(world, [writing('new.txt', 'x', null)], { uid: 65534 }).error).toMatch(
      /^new\.txt may not be/,
    );
    expect(applyElsewhere(world, [deleting('a.txt', 'one\n')], { uid: 65534 }).error).toMatch(/^a\.txt may not be/);
    expect(world.all()).toEqual(['a.txt']);
    expect(world.get('a.txt')?.toString()).toBe('one\n');
  });

  it.skipIf(!isRoot || spawnSync('chattr', ['-V']).error !== undefined)('is an immutable file', async () => {
    const isSet = spawnSync('chattr', ['+i', world.at('a.txt')]).status === 0;
    try {
      const done = await files.apply([writing('b.txt', 'x', null), changeOfA()]);
      if (isSet) {
        expect(done.error).toMatch(/a\.txt may not be changed by this user, or is locked against changes/);
        expect(world.all()).toEqual(['a.txt']);
      }
    } finally {
      spawnSync('chattr', ['-i', world.at('a.txt')]);
    }
  });

  it.skipIf(!canMount)('is a read-only disk', async () => {
    const mounted = mountedDisk('size=1m');
    if (!mounted) throw new Error('no disk');
    try {
      const there = diskWorkspace(realDisk, mounted.path);
      there.put('a.txt', Buffer.from('one\n'));
      mounted.remount('ro');
      const port = workspaceFiles({ root: there.root, beforeDirectory: world.beforeDirectory });
      for (const write of [changeOfA(), writing('b.txt', 'x', null), deleting('a.txt', 'one\n')])
        expect((await port.apply([write])).error).toMatch(new RegExp(`^${write.path} is on a read-only disk\\. Make`));
      expect(must(await port.read('a.txt')).text).toBe('one\n');
    } finally {
      mounted.dispose();
    }
  });
});

describe('a disk that is full', () => {
  it.skipIf(!canMount)('changes nothing, says so, and is used again when there is space', async () => {
    const mounted = mountedDisk('size=200k');
    if (!mounted) throw new Error('no disk');
    try {
      const there = diskWorkspace(realDisk, mounted.path);
      const big = 'x'.repeat(60_000);
      there.put('a.txt', Buffer.from('one\n'));
      there.put('b.txt', Buffer.from(big));
      const port = workspaceFiles({ root: there.root, beforeDirectory: world.beforeDirectory });
      const edit = [changeOfA(), writing('b.txt', `${big}${big}`, big), writing('new/c.txt', big, null)];
      const done = await port.apply(edit);
      expect(done.error).toBe(
        'new/c.txt could not be written since the disk is full. Free some space and try again. No file of this edit is changed.',
      );
      expect(there.all()).toEqual(['a.txt', 'b.txt']);
      expect([there.get('a.txt')?.toString(), there.get('b.txt')?.length]).toEqual(['one\n', 60_000]);
      mounted.remount('size=2m');
      expect(await port.apply(edit)).toMatchObject({ ok: true });
    } finally {
      mounted.dispose();
    }
  });

  it.skipIf(!canMount)(
    'where the images are kept: the file is left alone, and the message says which disk',
    async () => {
      const mounted = mountedDisk('size=64k');
      if (!mounted) throw new Error('no disk');
      try {
        const port = workspaceFiles({ root: world.root, beforeDirectory: join(mounted.path, 'before') });
        const noise = Buffer.from(Array.from({ length: 9000 }, (_, i) => hashOf(String(i))).join(''));
        world.put('b.txt', noise);
        for (const error of [
          errorOf(await port.saveBefore('b.txt')),
          (await port.apply([deleting('b.txt', noise)])).error,
        ])
          expect(error).toMatch(
            /^The old bytes of b\.txt could not be kept, so it is left alone: \S*before could not be/,
          );
        expect(world.get('b.txt')).toEqual(noise);
      } finally {
        mounted.dispose();
      }
    },
  );

  it.skipIf(process.platform === 'win32')('or takes no files of this size', () => {
    const done = applyElsewhere(world, [writing('b.txt', 'x'.repeat(50_000), null), changeOfA()], {
      prefix: 'ulimit -f 20; trap "" XFSZ;',
    });
    expect(done.error).toMatch(/^b\.txt would be larger than this system allows/);
    expect(world.all()).toEqual(['a.txt']);
  });
});

describe('a file that does not hold still', () => {
  it('is read as it was at one moment: the text is that of the hash', { timeout: 60_000 }, async () => {
    // Another process rewrites the file in place, letter by letter, all the time.
    const code = `
      const fs = require('node:fs');
      const file = fs.openSync(process.argv[1], 'r+');
      for (let i = 0; ; i = (i + 1) % 26) {
        const block = Buffer.alloc(65536, 97 + i);
        for (let at = 0; at < 4; at++) fs.writeSync(file, block, 0, block.length, at * block.length);
        const until = performance.now() + 30; while (performance.now() < until);
      }`;
    world.put('busy.txt', Buffer.alloc(4 * 65536, 97));
    const writer = spawn(process.execPath, ['-e', code, world.at('busy.txt')], { stdio: 'ignore' });
    try {
      let readCount = 0;
      for (let i = 0; i < 60; i++) {
        const read = await files.read('busy.txt');
        if (!read.ok) {
          expect(read.error).toMatch(/busy\.txt keeps changing while it is read/);
          continue;
        }
        readCount += 1;
        expect(read.value.hash).toBe(hashOf(read.value.text));
        const [first = ''] = read.value.text;
        // Whole: the same letter throughout, or the seam of one rewrite that was under way for the whole time of reading.
        expect(read.value.text.replaceAll(first, '').length % 65536).toBe(0);
      }
      expect(readCount).toBeGreaterThan(0);
    } finally {
      writer.kill('SIGKILL');
    }
  });

  it('is read again when it changes between two blocks', async () => {
    const old = Buffer.alloc(3 * 1024 * 1024, 'a');
    world.put('big.txt', old);
    let blocks = 0;
    const disk = {
      ...realDisk,
      open: async (...args: Parameters<typeof realDisk.open>) => {
        const file = await realDisk.open(...args);
        const read = file.read.bind(file) as (...parts: unknown[]) => unknown;
        return Object.assign(file, {
          read: (...parts: unknown[]) => {
            blocks += 1;
            if (blocks === 2) appendFileSync(world.at('big.txt'), 'b');
            return read(...parts);
          },
        });
      },
    };
    const port = workspaceFiles({ root: world.root, beforeDirectory: world.beforeDirectory }, disk);
    const { text, hash } = must(await port.read('big.txt'));
    expect(text).toHaveLength(old.length + 1);
    expect(hash).toBe(hashOf(text));
    expect(blocks).toBeGreaterThan(5);
  });

  it('is changed with very few handles', () => {
    const edit = [changeOfA(), writing('b.txt', 'x', null)];
    // Everything is opened and closed one after the other. What is said when there are none left: filesFaults.
    expect(applyElsewhere(world, edit, { prefix: 'ulimit -n 30;' })).toMatchObject({ ok: true });
  });
});
