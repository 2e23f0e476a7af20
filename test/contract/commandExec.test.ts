// `belay exec` to its contract: real command, real ledger file, one JSON line at the end, the promised exit codes.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { sha256Hex } from '../../src/core/ledger/key.ts';
import { execCommand } from '../../src/cli/exec.ts';
import type { ExecOptions } from '../../src/cli/exec.ts';
import { must } from '../support/memoryEntries.ts';

const resultSchema = z.object({
  key: z.string().length(64),
  level: z.string(),
  state: z.string().nullable(),
  exitCode: z.number().nullable(),
  ran: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  reason: z.string(),
});

describe('belay exec', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-exec-')));
    mkdirSync(join(folder, 'w'));
    writeFileSync(join(folder, 'w', 'log'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** `onLine` sees the command's output as it comes. */
  const exec = async (
    run: ExecOptions['run'],
    more: Partial<ExecOptions> & { readonly onLine?: (line: string) => void } = {},
  ) => {
    const lines: string[] = [];
    const messages: string[] = [];
    const io = {
      stdin: process.stdin,
      out: (line: string) => lines.push(line),
      err: (line: string) => {
        messages.push(line);
        more.onLine?.(line);
      },
    };
    const scope = { task: 't', step: 1, cwd: folder, workspace: join(folder, 'w'), db: join(folder, 'ledger.db') };
    const base = { env: { PATH: process.env.PATH }, signal: new AbortController().signal };
    const exitCode = await execCommand({ ...scope, ...base, run, ...more }, io);
    return { exitCode, lines, messages, result: () => resultSchema.parse(JSON.parse(lines.at(-1) ?? 'null')) };
  };
  const words = (...argv: string[]): ExecOptions['run'] => ({ kind: 'words', argv });
  const text = (command: string): ExecOptions['run'] => ({ kind: 'text', text: command, shell: 'bash' });
  const log = (): string => readFileSync(join(folder, 'w', 'log'), 'utf8');

  it('runs once, passes output on, and answers a repetition from the ledger', async () => {
    const run = words('sh', '-c', 'echo line >> log && echo out && echo err >&2');
    const first = await exec(run, { yesUpTo: 'R2' });
    expect(first.result()).toMatchObject({
      level: 'R2',
      state: 'COMMITTED',
      ran: true,
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect([first.exitCode, first.lines.length, first.messages.sort()]).toEqual([0, 1, ['err', 'out']]);
    const second = await exec(run);
    expect(second.result()).toMatchObject({ state: 'COMMITTED', ran: false, exitCode: 0, stdout: 'out\n' });
    expect([second.exitCode, second.messages]).toEqual([0, []]);
    expect(log()).toBe('line\n');
  });

  it('refuses what lies above --yes-up-to, with exit 1 and the remedy', async () => {
    const refused = await exec(text('echo line >> log'));
    expect(refused.exitCode).toBe(1);
    expect(refused.result()).toMatchObject({ state: null, ran: false, exitCode: null });
    expect(refused.result().reason).toContain('--yes-up-to R2');
    expect(log()).toBe('');
  });

  it('lets the probe decide about a command that ran into its time limit', async () => {
    const slow = await exec(text('echo line >> log; sleep 30'), { yesUpTo: 'R2', timeoutMs: 700 });
    expect(slow.result()).toMatchObject({ state: 'RECONCILED_COMMITTED', ran: true, exitCode: null });
    expect(slow.exitCode).toBe(0);
  });

  it('ends with 1 for a failed command and with 2 for a workspace that does not exist', async () => {
    const failed = await exec(text('ls; exit 4'));
    expect([failed.exitCode, failed.result().state, failed.result().exitCode]).toEqual([1, 'FAILED', 4]);
    const lost = await exec(text('ls'), { workspace: join(folder, 'none') });
    expect([lost.exitCode, lost.lines]).toEqual([2, []]);
    expect(lost.messages.join()).toContain(join(folder, 'none'));
  });

  it('runs the same words from another folder as another action, and says so', async () => {
    mkdirSync(join(folder, 'w', 'sub'));
    const run = text('echo line >> log');
    const at = (cwd: string) => exec(run, { yesUpTo: 'R2', cwd });
    const first = (await at(join(folder, 'w'))).result();
    const second = (await at(join(folder, 'w', 'sub'))).result();
    expect([first.ran, second.ran, first.key === second.key]).toEqual([true, true, false]);
    expect(first.reason).not.toContain('another action');
    expect(second.reason).toContain(`for the folder ${join(folder, 'w')};`);
    expect((await at(join(folder, 'w', 'sub'))).result()).toMatchObject({ ran: false, key: second.key });
  });

  it(
    'keeps secrets of the command and of its output out of every byte of the ledger',
    { timeout: 120_000 },
    async () => {
      const canaries = Array.from({ length: 12 }, (_, i) => `cAnArY${i}x7z9Qw${i}`);
      const [a, b, c, d, e, f, g, h, i, j, k, l] = canaries;
      const lines = [
        `echo password=${a} >> log`,
        `curl -s -u "bob:${b} x" -H "Authorization: ${c}" -d "{\\"password\\":\\"${d} y\\"}" file:///nowhere`,
        `DB_PASS=${e} AccountKey=${f} true --api-key ${g}`,
        `mkdir -p "token=${h}" && touch "token=${h}/x"`,
        `echo "passphrase: ${i}"; echo "ghp_${j}" >&2`,
        `git clone -q https://bob:${k}@127.0.0.1:9/x`,
      ];
      for (const [step, line] of lines.entries()) await exec(text(line), { step, yesUpTo: 'R3' });
      await exec(words('true', '--password', l!), { step: 99, yesUpTo: 'R3' });
      const bytes = readdirSync(folder).filter((name) => name.startsWith('ledger.db') && !name.includes('.db.'));
      const stored = bytes.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
      expect(stored).toContain('[secret]');
      expect(canaries.filter((canary) => stored.includes(canary))).toEqual([]);
      expect(log()).toContain(a);
    },
  );

  it('writes nothing and names the file when the ledger is no ledger', async () => {
    const db = join(folder, 'notes.txt');
    writeFileSync(db, 'my notes, not a database\n'.repeat(100));
    const refused = await exec(text('echo line >> log'), { db, yesUpTo: 'R2' });
    expect(refused.exitCode).toBe(1);
    expect(refused.result().reason).toContain(db);
    expect([log(), readFileSync(db, 'utf8').startsWith('my notes')]).toEqual(['', true]);
  });

  it('says what a refused command would do, in words, with the level and the way to allow it', async () => {
    const refused = await exec(words('rm', 'a..b'));
    expect(refused.result().reason).toMatch(
      /^Not run: it cannot be undone, level R3 \(.*a\.\.b.*\)\. .* --yes-up-to R3\.$/,
    );
  });

  it('keeps what a removed file held, and names it in the ledger', async () => {
    writeFileSync(join(folder, 'w', 'a.txt'), 'precious');
    const done = await exec(words('rm', 'a.txt'), { yesUpTo: 'R3' });
    expect(done.result()).toMatchObject({ state: 'COMMITTED', exitCode: 0 });
    const store = sqliteStore({ file: join(folder, 'ledger.db') });
    const entry = must(await store.entry(done.result().key));
    await store.close();
    const [file] = entry?.evidence?.files ?? [];
    expect(file).toEqual({ path: 'a.txt', beforeHash: sha256Hex('precious'), afterHash: null, mode: 0o644 });
    const files = workspaceFiles({ root: join(folder, 'w'), beforeDirectory: join(folder, 'ledger.db.before') });
    expect(Buffer.from(must(await files.image(file?.beforeHash ?? ''))).toString()).toBe('precious');
  });

  it.each([
    ['a file that touch finds made already', 'touch new.txt', 'new.txt', 'a person wrote this'],
    ['a line that somebody else appends', 'echo mine >> log', 'log', 'theirs\n'],
    ['a file that is made while the command fails to copy one', 'cp nothing new.txt', 'new.txt', 'theirs'],
    ['a file that is made again after it was deleted', 'rm log && echo gone && sleep 0.5', 'log', 'theirs'],
  ])('never books the work of somebody else as its own: %s', async (_what, command, path, content) => {
    const file = join(folder, 'w', path);
    const onLine = (line: string): void => {
      if (line === 'ready' || line === 'gone') appendFileSync(file, content);
    };
    const waits = command.includes('gone') ? command : `echo ready; sleep 0.5; ${command}`;
    const done = await exec(text(waits), { yesUpTo: 'R3', onLine });
    expect(readFileSync(file, 'utf8')).toContain(content);
    const store = sqliteStore({ file: join(folder, 'ledger.db') });
    const entry = must(await store.entry(done.result().key));
    await store.close();
    expect(entry?.evidence?.files ?? []).toEqual([]);
    if (entry?.state !== 'FAILED')
      expect(entry?.evidence?.detail).toContain('it holds more than this command alone explains');
  });

  it('tells what was left running and does not start it again', async () => {
    const run = text('sleep 33.5 & echo $! > pid; echo started');
    const first = await exec(run, { yesUpTo: 'R3' });
    const pid = readFileSync(join(folder, 'w', 'pid'), 'utf8').trim();
    expect(first.result().reason).toContain(`left running: process ${pid} (sleep 33.5)`);
    expect([first.exitCode, first.result()]).toMatchObject([1, { state: 'UNKNOWN', ran: true, exitCode: 0 }]);
    const second = await exec(run, { yesUpTo: 'R3' });
    expect(second.result()).toMatchObject({ ran: false });
    expect(second.result().reason).toContain('left running');
    process.kill(Number(pid));
  });

  it.each(['(sleep 9; echo late >> log) & echo $! > pid', './daemon.sh'])(
    'never takes for done what was killed in the background: %s',
    async (command) => {
      const script = '#!/bin/sh\n(sleep 9; echo late >> log) >/dev/null 2>&1 &\necho $! > pid\n';
      writeFileSync(join(folder, 'w', 'daemon.sh'), script, { mode: 0o755 });
      const run = text(command);
      expect((await exec(run, { yesUpTo: 'R3' })).result()).toMatchObject({ state: 'UNKNOWN', exitCode: 0 });
      const pid = Number(readFileSync(join(folder, 'w', 'pid'), 'utf8'));
      const children = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n');
      for (const one of [pid, ...children]) process.kill(Number(one), 'SIGKILL');
      const second = await exec(run, { yesUpTo: 'R3' });
      expect(second.result()).toMatchObject({ state: 'UNKNOWN', ran: false });
      expect(second.result().reason).toContain('may have happened');
      expect(log()).toBe('');
    },
  );

  it('tells which question ended a command, and what to do', async () => {
    const asked = await exec(text('printf "Continue? [y/N] "; read -r x || exit 1'));
    expect(asked.exitCode).toBe(1);
    expect(asked.result().reason).toContain('it asked "Continue? [y/N]" and got no answer');
    expect(asked.result().reason).toContain('--yes');
  });

  it('passes a line without an end on in parts, as it comes', async () => {
    const long = await exec(text('head -c 300000 /dev/zero | tr "\\0" x'), { yesUpTo: 'R3' });
    expect(long.messages.length).toBeGreaterThan(1);
    expect(long.messages.join('')).toBe('x'.repeat(300_000));
  });

  it('does not analyse a text for cmd.exe, and so takes it for the worst', async () => {
    const refused = await exec({ kind: 'text', text: 'dir', shell: 'cmd' });
    expect(refused.result()).toMatchObject({ level: 'R3', ran: false });
    const tried = await exec({ kind: 'text', text: 'dir', shell: 'cmd' }, { yesUpTo: 'R3' });
    expect(tried.result()).toMatchObject({ ran: false, state: null });
    expect(tried.result().reason).toContain('cmd was not found');
  });
});
