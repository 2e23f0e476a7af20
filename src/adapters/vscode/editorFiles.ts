// The file port inside VS Code: a file that is open in an editor is read from and written through its buffer, so that
// unsaved work is seen and never overwritten; every other file goes to the disk port it wraps.
// A write is committed only when it is on the disk: the buffer is saved and the file read back.
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import type { FilePort, FileState, Result } from '../../engine/ports.ts';

/** Wraps the disk port of the workspace at `root`. */
export function editorFiles(root: string, disk: FilePort): FilePort {
  return {
    read: (file) => read(file),
    replace: (file, text, expectedHash) => {
      const document = openDocument(root, file);
      return document ? replaceInBuffer(document, file, text, expectedHash) : disk.replace(file, text, expectedHash);
    },
    saveBefore: (file) => disk.saveBefore(file),
    list: () => disk.list(),
  };

  async function read(file: string): Promise<Result<FileState, string>> {
    const document = openDocument(root, file);
    if (!document?.isDirty) return disk.read(file);
    const text = document.getText();
    return { ok: true, value: { exists: true, text, hash: hashOf(text), dirtyVersion: document.version } };
  }

  async function replaceInBuffer(
    document: vscode.TextDocument,
    file: string,
    text: string,
    expectedHash: string | null,
  ): Promise<Result<{ readonly hash: string }, string>> {
    const before = await read(file);
    if (!before.ok) return before;
    const { version } = document;
    if (before.value.hash !== expectedHash)
      return failed(vscode.l10n.t('{0} was changed in the meantime; read it again.', file));
    // A byte order mark or mixed line endings are lost in a buffer: such a file is written on the disk, and its editor follows.
    if (!document.isDirty && document.getText() !== before.value.text) return disk.replace(file, text, expectedHash);
    // From here to applyEdit nothing is awaited: a change of the buffer in between is refused by VS Code's version check.
    const edit = new vscode.WorkspaceEdit();
    const { range, newText } = smallestChange(document, text);
    edit.replace(document.uri, range, newText);
    const isApplied = document.version === version && (await vscode.workspace.applyEdit(edit));
    if (!isApplied) return failed(vscode.l10n.t('{0} was changed in the meantime; read it again.', file));
    if (!(await document.save()))
      return failed(
        vscode.l10n.t('{0} was changed in its editor but could not be saved; save or revert it there.', file),
      );
    const after = await disk.read(file);
    if (!after.ok) return after;
    return after.value.hash === null
      ? failed(vscode.l10n.t('{0} is gone after it was saved.', file))
      : { ok: true, value: { hash: after.value.hash } };
  }
}

function openDocument(root: string, file: string): vscode.TextDocument | undefined {
  const target = path.resolve(root, file);
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.scheme === 'file' && document.uri.fsPath === target,
  );
}

/** The changed middle of the text, so that cursors, folds and undo outside it stay. Offsets are UTF-16 units. */
function smallestChange(
  document: vscode.TextDocument,
  text: string,
): { readonly range: vscode.Range; readonly newText: string } {
  const old = document.getText();
  const shorter = Math.min(old.length, text.length);
  let start = 0;
  while (start < shorter && old[start] === text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  // A CR LF pair must not be torn apart: an editor position cannot lie inside it.
  if (start > 0 && (old[start - 1] === '\r' || text[start - 1] === '\r')) start -= 1;
  if (end > 0 && (old[old.length - end] === '\n' || text[text.length - end] === '\n')) end -= 1;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(old.length - end));
  return { range, newText: text.slice(start, text.length - end) };
}

const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const failed = (error: string): { readonly ok: false; readonly error: string } => ({ ok: false, error });
