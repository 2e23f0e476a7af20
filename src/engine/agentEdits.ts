// The edit tools of Belay's own agent loop: a call is read once, levelled by what it names and by what those names are on
// the disk, judged by the policy, and made by the guarded edit. The stricter of two verdicts counts, always.
import type { EditSet, FileEdit } from '../core/edits/editSet.ts';
import type { Assessment } from '../core/guard/assessment.ts';
import { assessEdits, isEditTool, readEditTool } from '../core/guard/editTools.ts';
import type { Judgement } from '../core/guard/judge.ts';
import { judgeEdit } from '../core/guard/judgeEdit.ts';
import type { Policy } from '../core/guard/policy.ts';
import { assessTool } from '../core/guard/tools.ts';
import { kept, keptPath } from './agentFiles.ts';
import type { EditContext } from './editRequest.ts';
import { applyGuardedEdit } from './guardedEdit.ts';
import type { FilePort, Ports } from './ports.ts';
import type { ReadBook } from './readBook.ts';
import type { ToolRecovery } from './toolDecision.ts';

/** A call of an edit tool. */
export interface EditCall {
  readonly name: string;
  readonly args: unknown;
}

/** Where edits are made, and under which rules. */
export interface EditPlace {
  readonly ports: Ports;
  /** Absolute root of the workspace. */
  readonly workspace: string;
  readonly policy: Policy;
  /** What a failure is decided with. */
  readonly recovery?: ToolRecovery;
}

/** Makes the edit that a tool call asks for, or says why not. */
export async function editByTool(
  { ports, workspace, policy, recovery }: EditPlace,
  book: ReadBook,
  { name, args }: EditCall,
  { context, ids, rung, emit, signal }: Pick<EditContext, 'context' | 'ids' | 'rung' | 'emit' | 'signal'>,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const failed = (text: string): { readonly text: string; readonly isError: true } => ({ text, isError: true });
  const read = isEditTool(name) ? readEditTool(name, args) : { ok: false as const, error: 'there is no such tool' };
  if (!read.ok) return failed(`the arguments of ${name} do not fit: ${read.error}`);
  const { set } = read;
  if (set.files.some((edit) => edit.kind === 'blocks' && edit.blocks.length === 0))
    return failed(`${name} needs search and replace, or edits`);
  const hidden = await keptPath(ports, set.files.flatMap(pathsOf));
  if (hidden !== null) return failed(kept(hidden));
  const place = { cwd: workspace, workspace };
  const written = assessTool(name, args, place);
  const located = assessEdits(await locatedSet(ports.files, set), place);
  return applyGuardedEdit(ports, {
    context,
    ...(ids ? { ids } : {}),
    ...(rung ? { rung } : {}),
    tool: name,
    edit: set,
    level: higher(written, located).level,
    judgement: stricter(judgeEdit(written, policy), judgeEdit(located, policy)),
    book,
    workspace,
    signal,
    emit,
    ...(recovery ? { recovery } : {}),
  });
}

function pathsOf(edit: FileEdit): readonly string[] {
  return 'moveTo' in edit ? [edit.path, edit.moveTo] : [edit.path];
}

/** The same edit by the names its files have on the disk: a link may lead to a file that steers tools. */
async function locatedSet(files: FilePort, set: EditSet): Promise<EditSet> {
  const nameOf = async (path: string): Promise<string> => {
    const located = await files.locate(path);
    return located.ok ? located.value : path;
  };
  const located = set.files.map(async (edit): Promise<FileEdit> => {
    const path = await nameOf(edit.path);
    if (edit.kind === 'move') return { ...edit, path, moveTo: await nameOf(edit.moveTo) };
    if (edit.kind !== 'hunks' || edit.moveTo === undefined) return { ...edit, path };
    return { ...edit, path, moveTo: await nameOf(edit.moveTo) };
  });
  return { files: await Promise.all(located) };
}

function higher(a: Assessment, b: Assessment): Assessment {
  return b.level > a.level ? b : a;
}

const STRICTNESS: Readonly<Record<Judgement['verdict'], number>> = { allow: 0, ask: 1, deny: 2 };

function stricter(a: Judgement, b: Judgement): Judgement {
  return STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a;
}
