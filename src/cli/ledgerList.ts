// `belay ledger list` and `show`: what the ledger knows, read only.
import { changesToTakeBack } from '../core/ledger/undo/selection.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { stateSentence } from '../core/ledger/outcomeText.ts';
import { shortKey } from '../core/ledger/transition.ts';
import type { EntryFilter, EntryHistory, Result } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { allEntries, entryLine, entryOfKey, LedgerTrouble, plain, tableOf, tableRow, timeOf } from './ledgerEntries.ts';
import { bad, basicsOf, momentOf, numberOf, stateOf, tellMissing, textOf, withLedger } from './ledgerOptions.ts';
import type { LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';

/** Lists entries, newest first. */
export async function listLedger(context: LedgerContext, options: RawOptions): Promise<ExitCode> {
  const { io } = context;
  const basics = basicsOf(context, options);
  const filter = filterOf(context, options);
  if (!basics.ok || !filter.ok) return refused(context, 'list', basics.ok ? filter : basics);
  const { isText } = basics.value;
  tellMissing(context, 'list', basics.value);
  return withLedger<ExitCode>(basics.value, { isReading: true }, EXIT_CODES.done, async ({ store }) => {
    const rows: (readonly string[])[] = [];
    for await (const entry of allEntries(store, filter.value)) {
      if (isText) rows.push(tableRow(entry));
      else io.out(JSON.stringify(entryLine(entry)));
    }
    if (isText && rows.length > 0) for (const line of tableOf(rows)) io.out(line);
    if (rows.length === 0 && isText) io.err('No entries.');
    return EXIT_CODES.done;
  });
}

function filterOf({ nowMs }: LedgerContext, options: RawOptions): Result<EntryFilter, string> {
  const state = stateOf(textOf(options.state));
  if (!state.ok) return state;
  const since = momentOf('--since', textOf(options.since), nowMs);
  if (!since.ok) return since;
  const until = momentOf('--until', textOf(options.until), nowMs);
  if (!until.ok) return until;
  const limit = numberOf('--limit', textOf(options.limit), 1);
  if (!limit.ok) return limit;
  const [task, tool, file] = [textOf(options.task), textOf(options.tool), textOf(options.file)];
  return {
    ok: true,
    value: {
      ...(task === undefined ? {} : { task }),
      ...(tool === undefined ? {} : { tool }),
      ...(file === undefined ? {} : { file }),
      ...(state.value === undefined ? {} : { state: state.value }),
      ...(since.value === undefined ? {} : { updatedSinceMs: since.value }),
      ...(until.value === undefined ? {} : { updatedBeforeMs: until.value }),
      ...(limit.value === undefined ? {} : { limit: limit.value }),
    },
  };
}

/** Shows one entry with its history, files, probe and undo. */
export async function showEntry(context: LedgerContext, key: string, options: RawOptions): Promise<ExitCode> {
  const { io } = context;
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'show', basics);
  const missing = bad(`there is no ledger at ${basics.value.place.db}, so it has no entry ${key}`);
  const found = await withLedger<Result<Shown, string>>(basics.value, { isReading: true }, missing, (ports) =>
    shownEntry(ports, key),
  );
  if (!found.ok) return refused(context, 'show', found);
  if (basics.value.isText) for (const line of shownText(found.value)) io.out(line);
  else io.out(JSON.stringify(shownJson(found.value)));
  return EXIT_CODES.done;
}

interface Shown {
  readonly entry: LedgerEntry;
  readonly history: readonly EntryHistory[];
  /** Entries that take it back, newest first. */
  readonly undos: readonly LedgerEntry[];
}

async function shownEntry({ store }: LedgerPorts, key: string): Promise<Result<Shown, string>> {
  const entry = await entryOfKey(store, key);
  if (!entry.ok) return entry;
  const history = await store.history(entry.value.key);
  if (!history.ok) throw new LedgerTrouble(history.error.message);
  const undos = await store.entries({ compensates: entry.value.key });
  if (!undos.ok) throw new LedgerTrouble(undos.error.message);
  return { ok: true, value: { entry: entry.value, history: history.value, undos: undos.value } };
}

function shownJson({ entry, history, undos }: Shown): unknown {
  const { title, paths, argsText, ids, owner, probe, compensates = null, updatedAtMs, fence } = entry;
  return {
    ...entryLine(entry),
    title,
    updatedAt: timeOf(updatedAtMs),
    args: jsonOr(argsText),
    paths,
    files: changesToTakeBack(entry),
    probe,
    ids,
    owner,
    fence,
    compensates,
    compensatedBy: undos.map(({ key, state }) => ({ key, state })),
    history: history.map(({ atMs, from, to, evidence }) => ({ at: timeOf(atMs), from, to, evidence })),
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A damaged row: told as it is.
    return text;
  }
}

function shownText({ entry, history, undos }: Shown): readonly string[] {
  const { key, title, task, step, tool, level, compensates, probe } = entry;
  const files = changesToTakeBack(entry).map(
    ({ path, beforeHash, afterHash }) => `  ${plain(path)}  ${hashWord(beforeHash)} -> ${hashWord(afterHash)}`,
  );
  return [
    key,
    `${plain(title)}  (${tool}, ${level}, task ${plain(task)}, step ${step})`,
    plain(stateSentence(entry)),
    ...(compensates === undefined ? [] : [`It takes back entry ${shortKey(compensates)}.`]),
    ...undos.map((undo) => `It is taken back by entry ${shortKey(undo.key)} (${undo.state}).`),
    ...(probe === null ? [] : [`Probe: ${probe.kind}.`]),
    ...(files.length === 0 ? [] : ['Files:', ...files]),
    'History:',
    ...history.map(({ atMs, to, evidence }) => {
      const proof = evidence ? `  ${plain(`${evidence.source}: ${evidence.detail}`)}` : '';
      return `  ${timeOf(atMs)}  ${to}${proof}`;
    }),
  ];
}

function hashWord(hash: string | null): string {
  return hash === null ? 'nothing' : hash.slice(0, 12);
}

/** One message for wrong input. */
export function refused(
  { io }: LedgerContext,
  command: string,
  result: { readonly ok: true } | { readonly ok: false; readonly error: string },
): ExitCode {
  if (!result.ok) io.err(`belay ledger ${command}: ${plain(result.error)}${/[.!?)"]$/.test(result.error) ? '' : '.'}`);
  return EXIT_CODES.badInput;
}
