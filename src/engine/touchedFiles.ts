// Which files a task is known to have changed, by its entries in the ledger. The runs of its checks are no changes of its own.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { StorePort } from './ports.ts';

/** Name in the ledger of the task's own command, and of the checks of the workspace. */
export const SUCCESS_TOOL = 'verify';
export const CHECK_TOOL = 'check';

/** Commands of package managers that rewrite package.json, which their words do not name. */
const WRITES_MANIFEST = /\b(?:npm|pnpm|yarn|bun)\s+(?:pkg\s+(?:set|delete|fix)|set-script|init|create)\b/;

/** Paths relative to the workspace, each once; null where the ledger cannot tell. */
export async function touchedFiles(store: Pick<StorePort, 'entries'>, task: string): Promise<readonly string[] | null> {
  const entries = await store.entries({ task });
  if (!entries.ok) return null;
  const changed = entries.value.filter(
    ({ tool, level, state }) =>
      tool !== CHECK_TOOL &&
      tool !== SUCCESS_TOOL &&
      level !== 'R0' &&
      state !== 'FAILED' &&
      state !== 'RECONCILED_ABSENT',
  );
  return [...new Set(changed.flatMap(pathsOf))];
}

function pathsOf(entry: LedgerEntry): readonly string[] {
  const changed = (entry.evidence?.files ?? []).map(({ path }) => path);
  // Of a command the arguments are a shell and a text.
  const isManifest = entry.argsText.includes('"shell":') && WRITES_MANIFEST.test(entry.argsText);
  return [...entry.paths, ...changed, ...(isManifest ? ['package.json'] : [])];
}
