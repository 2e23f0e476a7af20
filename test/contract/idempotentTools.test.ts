// Belay's own claims of R1 are met by the contract that a foreign tool has to pass: a command that the guard lets be repeated
// leaves the same state when it is run once, twice, twice at the same time, and again after it was cut off. State is every
// file with its mode and content (not its times), and what git says of a repository.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assess } from '../../src/core/guard/assess.ts';
import { ALL_RULES } from '../../src/core/guard/programs.ts';
import { ROW_TRIALS, UNPROVED_ROWS } from '../support/idempotentRows.ts';
import type { RowTrial } from '../support/idempotentRows.ts';
import { seededRandom } from '../support/random.ts';

/** Cut off at so many moments. */
const CUTS = 3;
const random = seededRandom(20_261_130);

const root = mkdtempSync(join(tmpdir(), 'belay-rows-'));
afterAll(() => rmSync(root, { recursive: true, force: true }), 120_000);

function environment(): NodeJS.ProcessEnv {
  const own = resolve(import.meta.dirname, '../../node_modules/.bin');
  const date = '2026-01-01T00:00:00Z';
  return {
    PATH: `${process.env.PATH ?? ''}${delimiter}${own}`,
    HOME: root,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    // Without the times at which files were last read.
    ZIPOPT: '-X',
    npm_config_offline: 'true',
    npm_config_cache: join(root, 'npm'),
  };
}

function isHere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: environment() }).status === 0;
}

/** One run; killed with its group after `cutAfterMs`. Resolves with the exit code, null for a killed one. */
function run(
  text: string,
  cwd: string,
  cutAfterMs?: number,
): Promise<{ readonly exitCode: number | null; readonly said: string }> {
  const child = spawn('bash', ['-c', text], {
    cwd,
    env: environment(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const cut = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = cutAfterMs === undefined ? undefined : setTimeout(cut, cutAfterMs);
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (exitCode) => {
      clearTimeout(timer);
      done({ exitCode, said });
    });
  });
}

/** Everything that can be told apart in a folder, one line each. */
function stateOf(folder: string): readonly string[] {
  const seen: string[] = [];
  const walk = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const inner = path === '' ? name : `${path}/${name}`;
      const facts = lstatSync(join(folder, inner));
      const mode = (facts.mode & 0o777).toString(8);
      if (name === '.git') seen.push(...gitState(join(folder, path)).map((line) => `${path}: ${line}`));
      else if (facts.isSymbolicLink()) seen.push(`${inner} -> ${readlinkSync(join(folder, inner))}`);
      else if (facts.isDirectory()) {
        seen.push(`${inner}/ ${mode}`);
        walk(inner);
      } else {
        const hash = createHash('sha256')
          .update(readFileSync(join(folder, inner)))
          .digest('hex');
        seen.push(`${inner} ${mode} ${hash}`);
      }
    }
  };
  walk('');
  return seen;
}

function gitState(cwd: string): readonly string[] {
  const ask = (...words: string[]): string => {
    const asked = spawnSync('git', words, { cwd, env: environment(), encoding: 'utf8' });
    return `git ${words[0] ?? ''}: ${asked.stdout}`;
  };
  return [
    ask('status', '--porcelain'),
    ask('ls-files', '-s'),
    ask('for-each-ref'),
    ask('config', '-l', '--local'),
    ask('fsck', '--strict'),
  ];
}

let folders = 0;
/** A folder made ready for a trial. All have the same name inside, since some programs write it down. */
function prepared({ setup }: RowTrial): string {
  const folder = join(root, String(folders++), 'work');
  mkdirSync(folder, { recursive: true });
  // Some programs write times down: those of the files they start from are the same in every folder.
  const text = `${setup} && find . -name .git -prune -o -exec touch -d @1700000000 {} +`;
  execFileSync('bash', ['-c', text], { cwd: folder, env: environment(), stdio: 'ignore' });
  return folder;
}

