// The file port of a simulated process. A write of several files goes file by file, with a point before each: a process
// that dies there leaves some files new and some old, as a real one does. Contents are text, and are on the disk at once.
import { sha256Hex } from '../../src/core/ledger/key.ts';
import type { AppliedFiles, FileFacts, FilePort, FileReport, FileWrite, Result } from '../../src/engine/ports.ts';
import type { CrashKernel, Mortal } from './crashKernel.ts';

/** The disk that all processes share. */
export interface CrashDisk {
  readonly contents: Map<string, string>;
  /** Before-images by hash. */
  readonly images: Map<string, string>;
}

/** Absolute root of the workspace. */
export const CRASH_WORKSPACE = '/repo';

/** The workspace's name of a path; null outside. */
function nameOf(path: string): string | null {
  if (!path.startsWith('/')) return path === '.' ? '' : path;
  if (path === CRASH_WORKSPACE) return '';
  return path.startsWith(`${CRASH_WORKSPACE}/`) ? path.slice(CRASH_WORKSPACE.length + 1) : null;
}

const PLAIN = { encoding: 'utf-8', hasMark: false } as const;

/** The disk as `process` sees it. */
export function crashFiles(kernel: CrashKernel, disk: CrashDisk, process: Mortal): FilePort {
  const { contents, images } = disk;
  const hashOf = (path: string): string | null => {
    const text = contents.get(path);
    return text === undefined ? null : sha256Hex(text);
  };
  const call = <T>(work: () => T): Promise<T> => kernel.call(process, work);
  const at = <T>(path: string, work: (name: string) => Result<T, string>): Promise<Result<T, string>> => {
    const name = nameOf(path);
    return call(() => (name === null ? { ok: false, error: `${path} is outside the workspace` } : work(name)));
  };
  return {
    locate: (path) => at(path, (name) => ({ ok: true, value: name })),
    read: (wanted) =>
      at(wanted, (path) => {
        const text = contents.get(path);
        const exists = text !== undefined;
        return { ok: true, value: { exists, text: text ?? '', format: PLAIN, hash: hashOf(path), dirtyVersion: null } };
      }),
    look: (wanted) =>
      at<FileFacts>(wanted, (path) => {
        const text = contents.get(path);
        const sizeBytes = Buffer.byteLength(text ?? '');
        if (text !== undefined)
          return { ok: true, value: { kind: 'file', hash: hashOf(path), sizeBytes, mode: 0o644 } };
        const isFolder = path === '' || [...contents.keys()].some((name) => name.startsWith(`${path}/`));
        const kind = isFolder ? 'folder' : 'missing';
        return { ok: true, value: { kind, hash: null, sizeBytes: 0, mode: 0 } };
      }),
    apply: (writes) => applyAll(kernel, disk, process, writes),
    saveBefore: (wanted) =>
      at(wanted, (path) => {
        const hash = hashOf(path);
        if (hash !== null) images.set(hash, contents.get(path) ?? '');
        return { ok: true, value: hash };
      }),
    image: (hash) =>
      call((): Result<Uint8Array, string> => {
        const text = images.get(hash);
        return text === undefined ? { ok: false, error: 'no such image' } : { ok: true, value: Buffer.from(text) };
      }),
    sweepImages: () => Promise.resolve({ ok: true, value: { freedBytes: 0 } }),
    list: () => call(() => [...contents.keys()].sort()),
  };
}

async function applyAll(
  kernel: CrashKernel,
  { contents, images }: CrashDisk,
  process: Mortal,
  writes: readonly FileWrite[],
): Promise<AppliedFiles> {
  const before = new Map<string, string | undefined>();
  const hashAt = (path: string): string | null => {
    const text = contents.get(path);
    return text === undefined ? null : sha256Hex(text);
  };
  const put = (path: string, text: string | undefined): void => {
    if (text === undefined) contents.delete(path);
    else contents.set(path, text);
  };
  const ordered = [...writes].sort((a, b) => Number(a.kind === 'delete') - Number(b.kind === 'delete'));
  let error: string | null = null;
  for (const write of ordered) {
    await kernel.point(process);
    if (hashAt(write.path) !== write.expectedHash) {
      error = `${write.path} was changed by somebody else`;
      break;
    }
    before.set(write.path, contents.get(write.path));
    put(write.path, write.kind === 'delete' ? undefined : textOf(write.content, images));
  }
  if (error !== null) {
    for (const [path, text] of before) {
      await kernel.point(process);
      put(path, text);
    }
  }
  await kernel.point(process);
  const outcome = (path: string): FileReport['outcome'] =>
    error === null ? 'changed' : before.has(path) ? 'restored' : 'untouched';
  const files = writes.map(({ path }) => ({ path, outcome: outcome(path), hash: hashAt(path), reason: error }));
  return { ok: error === null, files, error };
}

function textOf(content: Extract<FileWrite, { kind: 'write' }>['content'], images: CrashDisk['images']): string {
  if (content.kind === 'text') return content.text;
  const text = images.get(content.hash);
  if (text === undefined) throw new Error(`no before-image ${content.hash}`);
  return text;
}
