// Objects of the image store as files: compressed, with the SHA-256 of what they hold, written whole or not at all.
// An object that does not hold what it or its name says is damaged: it is never handed out, and it is written anew when the
// same bytes come again. Deflate, since every Node and VS Code can read it (zstd came with Node 22.15).
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import type { Disk } from './disk.ts';
import { FileTrouble, hasCode, shown } from './fileTrouble.ts';
import { makeFolders } from './makeFolders.ts';
import { editId, unfinishedPath } from './unfinished.ts';
import { fillFile, makeFile, patiently, removeFile } from './writeFile.ts';

/** Version of the format and how the content is packed; its SHA-256 comes next, then the content. */
const STORED = Buffer.from('BI1r');
const DEFLATED = Buffer.from('BI1z');
const HASH_BYTES = 32;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const KNOWN_AT_MOST = 50_000;
const LEVEL = constants.Z_DEFAULT_COMPRESSION;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export class ImageObjects {
  private readonly disk: Disk;
  /** Objects that this process has seen whole; what is on the disk does not rot within a session. */
  private readonly known = new Set<string>();

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Makes sure that the bytes are kept under this path and are young. True: the path is new. */
  async keep(path: string, bytes: Buffer): Promise<boolean> {
    if (await this.isKept(path)) return false;
    const packed = await deflate(bytes, { level: LEVEL });
    const isSmaller = packed.length < bytes.length;
    const [head, body] = isSmaller ? [DEFLATED, packed] : [STORED, bytes];
    await this.write(path, Buffer.concat([head, createHash('sha256').update(bytes).digest(), body]));
    return true;
  }

  /** Is a whole object there? If so it counts as young from now on. */
  async isKept(path: string): Promise<boolean> {
    try {
      const now = new Date();
      await this.disk.utimes(path, now, now);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    }
    if (this.known.has(path)) return true;
    const bytes = await this.read(path).catch((error: unknown) => {
      if (error instanceof FileTrouble) return null;
      throw error;
    });
    if (bytes) this.remember(path);
    return bytes !== null;
  }

  /** The bytes of an object; null: there is none. Throws FileTrouble when it is damaged. */
  async read(path: string): Promise<Buffer | null> {
    const file = await this.disk.open(path, 'r').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    if (!file) return null;
    const bytes = await file.readFile().finally(() => file.close());
    const content = await unpacked(bytes);
    if (!content || !isNameOf(basename(path), content)) {
      throw new FileTrouble(
        `The kept bytes in ${shown(path)} are damaged and are not used. Take the old content from a backup or from Git.`,
      );
    }
    return content;
  }

  private async write(path: string, bytes: Buffer): Promise<void> {
    await makeFolders(dirname(path), { mode: FOLDER_MODE }, this.disk);
    const unfinished = unfinishedPath(path, 'new', editId());
    try {
      await makeFile(this.disk, unfinished, FILE_MODE);
      await fillFile(this.disk, unfinished, bytes, { mode: FILE_MODE, owner: null });
      await patiently(this.disk, () => this.disk.rename(unfinished, path));
    } catch (error) {
      await removeFile(this.disk, unfinished).catch(() => undefined);
      throw error;
    }
    this.remember(path);
  }

  private remember(path: string): void {
    if (this.known.size >= KNOWN_AT_MOST) this.known.clear();
    this.known.add(path);
  }
}

async function unpacked(bytes: Buffer): Promise<Buffer | null> {
  const head = bytes.subarray(0, STORED.length);
  const hash = bytes.subarray(STORED.length, STORED.length + HASH_BYTES);
  const body = bytes.subarray(STORED.length + HASH_BYTES);
  const content = head.equals(STORED) ? body : head.equals(DEFLATED) ? await inflated(body) : null;
  return content && createHash('sha256').update(content).digest().equals(hash) ? content : null;
}

async function inflated(bytes: Buffer): Promise<Buffer | null> {
  try {
    return await inflate(bytes);
  } catch {
    // Not what was written.
    return null;
  }
}

/** A bare hash is that of the content; other names say what the content leads to. */
function isNameOf(name: string, content: Buffer): boolean {
  return name.includes('.') || name === sha256(content);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
