// Is the file that is open still the one that others find under its name? A connection goes on writing to a file that was
// moved, deleted or replaced, where nobody would ever find the entries again.
import { statSync } from 'node:fs';

/** What became of the open database's files. */
export type FilesNow = 'same' | 'replaced' | 'wal-gone';

/** Watches a database that was just opened; the answer is as of the moment of asking (some 10 µs). */
export function watchFiles(file: string): () => FilesNow {
  const opened = nameOf(file);
  let wal = nameOf(`${file}-wal`);
  return () => {
    if (nameOf(file) !== opened) return 'replaced';
    const walNow = nameOf(`${file}-wal`);
    // It is made by the first read or write; from then on it stays until the last connection closes.
    wal ??= walNow;
    return walNow === wal ? 'same' : 'wal-gone';
  };
}

/** What tells one file from another, whatever its name; null: there is none. */
function nameOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
