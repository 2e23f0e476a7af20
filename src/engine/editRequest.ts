// What is asked of a guarded edit, in the forms that callers use, and the ledger entry that it asks for: its key is made of
// the edit as it is, what is stored of it is masked, and long texts are stored by their hash.
import type { EditSet, FileEdit } from '../core/edits/editSet.ts';
import type { RequestContext } from '../core/context.ts';
import type { Rung } from '../core/events.ts';
import type { EffectIds, EffectLevel, Intent } from '../core/ledger/entry.ts';
import { canonicalText, sha256Hex } from '../core/ledger/key.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import type { Emit } from './effectEntry.ts';
import type { Judgement } from './effectFlow.ts';
import { baseIntent } from './effectIntent.ts';
import type { Action } from './effectKey.ts';
import type { ReadBook } from './readBook.ts';
import type { ToolRecovery } from './toolDecision.ts';

/** One place of one file: the short form of an edit. */
export interface OneBlock {
  /** Relative to the workspace. */
  readonly path: string;
  /** Text that must be there exactly once; empty to fill a file that is missing or empty. */
  readonly search: string;
  readonly replace: string;
}

export type GuardedEditInput = EditContext & (OneBlock | { readonly edit: EditSet });

export interface EditContext {
  readonly context: RequestContext;
  /** The tool-use id, where one identifies the action (DESIGN 4); see `GuardedCommandInput.toolCall`. */
  readonly toolCall?: string;
  /** Where it was asked for; goes into the row, not into the key. */
  readonly ids?: Partial<Omit<EffectIds, 'client'>>;
  /** Name of the tool in the ledger. Default `edit`. */
  readonly tool?: string;
  /** Rung of the answer that the edit comes from. Default L0; from L2 on the edit is degraded. */
  readonly rung?: Rung;
  readonly judgement: Judgement;
  /** As assessed; default R2. A file that will be run or read as settings later is R3, and so is a deletion, always. */
  readonly level?: EffectLevel;
  /** Absolute root of the workspace; an undo from another one then leaves its files alone. */
  readonly workspace?: string;
  /** What the agent has seen. Without one, no file that exists may get a whole new text. */
  readonly book?: ReadBook;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly redact?: (text: string) => string;
  /** What a failure is decided with. Absent: it is told as it is. */
  readonly recovery?: ToolRecovery;
}

/** All files of an input. */
export function editSetOf(input: GuardedEditInput): EditSet {
  if ('edit' in input) return input.edit;
  const { path, search, replace } = input;
  return { files: [{ kind: 'blocks', path, blocks: [{ search, replace }] }] };
}

/** The action for the ledger. One block of one file has the same arguments in both forms. */
export function actionOf(input: GuardedEditInput): Action {
  const { context, toolCall, tool = 'edit' } = input;
  return { context, toolCall, tool, args: argsOf(editSetOf(input)) };
}

function argsOf({ files }: EditSet): unknown {
  const [file] = files;
  const [block] = file?.kind === 'blocks' ? file.blocks : [];
  const isOne = files.length === 1 && file?.kind === 'blocks' && file.blocks.length === 1;
  if (isOne && block && block.occurrence === undefined)
    return { path: file.path, search: block.search, replace: block.replace };
  return { files };
}

/** An edit of a text file can be checked by its hashes, so it is R2; a deletion is R3 (DESIGN 8). */
export function levelOf({ level = 'R2' }: EditContext, { files }: EditSet): EffectLevel {
  return files.some(({ kind }) => kind === 'delete') ? 'R3' : level;
}

/** The entry of an edit; `paths` as located. */
export function intentOf(input: GuardedEditInput, paths: readonly string[], nowMs: number): Intent {
  const { context, toolCall, ids, redact = redactSecrets } = input;
  const set = editSetOf(input);
  const action = actionOf(input);
  return baseIntent({
    context,
    toolCall,
    ids,
    tool: action.tool,
    level: levelOf(input, set),
    args: action.args,
    storedArgs: storedArgs(action.args, redact),
    title: redact(titleOf(set)),
    paths,
    redact,
    nowMs,
  });
}

const VERBS: Readonly<Record<FileEdit['kind'], string>> = {
  blocks: 'edit',
  hunks: 'edit',
  whole: 'write',
  create: 'create',
  delete: 'delete',
  move: 'move',
};

function titleOf({ files }: EditSet): string {
  const [file] = files;
  if (!file) return 'edit nothing';
  const to = file.kind === 'move' ? ` to ${file.moveTo}` : '';
  const more = files.length > 1 ? ` and ${files.length - 1} more` : '';
  return `${VERBS[file.kind]} ${file.path}${to}${more}`;
}

const STORED_CHARS = 2000;
const STORED_ARGS_CHARS = 20_000;

/** Long texts are stored by their hash: the ledger proves what was done, the before-image keeps what was there. */
function storedArgs(args: unknown, redact: (text: string) => string): unknown {
  const stored = mapTexts(args, (text) =>
    text.length <= STORED_CHARS ? redact(text).toWellFormed() : { sha256: sha256Hex(text), chars: text.length },
  );
  if (canonicalText(stored).length <= STORED_ARGS_CHARS) return stored;
  return { sha256: sha256Hex(canonicalText(args)) };
}

/** Whether every text of the edit is valid Unicode: others have no canonical form and no bytes. */
export function isWellFormed(set: EditSet): boolean {
  let isValid = true;
  mapTexts(set, (text) => {
    isValid &&= text.isWellFormed();
    return text;
  });
  return isValid;
}

/** A JSON value with every text in it changed. */
function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}
