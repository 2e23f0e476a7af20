// The file port inside VS Code: a file that is open in an editor is read from and written through its buffer, so that
// unsaved work is seen and never overwritten; every other file goes to the disk port it wraps.
// A write counts only when it is on the disk: buffers are saved and read back. All or nothing also over both kinds.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { decodeText, encodeText } from '../../core/edits/textFormat.ts';
import type { AppliedFiles, FilePort, FileReport, FileState, FileWrite, Result } from '../../engine/ports.ts';
import { planBuffer, type BufferChange, type OpenFile } from './bufferPlan.ts';
import { takeBack, writeBuffers } from './bufferWrite.ts';

/** Tells the absolute place of a located path. */
export type AbsolutePath = (path: string) => string;

/** A buffer follows its file a moment after the file changed; one that keeps changing is somebody typing. */
const MAX_TURNS = 3;

/** Wraps the disk port of the workspace. */
export function editorFiles(absolute: AbsolutePath, disk: FilePort): FilePort {
  return {
    locate: (path) => disk.locate(path),
    look: (path) => disk.look(path),
    read: (path) => read(path),
    apply: (writes) => apply(writes),
    saveBefore: (path) => disk.saveBefore(path),
    image: (hash) => disk.image(hash),
    sweepImages: (keep) => disk.sweepImages(keep),
    list: () => disk.list(),
  };

  async function read(path: string): Promise<Result<FileState, string>> {
    const found = await disk.read(path);
    const document = await openDocument(path);
    if (!found.ok || !document?.isDirty) return found;
    const { format } = found.value;
    const text = document.getText();
    const bytes = encodeText(text, format);
    if (bytes === null)
      return failed(
        vscode.l10n.t('{0} has unsaved text that its encoding cannot hold; save it there as UTF-8 first.', path),
      );
    return { ok: true, value: { exists: true, text, format, hash: hashOf(bytes), dirtyVersion: document.version } };
  }

  async function openDocument(path: string): Promise<vscode.TextDocument | undefined> {
    const located = await disk.locate(path);
    if (!located.ok) return undefined;
    const target = absolute(located.value);
    return vscode.workspace.textDocuments.find(
      (document) => !document.isClosed && document.uri.scheme === 'file' && document.uri.fsPath === target,
    );
  }

  /** `turn`: how often a buffer that only followed its file made it plan anew. */
  async function apply(writes: readonly FileWrite[], turn = 1): Promise<AppliedFiles> {
    const changes: BufferChange[] = [];
    const onDisk: FileWrite[] = [];
    for (const write of writes) {
      const document = await openDocument(write.path);
      if (!document) {
        onDisk.push(write);
        continue;
      }
      const open = await openFile(document, write);
      const { version } = document;
      const planned = planBuffer(open, write);
      if (planned.kind === 'refuse') return refused(writes, write.path, planned.reason);
      if (planned.kind === 'disk') onDisk.push(write);
      else
        changes.push({
          document,
          version,
          path: write.path,
          text: planned.text,
          before: open.text,
          wasDirty: open.isDirty,
          diskHash: open.disk?.hash ?? null,
        });
    }
    if (changes.length === 0) return disk.apply(onDisk);
    return (await together(writes, onDisk, changes, turn < MAX_TURNS)) ?? apply(writes, turn + 1);
  }

  async function openFile(document: vscode.TextDocument, write: FileWrite): Promise<OpenFile> {
    const [onDisk, wanted] = await Promise.all([disk.read(write.path), wantedText(write)]);
    return {
      path: write.path,
      text: document.getText(),
      isDirty: document.isDirty,
      disk: onDisk.ok && onDisk.value.exists ? onDisk.value : null,
      wanted,
    };
  }

  /** The text a write asks for; null where it is no text. */
  async function wantedText(write: FileWrite): Promise<string | null> {
    if (write.kind === 'delete') return null;
    if (write.content.kind === 'text') return write.content.text;
    const image = await disk.image(write.content.hash);
    const decoded = image.ok ? decodeText(image.value) : null;
    return decoded?.ok ? decoded.text : null;
  }

  /**
   * Files on the disk first (they are all or nothing by themselves), then the buffers; what fails takes the rest back. Null:
   * a buffer changed since it was planned, nothing was written, and it may be planned anew.
   */
  async function together(
    writes: readonly FileWrite[],
    onDisk: readonly FileWrite[],
    changes: readonly BufferChange[],
    mayPlanAnew: boolean,
  ): Promise<AppliedFiles | null> {
    for (const { path } of changes) {
      const kept = await disk.saveBefore(path);
      if (!kept.ok) return refused(writes, path, kept.error);
    }
    const back: FileWrite[] = [];
    for (const write of onDisk) {
      const kept = await disk.saveBefore(write.path);
      if (!kept.ok) return refused(writes, write.path, kept.error);
      back.push(...wayBack(write));
    }
    const applied: AppliedFiles = onDisk.length === 0 ? { ok: true, files: [], error: null } : await disk.apply(onDisk);
    if (!applied.ok) return { ...applied, files: [...applied.files, ...changes.map(untouched)] };
    const done = await writeBuffers(changes);
    if (done.kind === 'written') return written(applied, changes);
    if (done.kind === 'moved' && onDisk.length === 0 && mayPlanAnew) return null;
    const [fromBuffers, fromDisk] = [await takeBack(changes, disk), await takeBackDisk(back, applied)];
    return { ok: false, files: [...fromDisk, ...fromBuffers], error: done.reason };
  }

  async function written(applied: AppliedFiles, changes: readonly BufferChange[]): Promise<AppliedFiles> {
    const files: FileReport[] = [...applied.files];
    for (const { path } of changes) {
      const now = await disk.look(path);
      files.push({ path, outcome: 'changed', hash: now.ok ? now.value.hash : null, reason: null });
    }
    return { ok: true, files, error: null };
  }

  async function takeBackDisk(back: readonly FileWrite[], applied: AppliedFiles): Promise<readonly FileReport[]> {
    if (back.length === 0) return [];
    const now = back.map((write) => {
      const hash = applied.files.find(({ path }) => path === write.path)?.hash ?? null;
      return write.kind === 'delete' ? { ...write, expectedHash: hash ?? '' } : { ...write, expectedHash: hash };
    });
    const reverted = await disk.apply(now);
    return reverted.files.map((report) => ({
      ...report,
      outcome: reverted.ok ? ('restored' as const) : ('damaged' as const),
    }));
  }
}

/** The write that takes a write back, given that its before-image is kept. */
function wayBack({ path, expectedHash }: FileWrite): readonly FileWrite[] {
  return expectedHash === null
    ? [{ kind: 'delete', path, expectedHash: '' }]
    : [{ kind: 'write', path, content: { kind: 'image', hash: expectedHash }, expectedHash: null }];
}

function untouched({ path }: { readonly path: string }): FileReport {
  return { path, outcome: 'untouched', hash: null, reason: null };
}

function refused(writes: readonly FileWrite[], path: string, reason: string): AppliedFiles {
  const files = writes.map((write) => ({ ...untouched(write), reason: write.path === path ? reason : null }));
  return { ok: false, files, error: reason };
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const failed = (error: string): { readonly ok: false; readonly error: string } => ({ ok: false, error });
