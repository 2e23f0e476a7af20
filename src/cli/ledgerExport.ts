// `belay ledger export`: entries with their history, and events, as JSON lines for somebody else to look at. Everything that
// looks like a secret is masked once more; keys of providers and the environment are never in the ledger, and not here.
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { allEntries, LedgerTrouble, redacted, timeOf } from './ledgerEntries.ts';
import { refused } from './ledgerList.ts';
import { bad, basicsOf, tellMissing, textOf, withLedger } from './ledgerOptions.ts';
import type { LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';

/** Writes the file; it must not exist. */
export async function exportLedger(context: LedgerContext, options: RawOptions): Promise<ExitCode> {
  const { io, cwd } = context;
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'export', basics);
  const out = textOf(options.out) ?? '';
  if (out.trim() === '') return refused(context, 'export', bad('--out must name a file'));
  const file = resolve(cwd, out);
  if (existsSync(file)) return refused(context, 'export', bad(`${file} exists already; name a file that does not`));
  const task = textOf(options.task);
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) =>
    error instanceof Error ? error.message : 'unknown error',
  );
  if (typeof handle === 'string')
    return refused(context, 'export', bad(`${file} cannot be made (${handle}); name another place`));
  tellMissing(context, 'export', basics.value);
  try {
    const counts = await withLedger(basics.value, { isReading: true }, { entries: 0, events: 0 }, (ports) =>
      writeAll(ports, handle, task),
    );
    io.out(JSON.stringify({ file, ...counts }));
    return EXIT_CODES.done;
  } finally {
    await handle.close();
  }
}

async function writeAll(
  { store }: LedgerPorts,
  handle: FileHandle,
  task: string | undefined,
): Promise<{ entries: number; events: number }> {
  const line = (value: unknown): Promise<unknown> => handle.appendFile(`${JSON.stringify(redacted(value))}\n`);
  const tasks = new Set<string>(task === undefined ? [] : [task]);
  const counts = { entries: 0, events: 0 };
  for await (const entry of allEntries(store, task === undefined ? {} : { task })) {
    const history = await store.history(entry.key);
    if (!history.ok) throw new LedgerTrouble(history.error.message);
    await line({ kind: 'entry', ...exported(entry), history: history.value });
    tasks.add(entry.task);
    counts.entries++;
  }
  for (const one of tasks) {
    const events = await store.events(one);
    if (!events.ok) throw new LedgerTrouble(events.error.message);
    for (const event of events.value) await line({ kind: 'event', ...event });
    counts.events += events.value.length;
  }
  return counts;
}

/** An entry without what only this machine can use. */
function exported(entry: LedgerEntry): Readonly<Record<string, unknown>> {
  const { preparedAtMs, updatedAtMs, argsText } = entry;
  return {
    ...Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'owner' && name !== 'argsText')),
    args: argsOf(argsText),
    preparedAt: timeOf(preparedAtMs),
    updatedAt: timeOf(updatedAtMs),
  };
}

function argsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A damaged row.
    return text;
  }
}
