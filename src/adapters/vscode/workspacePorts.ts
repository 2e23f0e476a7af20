// Files and commands of the window: the first workspace folder on a disk, through open editors where there are any.
// A window without such a folder has neither; both ports then refuse with the remedy.
import path from 'node:path';
import * as vscode from 'vscode';
import type { CommandPort, FilePort } from '../../engine/ports.ts';
import { workspaceFiles } from '../files/workspaceFiles.ts';
import { gatedCommands } from '../process/gatedCommands.ts';
import { editorFiles } from './editorFiles.ts';

/** Both ports, and the folder they work in (null: none). Before-images and gate marks are kept under `storageDir`. */
export function workspacePorts(storageDir: string): {
  readonly root: string | null;
  readonly files: FilePort;
  readonly command: CommandPort;
} {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  const command = gatedCommands({ directory: path.join(storageDir, 'gate') });
  if (!folder) return { root: null, files: noFiles(), command };
  const root = folder.uri.fsPath;
  return {
    root,
    command,
    files: editorFiles(root, workspaceFiles({ root, beforeDirectory: path.join(storageDir, 'before') })),
  };
}

function noFiles(): FilePort {
  const refuse = (): Promise<{ readonly ok: false; readonly error: string }> =>
    Promise.resolve({
      ok: false,
      error: vscode.l10n.t('No folder on a disk is open in this window. Open one to edit files.'),
    });
  return { read: refuse, replace: refuse, saveBefore: refuse, list: () => Promise.resolve([]) };
}
