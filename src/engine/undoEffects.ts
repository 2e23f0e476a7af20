// Undo and restore: takes back what entries did to files, and nothing else. Plan, ask, keep what is there, PREPARED on the disk,
// one write of all files by compare-and-swap, then compensations and originals settled together. Every path is one of the
// ledger; git's own state (HEAD, index, refs) is never touched; what was changed since is merged or left.
import type { EventBody } from '../core/events.ts';
import type { EffectLevel, FileChange, LedgerEntry } from '../core/ledger/entry.ts';
import type { UndoFile, UndoPlan } from '../core/ledger/undo/plan.ts';
import { isStanding, isOpen } from '../core/ledger/undo/selection.ts';
import type { EffectPorts } from './effectEntry.ts';
import type { Judgement } from './effectFlow.ts';
import type { Answer } from './ports.ts';
import { undoTargets } from './undoTargets.ts';
import type { NotUndone, UndoTarget, UndoWhat } from './undoTargets.ts';
import { planOnFiles } from './undoWorld.ts';
import { writeUndo } from './undoWrite.ts';

export interface UndoRequest {
  readonly what: UndoWhat;
  /** Who asks; goes into the rows. */
  readonly client: string;
  /** Absolute root of the workspace: entries that name another one are not touched. Null: not known. */
  readonly workspace: string | null;
  /** The guard's word on writing these paths. `ask` puts the question to a person. */
  readonly judge: (paths: readonly string[]) => Judgement;
  /** Only plan: nothing is asked, written or moved. */
  readonly isDryRun: boolean;
  /** Bring back files that somebody deleted since. */
  readonly restoresDeleted: boolean;
  readonly signal: AbortSignal;
  readonly emit: (body: EventBody) => void;
}

/** One file of an undo. */
export interface UndoFileOutcome {
  readonly file: UndoFile;
  /** Later entries of others that changed it, too, where that matters: it was merged or left. */
  readonly alsoBy: readonly string[];
  /** SHA-256 of what is there now, where the undo wrote it; null: nothing, or not written. */
  readonly hash: string | null;
}

export interface UndoOutcome {
  /**
   * `done`: all of it is taken back. `partly`: some files were left. `planned`: a dry run. `nothing`: there was nothing to
   * write. `refused`: not allowed. `failed`: nothing was written. `unknown`: a part may have been written.
   */
  readonly result: 'done' | 'partly' | 'planned' | 'nothing' | 'refused' | 'failed' | 'unknown';
  readonly files: readonly UndoFileOutcome[];
  readonly targets: readonly UndoTarget[];
  readonly others: readonly NotUndone[];
  /** Keys of the entries of this undo; undo these to have the effect again. */
  readonly compensations: readonly string[];
  /** For a person. */
  readonly reason: string;
}

/** Takes back what the request names. Resolves always; rejects only for a bug. */
export async function undoEffects(ports: EffectPorts, request: UndoRequest): Promise<UndoOutcome> {
  const { workspace, isDryRun, emit } = request;
  const found = await undoTargets({ ports, workspace, isDryRun, emit }, request.what);
  if (!found.ok) return nothingDone('failed', found.error.message);
  const { targets, others } = found.value;
  const scope = { targets, others };
  const plan = await planFor(ports, request, targets);
  const files = await withOthers(ports, targets, plan.files);
  const ended = (
    result: UndoOutcome['result'],
    reason: string,
    compensations: readonly string[] = [],
  ): UndoOutcome => ({
    result,
    files,
    ...scope,
    compensations,
    reason,
  });
  const writes = plan.files.filter(isWrite);
  if (isDryRun) return ended('planned', plannedText(writes.length));
  if (writes.length === 0) return ended('nothing', nothingText(plan, others));
  const answer = await allowed(ports, request, targets, writes);
  if (typeof answer === 'string') return ended('refused', `Nothing was written: ${answer}`);
  // A person may have taken his time.
  const now = answer ? await planFor(ports, request, targets) : plan;
  if (!isSamePlan(plan, now)) {
    return ended(
      'failed',
      'Nothing was written: files were changed while the question was open. Look at the plan again.',
    );
  }
  const written = await writeUndo(ports, { targets, plan: now, client: request.client, signal: request.signal, emit });
  const hashes = new Map(written.files.map(({ path, hash }) => [path, hash]));
  return {
    ...ended(resultOf(written.kind, now, others), written.reason, written.compensations),
    files: files.map((one) => ({ ...one, hash: hashes.get(one.file.path) ?? null })),
  };
}

function planFor(
  ports: EffectPorts,
  { restoresDeleted }: UndoRequest,
  targets: readonly UndoTarget[],
): Promise<UndoPlan> {
  const entries = targets.map(({ entry, changes }) => ({ key: entry.key, changes }));
  return planOnFiles(ports.files, entries, restoresDeleted);
}

/** A file that the undo changes. */
export function isWrite(file: UndoFile): file is Extract<UndoFile, { action: 'write' | 'delete' }> {
  return file.action === 'write' || file.action === 'delete';
}

