// `belay ledger reconcile [KEY]`: finds out what became of open entries and prints what changed; or, with --as, takes a
// person's word for one of them. Exit 1 when something is unknown still.
import { userInfo } from 'node:os';
import { decideEntry, recoverOpen } from '../engine/controller.ts';
import type { RecoveredEntry } from '../engine/controller.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import { shortKey } from '../core/ledger/transition.ts';
import type { Result } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { askYesOrNo } from './ledgerAsk.ts';
import { entryOfKey, LedgerTrouble, plain } from './ledgerEntries.ts';
import { refused } from './ledgerList.ts';
import { bad, basicsOf, tellMissing, textOf, withLedger } from './ledgerOptions.ts';
import type { Basics, LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';

const WORDS = { committed: 'RECONCILED_COMMITTED', absent: 'RECONCILED_ABSENT' } as const;

/** Reconciles all open entries, or one. */
export async function reconcileLedger(
  context: LedgerContext,
  key: string | undefined,
  options: RawOptions,
): Promise<ExitCode> {
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'reconcile', basics);
  const word = decisionOf(key, options);
  if (!word.ok) return refused(context, 'reconcile', word);
  if (key === undefined) tellMissing(context, 'reconcile', basics.value);
  const none: Result<ExitCode, string> =
    key === undefined ? { ok: true, value: EXIT_CODES.done } : bad(`there is no ledger at ${basics.value.place.db}`);
  const done = await withLedger<Result<ExitCode, string>>(basics.value, { isReading: false }, none, async (ports) => {
    const entry = key === undefined ? null : await entryOfKey(ports.store, key);
    if (entry && !entry.ok) return entry;
    const one = entry?.value ?? null;
    if (word.value && one)
      return { ok: true, value: await decide(context, basics.value, ports, one, word.value, options) };
    return findOut(context, basics.value, ports, one);
  });
  return done.ok ? done.value : refused(context, 'reconcile', done);
}

interface Word {
  readonly as: (typeof WORDS)[keyof typeof WORDS];
  readonly note: string;
}

function decisionOf(key: string | undefined, options: RawOptions): Result<Word | null, string> {
  const [as, note] = [textOf(options.as), textOf(options.note)];
  if (as === undefined) return note === undefined ? { ok: true, value: null } : bad('--note belongs to --as');
  const state = as === 'committed' || as === 'absent' ? WORDS[as] : null;
  if (state === null) return bad(`--as must be committed or absent, not "${as}"`);
  if (key === undefined) return bad('--as needs the key of one entry');
  if (note === undefined || note.trim() === '') return bad('--as needs --note: say how you know');
  return { ok: true, value: { as: state, note: redactSecrets(note.trim()) } };
}

async function findOut(
  context: LedgerContext,
  { isText }: Basics,
  ports: LedgerPorts,
  entry: LedgerEntry | null,
): Promise<Result<ExitCode, string>> {
  const { io, signal } = context;
  if (entry && entry.state !== 'PREPARED' && entry.state !== 'UNKNOWN') {
    tell(context, isText, { entry, from: entry.state, words: 'It is settled; there is nothing to find out.' }, false);
    return { ok: true, value: EXIT_CODES.done };
  }
  const found = await recoverOpen(ports, { ...(entry ? { keys: [entry.key] } : {}), signal }, () => undefined);
  if (!found.ok) throw new LedgerTrouble(found.error.message);
  const { changed, unknown, busy, leftCount, trouble } = found.value;
  for (const one of changed) tell(context, isText, one, true);
  for (const one of [...unknown, ...busy]) tell(context, isText, one, false);
  if (leftCount > 0) io.err(`belay ledger reconcile: ${leftCount} more entries are open. Run it again.`);
  if (trouble !== null) io.err(`belay ledger reconcile: it ended early: ${plain(trouble)}`);
  if (changed.length + unknown.length + busy.length + leftCount === 0)
    io.err('belay ledger reconcile: nothing is open.');
  const isOpen = unknown.length + busy.length + leftCount > 0 || trouble !== null;
  return { ok: true, value: isOpen ? EXIT_CODES.no : EXIT_CODES.done };
}

function tell(
  { io }: LedgerContext,
  isText: boolean,
  { entry, from, words }: RecoveredEntry,
  isChanged: boolean,
): void {
  const { key, title, state, evidence } = entry;
  if (isText)
    io.out(`${shortKey(key)}  ${from === state ? state : `${from} -> ${state}`}  ${plain(title)}: ${plain(words)}`);
  else io.out(JSON.stringify({ key, title, from, state, changed: isChanged, evidence, message: words }));
}

async function decide(
  context: LedgerContext,
  { isText }: Basics,
  ports: LedgerPorts,
  entry: LedgerEntry,
  { as, note }: Word,
  options: RawOptions,
): Promise<ExitCode> {
  const { io, canAsk } = context;
  const claim = as === 'RECONCILED_COMMITTED' ? 'it took effect' : 'it did not take effect';
  if (options.yes !== true) {
    if (!canAsk) {
      io.err('belay ledger reconcile: nobody can be asked here; confirm with --yes that you have looked.');
      return EXIT_CODES.no;
    }
    const isSure = await askYesOrNo(
      io,
      `${plain(entry.title)}: you say that ${claim}. The ledger will rely on it. Sure?`,
    );
    if (!isSure) {
      io.err('belay ledger reconcile: nothing was changed.');
      return EXIT_CODES.no;
    }
  }
  const decided = await decideEntry(ports, entry, { as, note, by: personName() }, () => undefined);
  if (!decided.ok) {
    io.err(`belay ledger reconcile: nothing was decided: ${plain(decided.error)}.`);
    return EXIT_CODES.no;
  }
  tell(context, isText, { entry: decided.value, from: entry.state, words: `A person says that ${claim}.` }, true);
  return EXIT_CODES.done;
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name on this machine.
    return 'a person';
  }
}
