// `belay ledger content`: writes what a file held before or after an entry to a new file, byte for byte. For what an undo
// could not merge, and for a file that is gone; nothing of the workspace is touched.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { changesOf } from '../core/ledger/fileChanges.ts';
import type { Result } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { ExitCode } from './io.ts';
import { entryOfKey } from './ledgerEntries.ts';
import { refused } from './ledgerList.ts';
import { bad, basicsOf, textOf, withLedger } from './ledgerOptions.ts';
import type { LedgerContext, LedgerPorts, RawOptions } from './ledgerOptions.ts';

interface Wanted {
  readonly key: string;
  readonly path: string;
  readonly when: 'before' | 'after';
}

/** Writes the new file; it must not exist. `path` as the ledger names it. */
export async function ledgerContent(
  context: LedgerContext,
  key: string,
  path: string,
  options: RawOptions,
): Promise<ExitCode> {
  const { io, cwd } = context;
  const basics = basicsOf(context, options);
  if (!basics.ok) return refused(context, 'content', basics);
  const out = textOf(options.out) ?? '';
  if (out.trim() === '') return refused(context, 'content', bad('--out must name a file'));
  const wanted: Wanted = { key, path, when: options.after === true ? 'after' : 'before' };
  const missing = bad(`there is no ledger at ${basics.value.place.db}, so it has no entry ${key}`);
  const found = await withLedger<Result<Uint8Array, string>>(basics.value, { isReading: true }, missing, (ports) =>
    contentOf(ports, wanted),
  );
  if (!found.ok) return refused(context, 'content', found);
  const file = resolve(cwd, out);
  const trouble = await writeFile(file, found.value, { flag: 'wx', mode: 0o600 }).catch((error: unknown) =>
    error instanceof Error && 'code' in error && error.code === 'EEXIST'
      ? `${file} exists already; name a file that does not`
      : `${file} cannot be made; name another place`,
  );
  if (trouble !== undefined) return refused(context, 'content', bad(trouble));
  io.out(JSON.stringify({ file, path, when: wanted.when, bytes: found.value.length }));
  return EXIT_CODES.done;
}

async function contentOf(
  { store, files }: LedgerPorts,
  { key, path, when }: Wanted,
): Promise<Result<Uint8Array, string>> {
  const entry = await entryOfKey(store, key);
  if (!entry.ok) return entry;
  const changes = changesOf(entry.value);
  const change = changes.find((each) => each.path === path);
  if (!change) {
    const named =
      changes.length === 0 ? 'it changed no file' : `it changed ${changes.map((each) => each.path).join(', ')}`;
    return bad(`entry ${key} does not know ${path}; ${named}`);
  }
  const hash = when === 'before' ? change.beforeHash : change.afterHash;
  return hash === null ? bad(`${path} did not exist ${when} entry ${key}`) : files.image(hash);
}
