// Where the command line stands and whether its words are those that were written; also through the real program.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { garbledVariable, startPlace } from '../../../src/cli/startPlace.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-start-')));
  for (const name of ['package', 'person', 'other']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  at = join(folder, 'package'),
): ReturnType<typeof startPlace> => startPlace({ words, env, folder: () => at });

describe('words that are not what was written', () => {
  it.each([
    [['exec', '--', 'rm', 'a\uFFFD']],
    [['exec', '--command', 'rm a\uFFFD']],
    [['exec', '--task', '\uFFFD']],
    [['exec', '--workspace=/w\uFFFD']],
    [['ledger', 'list', '--db', '/d\uFFFD/x']],
    [['ledger', 'content', '3f2a', 'a\uFFFD', '--out', 'x']],
  ])('refuses %j, names the word and says what to do', (words) => {
    const named = words.find((word) => word.includes('\uFFFD'));
    const place = start(words);
    expect(place.ok).toBe(false);
    if (place.ok) return;
    expect(place.error).toContain(`"${named ?? ''}" is not valid UTF-8 or holds U+FFFD`);
    expect(place.error).toMatch(/Rename the file, or reach it by a pattern/);
  });

  it('shows of a long text only what is around it', () => {
    const place = start(['exec', '--command', `${'x'.repeat(500)}\uFFFD${'y'.repeat(500)}`]);
    expect(!place.ok && place.error.length).toBeLessThan(400);
    expect(place).toMatchObject({ ok: false, error: expect.stringMatching(/"…x{40}\uFFFDy{39}…"/) as unknown });
  });

  it('refuses such a folder of its data and such a current folder', () => {
    for (const env of [{ XDG_DATA_HOME: '/d\uFFFD' }, { HOME: '/h\uFFFD' }]) {
      expect(start(['ledger', 'list'], env)).toMatchObject({ ok: false });
    }
    const place = start(['ledger', 'list'], {}, '/w\uFFFD');
    expect(place).toMatchObject({ ok: false, error: expect.stringContaining('not valid UTF-8') as unknown });
  });

  it('names a variable that a command would get changed', () => {
    expect(garbledVariable({ PATH: '/bin', NAME: 'a\uFFFD' })).toContain(
      'environment variable NAME is not valid UTF-8',
    );
    expect(garbledVariable({ PATH: '/bin', NAME: 'ä', GONE: undefined })).toBeNull();
  });
});

describe('the folder that paths are meant from', () => {
  const npm = (script: string, name = 'belay', manifest = join(folder, 'package', 'package.json')) => ({
    INIT_CWD: join(folder, 'person'),
    npm_lifecycle_event: script,
    npm_package_name: name,
    npm_package_json: manifest,
  });

  it("is where the person stood when npm runs one of Belay's own scripts", () => {
    for (const script of ['belay', 'start'])
      expect(start([], npm(script))).toEqual({ ok: true, value: join(folder, 'person') });
  });

  it('is the current folder below any other script, and when the current folder is another one', () => {
    const current = { ok: true, value: join(folder, 'package') };
    expect(start([], npm('test'))).toEqual(current);
    expect(start([], npm('belay', 'shop'))).toEqual(current);
    expect(start([], { INIT_CWD: join(folder, 'person') })).toEqual(current);
    expect(start([], { ...npm('belay'), INIT_CWD: '' })).toEqual(current);
    expect(start([], npm('belay'), join(folder, 'other'))).toEqual({ ok: true, value: join(folder, 'other') });
  });

  it('must exist', () => {
    const gone = start([], {}, join(folder, 'gone'));
    expect(gone).toMatchObject({ ok: false, error: expect.stringContaining('does not exist any more') as unknown });
    const thrown = startPlace({
      words: [],
      env: {},
      folder: () => {
        throw new Error('ENOENT');
      },
    });
    expect(thrown).toEqual(gone);
    expect(start([], { ...npm('belay'), INIT_CWD: join(folder, 'gone') })).toMatchObject({ ok: false });
  });
});

describe.runIf(process.platform === 'linux')('belay', () => {
  const shell = (script: string, env: Record<string, string> = {}) => {
    const main = resolve('src/cli/main.ts');
    const belay = `belay() { '${process.execPath}' --no-warnings '${main}' "$@"; }\n`;
    const { PATH } = process.env;
    const options = { cwd: folder, env: { PATH, HOME: folder, ...env }, timeout: 50_000 };
    return spawnSync('bash', ['-c', belay + script], { ...options, encoding: 'utf8' });
  };

  it('does not touch the file whose name really holds U+FFFD when other bytes were named', () => {
    writeFileSync(join(folder, 'other', 'a\uFFFD'), 'precious');
    const ran = shell(String.raw`cd other && belay exec --db ../l.db --task t --step 1 --yes-up-to R3 -- rm $'a\xff'`);
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(ran.stderr).toContain('not valid UTF-8');
    expect([readdirSync(join(folder, 'other')), readdirSync(folder).includes('l.db')]).toEqual([['a\uFFFD'], false]);
  });

  it('runs nothing with a variable that it would pass on changed', () => {
    const ran = shell(String.raw`export NAME=$'a\xff'; belay exec --db l.db --task t --step 1 -- ls`);
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toContain('environment variable NAME');
  });

  it('says in one line that the current folder is gone', () => {
    const ran = shell('cd other && rmdir ../other && belay ledger list');
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toBe('belay: the current folder does not exist any more; go to one that does and repeat\n');
  });

  it('runs where it is called, below an npm script of another project', () => {
    const env = { INIT_CWD: join(folder, 'person'), npm_lifecycle_event: 'test', npm_package_name: 'shop' };
    const ran = shell('cd other && belay exec --db ../l.db --task t --step 1 --yes-up-to R2 -- touch made', env);
    expect(ran.status).toBe(0);
    expect([readdirSync(join(folder, 'other')), readdirSync(join(folder, 'person'))]).toEqual([['made'], []]);
  });

  it('ends with one message where the folder of the ledger cannot be made', () => {
    const ran = shell('belay exec --db /proc/belay/x.db --task t --step 1 --yes-up-to R3 -- touch made');
    expect([ran.status, ran.signal]).toEqual([1, null]);
    expect(ran.stdout).toContain('/proc/belay/x.db cannot be opened');
    expect(readdirSync(folder)).not.toContain('made');
  });
});