/** A killed git leaves its lock, and says so instead of acting: a person takes it away, then it must come right. */
async function runAgain(trial: RowTrial, folder: string): Promise<void> {
  const again = await run(trial.command, folder);
  const lock = /'([^']+\.lock)'.*File exists|Unable to create '([^']+\.lock)'/s.exec(again.said);
  const path = lock?.[1] ?? lock?.[2];
  if (again.exitCode === 0 || path === undefined) return;
  rmSync(resolve(folder, path), { force: true });
  await run(trial.command, folder);
}

describe('the R1 rows of the guard', () => {
  const rows = ALL_RULES.filter(({ level }) => level === 'R1').map(({ id }) => id);

  it('are each tried, or named as unproved with a reason, and nothing else is', () => {
    const named = new Set([...ROW_TRIALS.map(({ row }) => row), ...Object.keys(UNPROVED_ROWS)]);
    expect(rows.filter((id) => !named.has(id))).toEqual([]);
    expect([...named].filter((id) => !rows.includes(id))).toEqual([]);
    expect(ROW_TRIALS.filter(({ row }) => row in UNPROVED_ROWS)).toEqual([]);
  });

  it('are tried by commands that the guard really levels R1', () => {
    const place = { shell: 'bash', cwd: '/w', workspace: '/w' } as const;
    const wrong = ROW_TRIALS.filter(({ command }) => assess({ ...place, command }).level !== 'R1');
    expect(wrong.map(({ command }) => command)).toEqual([]);
  });

  for (const trial of ROW_TRIALS) {
    const { row, program, command } = trial;
    it.skipIf(!isHere(program))(
      `${row}: "${command}" leaves what one run leaves, however often it is run`,
      { timeout: 120_000 },
      async () => {
        const alone = prepared(trial);
        const before = stateOf(alone);
        const first = await run(command, alone);
        const once = stateOf(alone);
        expect(first).toMatchObject({ exitCode: 0 });
        if (trial.isInvisible) expect(once).toEqual(before);
        else expect(once).not.toEqual(before);

        await run(command, alone);
        expect(stateOf(alone), 'run twice').toEqual(once);

        const together = prepared(trial);
        const ends = await Promise.all([run(command, together), run(command, together)]);
        if (ends.some(({ exitCode }) => exitCode !== 0)) await runAgain(trial, together);
        expect(stateOf(together), 'run twice at the same time').toEqual(once);

        for (let i = 0; i < CUTS; i++) {
          const cut = prepared(trial);
          const afterMs = random.next() * 20;
          await run(command, cut, afterMs);
          await runAgain(trial, cut);
          const left = stateOf(cut).filter((line) => trial.leftover?.test(line) !== true);
          expect(left, `run again after it was cut off at ${afterMs.toFixed(1)} ms`).toEqual(once);
        }
      },
    );
  }
});

describe('commands that are not R1, since they leave something else when they are repeated', () => {
  const cases: readonly (RowTrial & { readonly level: string })[] = [
    { row: 'copy-again', program: 'cp', setup: 'mkdir src && echo a > src/a', command: 'cp -r src dist', level: 'R2' },
    { row: 'link', program: 'ln', setup: 'mkdir a', command: 'ln -s a b', level: 'R2' },
    { row: 'temporary-named', program: 'mktemp', setup: 'true', command: 'mktemp aXXXXXX', level: 'R2' },
    {
      row: 'tar-append',
      program: 'tar',
      setup: 'echo a > a && tar cf a.tar a',
      command: 'tar rf a.tar a',
      level: 'R2',
    },
    {
      row: 'npm-pack',
      program: 'npm',
      setup: 'echo \'{"name":"x","version":"1.0.0"}\' > package.json',
      command: 'npm pack',
      level: 'R2',
    },
    { row: 'tee-append', program: 'tee', setup: 'echo a > a', command: 'cat a | tee -a b', level: 'R2' },
  ];
  it.each(cases)('$command', { timeout: 120_000 }, async (trial) => {
    expect(assess({ shell: 'bash', cwd: '/w', workspace: '/w', command: trial.command }).level).toBe(trial.level);
    const folder = prepared(trial);
    await run(trial.command, folder);
    const once = stateOf(folder);
    await run(trial.command, folder);
    expect(stateOf(folder)).not.toEqual(once);
  });
});
