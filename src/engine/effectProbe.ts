// Reads what a probe needs, before and after an effect, through the file port; the verdict is core's (ledger/probes.ts).
// What cannot be read gives no baseline or no answer, never a guess.
import type { LedgerEntry, ProbeBaseline } from '../core/ledger/entry.ts';
import {
  appendBaseline,
  compareAppend,
  compareEdit,
  compareGit,
  gitBaseline,
  placeBaseline,
  readBaseline,
  SETTLE_MS,
} from '../core/ledger/probes.ts';
import type { GitState } from '../core/ledger/probes.ts';
import type { ProbePlan } from '../core/ledger/probePlan.ts';
import type { ProbeResult } from '../core/ledger/reconcile.ts';
import { workspacePath } from '../core/ledger/workspacePath.ts';
import type { EffectPorts } from './effectEntry.ts';
import type { FilePort } from './ports.ts';

/** Where a command runs; both absolute. */
export interface Place {
  readonly cwd: string;
  readonly workspace: string;
}

/** What a baseline is taken of. */
export interface Planned {
  readonly plan: ProbePlan | null;
  readonly place: Place;
  /** How git will mark the command's own commit; null where it will not. */
  readonly tag: string | null;
  /** Masks secrets: a path that holds one gets no probe, since a baseline is stored. */
  readonly redact: (text: string) => string;
}

/** The baseline of a plan, taken now; without a plan, or where it cannot be had, only the place (no probe). */
export async function takeBaseline(files: FilePort, planned: Planned): Promise<ProbeBaseline> {
  const { plan, place, redact } = planned;
  const { workspace } = place;
  if (redact(workspace) !== workspace) return placeBaseline(null);
  const baseline = plan?.kind === 'append' ? await appendOf(files, plan, planned) : await commitOf(files, planned);
  // An append to a file outside may be one to a file of another workspace.
  const isOutside = plan?.kind === 'append' && workspacePath(place, plan.target) === null;
  return baseline ?? placeBaseline(isOutside ? null : workspace);
}

async function appendOf(
  files: FilePort,
  { target, tail, isAlone }: Extract<ProbePlan, { kind: 'append' }>,
  { place, redact }: Planned,
): Promise<ProbeBaseline | null> {
  const path = workspacePath(place, target);
  // Git itself writes its own files, so that nobody can say whose bytes they are.
  if (path === null || redact(path) !== path || path.split('/').includes('.git')) return null;
  const file = await files.read(path);
  if (!file.ok) return null;
  return appendBaseline(
    { workspace: place.workspace, path, tail, isAlone },
    file.value.exists ? file.value.text : null,
  );
}

async function commitOf(files: FilePort, { plan, place, tag, redact }: Planned): Promise<ProbeBaseline | null> {
  if (plan?.kind !== 'git-commit') return null;
  const gitDirectory = await findGit(files, place);
  if (gitDirectory === null || redact(gitDirectory) !== gitDirectory) return null;
  const state = await gitState(files, gitDirectory);
  const { workspace } = place;
  return state && gitBaseline({ workspace, gitDirectory, tag, isAlone: plan.isAlone }, state);
}

/**
 * Asks the probe of an entry after its settle delay; null where there is no probe that this version knows. Its COMMITTED
 * still has to be weighed against other entries (core/ledger/rivals.ts).
 */
export async function askProbe(
  ports: EffectPorts,
  { probe: baseline }: Pick<LedgerEntry, 'probe'>,
): Promise<ProbeResult | null> {
  const known = readBaseline(baseline);
  if (!known || known.kind === 'place') return null;
  const settleMs = SETTLE_MS[known.kind] ?? 0;
  if (settleMs > 0) await ports.clock.sleep(settleMs);
  const unread = (detail: string): ProbeResult => ({ says: 'UNKNOWN', probe: known.kind, detail });
  if (known.kind === 'git-commit') {
    const state = await gitState(ports.files, known.data.gitDirectory);
    return state ? compareGit(known.data, state) : unread('the repository cannot be read');
  }
  const file = await ports.files.read(known.data.path);
  if (!file.ok) return unread(file.error);
  if (known.kind === 'edit') return compareEdit(known.data, file.value.hash);
  return compareAppend(known.data, file.value.exists ? file.value.text : null);
}

/** The nearest `.git` folder from the command's directory up to the workspace; null for none or one of another kind. */
async function findGit(files: FilePort, place: Place): Promise<string | null> {
  const start = workspacePath(place, '.');
  if (start === null) return null;
  const folders = start === '' ? [] : start.split('/');
  for (let depth = folders.length; depth >= 0; depth--) {
    const gitDirectory = [...folders.slice(0, depth), '.git'].join('/');
    const head = await files.read(`${gitDirectory}/HEAD`);
    // A worktree's .git is a file: its HEAD lies elsewhere, so there is no baseline.
    if (!head.ok) return null;
    if (head.value.exists) return gitDirectory;
  }
  return null;
}

async function gitState(files: FilePort, gitDirectory: string): Promise<GitState | null> {
  const head = await textOf(files, `${gitDirectory}/HEAD`);
  const log = await files.read(`${gitDirectory}/logs/HEAD`);
  if (head === null || !log.ok) return null;
  const ref = /^ref: (refs\/\S+)$/.exec(head.trim())?.[1];
  const headLog = log.value.text;
  if (ref === undefined) return /^[0-9a-f]{40,64}$/.test(head.trim()) ? { head: head.trim(), headLog } : null;
  const loose = await files.read(`${gitDirectory}/${ref}`);
  if (!loose.ok) return null;
  if (loose.value.exists) return { head: loose.value.text.trim(), headLog };
  const packed = await files.read(`${gitDirectory}/packed-refs`);
  if (!packed.ok) return null;
  const line = packed.value.text.split('\n').find((one) => one.endsWith(` ${ref}`));
  return { head: line?.split(' ')[0] ?? null, headLog };
}

async function textOf(files: FilePort, path: string): Promise<string | null> {
  const file = await files.read(path);
  return file.ok && file.value.exists ? file.value.text : null;
}
