// From a gated command to the words that are really started, with everything checked that can be checked before anything runs.
import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { GatedCommand, Result } from '../../engine/ports.ts';

/** What is started. `isVerbatim`: the last words are a command line that must not be quoted again (Windows, cmd.exe). */
export interface Started {
  readonly words: readonly string[];
  readonly isVerbatim: boolean;
}

/** Where to look: the machine, so that tests can be another one. */
export interface Machine {
  readonly isWindows: boolean;
  /** Whether there is a file at this path that may be run. */
  readonly isProgram: (path: string) => boolean;
}

const thisMachine: Machine = { isWindows: process.platform === 'win32', isProgram };

const PWSH_FLAGS = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'];

/** The programs of each shell in order of preference, its flags, and what to do when none is there. */
const SHELLS = {
  bash: { programs: ['bash'], flags: ['-c'], remedy: 'Install bash, or add its folder to PATH.' },
  pwsh: { programs: ['pwsh'], flags: PWSH_FLAGS, remedy: 'Install PowerShell 7 (pwsh), or add its folder to PATH.' },
  cmd: { programs: ['cmd'], flags: ['/d', '/s', '/c'], remedy: 'It is part of Windows; elsewhere use bash.' },
} as const;

type Shell = keyof typeof SHELLS;

/** Windows PowerShell 5 is part of Windows; bash comes with Git for Windows. */
const WINDOWS_SHELLS: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['bash'],
  pwsh: ['pwsh', 'powershell'],
  cmd: ['cmd'],
};

/** The words to start, or what is missing and what to do. */
export function argvOf(
  command: Pick<GatedCommand, 'shell' | 'command' | 'cwd' | 'env'>,
  machine: Machine = thisMachine,
): Result<Started, string> {
  const { cwd, env, shell } = command;
  if (!isDirectory(cwd))
    return no(`The directory ${cwd} does not exist, so the command was not run. Make it, or choose another one.`);
  const words = typeof command.command === 'string' ? [command.command] : command.command;
  if (words.some((word) => word.includes('\0')))
    return no('The command holds a NUL character and was not run. Remove it.');
  if (shell !== 'none') return shellWords(shell, command, machine);
  const [program, ...rest] = words;
  if (program === undefined || program === '')
    return no('The command is empty, so nothing was run. Say which program to run.');
  if (typeof command.command === 'string')
    return no('A command without a shell is a list of words. Pass its words, or name a shell.');
  if (machine.isWindows) return windowsProgram(program, rest, env, machine);
  return program.includes('/') || findProgram(program, env, machine) !== null
    ? yes(words)
    : no(`The program ${program} was not found on PATH, so nothing was run. Install it, or give its full path.`);
}

function yes(words: readonly string[], isVerbatim = false): Result<Started, string> {
  return { ok: true, value: { words, isVerbatim } };
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}

function shellWords(
  shell: Shell,
  { command, env }: Pick<GatedCommand, 'command' | 'env'>,
  machine: Machine,
): Result<Started, string> {
  const { programs, flags, remedy } = SHELLS[shell];
  const [first] = programs;
  const path = machine.isWindows
    ? (findFirst(WINDOWS_SHELLS[shell], env, machine) ?? (shell === 'bash' ? gitBash(env, machine) : null))
    : findFirst(programs, env, machine);
  const windowsRemedy = shell === 'bash' ? 'Install Git for Windows, which brings it.' : remedy;
  if (path === null) {
    return no(
      `${first} was not found on PATH, so the command was not run. ${machine.isWindows ? windowsRemedy : remedy}`,
    );
  }
  if (typeof command !== 'string') return no(`A command for ${first} is one text. Pass it as text, or use no shell.`);
  if (shell !== 'cmd') return yes([path, ...flags, command]);
  // cmd.exe reads one line and drops the rest; with /s it takes off the outer quotes and nothing else.
  if (/[\r\n]/.test(command))
    return no('cmd.exe would run only the first line of this text, so nothing was run. Join the lines with &&.');
  return yes([path, ...flags, `"${command}"`], true);
}

/** Batch files are run by cmd.exe, which reads their words by rules of its own: no quoting is safe there. */
function windowsProgram(
  program: string,
  rest: readonly string[],
  env: Readonly<Record<string, string>>,
  machine: Machine,
): Result<Started, string> {
  const path = /[\\/]/.test(program) ? program : findProgram(program, env, machine);
  if (path === null)
    return no(`The program ${program} was not found on PATH, so nothing was run. Install it, or give its full path.`);
  if (/\.(?:bat|cmd)$/i.test(path)) {
    return no(
      `${program} is a batch file (${path}), whose words cannot be passed on unchanged. Nothing was run; give the command as a text for a shell (pwsh or bash).`,
    );
  }
  return yes([path, ...rest]);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not to be run by us; the next place is tried.
    return false;
  }
}

function findFirst(
  programs: readonly string[],
  env: Readonly<Record<string, string>>,
  machine: Machine,
): string | null {
  for (const program of programs) {
    const path = findProgram(program, env, machine);
    if (path !== null) return path;
  }
  return null;
}

function findProgram(program: string, env: Readonly<Record<string, string>>, machine: Machine): string | null {
  const paths = machine.isWindows ? win32 : posix;
  const endings = machine.isWindows ? windowsEndings(program, env) : [''];
  for (const folder of pathOf(env, machine).split(paths.delimiter)) {
    if (folder === '' || isWslFolder(program, folder, machine)) continue;
    for (const ending of endings) {
      const path = paths.join(folder, `${program}${ending}`);
      if (machine.isProgram(path)) return path;
    }
  }
  return null;
}

/** Windows spells the name of this variable as it likes. */
function pathOf(env: Readonly<Record<string, string>>, machine: Machine): string {
  if (!machine.isWindows) return env.PATH ?? '';
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
}

function windowsEndings(program: string, env: Readonly<Record<string, string>>): readonly string[] {
  const known = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATHEXT')?.[1] ?? '.EXE;.COM;.CMD;.BAT';
  const endings = known.split(';').filter((ending) => /^\.\w+$/.test(ending));
  const hasEnding = endings.some((ending) => program.toLowerCase().endsWith(ending.toLowerCase()));
  return hasEnding ? [''] : endings;
}

/** `bash.exe` in the system's folders starts the Linux subsystem, where paths, programs and processes are others. */
function isWslFolder(program: string, folder: string, { isWindows }: Machine): boolean {
  return isWindows && program === 'bash' && /[\\/](?:system32|sysnative|windowsapps)[\\/]?$/i.test(folder);
}

/** The bash of Git for Windows lies beside the folder of git.exe. */
function gitBash(env: Readonly<Record<string, string>>, machine: Machine): string | null {
  const git = findProgram('git', env, machine);
  const roots = git === null ? [] : [win32.dirname(win32.dirname(git))];
  for (const name of ['ProgramFiles', 'ProgramW6432', 'ProgramFiles(x86)']) {
    const folder = Object.entries(env).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
    if (folder !== undefined) roots.push(win32.join(folder, 'Git'));
  }
  return roots.map((root) => win32.join(root, 'bin', 'bash.exe')).find(machine.isProgram) ?? null;
}
