// What the ledger may say of an edit after its writes were tried: COMMITTED only where every file is read back as changed,
// FAILED only where no file is, UNKNOWN for everything between. Decides; writes nothing.
import type { FileChange } from '../core/ledger/entry.ts';
import type { Move } from '../core/ledger/reconcile.ts';
import type { AppliedFiles, FileReport } from './ports.ts';

/** The moves of a PREPARED entry. Details name every file that is not as it should be. */
export function movesAfter(
  changes: readonly FileChange[],
  { ok, files, error }: AppliedFiles,
  redact: (text: string) => string,
): readonly Move[] {
  const reports = changes.map((change) => ({ change, report: files.find(({ path }) => path === change.path) ?? null }));
  const now = reports.map(({ change, report }): FileChange => {
    const afterHash = report ? report.hash : change.afterHash;
    return { ...change, path: redact(change.path), afterHash };
  });
  const [only] = now;
  const hashes = now.length === 1 && only ? { beforeHash: only.beforeHash, afterHash: only.afterHash } : {};
  if (ok) {
    const doubtful = reports
      .filter(({ change, report }) => !isChanged(change, report))
      .map(({ change }) => change.path);
    const detail = `every file was read back (${now.length})`;
    if (doubtful.length === 0)
      return [{ to: 'COMMITTED', evidence: { source: 'hash', detail, ...hashes, files: now } }];
    const doubt = `reported as written, but not read back as changed: ${doubtful.join(', ')}`;
    return [{ to: 'UNKNOWN', evidence: { source: 'files', detail: redact(doubt), files: now } }];
  }
  const isWhole = reports.every(({ report }) => report?.outcome === 'untouched' || report?.outcome === 'restored');
  const reason = error ?? 'the files could not be written';
  if (!isWhole) {
    const told = reports.map(({ change, report }) => fateOf(change, report)).join('; ');
    return [{ to: 'UNKNOWN', evidence: { source: 'files', detail: redact(`${reason} ${told}`), files: now } }];
  }
  if (
    reports.every(({ change, report }) => report?.hash === change.afterHash && change.afterHash !== change.beforeHash)
  ) {
    const evidence = { source: 'hash', detail: 'the same edit was made by somebody else', ...hashes, files: now };
    return [
      { to: 'UNKNOWN', evidence },
      { to: 'RECONCILED_COMMITTED', evidence },
    ];
  }
  const { beforeHash } = hashes;
  const evidence = { source: 'files', detail: redact(reason), ...(beforeHash === undefined ? {} : { beforeHash }) };
  return [{ to: 'FAILED', evidence }];
}

/** Is a file read back as this change leaves it? A text that a formatter changed further while it was saved counts. */
function isChanged({ beforeHash, afterHash }: FileChange, report: FileReport | null): boolean {
  if (report?.outcome !== 'changed') return false;
  if (afterHash === null) return report.hash === null;
  return report.hash !== null && (report.hash === afterHash || report.hash !== beforeHash);
}

const FATES: Readonly<Record<FileReport['outcome'], string>> = {
  changed: 'has the new content',
  restored: 'has its old content again',
  untouched: 'was not changed',
  damaged: 'was changed and could not be brought back',
};

/** What became of one file, for a person. */
export function fateOf({ path }: FileChange, report: FileReport | null): string {
  if (!report) return `${path}: what became of it is not known`;
  return `${path} ${FATES[report.outcome]}${report.reason === null ? '' : ` (${report.reason})`}`;
}
