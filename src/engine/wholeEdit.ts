// A whole new text for a file that is there: only what the agent has seen may be overwritten. Where the file has changed
// since, or has unsaved text, the change that the agent meant is merged into it three-way; where that conflicts, or the agent
// never saw the file, nothing is written and the agent is told what is there now. Reads only; the plan is carried out elsewhere.
import { mergeThreeWay } from '../core/edits/merge.ts';
import { planFile } from '../core/edits/plan.ts';
import type { FileEdit } from '../core/edits/editSet.ts';
import { decodeText } from '../core/edits/textFormat.ts';
import { assessTool } from '../core/guard/tools.ts';
import type { FilePort, FileState } from './ports.ts';
import type { ReadBook } from './readBook.ts';

/** How a whole new text goes onto the file as it is now. `plain`: as the edit says. */
export type WholePlan =
  | { readonly kind: 'plain' }
  /** `note`: what of others was kept, for the agent. */
  | { readonly kind: 'merged'; readonly text: string; readonly note: string }
  | { readonly kind: 'needless'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Where the file is. `path` as located; `diskHash`: its bytes on the disk, which differ from `now` where text is unsaved. */
export interface WholePlace {
  readonly path: string;
  readonly now: FileState;
  readonly diskHash: string | null;
}

const PLAIN: WholePlan = { kind: 'plain' };

/** Why a whole text without a visible character is not put over one that has some: mostly the text was lost on its way. */
export function emptyingReason(
  { text, allowEmpty }: Extract<FileEdit, { kind: 'whole' }>,
  path: string,
  now: Pick<FileState, 'exists' | 'text'>,
): string | null {
  if (allowEmpty === true || !now.exists || text.trim() !== '' || now.text.trim() === '') return null;
  return `The new text of ${path} is empty, and the file is not (${now.text.length} characters). Nothing was written. If it shall go, delete it, or say allowEmpty: true; else send the whole text.`;
}

/** Plans a whole new text. Without a book nothing was seen. */
export async function planWhole(
  files: FilePort,
  book: ReadBook | undefined,
  edit: Extract<FileEdit, { kind: 'whole' }>,
  { path, now, diskHash }: WholePlace,
): Promise<WholePlan> {
  const seen = book?.seen(path);
  if (!now.exists) return seen == null ? PLAIN : refused(deletedText(path, book));
  if (planFile({ ...edit, path }, now).kind === 'needless') return PLAIN;
  const isSeen = seen !== undefined && (seen === now.hash || seen === diskHash);
  if (now.dirtyVersion === null && isSeen) return PLAIN;
  if (!book || seen === undefined) {
    return refused(
      `${path} exists and was not read in this task, so a whole new text would overwrite what nobody looked at.`,
      path,
      now,
    );
  }
  const what =
    now.dirtyVersion === null
      ? `${path} was changed since you read it, ${book.suspect(path)}`
      : `${path} has unsaved changes in an editor`;
  const base = isSeen ? await diskText(files, path) : await book.base(path);
  if (base === null) return refused(`${what}, and what you read is not kept any more.`, path, now);
  return merged(path, what, { base, now, wanted: planFile({ ...edit, path }, { exists: true, text: base }) });
}

function merged(
  path: string,
  what: string,
  {
    base,
    now,
    wanted,
  }: { readonly base: string; readonly now: FileState; readonly wanted: ReturnType<typeof planFile> },
): WholePlan {
  if (wanted.kind === 'needless')
    return {
      kind: 'needless',
      reason: `${path} needs no change: your text is the one you read. ${what}; that was kept.`,
    };
  if (wanted.kind !== 'write') return { kind: 'refused', reason: wanted.kind === 'failed' ? wanted.reason : what };
  const { text, conflicts } = mergeThreeWay(base, now.text, wanted.text);
  if (conflicts.length > 0) return refused(`${what}, at places where your text changes it, too.`, path, now);
  const foreign = changedLines(base, now.text);
  if (text === now.text)
    return { kind: 'needless', reason: `${path} already has your changes. ${what}; that was kept:\n${foreign}` };
  return { kind: 'merged', text, note: `${what}. That was kept and your changes were merged in:\n${foreign}` };
}

/** The text on the disk beneath an unsaved buffer. */
async function diskText(files: FilePort, path: string): Promise<string | null> {
  const kept = await files.saveBefore(path);
  if (!kept.ok || kept.value === null) return null;
  const image = await files.image(kept.value);
  const decoded = image.ok ? decodeText(image.value) : null;
  return decoded?.ok ? decoded.text : null;
}

function deletedText(path: string, book: ReadBook | undefined): string {
  return `${path} was deleted since you read it, ${book?.suspect(path) ?? 'by somebody else'}. Nothing was written. If it should be there again, read it first (it is missing), then write it.`;
}

/** So much of the present contents is handed back in one answer. */
export const SHOWN_CHARS = 20_000;

function refused(why: string, path?: string, now?: FileState): WholePlan {
  if (path === undefined || !now) return { kind: 'refused', reason: why };
  const remedy = `Nothing was written. Read ${path} with read_file, then write it with those changes in it, or edit only the part you mean with edit_file.`;
  return { kind: 'refused', reason: `${why} ${remedy}${contentText(path, now.text)}` };
}

/** The present content, but for files that usually hold secrets: those are shown by a read that is judged. */
export function contentText(path: string, text: string, limitChars = SHOWN_CHARS): string {
  const isSecret = assessTool('read_file', { path }).effects.some(({ kind }) => kind === 'read-secret');
  if (isSecret) return '';
  const isCut = text.length > limitChars;
  const shown = isCut ? text.slice(0, limitChars).toWellFormed() : text;
  return `\nIt holds now${isCut ? ` (first ${limitChars} of ${text.length} characters)` : ''}:\n${shown}`;
}

const SHOWN_LINES = 20;

/** Lines that one text has and the other has not, marked with + and -; a hint for the agent, not a diff. */
function changedLines(before: string, after: string): string {
  const added = without(after, before).map((line) => `+ ${line}`);
  const removed = without(before, after).map((line) => `- ${line}`);
  const all = [...added, ...removed];
  const more = all.length > SHOWN_LINES ? [`(and ${all.length - SHOWN_LINES} lines more)`] : [];
  return all.length === 0
    ? '(only the order or the line endings of lines)'
    : [...all.slice(0, SHOWN_LINES), ...more].join('\n');
}

function without(text: string, other: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of other.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return text.split(/\r?\n/).filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}
