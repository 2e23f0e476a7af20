// Brings the parts of an edit together: every path once. Parts of one file that can follow each other become one, in order;
// any other second mention of a path is refused, since the second part would not know what the first one does.
import type { EditSet, FileEdit } from './editSet.ts';

export type JoinedFiles = { readonly ok: true; readonly set: EditSet } | { readonly ok: false; readonly error: string };

export function joinFiles(parts: readonly FileEdit[]): JoinedFiles {
  if (parts.length === 0) return { ok: false, error: 'The edit names no file. Send at least one change.' };
  const files = new Map<string, FileEdit>();
  for (const part of parts) {
    const key = keyOf(part.path);
    const known = files.get(key);
    const joined = known ? join(known, part) : part;
    if (!joined) return twice(part.path);
    files.set(key, joined);
  }
  const targets = new Set<string>();
  for (const file of files.values()) {
    const moveTo = 'moveTo' in file ? file.moveTo : undefined;
    if (moveTo === undefined || keyOf(moveTo) === keyOf(file.path)) continue;
    if (files.has(keyOf(moveTo)) || targets.has(keyOf(moveTo))) return twice(moveTo);
    targets.add(keyOf(moveTo));
  }
  return { ok: true, set: { files: [...files.values()] } };
}

function twice(path: string): JoinedFiles {
  const error = `${path} is named twice, in parts that do not go together. Put all that happens to it into one part.`;
  return { ok: false, error };
}

/** Two ways to write one path, as far as that can be told from the text. */
function keyOf(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const clean = parts.filter((part, i) => part !== '.' && (part !== '' || i === 0));
  return clean.join('/');
}

function join(first: FileEdit, second: FileEdit): FileEdit | null {
  if (first.kind === 'blocks' && second.kind === 'blocks')
    return { ...first, blocks: [...first.blocks, ...second.blocks] };
  if (first.kind !== 'hunks' || second.kind !== 'hunks') return null;
  if (first.moveTo !== undefined && second.moveTo !== undefined) return null;
  return { ...first, ...second, path: first.path, hunks: [...first.hunks, ...second.hunks] };
}
