// The write of an undo: what is there is kept, every compensation is PREPARED on the disk, all files are written at once or not
// at all, and the ledger is settled in one transaction. Whatever fails leaves the truth in the ledger: FAILED only where no file
// was changed, else open, and the probe of an edit finds out later.
import type { EntryState, Evidence, FileChange, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import type { UndoFile, UndoPlan } from '../core/ledger/undo/plan.ts';
import { isOpen, isStanding } from '../core/ledger/undo/selection.ts';
import { changeEvent, compensationIntent, takenBackEvidence } from './compensation.ts';
import { whileBusy } from './effectBusy.ts';
import { moveEntry, prepareEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import type { AppliedFiles, EntryChange, FileReport, FileWrite } from './ports.ts';
import type { UndoTarget } from './undoTargets.ts';

export interface UndoWriteInput {
  readonly targets: readonly UndoTarget[];
  readonly plan: UndoPlan;
  readonly client: string;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

export interface UndoWritten {
  readonly kind: 'done' | 'failed' | 'unknown';
  readonly files: readonly FileReport[];
  readonly compensations: readonly string[];
  readonly reason: string;
}

interface Part {
  readonly target: UndoTarget;
  readonly intent: Intent;
  readonly own: readonly FileChange[];
  readonly isWhole: boolean;
}

interface Pair extends Part {
  readonly compensation: LedgerEntry;
}

/** Carries out a plan that writes something. */
export async function writeUndo(ports: EffectPorts, input: UndoWriteInput): Promise<UndoWritten> {
  const failed = (reason: string): UndoWritten => ({ kind: 'failed', files: [], compensations: [], reason });
  const { plan, signal, emit } = input;
  const files = plan.files.flatMap((file) => netChange(file));
  const kept = await keepPresent(ports, files);
  if (kept !== null) return failed(kept);
  if (signal.aborted) return failed('Nothing was written: cancelled before it began.');
  const parts = await partsOf(ports, input, files);
  const write = (): Promise<UndoWritten> => writeParts(ports, plan, parts, emit);
  // Nobody of this window may take these for something that was interrupted.
  return parts.reduce(
    (work, { intent }) =>
      () =>
        whileBusy(ports.command, intent.key, work),
    write,
  )();
}

async function writeParts(
  ports: EffectPorts,
  plan: UndoPlan,
  parts: readonly Part[],
  emit: Emit,
): Promise<UndoWritten> {
  const pairs = await prepareAll(ports, parts, emit);
  if (typeof pairs === 'string') return { kind: 'failed', files: [], compensations: [], reason: pairs };
  const applied = await ports.files.apply(plan.files.flatMap((file) => writeOf(file)));
  const compensations = pairs.map(({ compensation }) => compensation.key);
  if (!applied.ok) return { ...(await afterFailure(ports, pairs, applied, emit)), compensations };
  await keepWritten(ports, plan.files);
  const trouble = await settleAll(ports, pairs, readBack(plan.files, applied), emit);
  const count = applied.files.length;
  const done = `${count === 1 ? 'One file was' : `${count} files were`} written back.`;
  const reason =
    trouble === null
      ? done
      : `${done} The ledger could not record that (${trouble}); it is looked up before anything is done again.`;
  return { kind: 'done', files: applied.files, compensations, reason };
}

/** What an undo does to one file, in sum. */
function netChange(file: UndoFile): readonly FileChange[] {
  if (file.action !== 'write' && file.action !== 'delete') return [];
  const { path, expectedHash: beforeHash, mode } = file;
  const afterHash = file.action === 'delete' ? null : file.afterHash;
  return [{ path, beforeHash, afterHash, ...(mode === undefined ? {} : { mode }) }];
}

function writeOf(file: UndoFile): readonly FileWrite[] {
  const { path } = file;
  if (file.action === 'delete') return [{ kind: 'delete', path, expectedHash: file.expectedHash }];
  if (file.action !== 'write') return [];
  const { content, expectedHash, mode } = file;
  return [{ kind: 'write', path, content, expectedHash, ...(mode === undefined ? {} : { mode }) }];
}

/** Keeps what every file holds, for the redo; says what went wrong, or null. */
async function keepPresent({ files }: EffectPorts, changes: readonly FileChange[]): Promise<string | null> {
  for (const { path, beforeHash } of changes) {
    if (beforeHash === null) continue;
    const saved = await files.saveBefore(path);
    if (!saved.ok) return `Nothing was written: what ${path} holds now could not be kept. ${saved.error}`;
    if (saved.value !== beforeHash) return `Nothing was written: ${path} was changed just now. Undo again.`;
  }
  return null;
}

/** Keeps what merges have made, so that a redo can be merged, too. Without it a redo still works while nothing is changed. */
async function keepWritten({ files }: EffectPorts, planned: readonly UndoFile[]): Promise<void> {
  for (const file of planned)
    if (file.action === 'write' && file.content.kind === 'text') await files.saveBefore(file.path);
}

/** The compensations that the plan asks for. */
async function partsOf(
  ports: EffectPorts,
  { targets, plan, client }: UndoWriteInput,
  files: readonly FileChange[],
): Promise<readonly Part[]> {
  const owner = { ...(await ports.command.self()), childPid: null, childStartedAt: null };
  return targets.flatMap((target): readonly Part[] => {
    const planned = plan.entries.find(({ key }) => key === target.entry.key);
    if (!planned?.isTaken) return [];
    const { changes: own, isWhole } = planned;
    const { entry: original, after } = target;
    const nowMs = ports.clock.nowMs();
    const intent = compensationIntent({ original, after, client, files, own, isWhole, owner, nowMs });
    return [{ target, intent, own, isWhole }];
  });
}

/** Prepares the compensations, or says why none of them may go on. */
async function prepareAll(ports: EffectPorts, parts: readonly Part[], emit: Emit): Promise<readonly Pair[] | string> {
  const pairs: Pair[] = [];
  for (const part of parts) {
    const prepared = await prepareEntry(ports, part.intent, null, null, emit);
    const obstacle = prepared.ok ? 'another window is undoing the same; wait for it' : prepared.error.message;
    if (!prepared.ok || !prepared.value.mine) {
      await giveUp(ports, pairs, obstacle, emit);
      return `Nothing was written: ${obstacle}`;
    }
    pairs.push({ ...part, compensation: prepared.value.entry });
  }
  return pairs;
}

async function giveUp(ports: EffectPorts, pairs: readonly Pair[], detail: string, emit: Emit): Promise<void> {
  const evidence = { source: 'files', detail };
  for (const { compensation } of pairs) await moveEntry(ports, compensation, [{ to: 'FAILED', evidence }], emit);
}

async function afterFailure(
  ports: EffectPorts,
  pairs: readonly Pair[],
  { files, error }: AppliedFiles,
  emit: Emit,
): Promise<Omit<UndoWritten, 'compensations'>> {
  const reason = error ?? 'the files could not be written';
  const isUntouched = files.every(({ outcome }) => outcome === 'untouched' || outcome === 'restored');
  if (isUntouched) {
    await giveUp(ports, pairs, reason, emit);
    return { kind: 'failed', files: [], reason: `Nothing was written: ${reason}` };
  }
  const damaged = files.filter(({ outcome }) => outcome === 'damaged' || outcome === 'changed');
  const told = damaged.map(({ path, reason: why }) => `${path}${why === null ? '' : ` (${why})`}`).join(', ');
  const evidence = { source: 'files', detail: `${reason} Not put back: ${told}` };
  for (const { compensation } of pairs) await moveEntry(ports, compensation, [{ to: 'UNKNOWN', evidence }], emit);
  return { kind: 'unknown', files, reason: `${reason} These files could not be put back: ${told}.` };
}

/** Contents as read back where they are others than planned (a formatter that runs when a file is saved). */
function readBack(
  planned: readonly UndoFile[],
  { files }: AppliedFiles,
): ReadonlyMap<string, readonly [planned: string, now: string | null]> {
  const now = new Map(files.map(({ path, hash }) => [path, hash]));
  return new Map(
    planned.flatMap((file) => {
      const hash = now.get(file.path);
      const isOther = file.action === 'write' && hash !== undefined && hash !== file.afterHash;
      return isOther ? [[file.path, [file.afterHash, hash] as const] as const] : [];
    }),
  );
}

const MAX_TRIES = 3;

/** One transaction for all: compensations COMMITTED, originals COMPENSATED. Null, or why it could not be stored. */
async function settleAll(
  ports: EffectPorts,
  pairs: readonly Pair[],
  others: ReadonlyMap<string, readonly [planned: string, now: string | null]>,
  emit: Emit,
): Promise<string | null> {
  let trouble = '';
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changes: Planned[] = [];
    for (const pair of pairs) {
      const own = pair.own.map((change) => {
        const other = others.get(change.path);
        return other?.[0] === change.afterHash ? { ...change, afterHash: other[1] } : change;
      });
      const original = await ports.store.entry(pair.target.entry.key);
      if (!original.ok) return original.error.message;
      changes.push(...settling(pair, own, original.value, ports.clock.nowMs()));
    }
    const written = await ports.store.write({ changes: changes.map(({ change }) => change) });
    if (written.ok) {
      for (const { entry, change } of changes) emit(changeEvent(entry, change.to, change.evidence));
      return null;
    }
    trouble = written.error.message;
    if (written.error.kind !== 'fenced' && written.error.kind !== 'illegal-transition') break;
  }
  return trouble;
}

interface Planned {
  readonly entry: LedgerEntry;
  readonly change: EntryChange;
}

function settling(
  { compensation, isWhole, target }: Pair,
  files: readonly FileChange[],
  original: LedgerEntry | null,
  atMs: number,
): readonly Planned[] {
  const step = (entry: LedgerEntry, to: EntryState, evidence: Evidence, fence: number): Planned => ({
    entry,
    change: { key: entry.key, to, evidence, atMs, fence },
  });
  const detail = `taken back ${isWhole ? 'wholly' : 'in part'}: entry ${target.entry.key}`;
  const own = step(compensation, 'COMMITTED', { source: 'hash', detail, files }, compensation.fence);
  if (!original || !isWhole) return [own];
  const evidence = takenBackEvidence(original, compensation.key);
  const { fence } = original;
  if (isStanding(original)) return [own, step(original, 'COMPENSATED', evidence, fence)];
  if (!isOpen(original)) return [own];
  // Its files were found exactly as before or as after it: that part of it took effect, and is taken back.
  const found = {
    ...original.evidence,
    source: 'files',
    detail: 'its files were exactly as before or as after it',
    files: target.changes,
  };
  const opened = original.state === 'PREPARED' ? [step(original, 'UNKNOWN', found, fence)] : [];
  const at = fence + opened.length;
  return [
    own,
    ...opened,
    step({ ...original, state: 'UNKNOWN' }, 'RECONCILED_COMMITTED', found, at),
    step(
      { ...original, state: 'RECONCILED_COMMITTED' },
      'COMPENSATED',
      { ...found, ...evidence, files: target.changes },
      at + 1,
    ),
  ];
}
