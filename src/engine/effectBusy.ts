// Which entries this very process is making right now. Another process is found in the process table; one's own edits are
// not, and an edit that is half written must not be taken for one that was left so.
import type { CommandPort } from './ports.ts';

const busy = new WeakMap<CommandPort, Map<string, number>>();

/** Does `work`, during which the entry counts as being made. */
export async function whileBusy<T>(command: CommandPort, key: string, work: () => Promise<T>): Promise<T> {
  const keys = busy.get(command) ?? new Map<string, number>();
  busy.set(command, keys);
  keys.set(key, (keys.get(key) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = (keys.get(key) ?? 1) - 1;
    if (left > 0) keys.set(key, left);
    else keys.delete(key);
  }
}

/** Is this process making the effect of `key`? */
export function isBusy(command: CommandPort, key: string): boolean {
  return busy.get(command)?.has(key) ?? false;
}
