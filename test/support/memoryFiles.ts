// The file port in memory, for tests of the engine: same compare-and-swap, no disk.
import { sha256Hex } from '../../src/core/ledger/key.ts';
import type { FilePort } from '../../src/engine/ports.ts';

export interface MemoryFiles extends FilePort {
  /** The files themselves; tests look and tamper here. */
  readonly contents: Map<string, string>;
  /** Hashes of what was kept before edits. */
  readonly before: Set<string>;
}

/** A workspace of text files. */
export function memoryFiles(initial: Readonly<Record<string, string>> = {}): MemoryFiles {
  const contents = new Map(Object.entries(initial));
  const before = new Set<string>();
  const hashOf = (path: string): string | null => {
    const text = contents.get(path);
    return text === undefined ? null : sha256Hex(text);
  };
  return {
    contents,
    before,
    read: (path) => {
      const text = contents.get(path);
      const value = { exists: text !== undefined, text: text ?? '', hash: hashOf(path), dirtyVersion: null };
      return Promise.resolve({ ok: true, value });
    },
    replace: (path, text, expectedHash) => {
      if (hashOf(path) !== expectedHash)
        return Promise.resolve({ ok: false, error: `${path} was changed by somebody else` });
      contents.set(path, text);
      return Promise.resolve({ ok: true, value: { hash: sha256Hex(text) } });
    },
    saveBefore: (path) => {
      const hash = hashOf(path);
      if (hash !== null) before.add(hash);
      return Promise.resolve({ ok: true, value: hash });
    },
    list: () => Promise.resolve([...contents.keys()].sort()),
  };
}
