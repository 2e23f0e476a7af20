// What one file of an edit comes to, seen from the file as it is now: the new text, or a plain answer why there is none.
// Never a text from a plan that failed, never an empty file that nobody asked for. Pure; who may write what is judged elsewhere.
import { planBlocks } from './blocks.ts';
import type { FileEdit, FilePlan } from './editSet.ts';
import { planHunks } from './hunks.ts';
import { withLf } from './lines.ts';
import type { TextPlan } from './textPlan.ts';
import { omission, wholeText } from './wholeText.ts';

/** A file as the plan sees it. */
export interface FileNow {
  readonly exists: boolean;
  /** Empty when it does not exist. */
  readonly text: string;
}

/** Longer texts are not edited: characters. */
const MAX_CHARS = 50_000_000;

/** Plans the edit of one file. */
export function planFile(edit: FileEdit, now: FileNow): FilePlan {
  const { path } = edit;
  if (now.text.length > MAX_CHARS)
    return failed(path, `${path} is too long to be edited (${now.text.length} characters).`);
  switch (edit.kind) {
    case 'blocks':
      return planBlockFile(edit, now);
    case 'hunks':
      return planHunkFile(edit, now);
    case 'whole':
      return planWholeFile(edit, now);
    case 'create':
      return planNewFile(edit, now);
    case 'delete':
      return planDeletion(edit, now);
    case 'move':
      return planMove(edit, now);
  }
}

function planBlockFile({ path, blocks }: Extract<FileEdit, { kind: 'blocks' }>, now: FileNow): FilePlan {
  if (blocks.length === 0) return failed(path, `The edit of ${path} has no block. Send what to replace.`);
  const isFilling = blocks.length === 1 && blocks[0]?.search === '';
  if (!now.exists && !isFilling)
    return failed(path, `${path} does not exist. Check the path, or leave the search text empty to make the file.`);
  if (!now.exists && blocks[0]?.replace === '') return { kind: 'write', path, blocks: [], text: '' };
  return fileOf(path, planBlocks(now.text, blocks));
}

function planHunkFile({ path, hunks, moveTo }: Extract<FileEdit, { kind: 'hunks' }>, now: FileNow): FilePlan {
  if (!now.exists) return failed(path, `${path} does not exist. Check the path, or send it as a new file.`);
  const isMoving = moveTo !== undefined && moveTo !== path;
  if (hunks.length === 0)
    return isMoving
      ? { kind: 'move', path, moveTo, blocks: [] }
      : failed(path, `The edit of ${path} has no hunk. Send what to change.`);
  const plan = fileOf(path, planHunks(now.text, hunks));
  if (!isMoving) return plan;
  if (plan.kind === 'needless') return { kind: 'move', path, moveTo, blocks: plan.blocks };
  return plan.kind === 'write' ? { ...plan, moveTo } : plan;
}

function fileOf(path: string, plan: TextPlan): FilePlan {
  const { blocks } = plan;
  if (plan.kind === 'changed') return { kind: 'write', path, blocks, text: plan.text };
  return { kind: plan.kind, path, blocks, reason: `${path}: ${plan.reason}` };
}

function planWholeFile({ path, text }: Extract<FileEdit, { kind: 'whole' }>, now: FileNow): FilePlan {
  if (!now.exists) return { kind: 'write', path, blocks: [], text };
  const left = omission(now.text, text);
  if (left)
    return failed(
      path,
      `Line ${left.line} of the new ${path} stands for text that was left out ("${left.text}"). Send the whole text, or only the change.`,
    );
  const fresh = wholeText(now.text, text);
  if (fresh === now.text) return needless(path, `${path} has exactly this text already; nothing was written.`);
  return { kind: 'write', path, blocks: [], text: fresh };
}

function planNewFile({ path, text, mode }: Extract<FileEdit, { kind: 'create' }>, now: FileNow): FilePlan {
  if (!now.exists) return { kind: 'write', path, blocks: [], text, ...(mode !== undefined && { mode }) };
  if (withLf(now.text) === withLf(text))
    return needless(path, `${path} exists already with exactly this text; nothing was written.`);
  return failed(path, `${path} exists already, with other text. Read it and edit it, or send its whole new text.`);
}

function planDeletion({ path, expected }: Extract<FileEdit, { kind: 'delete' }>, now: FileNow): FilePlan {
  if (!now.exists) return needless(path, `${path} is not there any more; nothing was deleted.`);
  if (expected !== undefined && withLf(expected) !== withLf(now.text))
    return failed(path, `${path} has other text than the patch deletes, so it was not deleted. Read it again.`);
  return { kind: 'delete', path, blocks: [] };
}

function planMove({ path, moveTo }: Extract<FileEdit, { kind: 'move' }>, now: FileNow): FilePlan {
  if (path === moveTo) return needless(path, `${path} has this name already; nothing was moved.`);
  return now.exists
    ? { kind: 'move', path, moveTo, blocks: [] }
    : failed(path, `${path} does not exist. Check the path.`);
}

function needless(path: string, reason: string): FilePlan {
  return { kind: 'needless', path, blocks: [], reason };
}

function failed(path: string, reason: string): FilePlan {
  return { kind: 'failed', path, blocks: [], reason };
}
