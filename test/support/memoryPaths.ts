// Paths of the file port in memory: one name for each file, as on a disk with links and, where asked for, without case.
import type { Result } from '../../src/engine/ports.ts';
import type { MemoryDisk } from './memoryDisk.ts';

const MAX_LINKS = 40;

/** The `locate` of a workspace at `root`. */
export function memoryPaths(
  disk: MemoryDisk,
  root: string,
  isCaseless: boolean,
): (path: string) => Result<string, string> {
  return (path) => {
    const written = insideOf(path, root);
    if (written === null) return no(`${path} leads out of the workspace and was not touched. Name a file inside it.`);
    let real = written;
    for (let hop = 0; ; hop++) {
      const link = [...disk.links].find(([from]) => real === from || real.startsWith(`${from}/`));
      if (!link) break;
      if (hop > MAX_LINKS) return no(`${path} is a circle of symbolic links. Remove one of them.`);
      const [from, to] = link;
      const target = insideOf(`${to}${real.slice(from.length)}`, root);
      if (target === null)
        return no(
          `${path} leads out of the workspace through a symbolic link and was not touched. Edit the real file from its own workspace.`,
        );
      const isThere = [...disk.bytes.keys()].some((one) => one === target || one.startsWith(`${target}/`));
      if (real === from && !isThere && !disk.links.has(target))
        return no(`${path} is a symbolic link to nowhere and was not touched. Remove the link, or name its target.`);
      real = target;
    }
    return { ok: true, value: isCaseless ? asOnDisk(disk, real) : real };
  };
}

/** The path without `.`, `..` and the root; null for what lies outside or names no file. */
function insideOf(path: string, root: string): string | null {
  if (path === '' || path.includes('\0')) return null;
  const relative = path.startsWith('/') ? (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null) : path;
  if (relative === null) return null;
  const parts: string[] = [];
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join('/');
}

function asOnDisk({ bytes }: MemoryDisk, path: string): string {
  return [...bytes.keys()].find((one) => one.toLowerCase() === path.toLowerCase()) ?? path;
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}
