// A reader that leaves early (`belay ledger list | head -1`) ends no command: no stack trace, the exit code it would have.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { intentOf, must } from '../support/memoryEntries.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

interface End {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe.skipIf(process.platform === 'win32')('a command whose reader is gone', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-pipe-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the command line with these of its streams closed by their reader before anything comes. */
  const run = (words: readonly string[], closed: readonly ('stdout' | 'stderr')[]): Promise<End> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, ['--no-warnings', MAIN, ...words], { cwd: folder });
      const text = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        if (closed.includes(name)) child[name].destroy();
        else child[name].on('data', (bytes: Buffer) => (text[name] += bytes.toString()));
      }
      child.on('close', (code) => resolve({ code, out: text.stdout, err: text.stderr }));
    });

  it('lists a ledger quietly and with exit 0', async () => {
    const db = join(folder, 'belay.db');
    const store = sqliteStore({ file: db });
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => must(await store.write({ prepare: intentOf(`entry ${i}`, 'R1') }))),
    );
    await store.close();
    const list = ['ledger', 'list', '--db', db];
    expect(await run(list, ['stdout'])).toEqual({ code: 0, out: '', err: '' });
  });

  it('carries exec to its end, with its entry and its exit code', async () => {
    const db = join(folder, 'belay.db');
    const exec = (step: number, end: string): string[] => [
      ...['exec', '--task', 't', '--step', String(step), '--yes-up-to', 'R3', '--db', db],
      ...['--command', `echo line${step} >> log && ${end}`],
    ];
    expect(await run(exec(1, 'seq 20000 >&2'), ['stderr'])).toMatchObject({ code: 0, err: '' });
    expect(await run(exec(2, 'seq 20000'), ['stdout', 'stderr'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('line1\nline2\n');
    const store = sqliteStore({ file: db });
    const states = must(await store.entries({})).map(({ step, state }) => [step, state]);
    expect(states).toEqual([
      [2, 'COMMITTED'],
      [1, 'COMMITTED'],
    ]);
    await store.close();
  });

  it('ends other commands quietly, too, also where it is a message that nobody reads', async () => {
    expect(await run(['--help'], ['stdout'])).toEqual({ code: 0, out: '', err: '' });
    expect(await run(['exec', '--task', 't', '--step', 'x'], ['stderr'])).toMatchObject({ code: 2, out: '' });
  });
});
