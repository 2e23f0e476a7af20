// Which of the files that changed while a command ran may be booked as its own work: undo takes back what is booked. Somebody
// else may have written at the same time. Where the words say what a file must hold afterwards, the probe is asked; a file that
// the command only deletes is never its work where it still stands. The rest cannot be told apart and is taken as its own.
import type { Assessment } from '../core/guard/assessment.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { footprintOf } from '../core/ledger/probes.ts';
import { workspacePath } from '../core/ledger/workspacePath.ts';
import type { FileOutcome } from './commandFiles.ts';
import { askProbe } from './effectProbe.ts';
import type { ProbePorts } from './effectProbe.ts';

interface Ran {
  readonly assessment: Assessment;
  readonly cwd: string;
  readonly workspace: string;
}

/** The outcome with only what is the command's; the others are named as not kept. */
export async function ownFiles(
  ports: ProbePorts,
  { probe }: Pick<LedgerEntry, 'probe'>,
  ran: Ran,
  { files, missing }: FileOutcome,
): Promise<FileOutcome> {
  if (files.length === 0) return { files, missing };
  const deleted = onlyDeleted(ran);
  const known = new Set(footprintOf(probe)?.paths);
  const isProbed = files.some(({ path }) => known.has(path));
  const said = isProbed ? await askProbe(ports, { probe }) : null;
  const isOwn = ({ path, afterHash }: FileOutcome['files'][number]): boolean =>
    (afterHash === null || !deleted.has(path)) && (!isProbed || said?.says === 'COMMITTED' || !known.has(path));
  const foreign = files.filter((file) => !isOwn(file)).map(({ path }) => path);
  if (foreign.length === 0) return { files, missing };
  const note = `not kept for undo: ${foreign.join(', ')} (it holds more than this command alone explains)`;
  return { files: files.filter(isOwn), missing: missing === null ? note : `${missing}; ${note}` };
}

/** Files of the workspace that the command's words delete and do not write. */
function onlyDeleted({ assessment, cwd, workspace }: Ran): ReadonlySet<string> {
  const deleted = new Set<string>();
  const written = new Set<string>();
  for (const { kind, target } of assessment.effects) {
    const path = target === undefined ? null : workspacePath({ cwd, workspace }, target);
    if (path !== null) (kind === 'delete-file' ? deleted : written).add(path);
  }
  return new Set([...deleted].filter((path) => !written.has(path)));
}
