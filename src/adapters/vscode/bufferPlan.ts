// Whether a write goes through an open buffer, and with which text. Decides only; unsaved work is never lost: a write that
// was planned on the disk is merged three-way into what a person has typed, and refused where both changed the same lines.
import * as vscode from 'vscode';
import { createHash } from 'node:crypto';
import { mergeThreeWay } from '../../core/edits/merge.ts';
import { encodeText } from '../../core/edits/textFormat.ts';
import type { FileState, FileWrite } from '../../engine/ports.ts';

/** An open file, as it is in its buffer and on the disk. `wanted`: the new text; null where it is none (deleted, binary). */
export interface OpenFile {
  readonly path: string;
  readonly text: string;
  readonly isDirty: boolean;
  readonly disk: FileState | null;
  readonly wanted: string | null;
}

export type BufferPlan =
  | { readonly kind: 'buffer'; readonly text: string }
  /** The buffer follows the disk by itself. */
  | { readonly kind: 'disk' }
  | { readonly kind: 'refuse'; readonly reason: string };

/** One change of one open buffer; `version` is the buffer's when it was planned. */
export interface BufferChange {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly text: string;
  readonly path: string;
  /** How the buffer and its file were. */
  readonly before: string;
  readonly wasDirty: boolean;
  readonly diskHash: string | null;
}

/** Where a write of an open file goes. */
export function planBuffer(file: OpenFile, write: FileWrite): BufferPlan {
  const { path, text, isDirty, disk, wanted } = file;
  if (!isDirty) {
    // A byte order mark, mixed line endings or an encoding may not survive a buffer: such a file is written on the disk.
    return wanted === null || disk?.text !== text ? { kind: 'disk' } : { kind: 'buffer', text: wanted };
  }
  if (wanted === null)
    return refuse(vscode.l10n.t('{0} has unsaved changes; save or revert them in its editor, then try again.', path));
  if (write.expectedHash === bufferHash(file)) return { kind: 'buffer', text: wanted };
  if (write.expectedHash !== disk?.hash)
    return refuse(vscode.l10n.t('{0} was changed in the meantime; read it again.', path));
  const { text: merged, conflicts } = mergeThreeWay(disk.text, text, wanted);
  const [first] = conflicts;
  if (!first) return { kind: 'buffer', text: merged };
  return refuse(
    vscode.l10n.t(
      '{0} has unsaved changes at the same place (line {1}); save or revert them in its editor, then try again.',
      path,
      first.line,
    ),
  );
}

function bufferHash({ text, disk }: OpenFile): string | null {
  const bytes = disk && encodeText(text, disk.format);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

function refuse(reason: string): BufferPlan {
  return { kind: 'refuse', reason };
}
