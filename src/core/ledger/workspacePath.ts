// A path as a command writes it, as a path of the workspace. Text only: links are the file port's part.

/** Where a command runs; both absolute POSIX paths. */
export interface CommandPlace {
  readonly cwd: string;
  readonly workspace: string;
}

/**
 * `target`, as written in a command that runs in `cwd`, relative to the workspace ('' for the workspace itself). Null when
 * it lies outside, or when `..` makes the answer depend on links.
 */
export function workspacePath({ cwd, workspace }: CommandPlace, target: string): string | null {
  const absolute = target.startsWith('/') ? target : `${cwd}/${target}`;
  const segments = segmentsOf(absolute);
  const root = segmentsOf(workspace);
  if (segments.includes('..') || root.includes('..')) return null;
  const isInside = root.every((segment, i) => segments[i] === segment);
  return isInside ? segments.slice(root.length).join('/') : null;
}

/** The absolute folder that `target` means, '' being `cwd`; null when it lies outside the workspace. */
export function folderOf(place: CommandPlace, target: string): string | null {
  const absolute = target.startsWith('/') ? target : `${place.cwd}/${target}`;
  return workspacePath(place, target) === null ? null : `/${segmentsOf(absolute).join('/')}`;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}
