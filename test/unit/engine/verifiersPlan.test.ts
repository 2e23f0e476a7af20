// Which checks are found in a workspace: what is set up and installed, nothing else, and nothing is run to find it.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workspaceVerifiers } from '../../../src/adapters/verifiers/workspaceVerifiers.ts';
import type { CheckPlan } from '../../../src/engine/ports.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace with these files and these programs on its PATH. */
async function planOf(
  files: Readonly<Record<string, string>>,
  {
    touched = null,
    programs = [],
    isTrusted = true,
  }: { touched?: readonly string[] | null; programs?: readonly string[]; isTrusted?: boolean } = {},
): Promise<CheckPlan> {
  const workspace = mkdtempSync(join(tmpdir(), 'belay-plan-'));
  folders.push(workspace);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const program of programs) {
    write(`.path/${program}`, '#!/bin/sh\n');
    chmodSync(join(workspace, '.path', program), 0o755);
  }
  const env = { PATH: join(workspace, '.path') };
  return workspaceVerifiers(() => isTrusted).plan({ workspace, touched, env });
}

const commands = ({ checks }: CheckPlan): readonly string[] => checks.map(({ command }) => command);
const manifest = (scripts: Readonly<Record<string, string>>): string => JSON.stringify({ scripts });
const npm = { programs: ['npm'] };

describe('the checks of a JavaScript project', () => {
  it('are its scripts for types, lint and tests, by their names', async () => {
    const plan = await planOf(
      { 'package.json': manifest({ typecheck: 'tsc -b', lint: 'eslint .', test: 'node --test', deploy: 'x' }) },
      npm,
    );
    expect(commands(plan)).toEqual(['npm run typecheck', 'npm run lint', 'npm run test']);
    expect(plan.checks[0]).toMatchObject({ kind: 'types', why: 'package.json, script "typecheck"' });
  });

  it('are run by the package manager whose lock file is there', async () => {
    const files = { 'package.json': manifest({ test: 'node --test' }), 'pnpm-lock.yaml': '' };
    expect(commands(await planOf(files, { programs: ['pnpm', 'npm'] }))).toEqual(['pnpm run test']);
    expect(await planOf(files, npm)).toMatchObject({
      checks: [],
      lacking: [{ reason: 'package.json, script "test" needs pnpm, which is not installed' }],
    });
  });

  it('are the compiler and the linter where they are set up and installed', async () => {
    const files = {
      'package.json': '{}',
      'tsconfig.json': '{}',
      'eslint.config.js': '',
      'node_modules/.bin/tsc': '',
      'node_modules/.bin/eslint': '',
      'node_modules/typescript/package.json': '{"version":"6.0.3"}',
    };
    const plan = await planOf(files, npm);
    expect(commands(plan)).toEqual([
      'node_modules/.bin/tsc --noEmit --pretty false -p tsconfig.json',
      'node_modules/.bin/eslint --format json .',
    ]);
    expect(plan.checks[0]).toMatchObject({ verifier: 'types: typescript', version: '6.0.3' });
  });

  it('are told as lacking where they are set up and not installed', async () => {
    const plan = await planOf({ 'package.json': '{}', 'tsconfig.json': '{}', 'eslint.config.mjs': '' }, npm);
    expect(plan.checks).toEqual([]);
    expect(plan.lacking.map(({ reason }) => reason)).toEqual([
      'tsconfig.json is there, but typescript is not installed in node_modules',
      'eslint.config.mjs is there, but eslint is not installed in node_modules',
    ]);
  });

  it('are not a tsconfig.json that only refers to others: that would check nothing', async () => {
    const files = { 'tsconfig.json': '{ "files": [], "references": [{ "path": "a" }] }', 'node_modules/.bin/tsc': '' };
    expect(await planOf(files)).toMatchObject({ checks: [], lacking: [{ kind: 'types' }] });
  });

  it('look at the touched files only, where the tool can', async () => {
    const files = {
      'package.json': manifest({ test: 'vitest run', lint: 'eslint .' }),
      'eslint.config.js': '',
      'node_modules/.bin/eslint': '',
      'node_modules/.bin/vitest': '',
      'src/a b.ts': '',
      '-x.ts': '',
      'README.md': '',
    };
    const plan = await planOf(files, { ...npm, touched: ['src/a b.ts', '-x.ts', 'gone.ts', 'README.md'] });
    expect(commands(plan)).toEqual([
      "node_modules/.bin/eslint --format json -- 'src/a b.ts' ./-x.ts",
      "node_modules/.bin/vitest related --run --passWithNoTests 'src/a b.ts' ./-x.ts",
    ]);
    expect(plan.checks[1]?.wide).toBe('npm run test');
  });

  it('are left out where no touched file is their affair', async () => {
    const files = { 'package.json': manifest({ typecheck: 'tsc', lint: 'eslint .' }), 'README.md': '' };
    expect(commands(await planOf(files, { ...npm, touched: ['README.md'] }))).toEqual([]);
  });

  it('narrow no test script that does more than run its tool', async () => {
    const files = {
      'package.json': manifest({ test: 'tsc && vitest run' }),
      'node_modules/.bin/vitest': '',
      'a.ts': '',
    };
    expect(commands(await planOf(files, { ...npm, touched: ['a.ts'] }))).toEqual(['npm run test']);
  });

  it('are not what npm init writes', async () => {
    const text = 'echo "Error: no test specified" && exit 1';
    expect(commands(await planOf({ 'package.json': manifest({ test: text }) }, npm))).toEqual([]);
  });

  it('are none in a package.json that holds other things', async () => {
    for (const text of ['[]', '{"scripts":[]}', '{"scripts":{"test":7}}'])
      expect(await planOf({ 'package.json': text }, npm)).toEqual({ checks: [], lacking: [] });
  });

  it('are not known where package.json is no JSON', async () => {
    expect(await planOf({ 'package.json': '{' }, npm)).toEqual({
      checks: [],
      lacking: [],
      unsure: ['package.json is no JSON, so its scripts are not known'],
    });
  });
});

