// `apply` of the file port in memory: everything is staged and compared first, writes come before deletions, and what
// fails puts back what was changed. At every step a test may make trouble.
import { encodeText } from '../../src/core/edits/textFormat.ts';
import type { AppliedFiles, FilePort, FileReport, FileWrite, Result } from '../../src/engine/ports.ts';
import { hashOfBytes, isFolder, stateOf } from './memoryDisk.ts';
import type { ApplyStep, MemoryBuffer, MemoryDisk } from './memoryDisk.ts';

interface Staged {
  readonly write: FileWrite;
  readonly place: string;
  /** New bytes; null: the file goes. */
  readonly bytes: Uint8Array | null;
  readonly before: Uint8Array | undefined;
  readonly buffer: MemoryBuffer | undefined;
}

type Locate = (path: string) => Result<string, string>;

/** The `apply` of a disk. */
export function memoryApply(disk: MemoryDisk, locate: Locate): FilePort['apply'] {
  const turn = async (step: ApplyStep['step'], path: string): Promise<string | null> => {
    await Promise.resolve();
    return disk.trouble?.({ step, path }) ?? null;
  };
  return async (writes) => {
    const staged: Staged[] = [];
    for (const write of writes) {
      const error = await turn('stage', write.path);
      const one = error === null ? stage(disk, locate, write) : no(error);
      if (!one.ok) return ended(disk, locate, writes, new Map(), one.error);
      if (staged.some(({ place }) => place === one.value.place))
        return ended(disk, locate, writes, new Map(), `${write.path} is named twice. Nothing was written.`);
      staged.push(one.value);
    }
    const isDelete = ({ write }: Staged): boolean => write.kind === 'delete';
    const inOrder = [...staged.filter((one) => !isDelete(one)), ...staged.filter(isDelete)];
    const done: Staged[] = [];
    for (const one of inOrder) {
      const error = (await turn('change', one.write.path)) ?? change(disk, one);
      if (error === null) done.push(one);
      else return ended(disk, locate, writes, await restore(disk, done, turn), error);
    }
    await turn('answer', '');
    const changed = new Map(done.map(({ write }) => [write.path, { outcome: 'changed', reason: null } as const]));
    return ended(disk, locate, writes, changed, null);
  };
}

type Fate = Pick<FileReport, 'outcome' | 'reason'>;

function ended(
  disk: MemoryDisk,
  locate: Locate,
  writes: readonly FileWrite[],
  fates: ReadonlyMap<string, Fate>,
  error: string | null,
): AppliedFiles {
  const files = writes.map(({ path }): FileReport => {
    const place = locate(path);
    const bytes = place.ok ? disk.bytes.get(place.value) : undefined;
    const { outcome, reason } = fates.get(path) ?? { outcome: 'untouched', reason: null };
    return { path, outcome, hash: bytes ? hashOfBytes(bytes) : null, reason };
  });
  return { ok: error === null, files, error };
}

function stage(disk: MemoryDisk, locate: Locate, write: FileWrite): Result<Staged, string> {
  const { path } = write;
  const place = locate(path);
  if (!place.ok) return place;
  if (place.value.split('/').includes('.git'))
    return no(`${path} belongs to Git itself and was not written. Use a git command instead.`);
  if (disk.readOnly.has(place.value))
    return no(`${path} is write-protected and was not written. Allow writing to it first.`);
  if (isFolder(disk, place.value)) return no(`${path} is a folder. Name a file.`);
  const staged = {
    write,
    place: place.value,
    before: disk.bytes.get(place.value),
    buffer: disk.buffers.get(place.value),
  };
  const stale = conflict(disk, { ...staged, bytes: null });
  if (stale !== null) return no(stale);
  if (write.kind === 'delete') return { ok: true, value: { ...staged, bytes: null } };
  const { content } = write;
  const bytes = content.kind === 'text' ? encodeText(content.text, content.format) : disk.before.get(content.hash);
  if (!bytes) return no(`${path} cannot hold the new text in its encoding. Nothing was written.`);
  return { ok: true, value: { ...staged, bytes } };
}

/** What stands in the way of a write: other bytes than expected. */
function conflict(disk: MemoryDisk, { write, place }: Staged): string | null {
  const now = stateOf(disk, place);
  const bytes = disk.bytes.get(place);
  const hash = now.ok ? now.value.hash : bytes ? hashOfBytes(bytes) : null;
  if (hash === write.expectedHash) return null;
  const what = hash === null ? 'was deleted' : 'was changed by somebody else';
  return `${write.path} ${what} since it was read, so it was not written. Read it again and make the edit anew.`;
}

function change(disk: MemoryDisk, staged: Staged): string | null {
  const stale = conflict(disk, staged);
  if (stale !== null) return stale;
  const { place, bytes, write } = staged;
  disk.buffers.delete(place);
  if (bytes === null) disk.bytes.delete(place);
  else disk.bytes.set(place, bytes);
  if (write.kind === 'write' && write.mode !== undefined && !staged.before) disk.modes.set(place, write.mode);
  return null;
}

async function restore(
  disk: MemoryDisk,
  done: readonly Staged[],
  turn: (step: ApplyStep['step'], path: string) => Promise<string | null>,
): Promise<ReadonlyMap<string, Fate>> {
  const fates = new Map<string, Fate>();
  for (const { place, bytes, before, buffer, write } of done.toReversed()) {
    const error = await turn('restore', write.path);
    const now = disk.bytes.get(place);
    const isOurs = bytes === null ? now === undefined : now !== undefined && hashOfBytes(now) === hashOfBytes(bytes);
    if (error !== null || !isOurs) {
      const reason = `${error ?? `${write.path} was changed by somebody else meanwhile`}; its old bytes are kept as a before-image`;
      if (before) disk.before.set(hashOfBytes(before), before);
      fates.set(write.path, { outcome: 'damaged', reason });
      continue;
    }
    if (before) disk.bytes.set(place, before);
    else disk.bytes.delete(place);
    if (buffer) disk.buffers.set(place, buffer);
    fates.set(write.path, { outcome: 'restored', reason: null });
  }
  return fates;
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}
