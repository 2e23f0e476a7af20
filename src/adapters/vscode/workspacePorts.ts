// Files and commands of the window: all of its folders on a disk, through open editors where there are any.
// A window without such a folder has neither; both ports then refuse with the remedy.
import path from 'node:path';
import * as vscode from 'vscode';
import type { CommandPort, FilePort } from '../../engine/ports.ts';
import { workspaceFiles } from '../files/workspaceFiles.ts';
import { gatedCommands } from '../process/gatedCommands.ts';
import { editorFiles } from './editorFiles.ts';

/** Both ports, and the folder commands start in (null: none). Before-images and gate marks are kept under `storageDir`. */
export function workspacePorts(storageDir: string): {
  readonly root: string | null;
  readonly files: FilePort;
  readonly command: CommandPort;
} {
  const command = gatedCommands({ directory: path.join(storageDir, 'gate') });
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const roots = withOwnNames(folders.map(({ name, uri }) => ({ name, path: uri.fsPath })));
  const [first] = roots;
  if (!first) return { root: null, files: noFiles(), command };
  const disk = workspaceFiles({ roots, beforeDirectory: path.join(storageDir, 'before') });
  return { root: first.path, command, files: editorFiles((located) => absolutePath(roots, located), disk) };
}

interface Root {
  readonly name: string;
  readonly path: string;
}

/** Two folders of one name are told apart by a number; a name is one part of a path. */
function withOwnNames(roots: readonly Root[]): readonly Root[] {
  const seen = new Map<string, number>();
  return roots.map(({ name, path: place }) => {
    const plain = name.replaceAll('/', '-');
    const count = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, count);
    return { name: count === 1 ? plain : `${plain} (${count})`, path: place };
  });
}

/** Where a located path is: below the one root, or below the root that its first part names. */
function absolutePath(roots: readonly Root[], located: string): string {
  const [only] = roots;
  if (only && roots.length === 1) return path.resolve(only.path, located);
  const cut = located.indexOf('/');
  const root = roots.find(({ name }) => name === located.slice(0, cut));
  return path.resolve(root?.path ?? located, located.slice(cut + 1));
}

function noFiles(): FilePort {
  const refusal = (): { readonly ok: false; readonly error: string } => ({
    ok: false,
    error: vscode.l10n.t('No folder on a disk is open in this window. Open one to edit files.'),
  });
  const refuse = (): Promise<ReturnType<typeof refusal>> => Promise.resolve(refusal());
  return {
    locate: refuse,
    read: refuse,
    look: refuse,
    apply: (writes) => {
      const files = writes.map((write) => ({
        path: write.path,
        outcome: 'untouched' as const,
        hash: null,
        reason: null,
      }));
      return Promise.resolve({ ok: false, files, error: refusal().error });
    },
    saveBefore: refuse,
    image: refuse,
    sweepImages: () => Promise.resolve({ ok: true, value: { freedBytes: 0 } }),
    list: () => Promise.resolve([]),
  };
}
