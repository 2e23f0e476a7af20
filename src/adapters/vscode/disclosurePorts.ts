// What disclosure needs to know of this window: which workspace it is, by a text that is the same in every session, and the
// .belayignore files of all its folders.
import * as vscode from 'vscode';
import type { Ports } from '../../engine/ports.ts';
import { belayIgnore } from '../files/belayIgnore.ts';

/** Both ports. Without an open folder there is no workspace to remember answers for, and nothing to keep. */
export function disclosurePorts(): Pick<Ports, 'workspace' | 'ignore'> {
  const { workspaceFile, workspaceFolders = [], name } = vscode.workspace;
  const ignore = belayIgnore(() => onDisk(vscode.workspace.workspaceFolders ?? []));
  const [first] = workspaceFolders;
  if (!first) return { ignore };
  // An unsaved workspace has a new address in each session; its folders do not.
  const saved = workspaceFile?.scheme === 'untitled' ? undefined : workspaceFile;
  const key = saved?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join('\n');
  return { ignore, workspace: { key, name: name ?? first.name } };
}

function onDisk(folders: readonly vscode.WorkspaceFolder[]): readonly string[] {
  return folders.flatMap(({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : []));
}
