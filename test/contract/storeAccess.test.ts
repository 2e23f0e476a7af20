// The ledger holds commands and their output: its files are the owner's alone, and so is all that lies beside it.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { intentOf, must } from '../support/memoryEntries.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('who may read the ledger', () => {
  let folder: string;
  let umask: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-access-'));
    umask = process.umask(0o022);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the ledger, writes, looks at its files' modes while they all exist. */
  const modesInUse = async (file: string): Promise<Readonly<Record<string, string>>> => {
    const store = sqliteStore({ file });
    must(await store.write({ prepare: intentOf('one', 'R2') }));
    const modes = Object.fromEntries(['', '-wal', '-shm'].map((end) => [end, modeOf(`${file}${end}`)]));
    await store.close();
    return modes;
  };
  const PRIVATE = { '': '600', '-wal': '600', '-shm': '600' };

  it('is the owner alone, in every file and folder that is made for it', async () => {
    const file = join(folder, 'data', 'belay', 'belay.db');
    expect(await modesInUse(file)).toEqual(PRIVATE);
    expect([modeOf(join(folder, 'data', 'belay')), modeOf(join(folder, 'data'))]).toEqual(['700', '700']);
  });

  it('is so again for a ledger that others could read', async () => {
    const file = join(folder, 'belay', 'belay.db');
    await modesInUse(file);
    chmodSync(join(folder, 'belay'), 0o755);
    chmodSync(file, 0o644);
    for (const end of ['-wal', '-shm']) if (existsSync(`${file}${end}`)) chmodSync(`${file}${end}`, 0o644);
    const store = sqliteStore({ file });
    must(await store.entries({}));
    expect([modeOf(file), modeOf(`${file}-wal`), modeOf(join(folder, 'belay'))]).toEqual(['600', '600', '700']);
    await store.close();
  });

  it('leaves a folder that is not its own, and a file of another program, as they are', async () => {
    const other = join(folder, 'other');
    mkdirSync(other, { mode: 0o755 });
    expect(await modesInUse(join(other, 'belay.db'))).toEqual(PRIVATE);
    expect(modeOf(other)).toBe('755');
    const foreign = join(other, 'notes.db');
    writeFileSync(foreign, 'not a database, but long enough to be looked at as one', { mode: 0o644 });
    const store = sqliteStore({ file: foreign });
    expect((await store.entries({})).ok).toBe(false);
    expect(modeOf(foreign)).toBe('644');
    await store.close();
  });

  it('holds for all that `belay exec` makes: ledger, before-images, marks', () => {
    writeFileSync(join(folder, 'log'), 'one\n');
    const run = ['exec', '--task', 't', '--step', '1', '--yes-up-to', 'R2', '--workspace', folder];
    const words = ['--no-warnings', MAIN, ...run, '--command', 'echo two >> log'];
    const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data') };
    const done = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    const data = join(folder, 'data', 'belay');
    const made = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name));
    expect(made.some((name) => name.endsWith('.mark'))).toBe(true);
    expect(made.some((name) => name.includes(join('belay', 'before')))).toBe(true);
    const open = [data, ...made].filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});
