// An edit of several files that was killed in the middle: where some files have the new content and all others the old, the
// changed ones are brought back to their before-images, by compare-and-swap, so that the edit is as if it had never been.
// Where anything else is found, an image is missing or a write fails, nothing is decided: it stays unknown, with names.
import type { FileChange, LedgerEntry } from '../core/ledger/entry.ts';
import { editFiles, editState } from '../core/ledger/probes/edit.ts';
import type { EditState } from '../core/ledger/probes/edit.ts';
import type { FilePort, FileWrite } from './ports.ts';

/** What became of the attempt. `none`: it is no edit that stopped half-way, and nothing was touched. */
export type Repair =
  | { readonly kind: 'none' }
  | { readonly kind: 'put-back'; readonly detail: string }
  | { readonly kind: 'impossible'; readonly detail: string };

/** Puts a half-made edit back. `mayWrite` is asked last, right before the first byte. */
export async function putBack(
  files: FilePort,
  { probe }: Pick<LedgerEntry, 'probe'>,
  mayWrite: () => boolean,
): Promise<Repair> {
  const changes = editFiles(probe)?.filter(({ beforeHash, afterHash }) => beforeHash !== afterHash);
  const states = changes && (await statesOf(files, changes));
  if (!states?.has('new') || !states.has('old') || states.has('other')) return { kind: 'none' };
  const changed = states.get('new') ?? [];
  const named = changed.map(({ path }) => path).join(', ');
  for (const { path, beforeHash } of changed) {
    if (beforeHash === null) continue;
    const image = await files.image(beforeHash);
    if (!image.ok) return { kind: 'impossible', detail: `what ${path} held before is not kept any more` };
  }
  if (!mayWrite()) return { kind: 'none' };
  const applied = await files.apply(changed.map(writeBack));
  if (!applied.ok) {
    return { kind: 'impossible', detail: `${named} could not be brought back: ${applied.error ?? 'unknown error'}` };
  }
  const after = await statesOf(files, changes ?? []);
  if (after.has('new') || after.has('other')) return { kind: 'impossible', detail: `${named} changed again meanwhile` };
  return { kind: 'put-back', detail: `it had stopped half-way; ${named}: brought back to what was there before` };
}

async function statesOf(
  files: FilePort,
  changes: readonly FileChange[],
): Promise<ReadonlyMap<EditState, readonly FileChange[]>> {
  const states = new Map<EditState, readonly FileChange[]>();
  for (const change of changes) {
    const seen = await files.look(change.path);
    const isFile = seen.ok && (seen.value.kind === 'file' || seen.value.kind === 'missing');
    const state = editState(change, isFile ? seen.value.hash : undefined);
    states.set(state, [...(states.get(state) ?? []), change]);
  }
  return states;
}

function writeBack({ path, beforeHash, afterHash, mode }: FileChange): FileWrite {
  // A file that the edit made goes again; it is there with the content of the edit, so its hash is known.
  if (beforeHash === null) return { kind: 'delete', path, expectedHash: afterHash ?? '' };
  const content = { kind: 'image', hash: beforeHash } as const;
  return { kind: 'write', path, content, expectedHash: afterHash, ...(mode === undefined ? {} : { mode }) };
}
