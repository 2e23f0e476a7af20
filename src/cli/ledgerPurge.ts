// `belay ledger purge`: forgets settled entries, and the before-images that no entry needs any more. What is open, and what
// open entries depend on, always stays; so the ledger keeps its promise that nothing is done twice.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { PruneReport, Result } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { allEntries, LedgerTrouble, plain } from './ledgerEntries.ts';
import { refused } from './ledgerList.ts';
import { bad, basicsOf, numberOf, spanOf, tellMissing, textOf, withLedger } from './ledgerOptions.ts';
import type { LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';

const NOTHING: PruneReport = { entries: 0, events: 0, keptOpen: 0 };

interface Purged {
  readonly report: PruneReport;
  readonly freedBytes: number;
  readonly trouble: string | null;
}

/** Forgets what the options name; there is no default, so that nothing is forgotten by accident. */
export async function purgeLedger(context: LedgerContext, options: RawOptions): Promise<ExitCode> {
  const { io, nowMs } = context;
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'purge', basics);
  const age = spanOf('--older-than', textOf(options.olderThan));
  if (!age.ok) return refused(context, 'purge', age);
  const keep = numberOf('--keep', textOf(options.keep), 0);
  if (!keep.ok) return refused(context, 'purge', keep);
  const task = textOf(options.task);
  if (age.value === undefined && keep.value === undefined && task === undefined)
    return refused(
      context,
      'purge',
      bad('say what to forget: --older-than 30d, --keep N, --task T, or several of them'),
    );
  tellMissing(context, 'purge', basics.value);
  const isDryRun = options.dryRun === true;
  const request = {
    isDryRun,
    ...(age.value === undefined ? {} : { olderThanMs: nowMs - age.value }),
    ...(keep.value === undefined ? {} : { keepAtMost: keep.value }),
    ...(task === undefined ? {} : { task }),
  };
  const none: Result<Purged, string> = { ok: true, value: { report: NOTHING, freedBytes: 0, trouble: null } };
  const done = await withLedger<Result<Purged, string>>(basics.value, { isReading: isDryRun }, none, async (ports) => {
    const pruned = await ports.store.prune(request);
    if (!pruned.ok) throw new LedgerTrouble(pruned.error.message);
    if (isDryRun) return { ok: true, value: { report: pruned.value, freedBytes: 0, trouble: null } };
    const swept = await sweep(ports);
    const freedBytes = swept.ok ? swept.value.freedBytes : 0;
    return { ok: true, value: { report: pruned.value, freedBytes, trouble: swept.ok ? null : swept.error } };
  });
  if (!done.ok) return refused(context, 'purge', done);
  const { report, freedBytes, trouble } = done.value;
  if (basics.value.isText) io.out(purgedText(report, freedBytes, isDryRun));
  else io.out(JSON.stringify({ ...report, freedBytes, dryRun: isDryRun }));
  if (trouble === null) return EXIT_CODES.done;
  io.err(`belay ledger purge: the kept bytes could not be tidied: ${plain(trouble)}`);
  return EXIT_CODES.no;
}

/** Removes the kept bytes that no entry names. */
async function sweep({ store, files }: LedgerPorts): Promise<Result<{ readonly freedBytes: number }, string>> {
  const keep = new Set<string>();
  for await (const entry of allEntries(store, {})) for (const hash of hashesOf(entry)) keep.add(hash);
  return files.sweepImages(keep);
}

const HASH = /\b[0-9a-f]{64}\b/g;

/** Every hash that stands anywhere in an entry: too many rather than too few. */
function hashesOf({ evidence, probe }: LedgerEntry): readonly string[] {
  return JSON.stringify([evidence, probe]).match(HASH) ?? [];
}

function purgedText({ entries, events, keptOpen }: PruneReport, freedBytes: number, isDryRun: boolean): string {
  const open = keptOpen > 0 ? `; ${keptOpen} stay since they are open or open ones depend on them` : '';
  if (isDryRun) return `Would forget ${entries} entries and ${events} events${open}.`;
  return `Forgot ${entries} entries and ${events} events, freed ${freedBytes} bytes of kept files${open}.`;
}
