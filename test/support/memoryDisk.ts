// The files of the file port in memory: what is on the disk, in open buffers and kept as before-images.
import { createHash } from 'node:crypto';
import { decodeText, encodeText, PLAIN_FORMAT } from '../../src/core/edits/textFormat.ts';
import type { FileFacts, FileState, Result } from '../../src/engine/ports.ts';

/** One step of an `apply`: something may go wrong right before it is done. */
export interface ApplyStep {
  readonly step: 'stage' | 'change' | 'restore' | 'answer';
  readonly path: string;
}

/** An open editor with text that is not saved. */
export interface MemoryBuffer {
  readonly text: string;
  readonly version: number;
}

/** What a test may look at and change. */
export interface MemoryDisk {
  readonly bytes: Map<string, Uint8Array>;
  readonly modes: Map<string, number>;
  readonly buffers: Map<string, MemoryBuffer>;
  /** Images by their hash. */
  readonly before: Map<string, Uint8Array>;
  /** Link to target, relative to the root; a target that leaves it begins with `..` or `/`. */
  readonly links: Map<string, string>;
  readonly readOnly: Set<string>;
  /** Says at each step of an `apply` what goes wrong there; throwing is a crash of the process. */
  trouble: ((step: ApplyStep) => string | null) | null;
}

/** SHA-256 of bytes as hex digits. */
export function hashOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A file as it is read: its unsaved text where it has any. */
export function stateOf(disk: MemoryDisk, path: string): Result<FileState, string> {
  const bytes = disk.bytes.get(path);
  const buffer = disk.buffers.get(path);
  if (isFolder(disk, path)) return { ok: false, error: `${path} is a folder. Name a file.` };
  if (bytes === undefined)
    return { ok: true, value: { exists: false, text: '', format: PLAIN_FORMAT, hash: null, dirtyVersion: null } };
  const decoded = decodeText(bytes);
  if (!decoded.ok)
    return { ok: false, error: `${path} is a binary file. Only text files can be read and edited here.` };
  const { format } = decoded;
  if (!buffer)
    return {
      ok: true,
      value: { exists: true, text: decoded.text, format, hash: hashOfBytes(bytes), dirtyVersion: null },
    };
  const unsaved = encodeText(buffer.text, format);
  if (!unsaved) return { ok: false, error: `${path} has unsaved text that its encoding cannot hold.` };
  const hash = hashOfBytes(unsaved);
  return { ok: true, value: { exists: true, text: buffer.text, format, hash, dirtyVersion: buffer.version } };
}

/** What stands at a path. */
export function factsOf(disk: MemoryDisk, path: string): FileFacts {
  const bytes = disk.bytes.get(path);
  if (bytes)
    return {
      kind: 'file',
      hash: hashOfBytes(bytes),
      sizeBytes: bytes.length,
      mode: disk.modes.get(path) ?? 0o644,
    };
  return { kind: isFolder(disk, path) ? 'folder' : 'missing', hash: null, sizeBytes: 0, mode: 0 };
}

/** Whether files lie below the path. */
export function isFolder({ bytes }: MemoryDisk, path: string): boolean {
  return [...bytes.keys()].some((one) => one.startsWith(`${path}/`));
}
