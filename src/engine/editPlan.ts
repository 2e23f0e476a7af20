// What an edit of several files would write, seen from the files as they are now: every path by its one name, every text in
// its encoding, every change with the hash it starts from. One file that cannot be edited stops all of them. Writes nothing.
// Where the places are is core's part (core/edits/plan); what the agent has seen is weighed in wholeEdit.ts and readBook.ts.
import type { EditSet, FileEdit, FilePlan } from '../core/edits/editSet.ts';
import { generatedReason } from '../core/edits/generated.ts';
import { planFile } from '../core/edits/plan.ts';
import { encodeText, PLAIN_FORMAT } from '../core/edits/textFormat.ts';
import type { FileChange } from '../core/ledger/entry.ts';
import { sha256HexOfBytes } from '../core/ledger/key.ts';
import type { FileFacts, FilePort, FileState, FileWrite, Result } from './ports.ts';
import type { ReadBook } from './readBook.ts';
import { contentText, emptyingReason, planWhole } from './wholeEdit.ts';

/** One file of a planned edit. */
export interface PlannedFile {
  /** As located; as written where it could not be located. */
  readonly path: string;
  readonly edit: FileEdit;
  readonly plan: FilePlan;
  /** Hash of the text that was planned on, unsaved text included; null: no such file, or it could not be looked at. */
  readonly hash: string | null;
  readonly isDirty: boolean;
  /** Empty where nothing needs to be, or may be, written. */
  readonly writes: readonly FileWrite[];
  /** What the writes change on the disk, in the order of `writes`. */
  readonly changes: readonly FileChange[];
  /** For the agent, about what of others was kept; else empty. */
  readonly note: string;
  /** The agent has a wrong picture of the file: it must read it before its next edit. */
  readonly isStale: boolean;
  /** Why a person is asked although the policy allows it; null: no reason. */
  readonly warning: string | null;
}

/** `ready`: all can be written. `needless`: all is as asked. `impossible`: at least one file cannot be edited. */
export interface EditPlan {
  readonly kind: 'ready' | 'needless' | 'impossible';
  readonly files: readonly PlannedFile[];
}

/** What a plan is made from. */
export interface PlanSource {
  readonly files: FilePort;
  readonly book?: ReadBook | undefined;
}

/** Plans all files of an edit. */
export async function planEdits(source: PlanSource, { files }: EditSet): Promise<EditPlan> {
  const planned: PlannedFile[] = [];
  for (const edit of files) planned.push(await planOne(source, edit));
  const apart = withoutDoubles(planned);
  if (apart.length === 0 || apart.some(({ plan }) => plan.kind === 'failed'))
    return { kind: 'impossible', files: apart };
  return { kind: apart.every(({ plan }) => plan.kind === 'needless') ? 'needless' : 'ready', files: apart };
}

/** Every path that a planned file reads or writes. */
export function pathsOf({ path, changes }: PlannedFile): readonly string[] {
  return [...new Set([path, ...changes.map((change) => change.path)])];
}

