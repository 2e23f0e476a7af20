// The file port in memory, for tests of the engine: the same promises as on a disk (compare-and-swap, all or nothing,
// before-images, encodings, links, unsaved buffers), without one. Tests look, tamper and make trouble through its maps.
import type { FilePort, Result } from '../../src/engine/ports.ts';
import { memoryApply } from './memoryApply.ts';
import { factsOf, hashOfBytes, stateOf } from './memoryDisk.ts';
import type { MemoryDisk } from './memoryDisk.ts';
import { memoryPaths } from './memoryPaths.ts';

/** Files as UTF-8 text; bytes that are none show as replacement characters. */
export interface TextContents {
  get(path: string): string | undefined;
  set(path: string, text: string): void;
  has(path: string): boolean;
  delete(path: string): void;
  keys(): readonly string[];
  values(): readonly string[];
}

export interface MemoryFiles extends FilePort, MemoryDisk {
  readonly contents: TextContents;
}

export interface MemoryFilesOptions {
  /** Absolute place of the workspace. Default `/repo`. */
  readonly root?: string;
  /** A disk that takes `A.txt` for `a.txt`. */
  readonly isCaseless?: boolean;
}

/** A workspace of text files. */
export function memoryFiles(
  initial: Readonly<Record<string, string>> = {},
  { root = '/repo', isCaseless = false }: MemoryFilesOptions = {},
): MemoryFiles {
  const disk: MemoryDisk = {
    bytes: new Map(Object.entries(initial).map(([path, text]) => [path, Buffer.from(text)])),
    modes: new Map(),
    buffers: new Map(),
    before: new Map(),
    links: new Map(),
    readOnly: new Set(),
    trouble: null,
  };
  const locate = memoryPaths(disk, root, isCaseless);
  const at = <T>(path: string, work: (place: string) => Result<T, string>): Promise<Result<T, string>> => {
    const place = locate(path);
    return Promise.resolve(place.ok ? work(place.value) : place);
  };
  return Object.assign(disk, {
    contents: textsOf(disk),
    locate: (path: string) => at(path, (value) => ({ ok: true, value })),
    read: (path: string) => at(path, (place) => stateOf(disk, place)),
    look: (path: string) =>
      at(path, (value) => {
        const facts = factsOf(disk, value);
        return { ok: true, value: disk.links.has(path) ? { ...facts, isLink: true as const } : facts };
      }),
    apply: memoryApply(disk, locate),
    saveBefore: (path: string) =>
      at(path, (place) => {
        const bytes = disk.bytes.get(place);
        if (bytes === undefined) return { ok: true, value: null };
        const hash = hashOfBytes(bytes);
        disk.before.set(hash, bytes);
        return { ok: true, value: hash };
      }),
    image: (hash: string) => {
      const value = disk.before.get(hash);
      const error = `The before-image ${hash.slice(0, 12)} is not kept any more.`;
      return Promise.resolve(value ? ({ ok: true, value } as const) : ({ ok: false, error } as const));
    },
    sweepImages: (keep: ReadonlySet<string>) => {
      let freedBytes = 0;
      for (const [hash, bytes] of disk.before) {
        if (keep.has(hash)) continue;
        freedBytes += bytes.length;
        disk.before.delete(hash);
      }
      return Promise.resolve({ ok: true, value: { freedBytes } } as const);
    },
    list: () => Promise.resolve([...disk.bytes.keys()].sort()),
  });
}

function textsOf({ bytes }: MemoryDisk): TextContents {
  return {
    get: (path) => {
      const found = bytes.get(path);
      return found && Buffer.from(found).toString('utf8');
    },
    set: (path, text) => {
      bytes.set(path, Buffer.from(text));
    },
    has: (path) => bytes.has(path),
    delete: (path) => {
      bytes.delete(path);
    },
    keys: () => [...bytes.keys()].sort(),
    values: () => [...bytes.keys()].sort().map((path) => Buffer.from(bytes.get(path) ?? []).toString('utf8')),
  };
}
