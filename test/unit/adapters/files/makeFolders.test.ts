// Folders level by level: what is made, with which mode, and that it always ends.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders, makeFoldersSync } from '../../../../src/adapters/files/makeFolders.ts';
import type { FolderOptions } from '../../../../src/adapters/files/makeFolders.ts';

const both: readonly [string, (folder: string, options?: FolderOptions) => Promise<void>][] = [
  ['makeFolders', (folder, options) => makeFolders(folder, options)],
  ['makeFoldersSync', (folder, options) => Promise.resolve().then(() => makeFoldersSync(folder, options))],
];

describe.each(both)('%s', (name, make) => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-folders-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes every missing level with the mode and names them, the outermost first', async () => {
    const made: string[] = [];
    await make(join(folder, 'a', 'b', 'c'), { mode: 0o700, made });
    const levels = [join(folder, 'a'), join(folder, 'a', 'b'), join(folder, 'a', 'b', 'c')];
    expect(made).toEqual(levels);
    expect(levels.map((level) => statSync(level).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  });

  it('leaves what is there as it is, also behind a link', async () => {
    const made: string[] = [];
    mkdirSync(join(folder, 'real'), { mode: 0o755 });
    symlinkSync('real', join(folder, 'link'));
    await make(join(folder, 'link'), { mode: 0o700, made });
    await make(join(folder, 'link', 'new'), { made });
    expect(made).toEqual([join(folder, 'link', 'new')]);
    expect(statSync(join(folder, 'real')).mode & 0o777).toBe(0o755);
  });

  it('throws what the system says of a file in the way, and of a link to nothing', async () => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'dangling'));
    await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(make(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(make(join(folder, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('ends where a folder that exists answers ENOENT', () => {
    // In a process of its own: what this guards against blocks a thread for ever.
    const module = resolve('src/adapters/files/makeFolders.ts');
    const script = `import { ${name} as make } from ${JSON.stringify(module)};
      try { await make('/proc/belay/x'); } catch (error) { console.log(error.code); }`;
    const ran = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    expect(ran).toMatchObject({ signal: null, stdout: 'ENOENT\n' });
  });
});