/** Two edits of one file, under whatever names, would not know of each other. */
function withoutDoubles(files: readonly PlannedFile[]): readonly PlannedFile[] {
  const counts = new Map<string, number>();
  for (const path of files.flatMap(pathsOf)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return files.map((file) => {
    const twice = pathsOf(file).find((path) => (counts.get(path) ?? 0) > 1);
    if (twice === undefined) return file;
    return failed(file, `${twice} is named twice in this edit. Put all changes of a file into one part.`);
  });
}

/** A file with nothing planned yet. */
interface Found extends Pick<PlannedFile, 'path' | 'edit' | 'hash' | 'isDirty'> {
  readonly now: FileState;
  readonly facts: FileFacts;
}

async function planOne(source: PlanSource, edit: FileEdit): Promise<PlannedFile> {
  const { files, book } = source;
  const found = await find(files, edit);
  if (!found.ok) return found.error;
  const { path, now, facts, isDirty } = found.value;
  const stop = (reason: string, isStale = false): PlannedFile => ({ ...failed(found.value, reason), isStale });
  if (book?.isDoubted(path)) {
    return stop(`${path} is not as you last saw it. Read it with read_file first, then make the edit anew.`, true);
  }
  const isGoing = edit.kind === 'delete' || 'moveTo' in edit;
  if (isGoing && isDirty) return stop(`${path} has unsaved changes. Save or revert them in its editor first.`);
  if (edit.kind === 'delete' && now.exists && isOutdated(book?.seen(path), found.value)) {
    const who = book?.suspect(path) ?? 'by somebody else';
    return stop(
      `${path} was changed since you read it, ${who}, so it was not deleted. Read it again first.${contentText(path, now.text)}`,
      true,
    );
  }
  let note = '';
  let plan: FilePlan = planFile({ ...edit, path }, now);
  if (edit.kind === 'whole') {
    const emptying = emptyingReason(edit, path, now);
    if (emptying !== null) return stop(emptying);
    const whole = await planWhole(files, book, edit, { path, now, diskHash: facts.hash });
    if (whole.kind === 'refused') return stop(whole.reason, true);
    if (whole.kind === 'needless') plan = { kind: 'needless', path, blocks: [], reason: whole.reason };
    if (whole.kind === 'merged') plan = { kind: 'write', path, blocks: plan.blocks, text: whole.text };
    if (whole.kind === 'merged') note = whole.note;
  }
  const changed = await changeOf(files, found.value, plan);
  if (!changed.ok) return stop(changed.error);
  // A place that is not there in a file that has changed meanwhile: the agent looks at an old text.
  const isStale = plan.kind === 'failed' && now.exists && isOutdated(book?.seen(path), found.value);
  const isWriting = changed.value.writes.length > 0;
  const warning = isWriting ? generatedReason(path, now.text.slice(0, HEAD_CHARS)) : null;
  return { ...planned(found.value, plan), ...changed.value, note, isStale, warning };
}

/** The part of a file in which generators say who they are. */
const HEAD_CHARS = 4000;

function isOutdated(seen: string | null | undefined, { hash, facts }: Found): boolean {
  return seen !== undefined && seen !== hash && seen !== facts.hash;
}

/** The file of an edit as it is now, or the edit as failed. */
async function find(files: FilePort, edit: FileEdit): Promise<Result<Found, PlannedFile>> {
  const unknown = { path: edit.path, edit, hash: null, isDirty: false };
  const no = (reason: string, file: Parameters<typeof failed>[0] = unknown): Result<Found, PlannedFile> => ({
    ok: false,
    error: failed(file, reason),
  });
  const located = await files.locate(edit.path);
  if (!located.ok) return no(located.error);
  const path = located.value;
  const looked = await files.look(path);
  if (!looked.ok) return no(looked.error, { ...unknown, path });
  const facts = looked.value;
  const file = { ...unknown, path, hash: facts.hash };
  const isGoing = edit.kind === 'delete' || 'moveTo' in edit;
  const asked = isGoing ? await files.look(edit.path) : looked;
  if (!asked.ok) return no(asked.error, file);
  // What would go is the file behind it, which was not named; a link is no file that could be brought back.
  if (isGoing && asked.value.isLink) {
    const error = `${edit.path} is a symbolic link to ${path} and was neither deleted nor moved. Name that file, or remove the link with a command.`;
    return no(error, file);
  }
  if (facts.kind === 'folder') return no(`${path} is a folder. Name a file.`, file);
  if (facts.kind === 'other') return no(`${path} is not a plain file. Name a file.`, file);
  const read = await files.read(path);
  // What is deleted or moved as a whole need not be text.
  const isWithoutText = edit.kind === 'delete' || edit.kind === 'move';
  if (!read.ok && !isWithoutText) return no(read.error, file);
  const asBytes = {
    exists: facts.kind === 'file',
    text: '',
    format: PLAIN_FORMAT,
    hash: facts.hash,
    dirtyVersion: null,
  };
  const now = read.ok ? read.value : asBytes;
  const isDirty = now.dirtyVersion !== null;
  if (!isDirty && now.hash !== facts.hash) return no(`${path} is being changed by somebody else. Read it again.`, file);
  return { ok: true, value: { ...file, hash: now.hash, isDirty, now, facts } };
}

type Changed = Pick<PlannedFile, 'writes' | 'changes'>;

/** The writes of a plan and what they change; an error where the new text or the new place cannot be. */
async function changeOf(files: FilePort, found: Found, plan: FilePlan): Promise<Result<Changed, string>> {
  const { path, now, facts } = found;
  const nothing: Result<Changed, string> = { ok: true, value: { writes: [], changes: [] } };
  if (plan.kind === 'failed' || plan.kind === 'needless') return nothing;
  const gone = deletion(found);
  if (plan.kind === 'delete') return gone === null ? nothing : { ok: true, value: gone };
  const content =
    plan.kind === 'move'
      ? { kind: 'image' as const, hash: facts.hash ?? '' }
      : { kind: 'text' as const, text: plan.text, format: now.format };
  const bytes = content.kind === 'text' ? encodeText(content.text, content.format) : null;
  if (content.kind === 'text' && bytes === null) return { ok: false, error: unencodable(path, now) };
  const afterHash = bytes === null ? facts.hash : sha256HexOfBytes(bytes);
  const isNew = facts.kind === 'missing';
  const given = plan.kind === 'write' ? plan.mode : undefined;
  if (plan.moveTo === undefined) {
    const mode = isNew ? given : facts.mode;
    const modes = mode === undefined ? {} : { mode };
    const write: FileWrite = { kind: 'write', path, content, expectedHash: now.hash, ...(isNew ? modes : {}) };
    return { ok: true, value: { writes: [write], changes: [{ path, beforeHash: facts.hash, afterHash, ...modes }] } };
  }
  const target = await freePlace(files, path, plan.moveTo);
  if (!target.ok || gone === null) return target.ok ? { ok: false, error: `${path} does not exist.` } : target;
  const { mode } = facts;
  const write: FileWrite = { kind: 'write', path: target.value, content, expectedHash: null, mode };
  const change = { path: target.value, beforeHash: null, afterHash, mode };
  return { ok: true, value: { writes: [write, ...gone.writes], changes: [change, ...gone.changes] } };
}

function deletion({ path, now, facts }: Found): Changed | null {
  if (now.hash === null || facts.hash === null) return null;
  const change = { path, beforeHash: facts.hash, afterHash: null, mode: facts.mode };
  return { writes: [{ kind: 'delete', path, expectedHash: now.hash }], changes: [change] };
}

/** The place that a file is moved to; nothing may be there. */
async function freePlace(files: FilePort, path: string, moveTo: string): Promise<Result<string, string>> {
  const located = await files.locate(moveTo);
  if (!located.ok) return located;
  if (located.value === path) {
    const error = `${moveTo} and ${path} are one file on this disk. Rename it in the editor or with a git command.`;
    return { ok: false, error };
  }
  const facts = await files.look(located.value);
  if (!facts.ok) return facts;
  const error = `${located.value} exists already, so ${path} was not moved there. Choose another name.`;
  return facts.value.kind === 'missing' ? located : { ok: false, error };
}

function unencodable(path: string, { format }: FileState): string {
  return `${path} is ${format.encoding} text and cannot hold every character of the new text. Leave those characters out, or convert the file to UTF-8 first.`;
}

function planned({ path, edit, hash, isDirty }: Omit<Found, 'now' | 'facts'>, plan: FilePlan): PlannedFile {
  return { path, edit, plan, hash, isDirty, writes: [], changes: [], note: '', isStale: false, warning: null };
}

function failed(file: Omit<Found, 'now' | 'facts'>, reason: string): PlannedFile {
  return planned(file, { kind: 'failed', path: file.path, blocks: [], reason });
}
