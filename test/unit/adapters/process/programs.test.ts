// What is started for a command on Windows; what is started here is told by the contract tests.
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { argvOf } from '../../../../src/adapters/process/programs.ts';
import type { GatedCommand } from '../../../../src/engine/ports.ts';

const cwd = tmpdir();
const GIT = 'C:\\Program Files\\Git';
const SYSTEM = 'C:\\Windows\\System32';
const NODE = 'C:\\Program Files\\nodejs';
const env = {
  Path: [SYSTEM, `${GIT}\\cmd`, NODE].join(';'),
  PATHEXT: '.COM;.EXE;.BAT;.CMD',
  ProgramFiles: 'C:\\Program Files',
};

const windows = (...programs: readonly string[]) => {
  const known = new Set(programs.map((path) => path.toLowerCase()));
  return (command: Partial<GatedCommand>) =>
    argvOf(
      { shell: 'none', command: [], cwd, env, ...command },
      { isWindows: true, isProgram: (path) => known.has(path.toLowerCase()) },
    );
};

describe('what is started on Windows', () => {
  it('takes pwsh before Windows PowerShell, and either without profile and questions', () => {
    const both = windows(`${SYSTEM}\\powershell.exe`, `${NODE}\\pwsh.exe`);
    const flags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', 'Get-Date'];
    expect(both({ shell: 'pwsh', command: 'Get-Date' })).toEqual({
      ok: true,
      value: { words: [`${NODE}\\pwsh.EXE`, ...flags], isVerbatim: false },
    });
    const old = windows(`${SYSTEM}\\powershell.exe`);
    expect(old({ shell: 'pwsh', command: 'Get-Date' })).toMatchObject({
      value: { words: [`${SYSTEM}\\powershell.EXE`, ...flags] },
    });
  });

  it('takes the bash of Git for Windows, never the one that starts the Linux subsystem', () => {
    const text = { shell: 'bash', command: 'ls' } as const;
    const wsl = `${SYSTEM}\\bash.exe`;
    expect(windows(wsl, `${GIT}\\cmd\\git.exe`, `${GIT}\\bin\\bash.exe`)(text)).toMatchObject({
      value: { words: [`${GIT}\\bin\\bash.exe`, '-c', 'ls'] },
    });
    expect(windows(wsl, `${GIT}\\bin\\bash.exe`)({ ...text, env: { ...env, Path: SYSTEM } })).toMatchObject({
      ok: true,
    });
    const none = windows(wsl)(text);
    expect(none).toMatchObject({ ok: false });
    expect(!none.ok && none.error).toContain('Git for Windows');
  });

  it('hands a text to cmd.exe as it is, in the quotes that cmd takes off again', () => {
    const cmd = windows(`${SYSTEM}\\cmd.exe`);
    const text = 'echo "a b" & dir';
    expect(cmd({ shell: 'cmd', command: text })).toEqual({
      ok: true,
      value: { words: [`${SYSTEM}\\cmd.EXE`, '/d', '/s', '/c', `"${text}"`], isVerbatim: true },
    });
    const lines = cmd({ shell: 'cmd', command: 'echo a\necho b' });
    expect(!lines.ok && lines.error).toContain('only the first line');
  });

  it('finds a program by the endings that Windows knows, whatever the variable is called', () => {
    const node = windows(`${NODE}\\node.exe`);
    expect(node({ command: ['node', '-v'] })).toMatchObject({ value: { words: [`${NODE}\\node.EXE`, '-v'] } });
    expect(node({ command: ['node.exe', '-v'] })).toMatchObject({ value: { words: [`${NODE}\\node.exe`, '-v'] } });
    expect(node({ command: ['node'], env: { PATH: NODE } })).toMatchObject({ ok: true });
    expect(node({ command: ['nope'] })).toMatchObject({ ok: false });
  });

  it('refuses a batch file as a program, since cmd.exe would read its words anew, and says what to do', () => {
    const npm = windows(`${NODE}\\npm.cmd`)({ command: ['npm', 'test'] });
    expect(!npm.ok && npm.error).toContain('batch file');
    expect(!npm.ok && npm.error).toContain('shell');
  });

  it('refuses cmd.exe where there is none', () => {
    const refused = argvOf({ shell: 'cmd', command: 'dir', cwd, env: { PATH: '/bin' } });
    expect(refused).toMatchObject({ ok: false });
  });
});
