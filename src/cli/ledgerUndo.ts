// `belay ledger undo KEY...|--task T`: prints the paths it would touch, asks, and touches only those. On standard output every
// file that is (or would be) written is one line with `path`; what is left alone has lines without it, and the last line sums up.
import { undoEffects } from '../engine/controller.ts';
import type { UndoOutcome, UndoRequest } from '../engine/controller.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { terminalApproval } from './ledgerAsk.ts';
import { entryOfKey, plain } from './ledgerEntries.ts';
import { shortKey } from '../core/ledger/transition.ts';
import { bad, basicsOf, numberOf, textOf, withLedger } from './ledgerOptions.ts';
import type { LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';
import { refused } from './ledgerList.ts';
import type { Result } from '../engine/ports.ts';

type What = UndoRequest['what'];

/** Undoes entries or a task. */
export async function undoLedger(
  context: LedgerContext,
  keys: readonly string[],
  options: RawOptions,
): Promise<ExitCode> {
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'undo', basics);
  const asked = whatOf(keys, options);
  if (!asked.ok) return refused(context, 'undo', asked);
  const isDryRun = options.dryRun === true;
  const approval = terminalApproval(context, options.yes === true);
  const none = bad(`there is no ledger at ${basics.value.place.db}, so there is nothing to undo`);
  const outcome = await withLedger<Result<UndoOutcome, string>>(
    basics.value,
    { isReading: isDryRun, approval },
    none,
    async (ports) => {
      const what = await wholeKeys(ports, asked.value);
      if (!what.ok) return what;
      const request: UndoRequest = {
        what: what.value,
        client: 'cli',
        workspace: basics.value.workspace,
        judge: () => ({ verdict: 'ask' }),
        isDryRun,
        restoresDeleted: options.bringBack === true,
        signal: context.signal,
        emit: () => undefined,
      };
      return { ok: true, value: await undoEffects(ports, request) };
    },
  );
  if (!outcome.ok) return refused(context, 'undo', outcome);
  if (basics.value.isText) tellText(context, outcome.value, isDryRun);
  else tellJson(context, outcome.value, isDryRun);
  context.io.err(`belay ledger undo: ${plain(outcome.value.reason)}`);
  return exitOf(outcome.value);
}

function whatOf(keys: readonly string[], options: RawOptions): Result<What, string> {
  const task = textOf(options.task);
  const fromStep = numberOf('--from-step', textOf(options.fromStep), 0);
  if (!fromStep.ok) return fromStep;
  if (task === undefined && keys.length === 0) return bad('say what to undo: the key of an entry, or --task');
  if (task !== undefined && keys.length > 0) return bad('give either keys or --task, not both');
  if (task === undefined)
    return fromStep.value === undefined
      ? { ok: true, value: { kind: 'entries', keys } }
      : bad('--from-step needs --task');
  const from = fromStep.value === undefined ? {} : { fromStep: fromStep.value };
  return { ok: true, value: { kind: 'task', task, ...from } };
}

async function wholeKeys({ store }: LedgerPorts, what: What): Promise<Result<What, string>> {
  if (what.kind === 'task') return { ok: true, value: what };
  const keys: string[] = [];
  for (const key of what.keys) {
    const entry = await entryOfKey(store, key);
    if (!entry.ok) return entry;
    keys.push(entry.value.key);
  }
  return { ok: true, value: { kind: 'entries', keys } };
}

function exitOf({ result, files, others }: UndoOutcome): ExitCode {
  const isLeft = files.some(({ file }) => file.action === 'left');
  const isObstacle = others.some(({ why }) => why !== 'undone' && why !== 'absent');
  if (result === 'done' || result === 'planned' || result === 'nothing')
    return isLeft || isObstacle ? EXIT_CODES.no : EXIT_CODES.done;
  return EXIT_CODES.no;
}

/** Words for what becomes of a file. */
function actionOf({ file }: UndoOutcome['files'][number]): string {
  if (file.action !== 'write') return file.action;
  if (file.isMerged) return 'merge';
  return file.expectedHash === null ? 'create' : 'restore';
}

function tellJson({ io }: LedgerContext, outcome: UndoOutcome, isDryRun: boolean): void {
  const isWritten = outcome.result === 'done' || outcome.result === 'partly';
  for (const one of outcome.files) {
    const { file, alsoBy } = one;
    const { path, keys } = file;
    if (file.action === 'none') io.out(JSON.stringify({ unchanged: path, reason: file.why, keys }));
    else if (file.action === 'left') {
      const { reason, message, nowHash, beforeHash } = file;
      io.out(
        JSON.stringify({ left: path, reason, message, now: nowHash, before: beforeHash, alsoChangedBy: alsoBy, keys }),
      );
    } else io.out(JSON.stringify({ path, action: actionOf(one), written: isWritten, alsoChangedBy: alsoBy, keys }));
  }
  for (const { entry, why, message } of outcome.others)
    io.out(JSON.stringify({ key: entry.key, undone: false, why, message }));
  for (const { entry, rest } of outcome.targets)
    if (rest !== null) io.out(JSON.stringify({ key: entry.key, onlyFiles: true, message: rest }));
  const { result, compensations, targets, reason } = outcome;
  io.out(
    JSON.stringify({
      result,
      dryRun: isDryRun,
      keys: targets.map(({ entry }) => entry.key),
      undo: compensations,
      reason,
    }),
  );
}

function tellText({ io }: LedgerContext, outcome: UndoOutcome, isDryRun: boolean): void {
  for (const one of outcome.files) {
    const { file, alsoBy } = one;
    const path = plain(file.path);
    const by = alsoBy.length === 0 ? '' : ` (changed since by ${alsoBy.map(shortKey).join(', ')})`;
    if (file.action === 'left') io.out(`left     ${path}: ${plain(file.message)}${by}`);
    else if (file.action === 'none')
      io.out(`nothing  ${path}: ${file.why === 'gone' ? 'it was deleted since' : 'it is as it was before'}`);
    else io.out(`${actionOf(one).padEnd(8)} ${path}${by}`);
  }
  for (const { entry, message } of outcome.others) io.out(`not      ${plain(entry.title)}: ${plain(message)}`);
  for (const { entry, rest } of outcome.targets)
    if (rest !== null) io.out(`note     ${plain(entry.title)}: ${plain(rest)}`);
  if (isDryRun) io.out('Dry run: nothing was written.');
  if (outcome.compensations.length > 0)
    io.out(`To have it again: belay ledger undo ${outcome.compensations.map(shortKey).join(' ')}`);
}
