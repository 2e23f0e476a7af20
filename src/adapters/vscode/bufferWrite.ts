// Writes texts through open buffers as one undoable change of all of them, saves them, and takes them back where that fails.
import * as vscode from 'vscode';
import type { FilePort, FileReport } from '../../engine/ports.ts';
import type { BufferChange } from './bufferPlan.ts';

/** `moved`: a buffer changed since it was planned, and nothing was written. `failed`: `reason` has the remedy. */
export type BuffersWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'moved'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Gives every buffer its text and saves it. */
export async function writeBuffers(changes: readonly BufferChange[]): Promise<BuffersWritten> {
  const edit = new vscode.WorkspaceEdit();
  // From here to applyEdit nothing is awaited: a change of a buffer in between is refused by VS Code's version check.
  for (const { document, version, text, path } of changes) {
    if (document.version !== version || document.isClosed) return { kind: 'moved', reason: changedMeanwhile(path) };
    const { range, newText } = smallestChange(document, text);
    edit.replace(document.uri, range, newText);
  }
  const [first] = changes;
  if (!(await vscode.workspace.applyEdit(edit))) return { kind: 'moved', reason: changedMeanwhile(first?.path ?? '') };
  for (const { document, path } of changes) {
    if (await isSaved(document)) continue;
    const reason = vscode.l10n.t(
      '{0} was changed in its editor but could not be saved; save or revert it there.',
      path,
    );
    return { kind: 'failed', reason };
  }
  return { kind: 'written' };
}

/** `save` answers false, or throws where VS Code does not trust the file's path. */
async function isSaved(document: vscode.TextDocument): Promise<boolean> {
  try {
    return await document.save();
  } catch {
    // The message of the caller says what to do.
    return false;
  }
}

/** Gives buffers the text back that they had, where nobody has typed since, and saves it: nothing that was typed is lost. */
export async function takeBack(changes: readonly BufferChange[], disk: FilePort): Promise<readonly FileReport[]> {
  const edit = new vscode.WorkspaceEdit();
  const ours = changes.filter(({ document, text }) => !document.isClosed && document.getText() === text);
  for (const { document, before } of ours) {
    const { range, newText } = smallestChange(document, before);
    edit.replace(document.uri, range, newText);
  }
  const isTakenBack = ours.length === 0 || (await vscode.workspace.applyEdit(edit));
  const reports: FileReport[] = [];
  for (const change of changes) {
    const { document, path, before, wasDirty } = change;
    const isBack = (isTakenBack || !ours.includes(change)) && document.getText() === before;
    // A buffer that had unsaved text before keeps it unsaved, unless its file has been written already.
    if (isBack && !wasDirty) await isSaved(document);
    const now = await disk.look(path);
    const hash = now.ok ? now.value.hash : null;
    const isWhole = isBack && hash === change.diskHash;
    const reason = vscode.l10n.t('{0} could not be brought back; look at it in its editor and use Undo there.', path);
    reports.push({ path, outcome: isWhole ? 'restored' : 'damaged', hash, reason: isWhole ? null : reason });
  }
  return reports;
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

function changedMeanwhile(path: string): string {
  return vscode.l10n.t('{0} was changed in the meantime; read it again.', path);
}
