// One guarded edit of one or several files: all of them or none, before-images kept, PREPARED on the disk before the first
// byte changes, compare-and-swap on what was read, hashes as read back as evidence (DESIGN, The way one command goes, and
// semantics 3). What is there already is a success without a write; one place that is not found leaves every byte alone.
import type { FileChange, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { canonicalText, sha256Hex } from '../core/ledger/key.ts';
import { editBaseline } from '../core/ledger/probes/edit.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import { moveEntry, prepareEntry } from './effectEntry.ts';
import type { EffectPorts } from './effectEntry.ts';
import { makeEffect } from './effectFlow.ts';
import type { Attempt, Judgement } from './effectFlow.ts';
import { hasArguments } from './effectKey.ts';
import { movesAfter } from './editMoves.ts';
import { impossibleText, needlessText, outcomeOf, refusal, stoppedText } from './editOutcome.ts';
import type { EditOutcome, EditRun } from './editOutcome.ts';
import { pathsOf, planEdits } from './editPlan.ts';
import { followEdit } from './editRecovery.ts';
import type { EditPlan, PlannedFile } from './editPlan.ts';
import { freshContent } from './freshContent.ts';
import { actionOf, editSetOf, intentOf, isWellFormed, levelOf } from './editRequest.ts';
import type { GuardedEditInput } from './editRequest.ts';
import type { Answer, AppliedFiles, FileReport, StoreFault } from './ports.ts';
import { MAX_SAME_FAILURES } from './readBook.ts';
import type { OffLedger } from './effectRequest.ts';

export type { GuardedEditInput } from './editRequest.ts';
export type { EditOutcome } from './editOutcome.ts';

/** Makes an edit at most once for its key. Resolves always; rejects only for a bug. */
export async function applyGuardedEdit(ports: EffectPorts, input: GuardedEditInput): Promise<EditOutcome> {
  const set = editSetOf(input);
  if (!isWellFormed(set)) {
    return refusal({ key: '', level: 'R3' }, null, `the edit of a file is not valid Unicode; send valid text`);
  }
  const source = { files: ports.files, book: input.book };
  const first = await planEdits(source, set);
  const intent = intentOf(input, [...new Set(first.files.flatMap(pathsOf))], ports.clock.nowMs());
  const stopped = stopRepeat(input, intent, first);
  if (stopped) return stopped;
  const { judgement, reasons } = judgementOf(input, first);
  let last: EditPlan = first;
  const plan = async (): Promise<EditPlan> => (last = await planEdits(source, set));
  const end = await makeEffect<EditRun>(ports, {
    intent,
    isSame: hasArguments(actionOf(input), intent.argsText),
    context: input.context,
    judgement,
    question: { kind: 'edit', reasons, targets: intent.paths },
    signal: input.signal,
    emit: input.emit,
    check: async () => obstacleOf(await plan()),
    attempt: async (previous, approved) =>
      attemptEdit(ports, input, { intent, plan: await plan(), previous, approved }),
    attemptUnrecorded: async (fault) => editUnrecorded(ports, input, await plan(), fault),
  });
  const followed = await followEdit(ports, input, intent, end);
  const told = outcomeOf(intent, last, followed.end);
  const fresh = told.result === 'failed' ? await freshContent(ports.files, last.files) : '';
  const next = followed.next === '' ? '' : `\n${followed.next}`;
  const outcome = { ...told, text: `${told.text}${fresh}${next}` };
  await noteInBook(input, last, outcome, 'ran' in end ? end.ran : null);
  return outcome;
}

/** The same edit is not tried a third time while nothing has changed that could let it pass. */
function stopRepeat(input: GuardedEditInput, intent: Intent, plan: EditPlan): EditOutcome | null {
  const { book, emit } = input;
  const edit = fingerprintOf(input);
  const circumstances = circumstancesOf(input, plan);
  const reason = book?.spent(edit, circumstances) ?? null;
  if (!book || reason === null) return null;
  const count = book.failed(edit, circumstances, reason);
  if (count === MAX_SAME_FAILURES + 1) {
    const message = `The agent sent the same edit again after it had failed ${MAX_SAME_FAILURES} times: ${intent.title}`;
    emit({ type: 'notice', severity: 'warning', message, remedy: 'It was told to read the file and to do otherwise.' });
  }
  return {
    ...refusal(intent, null, stoppedText(reason)),
    files: outcomeOf(intent, plan, { kind: 'impossible', reason, entry: null }).files,
  };
}

function fingerprintOf(input: GuardedEditInput): string {
  return sha256Hex(canonicalText(actionOf(input).args));
}

/** All that could make the same edit end otherwise: the files, and what the agent knows of them. */
function circumstancesOf(
  { book }: GuardedEditInput,
  { files }: EditPlan,
  now?: ReadonlyMap<string, string | null>,
): string {
  const facts = files.map(({ path, hash }) => [
    path,
    now?.has(path) ? (now.get(path) ?? null) : hash,
    book?.seen(path) ?? null,
    book?.isDoubted(path) ?? false,
  ]);
  return canonicalText(facts);
}

/** The policy's verdict, made stricter where the files themselves are a reason to ask: generated files, deletions. */
function judgementOf(
  input: GuardedEditInput,
  { files }: EditPlan,
): { judgement: Judgement; reasons: readonly string[] } {
  const warnings = files.flatMap(({ warning }) => (warning === null ? [] : [warning]));
  const deleted = files.filter(({ plan }) => plan.kind === 'delete').map(({ path }) => path);
  const undo = deleted.map((path) => `deletes ${path}; its content is kept, so that this can be undone`);
  const isStricter = warnings.length > 0 || levelOf(input, editSetOf(input)) > (input.level ?? 'R2');
  const { verdict, reasons = [] } = input.judgement;
  const all = [...new Set([...degradedReason(input), ...warnings, ...undo, ...reasons])];
  return { judgement: { verdict: isStricter && verdict === 'allow' ? 'ask' : verdict, reasons: all }, reasons: all };
}

/** A person who is asked learns that the edit is not from the model that was asked for. */
function degradedReason({ rung = 'L0' }: GuardedEditInput): readonly string[] {
  if (rung < 'L2') return [];
  return [`degraded edit: made by a substitute (rung ${rung}); only its form is checked so far (V0)`];
}

function obstacleOf(plan: EditPlan): { readonly kind: 'impossible' | 'needless'; readonly reason: string } | null {
  if (plan.kind === 'impossible') return { kind: 'impossible', reason: impossibleText(plan.files) };
  return plan.kind === 'needless' ? { kind: 'needless', reason: needlessText(plan.files) } : null;
}

interface AttemptParts {
  readonly intent: Intent;
  readonly plan: EditPlan;
  readonly previous: LedgerEntry | null;
  readonly approved: Answer | null;
}

async function attemptEdit(
  ports: EffectPorts,
  input: GuardedEditInput,
  { intent, plan, previous, approved }: AttemptParts,
): Promise<Attempt<EditRun>> {
  const { emit, signal, redact = redactSecrets } = input;
  const impossible = (reason: string): Attempt<EditRun> => ({ kind: 'impossible', reason, entry: previous });
  const obstacle = obstacleOf(plan);
  if (obstacle) return { ...obstacle, entry: previous };
  const { judgement } = judgementOf(input, plan);
  if (judgement.verdict === 'ask' && approved === null) {
    return impossible(
      `Nothing was written: the files changed while this was prepared, and a person must be asked now. Try again.`,
    );
  }
  const changes = plan.files.flatMap((file) => file.changes);
  const { unkept, moved: changedBy } = await keepBefore(ports, changes);
  if (unkept !== null) return impossible(`Nothing was written: ${unkept}`);
  if (changedBy !== null) return impossible(changedBy);
  if (signal.aborted) return impossible('Nothing was written: cancelled before it began.');
  const owner = { ...(await ports.command.self()), childPid: null, childStartedAt: null };
  // A path that holds a secret is not stored, and so has no probe.
  const isOpen = changes.every(({ path }) => redact(path) === path);
  const { workspace = '' } = input;
  const isNamed = workspace !== '' && redact(workspace) === workspace;
  const probe = isOpen ? editBaseline(changes, isNamed ? workspace : undefined) : null;
  const wanted = { ...intent, key: previous?.key ?? intent.key, owner, probe, preparedAtMs: ports.clock.nowMs() };
  const prepared = await prepareEntry(ports, wanted, previous, approved, emit);
  if (!prepared.ok) return { kind: 'unstored', fault: prepared.error };
  const { mine, entry } = prepared.value;
  if (!mine) return { kind: 'taken', entry };
  const ran = await writeFiles(ports, plan);
  const moves = movesAfter(changes, ran.applied, redact);
  const moved = await moveEntry(ports, entry, moves, emit);
  if (moved.ok) return { kind: 'settled', entry: moved.value, ran };
  return { kind: 'unrecorded', entry, ran, fault: moved.error };
}

/** Makes an edit once without an entry, as a person allowed; what the files hold is kept where that is possible. */
async function editUnrecorded(
  ports: EffectPorts,
  { signal }: GuardedEditInput,
  plan: EditPlan,
  fault: StoreFault,
): Promise<OffLedger<EditRun> | Extract<Attempt<EditRun>, { kind: 'impossible' | 'needless' }>> {
  const obstacle = obstacleOf(plan);
  if (obstacle) return { ...obstacle, entry: null };
  const kept = await keepBefore(
    ports,
    plan.files.flatMap((file) => file.changes),
  );
  const stop = kept.moved ?? (signal.aborted ? 'Nothing was written: cancelled before it began.' : null);
  if (stop !== null) return { kind: 'impossible', reason: stop, entry: null };
  return { kind: 'off-ledger', ran: await writeFiles(ports, plan), fault, unkept: kept.unkept ?? '' };
}

/** Writes all files or none, and reads back. */
async function writeFiles(ports: EffectPorts, { files }: EditPlan): Promise<EditRun> {
  const changes = files.flatMap((file) => file.changes);
  const applied = await readBack(ports, changes, await ports.files.apply(files.flatMap((file) => file.writes)));
  if (applied.ok) await keepAfter(ports, changes);
  const wasChanged = applied.files.some(({ outcome }) => outcome === 'changed' || outcome === 'damaged');
  return { applied, wasChanged };
}

/** After a failure the files themselves say what they hold: whether an equal edit came first, and what the agent must read anew. */
async function readBack(
  { files }: EffectPorts,
  changes: readonly FileChange[],
  applied: AppliedFiles,
): Promise<AppliedFiles> {
  if (applied.ok) return applied;
  const reports: FileReport[] = [];
  for (const { path } of changes) {
    const report = applied.files.find((one) => one.path === path);
    const now = await files.look(path);
    // What the port says nothing of, or cannot be looked at, may be anything.
    if (!report || !now.ok) reports.push({ path, outcome: 'damaged', hash: null, reason: 'it cannot be read back' });
    else reports.push({ ...report, hash: now.value.hash });
  }
  return { ...applied, files: reports };
}

interface KeptBefore {
  /** What could not be kept, in words; null: all is kept. */
  readonly unkept: string | null;
  /** Why nothing may be written: a file is not what was planned on; null: all are. */
  readonly moved: string | null;
}

/** Keeps what every file holds, as far as that is possible. */
async function keepBefore({ files }: EffectPorts, changes: readonly FileChange[]): Promise<KeptBefore> {
  let unkept: string | null = null;
  let moved: string | null = null;
  for (const { path, beforeHash } of changes) {
    if (beforeHash === null) continue;
    const saved = await files.saveBefore(path);
    if (!saved.ok) unkept ??= `what ${path} holds now could not be kept for undo. ${saved.error}`;
    else if (saved.value !== beforeHash)
      moved ??= `Nothing was written: ${path} was changed by somebody else just now. Read it again.`;
  }
  return { unkept, moved };
}

/** Keeps what was written, too: undo merges later changes of others against it. Without it undo works while nothing is changed. */
async function keepAfter({ files }: EffectPorts, changes: readonly FileChange[]): Promise<void> {
  for (const { path, afterHash } of changes) if (afterHash !== null) await files.saveBefore(path);
}

/** Tells the book what the agent knows now: its own changes, and where its picture of a file is wrong. */
async function noteInBook(
  input: GuardedEditInput,
  plan: EditPlan,
  outcome: EditOutcome,
  ran: EditRun | null,
): Promise<void> {
  const { book } = input;
  if (!book) return;
  const isDone = ran?.applied.ok === true;
  const now = new Map((ran?.applied.files ?? []).map(({ path, hash }) => [path, hash]));
  for (const file of plan.files) {
    if (isDone) await noteChanges(input, file, ran.applied);
    else if (file.isStale || outcome.result === 'unknown' || hasMoved(file, now)) book.doubt(file.path);
  }
  if (outcome.result !== 'failed') return;
  book.failed(fingerprintOf(input), circumstancesOf(input, plan, now), outcome.reason);
}

/** The file was not written and is not as it was planned on. */
function hasMoved({ changes }: PlannedFile, now: ReadonlyMap<string, string | null>): boolean {
  return changes.some(({ path, beforeHash }) => now.has(path) && now.get(path) !== beforeHash);
}

async function noteChanges({ book }: GuardedEditInput, file: PlannedFile, { files }: AppliedFiles): Promise<void> {
  const { plan, edit, hash } = file;
  const wasKnown = book?.seen(file.path) === hash;
  const isWritten = edit.kind === 'whole' || edit.kind === 'create';
  for (const { path, afterHash } of file.changes) {
    const now = files.find((one) => one.path === path)?.hash ?? afterHash;
    const isMoved = plan.kind !== 'delete' && path !== file.path;
    const beforeHash = isMoved ? null : hash;
    await book?.changed({ path, beforeHash, afterHash: now }, isWritten || now === null || (isMoved && wasKnown));
  }
}
