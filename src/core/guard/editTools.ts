// Belay's own edit tools: what a call asks to change, and its level. Level and edit are read from the same arguments by the
// same code, so that nothing else can be done than was judged. Arguments come from a model; what does not fit is an error.
import * as z from 'zod';
import type { EditSet, FileEdit } from '../edits/editSet.ts';
import { parseEdits } from '../edits/parse.ts';
import type { Assessment, CommandToAssess } from './assessment.ts';
import { emptyFindings, note, toAssessment } from './effects.ts';
import { noteWrite, type Noting } from './walk.ts';
import { literalWord } from './word.ts';

/** Where the tool would act. */
export type ToolPlace = Pick<CommandToAssess, 'cwd' | 'workspace'>;

const path = z.string().min(1).max(4096);
const block = z.object({ search: z.string(), replace: z.string(), all: z.boolean().optional() });
type Block = z.infer<typeof block>;

const editFile = z.object({
  path,
  search: z.string().optional(),
  replace: z.string().optional(),
  edits: z.array(block).max(1000).optional(),
});

const writeFile = z.object({ path, content: z.string(), allowEmpty: z.boolean().optional() });

/** The arguments of each edit tool as files to change; null: they do not fit. */
const TOOLS = {
  edit_file: reader(editFile, ({ path: file, search, replace, edits = [] }) => {
    const single = search === undefined || replace === undefined ? [] : [{ search, replace }];
    return [{ kind: 'blocks', path: file, blocks: [...single, ...edits].map(blockOf) }];
  }),
  write_file: reader(writeFile, ({ path: file, content, allowEmpty }) => [
    { kind: 'whole', path: file, text: content, ...(allowEmpty === true ? { allowEmpty } : {}) },
  ]),
  apply_patch: reader(z.object({ patch: z.string().min(1) }), ({ patch }) => {
    const parsed = parseEdits(patch);
    return parsed.ok ? parsed.set.files : parsed.error;
  }),
  delete_file: reader(z.object({ path }), ({ path: file }) => [{ kind: 'delete', path: file }]),
  move_file: reader(z.object({ path, to: path }), ({ path: file, to }) => [{ kind: 'move', path: file, moveTo: to }]),
} as const;

type EditTool = keyof typeof TOOLS;

/** What a call of an edit tool asks for. */
export type ReadEdit =
  | {
      readonly ok: true;
      readonly set: EditSet;
      /** Names of arguments that the tool does not have; nothing is done with them, but a person should look. */
      readonly unknown: readonly string[];
    }
  | { readonly ok: false; readonly error: string };

/** Is it one of Belay's edit tools? */
export function isEditTool(name: string): name is EditTool {
  return Object.hasOwn(TOOLS, name);
}

/** Reads a call of an edit tool. */
export function readEditTool(name: EditTool, args: unknown): ReadEdit {
  return TOOLS[name](args);
}

function reader<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  files: (args: z.infer<z.ZodObject<Shape>>) => readonly FileEdit[] | string,
): (args: unknown) => ReadEdit {
  return (args) => {
    const parsed = schema.safeParse(args);
    if (!parsed.success) {
      const { path: at = [], message = 'they do not fit' } = parsed.error.issues[0] ?? {};
      return { ok: false, error: `${at.length === 0 ? 'the arguments' : at.join('.')}: ${message}` };
    }
    const read = files(parsed.data);
    if (typeof read === 'string') return { ok: false, error: read };
    const known = new Set(Object.keys(schema.shape));
    const unknown = typeof args === 'object' && args !== null ? Object.keys(args).filter((one) => !known.has(one)) : [];
    return { ok: true, set: { files: read }, unknown };
  };
}

function blockOf({ search, replace, all }: Block): Extract<FileEdit, { kind: 'blocks' }>['blocks'][number] {
  return all === true ? { search, replace, occurrence: 'all' } : { search, replace };
}

/** Levels one call of an edit tool: R2 inside the workspace, R3 for what is deleted, outside, steers tools, or does not fit. */
export function assessEditTool(name: EditTool, args: unknown, place: ToolPlace): Assessment {
  const read = readEditTool(name, args);
  if (!read.ok) return refused(`${name} with arguments that do not fit (${read.error.slice(0, 200).toWellFormed()})`);
  const [extra] = read.unknown;
  const assessment = assessEdits(read.set, place);
  if (extra === undefined) return assessment;
  return withReason(assessment, `${name} has no argument ${extra.slice(0, 80).toWellFormed()}`);
}

/** Levels the files of an edit, in whatever form it came. */
export function assessEdits({ files }: EditSet, place: ToolPlace): Assessment {
  const around: Noting = { cwds: [place.cwd], workspace: place.workspace, findings: emptyFindings() };
  if (files.length === 0) return refused('an edit that names no file');
  for (const edit of files) {
    if (edit.kind === 'delete') {
      noteWrite(around, literalWord(edit.path), { level: 'R3', kind: 'delete-file', verb: 'deletes' });
      continue;
    }
    noteEdit(around, edit.path, edit.kind === 'move' ? 'moves' : 'edits');
    const to = 'moveTo' in edit ? edit.moveTo : undefined;
    if (to !== undefined) noteEdit(around, to, 'moves a file to');
  }
  return toAssessment(around.findings);
}

function noteEdit(around: Noting, file: string, verb: string): void {
  const at = noteWrite(around, literalWord(file), { level: 'R2', kind: 'write-file', verb });
  if (at.place === 'discard')
    note(around.findings, { level: 'R3', reason: `${verb} a device`, kind: 'write-file', target: file });
}

/** R3: what cannot be read cannot be judged. */
export function refused(reason: string): Assessment {
  const findings = emptyFindings();
  note(findings, { level: 'R3', reason, kind: 'unknown-program' });
  return toAssessment(findings);
}

/** The same effects at R3: somebody must look at it. */
function withReason(assessment: Assessment, reason: string): Assessment {
  const unknown = { kind: 'unknown-program' };
  return {
    ...assessment,
    level: 'R3',
    reasons: [reason, ...assessment.reasons],
    effects: [...assessment.effects, unknown],
  };
}
