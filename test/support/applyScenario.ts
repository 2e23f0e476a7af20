// One edit of many kinds for tests that break it at every step: two files changed, one made in new folders, two deleted.
import type { FilePort, FileWrite } from '../../src/engine/ports.ts';
import type { DiskWorkspace } from './diskWorkspace.ts';
import { deleting, writing } from './fileContract.ts';

const big = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word} ${i}\n`).join('');

const BEFORE: Readonly<Record<string, string>> = {
  'a.txt': 'one\n',
  'src/b.txt': big('old'),
  'c.txt': 'three\n',
  'src/d.txt': big('four'),
  'e.txt': 'not in the edit\n',
};
const AFTER: Readonly<Record<string, string>> = {
  'a.txt': 'ONE\n',
  'src/b.txt': big('new'),
  'new/deep/f.txt': big('made'),
  'e.txt': 'not in the edit\n',
};

/** The files before and after the edit; absent: there is none. */
export function scenarioTexts(path: string): {
  readonly before: string | undefined;
  readonly after: string | undefined;
} {
  return { before: BEFORE[path], after: AFTER[path] };
}

export const SCENARIO_PATHS = [...new Set([...Object.keys(BEFORE), ...Object.keys(AFTER)])].sort();

export function fillScenario({ put }: Pick<DiskWorkspace, 'put'>): void {
  for (const [path, text] of Object.entries(BEFORE)) put(path, Buffer.from(text));
}

/** The edit. */
export function scenarioWrites(): readonly FileWrite[] {
  return [
    deleting('c.txt', BEFORE['c.txt'] ?? ''),
    writing('a.txt', AFTER['a.txt'] ?? '', BEFORE['a.txt'] ?? ''),
    writing('src/b.txt', AFTER['src/b.txt'] ?? '', BEFORE['src/b.txt'] ?? ''),
    writing('new/deep/f.txt', AFTER['new/deep/f.txt'] ?? '', null),
    deleting('src/d.txt', BEFORE['src/d.txt'] ?? ''),
  ];
}

/** Before or after the edit, all of it; otherwise which file is how. */
export function scenarioState({
  get,
}: Pick<DiskWorkspace, 'get'>): 'before' | 'after' | Readonly<Record<string, string>> {
  const found = SCENARIO_PATHS.map((path) => [path, stateOf(path, get(path)?.toString('utf8'))] as const);
  for (const all of ['before', 'after'] as const)
    if (found.every(([, state]) => state === all || state === 'both')) return all;
  return Object.fromEntries(found);
}

/** `neither`: a file that is neither whole and old nor whole and new. */
function stateOf(path: string, text: string | undefined): 'before' | 'after' | 'both' | 'neither' {
  const { before, after } = scenarioTexts(path);
  if (before === after) return text === before ? 'both' : 'neither';
  if (text === before) return 'before';
  return text === after ? 'after' : 'neither';
}

/** Whether the old bytes of every file of the edit can be had from the kept images. */
export async function areImagesKept(files: FilePort): Promise<boolean> {
  const hashes = scenarioWrites().flatMap(({ expectedHash }) => (expectedHash === null ? [] : [expectedHash]));
  const images = await Promise.all(hashes.map((hash) => files.image(hash)));
  return images.every(({ ok }) => ok);
}