describe('a file that cannot be read as one', { timeout: 5000 }, () => {
  const odd = (made: (path: string) => void, file: string): Promise<CheckPlan> => {
    const workspace = mkdtempSync(join(tmpdir(), 'belay-plan-'));
    folders.push(workspace);
    made(join(workspace, file));
    return workspaceVerifiers(() => true).plan({ workspace, touched: null, env: {} });
  };
  const pipe = (path: string): void => void execFileSync('mkfifo', [path]);

  it.each(['package.json', 'tsconfig.json', 'pytest.ini', 'pyproject.toml', 'conftest.py'])(
    'holds up nobody and is told, as a named pipe in place of %s',
    async (file) => {
      const plan = await odd(pipe, file);
      expect(plan.checks).toEqual([]);
      expect(plan.unsure).toEqual([expect.stringContaining(`${file} is no plain file, so it was not read`)]);
    },
  );

  it('is told as a folder and as a link to a device', async () => {
    expect((await odd((path) => mkdirSync(path), 'package.json')).unsure?.[0]).toContain('no plain file');
    expect((await odd((path) => symlinkSync('/dev/zero', path), 'package.json')).unsure?.[0]).toContain(
      'no plain file',
    );
  });

  it('is told as one of a hundred gigabytes, and not read', async () => {
    const huge = (path: string): void => {
      writeFileSync(path, '{}');
      truncateSync(path, 100_000_000_000);
    };
    expect((await odd(huge, 'package.json')).unsure).toEqual([
      'package.json is larger than 1000000 bytes, so it was not read',
    ]);
  });
});

describe('the checks of other projects', () => {
  it('are pytest of their own environment before any other', async () => {
    const files = { 'pyproject.toml': '[tool.pytest.ini_options]\n' };
    expect(commands(await planOf({ ...files, '.venv/bin/pytest': '' }, { programs: ['pytest'] }))).toEqual([
      '.venv/bin/pytest -q --tb=short',
    ]);
    expect(commands(await planOf(files, { programs: ['pytest'] }))).toEqual(['pytest -q --tb=short']);
    expect(await planOf(files)).toMatchObject({
      checks: [],
      lacking: [{ reason: 'pyproject.toml names pytest, which is not installed' }],
    });
    expect(await planOf({ 'pyproject.toml': '[project]\n' })).toEqual({ checks: [], lacking: [] });
  });

  it('are cargo test and go test where the programs are there', async () => {
    expect(commands(await planOf({ 'Cargo.toml': '' }, { programs: ['cargo'] }))).toEqual([
      'cargo test --no-fail-fast',
    ]);
    expect(commands(await planOf({ 'go.mod': '' }, { programs: ['go'] }))).toEqual(['go test ./...']);
    expect(await planOf({ 'go.mod': '' })).toMatchObject({
      checks: [],
      lacking: [{ reason: 'go.mod needs go, which is not installed' }],
    });
    expect(await planOf({ 'go.mod': '' }, { programs: ['go'], touched: ['README.md'] })).toEqual({
      checks: [],
      lacking: [],
    });
  });

  it('are all of those that a workspace has', async () => {
    const files = { 'package.json': manifest({ test: 'node --test' }), 'Cargo.toml': '' };
    expect(commands(await planOf(files, { programs: ['npm', 'cargo'] }))).toEqual([
      'npm run test',
      'cargo test --no-fail-fast',
    ]);
  });
});

describe('an untrusted workspace', () => {
  it('has no check, and says why', async () => {
    const plan = await planOf({ 'package.json': manifest({ test: 'rm -rf /' }) }, { ...npm, isTrusted: false });
    expect(plan).toEqual({
      checks: [],
      lacking: [{ kind: 'named', reason: 'the workspace is not trusted, so nothing of it is run' }],
    });
  });
});
