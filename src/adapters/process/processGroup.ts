// Ending a process with everything that it started. POSIX: the process group that it leads. Windows: the tree below it, by
// `taskkill`; there is no polite way there, since a console program without a window cannot be asked to close.
import { spawn } from 'node:child_process';

/** `taskkill`'s words that end a process and everything below it (documented options /PID, /T and /F). */
export function taskkillWords(pid: number): readonly string[] {
  return ['taskkill', '/PID', String(pid), '/T', '/F'];
}

/** Asks the group that `pid` leads to end; what is stopped is woken, so that it can. On Windows it is ended at once. */
export function askGroup(pid: number): void {
  if (process.platform === 'win32') killGroup(pid);
  else if (signalGroup(pid, 'SIGTERM')) signalGroup(pid, 'SIGCONT');
}

/** Ends the group that `pid` leads, whatever it is doing. */
export function killGroup(pid: number): void {
  if (process.platform !== 'win32') {
    signalGroup(pid, 'SIGKILL');
    return;
  }
  const [program = '', ...words] = taskkillWords(pid);
  // It fails where nothing is left to end, which is what was wanted.
  spawn(program, words, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
}

/** Whether something of the group is left. On Windows nobody knows: the process table is asked there. */
export function hasGroup(pid: number): boolean {
  return process.platform !== 'win32' && signalGroup(pid, 0);
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    // ESRCH: the group is empty.
    return false;
  }
}
