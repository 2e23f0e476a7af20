// Which files an entry changed, or may have changed: what undo, review and repair start from. The surest source comes first.
import type { FileChange, LedgerEntry } from './entry.ts';
import { editFiles } from './probes/edit.ts';

/** The files of an entry with their hashes; empty where the ledger does not know any. */
export function changesOf({ evidence, probe, paths }: LedgerEntry): readonly FileChange[] {
  if (evidence?.files) return evidence.files;
  const planned = editFiles(probe);
  if (planned) return planned;
  const { beforeHash, afterHash } = evidence ?? {};
  const [path] = paths;
  if (path === undefined || (beforeHash === undefined && afterHash === undefined)) return [];
  return [{ path, beforeHash: beforeHash ?? null, afterHash: afterHash ?? null }];
}