function resultOf(
  kind: 'done' | 'failed' | 'unknown',
  { files }: UndoPlan,
  others: readonly NotUndone[],
): UndoOutcome['result'] {
  if (kind !== 'done') return kind;
  const isPart = files.some(({ action }) => action === 'left') || others.some((one) => isObstacle(one));
  return isPart ? 'partly' : 'done';
}

/** Is an entry that was asked for still in the way of "all is taken back"? */
export function isObstacle({ why }: NotUndone): boolean {
  return why !== 'undone' && why !== 'absent';
}

function plannedText(count: number): string {
  return count === 0 ? 'Nothing would be written.' : `It would touch ${count === 1 ? 'one file' : `${count} files`}.`;
}

function nothingText({ files }: UndoPlan, others: readonly NotUndone[]): string {
  const left = files.filter(({ action }) => action === 'left').length;
  if (left > 0)
    return `Nothing was written: ${left === 1 ? 'the file was left as it is' : `${left} files were left as they are`}.`;
  if (files.length > 0) return 'Nothing was written: every file is as it was before already, or was deleted since.';
  const [only] = others;
  return others.length === 1 && only ? only.message : 'There is nothing to take back.';
}

function nothingDone(result: UndoOutcome['result'], reason: string): UndoOutcome {
  return { result, files: [], targets: [], others: [], compensations: [], reason };
}

/** The answer of a person, null where none was needed, or why it is not allowed. */
async function allowed(
  ports: EffectPorts,
  request: UndoRequest,
  targets: readonly UndoTarget[],
  writes: readonly UndoFile[],
): Promise<Answer | null | string> {
  const { signal, emit, judge } = request;
  const paths = writes.map(({ path }) => path);
  const { verdict, reasons = [] } = judge(paths);
  if (signal.aborted) return 'cancelled before it began.';
  if (verdict === 'deny') return reasons.join('; ') || 'the policy forbids it.';
  if (verdict === 'allow') return null;
  const title = titleOf(targets);
  const level: EffectLevel = 'R2';
  const id = `undo-${targets[0]?.entry.key.slice(0, 16) ?? ''}-${ports.clock.nowMs()}`;
  emit({ type: 'question-asked', question: id, title, level });
  const question = {
    id,
    kind: 'edit' as const,
    title,
    level,
    reasons: [...reasons, ...sentences(writes)],
    targets: paths,
  };
  const answer = await ports.approval.ask(question, signal).catch((error: unknown): Answer => {
    if (!signal.aborted) throw error;
    return { choice: 'deny', note: 'cancelled while a person was asked', by: 'cancel' };
  });
  emit({ type: 'question-answered', question: id, answer: answer.choice, by: answer.by });
  if (answer.choice === 'allow') return answer;
  return answer.note === '' ? `${answer.by} said no.` : answer.note;
}

function titleOf(targets: readonly UndoTarget[]): string {
  const [only] = targets;
  return targets.length === 1 && only ? `undo "${only.entry.title}"` : `undo ${targets.length} entries of the ledger`;
}

function sentences(writes: readonly UndoFile[]): readonly string[] {
  const deleted = writes.filter(({ action }) => action === 'delete').length;
  const merged = writes.filter((file) => file.action === 'write' && file.isMerged).length;
  return [
    writes.length === 1
      ? 'one file is written back; what it holds now is kept, so that this can be undone'
      : `${writes.length} files are written back; what they hold now is kept, so that this can be undone`,
    ...(deleted > 0 ? [`deleted, since Belay made them: ${deleted}`] : []),
    ...(merged > 0 ? [`changed since by somebody else, and those changes stay: ${merged}`] : []),
  ];
}

function isSamePlan(one: UndoPlan, other: UndoPlan): boolean {
  const text = ({ files }: UndoPlan): string =>
    JSON.stringify(files.map((file) => [file.path, file.action, { ...file }]));
  return text(one) === text(other);
}

/** Names the later entries of others where a file was changed since. */
async function withOthers(
  ports: EffectPorts,
  targets: readonly UndoTarget[],
  files: readonly UndoFile[],
): Promise<readonly UndoFileOutcome[]> {
  const own = new Set(targets.map(({ entry }) => entry.key));
  const outcomes: UndoFileOutcome[] = [];
  for (const file of files) {
    const isChanged = file.action === 'left' || (file.action === 'write' && file.isMerged);
    const listed = isChanged ? await ports.store.entries({ file: file.path }) : null;
    const since = oldestOf(targets, file.path);
    const later = listed?.ok
      ? listed.value.filter((entry) => !own.has(entry.key) && isLater(entry, file.path, since))
      : [];
    outcomes.push({ file, alsoBy: later.map(({ key }) => key), hash: null });
  }
  return outcomes;
}

function oldestOf(targets: readonly UndoTarget[], path: string): number {
  const touching = targets.filter(({ changes }) => changes.some((change: FileChange) => change.path === path));
  return Math.min(...touching.map(({ entry }) => entry.preparedAtMs));
}

function isLater(entry: LedgerEntry, path: string, sinceMs: number): boolean {
  return entry.preparedAtMs >= sinceMs && entry.paths.includes(path) && (isStanding(entry) || isOpen(entry));
}
