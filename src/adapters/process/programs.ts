// From a gated command to the words that are really started, with everything checked that can be checked before anything runs.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { GatedCommand, Result } from '../../engine/ports.ts';

const SHELLS = {
  bash: { program: 'bash', flags: ['-c'], remedy: 'Install bash, or add its folder to PATH.' },
  pwsh: {
    program: 'pwsh',
    flags: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'],
    remedy: 'Install PowerShell 7 (pwsh), or add its folder to PATH.',
  },
} as const;

/** The argv to start, or what is missing and what to do. */
export function argvOf(command: GatedCommand): Result<readonly string[], string> {
  const { cwd, env, shell } = command;
  if (!isDirectory(cwd))
    return no(`The directory ${cwd} does not exist, so the command was not run. Make it, or choose another one.`);
  const words = typeof command.command === 'string' ? [command.command] : command.command;
  if (words.some((word) => word.includes('\0')))
    return no('The command holds a NUL character and was not run. Remove it.');
  if (shell === 'none') {
    const [program] = words;
    if (program === undefined || program === '')
      return no('The command is empty, so nothing was run. Say which program to run.');
    if (typeof command.command === 'string')
      return no('A command without a shell is a list of words. Pass its words, or name a shell.');
    const found = program.includes('/') || findProgram(program, env) !== null;
    return found
      ? { ok: true, value: words }
      : no(`The program ${program} was not found on PATH, so nothing was run. Install it, or give its full path.`);
  }
  const { program, flags, remedy } = SHELLS[shell];
  const path = findProgram(program, env);
  if (path === null) return no(`${program} was not found on PATH, so the command was not run. ${remedy}`);
  if (typeof command.command !== 'string')
    return no(`A command for ${program} is one text. Pass it as text, or use no shell.`);
  return { ok: true, value: [path, ...flags, command.command] };
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function findProgram(program: string, env: Readonly<Record<string, string>>): string | null {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not in this folder; the next one is tried.
    }
  }
  return null;
}
