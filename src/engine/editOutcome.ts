// What a guarded edit came to, for the caller, the person and the agent: of the whole, of every file, and of every block.
// Never more than the ledger or the files prove; every text for the agent says what to do next where something went wrong.
import type { BlockReport, FilePlan } from '../core/edits/editSet.ts';
import type { EffectLevel, EntryState, FileChange, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { RESULT_OF, stateSentence } from '../core/ledger/outcomeText.ts';
import type { EffectResult } from '../core/ledger/outcomeText.ts';
import type { FlowEnd } from './effectFlow.ts';
import { fateOf, movesAfter } from './editMoves.ts';
import type { EditPlan, PlannedFile } from './editPlan.ts';
import type { AppliedFiles, FileReport } from './ports.ts';
import { unrecordedText, unstoredText } from './withoutLedger.ts';
import type { OffLedger } from './effectRequest.ts';

/** One file of an edit. */
export interface EditFileOutcome {
  readonly path: string;
  /**
   * `applied`: it has its new content. `needless`: it was so already. `failed`: it cannot be edited as asked. `possible`: it
   * could be, but was not, since another one could not or nobody allowed it. `restored`, `untouched`: a failure left it as it
   * was. `damaged`: it was changed and could not be brought back. `unknown`: it may have its new content.
   */
  readonly outcome: 'applied' | 'needless' | 'failed' | 'possible' | 'restored' | 'untouched' | 'damaged' | 'unknown';
  /** First line that changes, from 1 in the old text; null where there is none. */
  readonly line: number | null;
  /** SHA-256 of the bytes on the disk, before and as they were left or would be; null: no file, or not known. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly blocks: readonly BlockReport[];
  readonly message: string;
}

export interface EditOutcome {
  readonly key: string;
  readonly level: EffectLevel;
  /** State of the ledger entry; null when none was needed or made. */
  readonly state: EntryState | null;
  readonly result: EffectResult;
  /** Whether this request changed a file. */
  readonly ran: boolean;
  /** SHA-256 of the file before and after, where the edit has one file and it was changed now or by the stored entry. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly files: readonly EditFileOutcome[];
  readonly reason: string;
  /** For the agent. */
  readonly text: string;
  /** True unless every file is as the edit asks. */
  readonly isError: boolean;
}

/** What an attempt that wrote came to. `wasChanged`: at least one file has, or had for a moment, new content. */
export interface EditRun {
  readonly applied: AppliedFiles;
  readonly wasChanged: boolean;
}

/** The outcome of a request that went through the ledger. `plan` is the newest one. */
export function outcomeOf(intent: Intent, plan: EditPlan, end: FlowEnd<EditRun>): EditOutcome {
  const name = nameOf(plan.files);
  switch (end.kind) {
    case 'settled': {
      const isDone = end.ran.applied.ok && end.entry.state !== 'UNKNOWN';
      const reason = isDone ? doneText(plan.files, end.ran.applied) : stateSentence(end.entry);
      const outcome = ofEntry(intent, end.entry, reason, filesAfter(plan.files, end.ran.applied));
      if (isDone) return { ...outcome, result: 'done', ran: true, isError: false };
      const { error } = end.ran.applied;
      const why = outcome.result === 'failed' && error !== null ? `Nothing was changed: ${error}` : reason;
      return { ...outcome, ran: end.ran.wasChanged, reason: why, text: textOf(why, outcome.files) };
    }
    case 'unrecorded': {
      const isDone = end.ran.applied.ok;
      const told = isDone
        ? doneText(plan.files, end.ran.applied)
        : `${name} may be changed in part: ${end.ran.applied.error ?? ''}`;
      const reason = `${told} The ledger could not record that: ${end.fault.message}`;
      const outcome = ofEntry(intent, end.entry, reason, filesAfter(plan.files, end.ran.applied));
      return { ...outcome, result: isDone ? 'done' : 'unknown', ran: end.ran.wasChanged, isError: !isDone };
    }
    case 'needless':
      return { ...ofEntry(intent, end.entry, end.reason, filesBefore(plan.files)), result: 'done', isError: false };
    case 'stored': {
      const reason = `This edit of ${name} was asked for before and is not made again. ${stateSentence(end.entry)}`;
      return ofEntry(intent, end.entry, reason, filesOfEntry(plan.files, end.entry));
    }
    case 'withheld': {
      const reason = `The edit of ${name} was not made: ${end.reason}. ${stateSentence(end.entry)}`;
      return ofEntry(intent, end.entry, reason, filesOfEntry(plan.files, end.entry));
    }
    case 'impossible':
      return { ...ofEntry(intent, end.entry, end.reason, filesBefore(plan.files)), result: 'failed', isError: true };
    case 'denied':
      return refusal(intent, end.entry, `the edit of ${name} was not allowed: ${end.reason}`, plan.files);
    case 'off-ledger':
      return offLedger(intent, plan, end);
    case 'unstored':
      return refusal(intent, null, `the ledger cannot take the edit of ${name}: ${unstoredText(end)}`, plan.files);
  }
}

/** An edit that a person allowed without an entry: only the files themselves say what became of it. */
function offLedger(intent: Intent, plan: EditPlan, end: OffLedger<EditRun>): EditOutcome {
  const { applied, wasChanged } = end.ran;
  const changes = plan.files.flatMap((file) => file.changes);
  const state = movesAfter(changes, applied, (text) => text).at(-1)?.to ?? 'UNKNOWN';
  const result = RESULT_OF[state];
  const error = applied.error ?? '';
  const told =
    result === 'done'
      ? doneText(plan.files, applied)
      : result === 'failed'
        ? `Nothing was changed: ${error}`
        : `${nameOf(plan.files)} may be changed in part: ${error}`;
  const reason = wasChanged ? `${told} ${unrecordedText(end)}` : told;
  const files = filesAfter(plan.files, applied);
  const outcome = { ...ofEntry(intent, null, reason, files), result, ran: wasChanged, isError: result !== 'done' };
  const [only] = changes;
  const hashes = changes.length === 1 && only && result === 'done' ? only : { beforeHash: null, afterHash: null };
  const { beforeHash, afterHash } = hashes;
  return { ...outcome, beforeHash, afterHash, text: textOf(reason, files) };
}

function nameOf(files: readonly PlannedFile[]): string {
  const names = files.map(({ path }) => path);
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

function ofEntry(
  { key, level }: Pick<Intent, 'key' | 'level'>,
  entry: LedgerEntry | null,
  reason: string,
  files: readonly EditFileOutcome[],
): EditOutcome {
  const result = entry ? RESULT_OF[entry.state] : 'failed';
  const { beforeHash = null, afterHash = null } = entry?.evidence ?? {};
  const state = entry?.state ?? null;
  const isError = result !== 'done';
  return { key, level, state, result, ran: false, beforeHash, afterHash, files, reason, text: reason, isError };
}

/** The outcome of an edit that was not let through. */
export function refusal(
  intent: Pick<Intent, 'key' | 'level'>,
  entry: LedgerEntry | null,
  why: string,
  files: readonly PlannedFile[] = [],
): EditOutcome {
  const outcome = ofEntry(intent, entry, `Nothing was written: ${why}`, filesBefore(files));
  return { ...outcome, result: 'refused', beforeHash: null, afterHash: null, isError: true };
}

/** What is said of an edit that is not tried again. */
export function stoppedText(reason: string): string {
  return `this same edit has failed before, nothing has changed since, and it is not tried again. Read the file and make another edit, or go on without it. It failed since: ${reason}`;
}

// --- files ---

/** Files of an edit of which nothing was written. */
function filesBefore(files: readonly PlannedFile[]): readonly EditFileOutcome[] {
  return files.map((file) => {
    const outcome = file.plan.kind === 'failed' || file.plan.kind === 'needless' ? file.plan.kind : 'possible';
    return fileOutcome(file, outcome, planText(file));
  });
}

function filesAfter(files: readonly PlannedFile[], applied: AppliedFiles): readonly EditFileOutcome[] {
  return files.map((file) => {
    const reports = file.changes.map(({ path }) => applied.files.find((one) => one.path === path) ?? null);
    const [main] = reports;
    if (file.plan.kind === 'needless') return fileOutcome(file, 'needless', planText(file));
    const worst = worstOf(reports);
    const message = worst === 'applied' ? changeText(file) : fatesOf(file.changes, reports);
    return { ...fileOutcome(file, worst, message), afterHash: main?.hash ?? null };
  });
}

function fatesOf(changes: readonly FileChange[], reports: readonly (FileReport | null)[]): string {
  return changes.map((change, i) => fateOf(change, reports[i] ?? null)).join('; ');
}

const SEVERITY: readonly FileReport['outcome'][] = ['damaged', 'restored', 'untouched', 'changed'];

function worstOf(reports: readonly (FileReport | null)[]): EditFileOutcome['outcome'] {
  if (reports.includes(null)) return 'unknown';
  const worst = SEVERITY.find((outcome) => reports.some((report) => report?.outcome === outcome));
  return worst === undefined || worst === 'changed' ? 'applied' : worst;
}

/** Files of an edit that an earlier request made, or may have made. */
function filesOfEntry(files: readonly PlannedFile[], { state, evidence }: LedgerEntry): readonly EditFileOutcome[] {
  const result = RESULT_OF[state];
  const outcome = result === 'done' ? 'applied' : result === 'unknown' ? 'unknown' : 'untouched';
  const recorded = evidence?.files ?? [];
  return files.map((file) => {
    const change = recorded.find(({ path }) => path === file.path);
    const hashes = change ? { beforeHash: change.beforeHash, afterHash: change.afterHash } : {};
    return { ...fileOutcome(file, outcome, ''), ...hashes };
  });
}

function fileOutcome(file: PlannedFile, outcome: EditFileOutcome['outcome'], message: string): EditFileOutcome {
  const { path, plan, changes } = file;
  const [change] = changes;
  const beforeHash = changes.find((one) => one.path === path)?.beforeHash ?? file.hash;
  const afterHash = outcome === 'possible' ? (change?.afterHash ?? null) : beforeHash;
  return { path, outcome, line: lineOf(plan), beforeHash, afterHash, blocks: plan.blocks, message };
}

function lineOf({ blocks }: FilePlan): number | null {
  const lines = blocks.flatMap(({ outcome, line }) => (outcome === 'applied' && line !== null ? [line] : []));
  const known = lines.length > 0 ? lines : blocks.flatMap(({ line }) => (line === null ? [] : [line]));
  return known.length === 0 ? null : Math.min(...known);
}

// --- texts ---

/** Why nothing was written, file by file and block by block. */
export function impossibleText(files: readonly PlannedFile[]): string {
  const [only] = files;
  if (!only) return 'Nothing was written: the edit names no file.';
  if (files.length === 1) return planText(only);
  const count = files.filter(({ plan }) => plan.kind === 'failed').length;
  const lines = files.map((file) => `- ${planText(file)}`);
  return [`Nothing was written, in no file: ${count} of ${files.length} cannot be edited as asked.`, ...lines].join(
    '\n',
  );
}

/** Why nothing needed to be written. */
export function needlessText(files: readonly PlannedFile[]): string {
  const [only] = files;
  if (only && files.length === 1) return planText(only);
  return [`All files are as asked already; nothing was written.`, ...files.map((file) => `- ${planText(file)}`)].join(
    '\n',
  );
}

function doneText(files: readonly PlannedFile[], applied: AppliedFiles): string {
  const texts = files.map((file) => {
    if (file.plan.kind === 'needless') return planText(file);
    const isAsPlanned = file.changes.every(
      ({ path, afterHash }) => applied.files.find((one) => one.path === path)?.hash === afterHash,
    );
    return `${changeText(file)}${isAsPlanned ? '' : ' It was changed further as it was saved; read it before the next edit.'}`;
  });
  if (texts.length === 1) return texts[0] ?? '';
  return [`${files.length} files are as asked:`, ...texts.map((text) => `- ${text}`)].join('\n');
}

/** What was done to one file. */
function changeText({ path, plan, changes, note, isDirty }: PlannedFile): string {
  const lines = plan.blocks.flatMap(({ outcome, line }) => (outcome === 'applied' && line !== null ? [line] : []));
  const at = lines.length === 0 ? '' : ` at line ${lines.slice(0, 20).join(', ')}`;
  const hints = plan.blocks.flatMap(({ message }) => (message === '' ? [] : [message]));
  const isNew = changes.some((change) => change.path === path && change.beforeHash === null);
  const saved = isDirty ? ' Its unsaved changes were kept and are saved with it.' : '';
  const more = [...hints, ...(note === '' ? [] : [note])].map((text) => `\n${text}`).join('');
  if (plan.kind === 'delete') return `${path} was deleted; its content is kept for undo.`;
  if (plan.kind === 'move') return `${path} was moved to ${plan.moveTo}.`;
  const to = plan.kind === 'write' && plan.moveTo !== undefined ? ` and moved to ${plan.moveTo}` : '';
  return `${path} was ${isNew ? 'created' : `edited${at}`}${to}.${saved}${more}`;
}

/** What the plan says of one file: why it cannot be, need not be, or could be changed. */
function planText({ path, plan }: PlannedFile): string {
  if (plan.kind === 'failed' || plan.kind === 'needless') {
    if (plan.blocks.length < 2) return named(path, plan.reason);
    // The first line says how many; every block then speaks for itself.
    return [named(path, plan.reason.split('\n', 1)[0] ?? ''), ...plan.blocks.map(blockText)].join('\n');
  }
  const line = lineOf(plan);
  return `${path}: could be changed${line === null ? '' : ` (line ${line})`}.`;
}

function named(path: string, reason: string): string {
  return reason.includes(path) ? reason : `${path}: ${reason}`;
}

const BLOCK_WORDS: Readonly<Record<BlockReport['outcome'], string>> = {
  applied: 'would be applied',
  'already-applied': 'is applied already',
  identical: 'changes nothing',
  'not-found': 'is not to be found',
  several: 'fits several places',
  overlaps: 'overlaps another one',
};

function blockText({ index, outcome, line, message }: BlockReport): string {
  const at = line === null ? '' : ` (line ${line})`;
  return `  part ${index + 1} ${BLOCK_WORDS[outcome]}${at}${message === '' ? '.' : `: ${message}`}`;
}

function textOf(reason: string, files: readonly EditFileOutcome[]): string {
  if (files.length === 1) return reason;
  return [reason, ...files.map(({ path, message }) => `- ${named(path, message)}`)].join('\n');
}
