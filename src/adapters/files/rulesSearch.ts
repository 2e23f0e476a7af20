// Whether a workspace holds any file of a name, so that nothing is looked for where there is none. The root is looked at
// every time; the folders below are searched at first use and, while nothing was found, again every few seconds beside the
// work. Where the search cannot be finished the answer is yes.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_FOLDERS = 20_000;
const SEARCH_EVERY_MS = 5000;

export class RulesSearch {
  private readonly root: string;
  private readonly name: string;
  /** Found once: who asks about words looks closer from then on. */
  private isFound = false;
  private searching: Promise<void> | null = null;
  private searchedAtMs: number | null = null;

  constructor(root: string, name: string) {
    this.root = root;
    this.name = name;
  }

  async hasAny(): Promise<boolean> {
    if (this.isFound || (await this.isInRoot())) return true;
    const isDue = this.searchedAtMs === null || performance.now() - this.searchedAtMs > SEARCH_EVERY_MS;
    if (isDue) this.searching ??= this.search();
    if (this.searchedAtMs === null) await this.searching;
    return this.isFound;
  }

  private async isInRoot(): Promise<boolean> {
    return lstat(join(this.root, this.name)).then(
      () => true,
      (error: unknown) => !isMissing(error),
    );
  }

  private async search(): Promise<void> {
    let level: readonly string[] = [this.root];
    let count = 0;
    while (level.length > 0 && !this.isFound) {
      count += level.length;
      if (count > MAX_FOLDERS) this.isFound = true;
      else level = (await Promise.all(level.map((folder) => this.look(folder)))).flat();
    }
    this.searchedAtMs = performance.now();
    this.searching = null;
  }

  /** The folders in a folder. */
  private async look(folder: string): Promise<readonly string[]> {
    try {
      const items = await readdir(folder, { withFileTypes: true });
      if (items.some(({ name }) => name === this.name)) this.isFound = true;
      return items
        .filter((item) => item.isDirectory() && !SKIPPED.has(item.name))
        .map(({ name }) => join(folder, name));
    } catch (error) {
      if (!isMissing(error)) this.isFound = true;
      return [];
    }
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOENT' || code === 'ENOTDIR';
}
