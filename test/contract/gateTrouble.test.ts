// The disk of the gate's marks, or of the whole ledger, is full or read-only: what is said names the folder, the cause and
// the remedy; what writes is not run, what reads is run all the same. For real, on small disks.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { execCommand } from '../../src/cli/exec.ts';
import { canMount, mountedDisk } from '../support/mounts.ts';
import type { MountedDisk } from '../support/mounts.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const answerSchema = z.object({
  state: z.string().nullable(),
  ran: z.boolean(),
  stdout: z.string(),
  reason: z.string(),
});

describe('exec where the marks cannot be written', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-gate-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const exec = async (db: string, command: string) => {
    const lines: string[] = [];
    const messages: string[] = [];
    const out = (line: string): void => void lines.push(line);
    const err = (line: string): void => void messages.push(line);
    const run = { kind: 'text', text: command, shell: 'bash' } as const;
    const signal = new AbortController().signal;
    const asked = {
      task: 't',
      step: 1,
      run,
      cwd: folder,
      db,
      yesUpTo: 'R3',
      env: { PATH: process.env.PATH },
      signal,
    } as const;
    const status = await execCommand(asked, { stdin: process.stdin, out, err });
    return { status, messages: messages.join('\n'), ...answerSchema.parse(JSON.parse(lines.join(''))) };
  };
  const refusesWrites = async (db: string, says: readonly string[]): Promise<void> => {
    const write = await exec(db, 'echo line >> log');
    expect(write).toMatchObject({ status: 1, ran: false, state: null });
    for (const text of [...says, 'nobody can be asked on the command line']) expect(write.reason).toContain(text);
    expect(existsSync(join(folder, 'log'))).toBe(false);
  };
  const runsReads = async (db: string, says: readonly string[]): Promise<void> => {
    writeFileSync(join(folder, 'note'), 'read me\n');
    const read = await exec(db, 'cat note');
    expect(read).toMatchObject({ ran: true, state: null, stdout: 'read me\n' });
    for (const text of says) expect(read.messages).toContain(text);
  };

  it('names a file that stands where the folder should be, through the program itself', () => {
    const db = join(folder, 'belay.db');
    writeFileSync(join(folder, 'gate'), '');
    const words = ['exec', '--task', 't', '--step', '1', '--yes-up-to', 'R3', '--db', db, '--command', 'echo x >> log'];
    const done = spawnSync(process.execPath, ['--no-warnings', MAIN, ...words], { cwd: folder, encoding: 'utf8' });
    const { reason, ran } = answerSchema.parse(JSON.parse(done.stdout));
    expect([done.status, ran, existsSync(join(folder, 'log'))]).toEqual([1, false, false]);
    for (const text of [join(folder, 'gate'), 'is not a folder', 'Move that file away', '--db'])
      expect(reason).toContain(text);
    expect(readFileSync(join(folder, 'gate'), 'utf8')).toBe('');
  });

  const onDisk = async (
    { options, at = '' }: { readonly options: string; readonly at?: string },
    use: (disk: MountedDisk) => Promise<void>,
  ): Promise<void> => {
    const disk = mountedDisk(options);
    if (!disk) throw new Error('no disk could be mounted');
    try {
      if (at !== '') symlinkSync(disk.path, join(folder, at));
      await use(disk);
    } finally {
      disk.dispose();
    }
  };
  const fill = (path: string): void => {
    spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'filler')}`, 'bs=4096']);
    // It is full to the last byte, or the test is none.
    expect(() =>
      execFileSync('dd', ['if=/dev/zero', `of=${join(path, 'more')}`, 'bs=4096', 'count=1'], { stdio: 'ignore' }),
    ).toThrow();
  };

  it.skipIf(!canMount)('names a full disk', async () => {
    await onDisk({ options: 'size=64k', at: 'gate' }, async ({ path }) => {
      fill(path);
      const says = [join(folder, 'gate'), 'is on a disk that is full', 'Free some space', '--db'];
      await refusesWrites(join(folder, 'belay.db'), says);
      await runsReads(join(folder, 'belay.db'), says);
    });
  });

  it.skipIf(!canMount)('names a read-only disk', async () => {
    await onDisk({ options: 'size=64k,ro', at: 'gate' }, async () => {
      const says = [join(folder, 'gate'), 'is on a read-only disk', 'Make the disk writable', '--db'];
      await refusesWrites(join(folder, 'belay.db'), says);
      await runsReads(join(folder, 'belay.db'), says);
    });
  });

  it.skipIf(!canMount)(
    'says what is wrong with a whole ledger on a full disk, and then on a read-only one',
    async () => {
      await onDisk({ options: 'size=1m' }, async ({ path, remount }) => {
        const db = join(path, 'belay.db');
        expect(await exec(db, 'true')).toMatchObject({ status: 0, ran: true });
        fill(path);
        await refusesWrites(db, [path, 'full', 'Free some space']);
        await runsReads(db, [path, 'full']);
        remount('ro');
        await refusesWrites(db, [path, 'read-only']);
        await runsReads(db, [path, 'read-only']);
      });
    },
  );
});
