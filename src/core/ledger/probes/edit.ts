// The probe of an edit, of one file or of several: which hash every file had and which it gets. The effect of an edit is a
// state, not an event: it stands where every file has its content, whoever wrote that.
// Only all-new is COMMITTED and only all-old is ABSENT; a mixture is told file by file, since it can be put back.
import * as z from 'zod';
import type { FileChange, ProbeBaseline } from '../entry.ts';
import { defineProbe } from './probe.ts';
import type { Verdict } from './probe.ts';
import { look } from './reading.ts';
import { stateOf } from './fileStates.ts';

const changeSchema = z
  .object({
    path: z.string(),
    beforeHash: z.string().nullable(),
    afterHash: z.string().nullable(),
    mode: z.number().int().nonnegative().optional(),
  })
  .transform(({ mode, ...change }): FileChange => (mode === undefined ? change : { ...change, mode }));
/** Also in the shape of version 1, which knew one file. */
const editSchema = z.union([
  z.object({ files: z.array(changeSchema).min(1) }),
  changeSchema.transform((file) => ({ files: [file] })),
]);

interface EditData extends Readonly<Record<string, unknown>> {
  readonly files: readonly FileChange[];
}

const NO_COMMAND = null;

export const editProbe = defineProbe<never, EditData>({
  kind: 'edit',
  schema: editSchema,
  // No command is an edit: its baseline is made by `editBaseline`.
  plan: () => NO_COMMAND,
  // eslint-disable-next-line require-yield -- nothing to look at: it is never planned
  *before() {
    return null;
  },
  *after({ files }) {
    const now = new Map<string, string | null>();
    for (const { path } of files) {
      const seen = yield* look(path);
      if (!seen.ok) return { says: 'UNKNOWN', detail: seen.error };
      now.set(path, stateOf(seen.value));
    }
    return compareFiles(files, now);
  },
  footprint: ({ files }) => {
    return { workspace: null, paths: files.map(({ path }) => path), refs: [], runsPrograms: false };
  },
  needsRivals: () => false,
});

/** The files of an edit; null for another kind or shape. */
export function editFiles(baseline: ProbeBaseline | null): readonly FileChange[] | null {
  if (baseline?.kind !== 'edit') return null;
  return editSchema.safeParse(baseline.data).data?.files ?? null;
}

/** Before an edit: of every file the hash of the bytes that are there (null: no file) and of those that will be (null: none). */
export function editBaseline(files: readonly FileChange[], workspace?: string): ProbeBaseline {
  return { kind: 'edit', data: { files, ...(workspace === undefined ? {} : { workspace }) } };
}

/** After an edit: `now` has the hash of every file as it is (null: there is none). UNKNOWN names each file and what it holds. */
export function compareEdit(baseline: ProbeBaseline, now: ReadonlyMap<string, string | null>): Verdict {
  const files = editFiles(baseline);
  return files ? compareFiles(files, now) : { says: 'UNKNOWN', detail: 'what the edit was to change is not known' };
}

function compareFiles(files: EditData['files'], now: ReadonlyMap<string, string | null>): Verdict {
  const states = files.map((file) => ({ path: file.path, state: editState(file, now.get(file.path)) }));
  const named = (state: EditState): string =>
    states
      .filter((one) => one.state === state)
      .map(({ path }) => path)
      .join(', ');
  const has = files.length === 1 ? 'has' : 'have';
  if (states.every(({ state }) => state === 'new'))
    return { says: 'COMMITTED', detail: `${named('new')} ${has} the content of the edit` };
  if (states.every(({ state }) => state === 'old'))
    return { says: 'ABSENT', detail: `${named('old')}: as before the edit` };
  const parts: readonly (readonly [EditState, string])[] = [
    ['new', 'as the edit leaves it'],
    ['old', 'as before the edit'],
    ['other', 'neither as before nor as after the edit'],
  ];
  const told = parts.flatMap(([state, words]) => (named(state) === '' ? [] : [`${words}: ${named(state)}`]));
  return { says: 'UNKNOWN', detail: told.join('; ') };
}

/** What a file of an edit holds now; `other` also where that is not known. */
export type EditState = 'new' | 'old' | 'other';

/** The state of one file by its hash. */
export function editState(
  { beforeHash, afterHash }: Pick<FileChange, 'beforeHash' | 'afterHash'>,
  now: string | null | undefined,
): EditState {
  if (now === undefined) return 'other';
  if (now === afterHash) return 'new';
  return now === beforeHash ? 'old' : 'other';
}
