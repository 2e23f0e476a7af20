// A probe's query on real programs: bounded, alone, without a voice, and never led to another repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linuxTable } from '../../src/adapters/process/linuxTable.ts';
import { queryEnvironment, runQuery } from '../../src/adapters/process/probeQuery.ts';

describe("a probe's query", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), 'belay-query-')));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const ask = (words: readonly string[], timeoutMs = 20_000, own: Readonly<Record<string, string>> = {}) =>
    runQuery({ words, cwd, timeoutMs }, { PATH: process.env.PATH, HOME: cwd, ...own });

  it('gives output and exit code of the words as they are, in its folder', async () => {
    expect(await ask(['printf', '%s|', 'a b', '$HOME', '*'])).toEqual({
      ok: true,
      value: { exitCode: 0, stdout: 'a b|$HOME|*|' },
    });
    expect(await ask(['sh', '-c', 'pwd; echo no >&2; exit 3'])).toEqual({
      ok: true,
      value: { exitCode: 3, stdout: `${cwd}\n` },
    });
  });

  it('reads nothing and has no terminal', async () => {
    expect(await ask(['sh', '-c', 'wc -c; read x < /dev/tty || echo none'])).toMatchObject({
      value: { stdout: '0\nnone\n' },
    });
  });

  it('keeps the first MiB and ends all the same', async () => {
    const long = await ask(['sh', '-c', 'head -c 30000000 /dev/zero | tr "\\0" x']);
    expect(long).toMatchObject({ ok: true, value: { exitCode: 0 } });
    expect(long.ok && long.value.stdout.length).toBe(1024 * 1024);
  });

  it('is ended with its group at its time limit, also where it does not listen', async () => {
    const startMs = performance.now();
    const late = await ask(['sh', '-c', "trap '' TERM; sleep 60 & echo $! > pid; sleep 60"], 500);
    expect(late).toEqual({ ok: false, error: 'sh could not be asked: it did not end within 500 ms' });
    expect(performance.now() - startMs).toBeLessThan(10_000);
    const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
    await expect.poll(() => linuxTable().startedAt(pid)).toBeNull();
  });

  it('does not wait for what keeps its output open', async () => {
    const startMs = performance.now();
    expect(await ask(['sh', '-c', 'sleep 5 & echo a'])).toEqual({ ok: true, value: { exitCode: 0, stdout: 'a\n' } });
    expect(performance.now() - startMs).toBeLessThan(4000);
  });

  it.each([
    { what: 'a program that is not there', words: ['no-such-program'], says: 'no-such-program was not found' },
    { what: 'no words', words: [], says: 'empty' },
    { what: 'a program that kills itself', words: ['sh', '-c', 'kill -KILL $$'], says: 'ended by SIGKILL' },
  ])('has no answer for $what', async ({ words, says }) => {
    const none = await ask(words);
    expect(none).toMatchObject({ ok: false });
    expect(!none.ok && none.error).toContain(says);
  });

  it('is not led to another repository by the environment', async () => {
    mkdirSync(join(cwd, 'other'));
    execFileSync('git', ['init', '-q', join(cwd, 'other')]);
    const led = { GIT_DIR: join(cwd, 'other', '.git'), GIT_WORK_TREE: join(cwd, 'other'), GIT_CONFIG_COUNT: '1' };
    expect(await ask(['git', 'rev-parse', '--git-dir'], 20_000, led)).toMatchObject({
      ok: true,
      value: { exitCode: 128 },
    });
  });

  it('passes on where to look and nothing else: no token, no setting of git, no question', () => {
    const own = {
      PATH: '/bin',
      HOME: '/h',
      GITHUB_TOKEN: 't',
      GIT_INDEX_FILE: 'x',
      NODE_OPTIONS: 'y',
      LANG: 'de_DE.UTF-8',
    };
    expect(queryEnvironment(own)).toEqual({
      PATH: '/bin',
      HOME: '/h',
      LANG: 'C.UTF-8',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_PAGER: '',
      GIT_ASKPASS: 'false',
      SSH_ASKPASS: 'false',
      SSH_ASKPASS_REQUIRE: 'force',
      GCM_INTERACTIVE: 'never',
    });
    expect(queryEnvironment({ Path: 'C:\\bin' })).toMatchObject({ PATH: 'C:\\bin' });
  });
});
