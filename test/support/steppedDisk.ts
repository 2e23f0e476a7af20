// A real disk on which a test is asked before every single step that changes something: it may throw (a full disk), change
// files (another program), or end the process (a crash).
import type { FileHandle } from 'node:fs/promises';
import { type Disk, realDisk } from '../../src/adapters/files/disk.ts';

/** One step that is about to be done: `rename /a -> /b`, `write /a`. */
export interface DiskStep {
  /** From 1. */
  readonly index: number;
  readonly kind: string;
  readonly paths: readonly string[];
  /** Only for `write`: what would be written, to write less of it. */
  readonly half?: () => Promise<void>;
}

export interface SteppedDisk extends Disk {
  /** What was done so far, in order. */
  readonly steps: readonly DiskStep[];
}

const CHANGES = ['link', 'mkdir', 'rename', 'rmdir', 'unlink', 'utimes', 'copyFile'] as const;
const HANDLE_CHANGES: Readonly<Record<string, string>> = {
  writeFile: 'write',
  chmod: 'chmod',
  chown: 'chown',
  sync: 'sync',
};

/** `before` runs before each step; what it throws is what the step throws. */
export function steppedDisk(
  before: (step: DiskStep) => void | Promise<void>,
  changes: Partial<Disk> = {},
): SteppedDisk {
  const steps: DiskStep[] = [];
  const ask = async (kind: string, paths: readonly unknown[], half?: () => Promise<void>): Promise<void> => {
    const index = steps.length + 1;
    const named = paths.filter((path) => typeof path === 'string');
    const step = { index, kind, paths: named, ...(half && { half }) };
    steps.push(step);
    await before(step);
  };
  const disk: Record<string, unknown> = { ...realDisk, pause: () => Promise.resolve(), ...changes, steps };
  for (const name of CHANGES) {
    const real = disk[name];
    if (typeof real !== 'function') continue;
    disk[name] = async (...args: unknown[]): Promise<unknown> => {
      await ask(name, args);
      return Reflect.apply(real, null, args) as unknown;
    };
  }
  const { open } = { ...realDisk, ...changes };
  disk.open = async (...args: Parameters<Disk['open']>): Promise<FileHandle> => {
    const [path, flags] = args;
    const isMade = flags === 'wx';
    if (isMade) await ask('make', [path]);
    return steppedHandle(await open(...args), String(path), ask);
  };
  // Every member is the real disk's or wraps it with the same arguments.
  return disk as unknown as SteppedDisk;
}

function steppedHandle(
  handle: FileHandle,
  path: string,
  ask: (kind: string, paths: readonly string[], half?: () => Promise<void>) => Promise<void>,
): FileHandle {
  return new Proxy(handle, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const kind = typeof name === 'string' ? HANDLE_CHANGES[name] : undefined;
      return async (...args: unknown[]): Promise<unknown> => {
        const [bytes] = args;
        const half = async (): Promise<void> => {
          if (bytes instanceof Uint8Array) await target.write(bytes, 0, Math.floor(bytes.length / 2));
        };
        if (kind !== undefined) await ask(kind, [path], kind === 'write' ? half : undefined);
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

/** An error as the system throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: a test made this happen`), { code });
}
