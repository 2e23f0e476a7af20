// What an undo needs to know of the files, read through the file port: what stands at each path of the ledger, the texts that
// a merge needs, and whether the bytes to put back are still kept. Reads only; plans until nothing more is wanted.
import { decodeText } from '../core/edits/textFormat.ts';
import { planUndo } from '../core/ledger/undo/plan.ts';
import type { UndoEntry, UndoFile, UndoPlan } from '../core/ledger/undo/plan.ts';
import type { PresentFile } from '../core/ledger/undo/strand.ts';
import type { KnownText } from '../core/ledger/undo/takeBack.ts';
import type { FilePort } from './ports.ts';

/** A plan on the files as they are at this moment. */
export async function planOnFiles(
  files: FilePort,
  entries: readonly UndoEntry[],
  restoresDeleted: boolean,
): Promise<UndoPlan> {
  const present = new Map<string, PresentFile>();
  for (const path of new Set(entries.flatMap(({ changes }) => changes.map((change) => change.path))))
    present.set(path, await presentFile(files, path));
  const texts = new Map<string, KnownText>();
  const checked = new Set<string>();
  for (;;) {
    const plan = planUndo(
      entries,
      {
        present: (path) => present.get(path) ?? { kind: 'blocked', reason: 'it was not looked at' },
        textOf: (hash) => texts.get(hash) ?? { kind: 'unknown' },
      },
      restoresDeleted,
    );
    for (const hash of plan.wanted) texts.set(hash, await textOf(files, hash, present));
    if (plan.wanted.length > 0) continue;
    const lost = await firstLost(files, plan.files, present, checked);
    if (!lost) return plan;
    present.set(lost.path, { kind: 'blocked', reason: lost.reason });
  }
}

/** What stands at a path of the ledger. A path that leads to another file by now is not that file. */
async function presentFile(files: FilePort, path: string): Promise<PresentFile> {
  const blocked = (reason: string): PresentFile => ({ kind: 'blocked', reason });
  if (path.split('/').includes('.git')) return blocked('it belongs to Git itself; use a git command instead');
  const name = await files.locate(path);
  if (!name.ok) return blocked(name.error);
  if (name.value !== path) return blocked(`it leads to ${name.value} now`);
  const facts = await files.look(path);
  if (!facts.ok) return blocked(facts.error);
  const { kind, hash, mode } = facts.value;
  if (kind === 'missing') return { kind };
  if (kind === 'file' && hash !== null) return { kind: 'file', hash, mode };
  return blocked(kind === 'folder' ? 'a folder stands there now' : 'what stands there is no plain file');
}

/** The text of a hash: of a file that has it now, or of kept bytes. */
async function textOf(files: FilePort, hash: string, present: ReadonlyMap<string, PresentFile>): Promise<KnownText> {
  const kept = await files.image(hash);
  if (kept.ok) {
    const decoded = decodeText(kept.value);
    return decoded.ok ? { kind: 'text', text: decoded.text, format: decoded.format } : { kind: 'not-text' };
  }
  const path = [...present].find(([, file]) => file.kind === 'file' && file.hash === hash)?.[0];
  if (path === undefined) return { kind: 'missing', reason: kept.error };
  const file = await files.read(path);
  if (!file.ok) return { kind: 'not-text' };
  const { text, format, dirtyVersion } = file.value;
  if (file.value.hash === hash) return { kind: 'text', text, format };
  const unsaved = dirtyVersion === null ? 'was changed just now' : 'has unsaved changes; save it first';
  return { kind: 'missing', reason: `${path} ${unsaved}` };
}

/** A file whose bytes to put back are not kept any more. */
async function firstLost(
  files: FilePort,
  planned: readonly UndoFile[],
  present: ReadonlyMap<string, PresentFile>,
  checked: Set<string>,
): Promise<{ readonly path: string; readonly reason: string } | null> {
  const standing = new Set([...present.values()].flatMap((file) => (file.kind === 'file' ? [file.hash] : [])));
  for (const file of planned) {
    if (file.action !== 'write' || file.content.kind !== 'image') continue;
    const { hash } = file.content;
    // What stands somewhere among these files is kept before it is changed.
    if (standing.has(hash) || checked.has(hash)) continue;
    const kept = await files.image(hash);
    if (!kept.ok) return { path: file.path, reason: `what it was before is not kept: ${kept.error}` };
    checked.add(hash);
  }
  return null;
}
