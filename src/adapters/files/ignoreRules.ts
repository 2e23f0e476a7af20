// The rules of all .belayignore files of one workspace that were met so far, as one list in the order in which gitignore
// applies them: the root's first, each nested file's with its folder in front. A file is read again when it has changed.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Place } from './folderListings.ts';

/** Name of the files. */
export const BELAY_IGNORE = '.belayignore';
const MAX_BYTES = 1024 * 1024;
const MAX_VERDICTS = 100_000;

/** One file. `text` null: it is there and cannot be read. */
interface RulesFile {
  readonly stamp: string;
  readonly text: string | null;
}

export class IgnoreRules {
  private readonly root: string;
  private readonly files = new Map<Place, RulesFile>();
  private matchers: readonly Ignore[] = [];
  private readonly verdicts = new Map<Place, boolean>();
  /** Folders whose file cannot be read: all below them is kept. */
  unreadable: readonly Place[] = [];
  /** Another number than before: verdicts may be others too. */
  version = 0;

  constructor(root: string) {
    this.root = root;
  }

  /** Looks at the files of these folders, and at those that are known already. */
  async refresh(folders: readonly Place[]): Promise<void> {
    const all = new Set([...folders, ...this.files.keys()]);
    const changed = await Promise.all([...all].map((folder) => this.read(folder)));
    if (!changed.includes(true)) return;
    const sorted = [...this.files].sort(([a], [b]) => depthOf(a) - depthOf(b));
    const lines = sorted.flatMap(([folder, { text }]) =>
      (text ?? '').split(/\r?\n/).flatMap((line) => rootedLine(folder, line) ?? []),
    );
    // Whether upper and lower case are one depends on the disk: a path is kept when either reading keeps it.
    this.matchers = lines.length === 0 ? [] : [true, false].map((ignorecase) => ignore({ ignorecase }).add(lines));
    this.unreadable = sorted.filter(([, { text }]) => text === null).map(([folder]) => folder);
    this.verdicts.clear();
    this.version++;
  }

  /** Whether a place is kept; a folder above it that is kept keeps it too. */
  keeps(place: Place): boolean {
    if (this.files.size === 0) return false;
    const known = this.verdicts.get(place);
    if (known !== undefined) return known;
    if (this.verdicts.size >= MAX_VERDICTS) this.verdicts.clear();
    const verdict = this.judge(place);
    this.verdicts.set(place, verdict);
    return verdict;
  }

  private judge(place: Place): boolean {
    if (this.unreadable.some((folder) => folder === '' || place === folder || place.startsWith(`${folder}/`)))
      return true;
    if (place === '') return false;
    // A path may be a folder: patterns that end in / are for these alone.
    return this.matchers.some((matcher) => matcher.ignores(place) || matcher.ignores(`${place}/`));
  }

  /** Reads the file of one folder again if it is another than before; whether it was. */
  private async read(folder: Place): Promise<boolean> {
    const path = join(this.root, folder, BELAY_IGNORE);
    const before = this.files.get(folder);
    let next: RulesFile | null;
    try {
      const found = await stat(path);
      const { mtimeMs, ctimeMs, size, ino } = found;
      const stamp = [mtimeMs, ctimeMs, size, ino].join(' ');
      if (before?.stamp === stamp && before.text !== null) return false;
      // Reading a pipe would wait for ever.
      next = { stamp, text: !found.isFile() || size > MAX_BYTES ? null : await readFile(path, 'utf8') };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      next = code === 'ENOENT' || code === 'ENOTDIR' ? null : { stamp: 'unreadable', text: null };
    }
    if (next) this.files.set(folder, next);
    else this.files.delete(folder);
    return next?.stamp !== before?.stamp || next?.text !== before?.text;
  }
}

const depthOf = (place: Place): number => (place === '' ? 0 : place.split('/').length);

/** A line of a nested file as the root's file would have to say it; null for comments and blank lines. */
function rootedLine(folder: Place, line: string): string | null {
  if (folder === '') return line;
  if (line.trim() === '' || line.startsWith('#')) return null;
  const isNegated = line.startsWith('!');
  const pattern = (isNegated ? line.slice(1) : line).replace(/^\\(?=[#!])/, '');
  const isAnchored = /\/(?!\s*$)/.test(pattern);
  const prefix = `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
  return `${isNegated ? '!' : ''}${prefix}${isAnchored ? `/${pattern.replace(/^\//, '')}` : `/**/${pattern}`}`;
}
