// Small text files of a workspace, looked at without waiting for anybody: a named pipe without a writer, a device or a file of
// gigabytes is told as trouble and not read. What is missing is no trouble.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands in a file; `text` null: there is no such file, or there is trouble, which then has its words. */
export interface FileText {
  readonly text: string | null;
  readonly trouble: string | null;
}

const MAX_TEXT_BYTES = 1_000_000;

/** The text of a plain file up to 1 MB. `path` is relative to the workspace. */
export async function textFile(workspace: string, path: string): Promise<FileText> {
  try {
    // A pipe is opened at once, too; Windows knows neither pipes in folders nor the flag.
    const file = await open(join(workspace, path), constants.O_RDONLY | (constants.O_NONBLOCK || 0));
    try {
      return await textOfHandle(file, path);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return { text: null, trouble: isMissing ? null : `${path} cannot be read (${code})` };
  }
}

async function textOfHandle(file: FileHandle, path: string): Promise<FileText> {
  const facts = await file.stat();
  if (!facts.isFile()) return { text: null, trouble: `${path} is no plain file, so it was not read` };
  const room = Buffer.alloc(MAX_TEXT_BYTES + 1);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(room, size, room.length - size, size);
    size += bytesRead;
    if (bytesRead === 0 || size === room.length) break;
  }
  if (size > MAX_TEXT_BYTES)
    return { text: null, trouble: `${path} is larger than ${MAX_TEXT_BYTES} bytes, so it was not read` };
  return { text: room.toString('utf8', 0, size).replace(/^\ufeff/, ''), trouble: null };
}
