// Reads what a probe needs, before and after an effect, through the file port; the verdict is core's (ledger/probes.ts).
// What cannot be read gives no baseline or no answer, never a guess.
import type { ProbeBaseline } from '../core/ledger/entry.ts';
import {
  appendBaseline,
  compareAppend,
  compareEdit,
  compareGit,
  gitBaseline,
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

/** The baseline of a plan, taken now; null when it cannot be had. */
export async function takeBaseline(
  files: FilePort,
  plan: ProbePlan | null,
  place: Place,
): Promise<ProbeBaseline | null> {
  if (!plan) return null;
  if (plan.kind === 'append') {
    const path = workspacePath(place, plan.target);
    if (path === null) return null;
    const file = await files.read(path);
    return file.ok ? appendBaseline(path, file.value.exists ? file.value.text : null, plan.tail) : null;
  }
  const gitDirectory = await findGit(files, place);
  const state = gitDirectory === null ? null : await gitState(files, gitDirectory);
  return state && gitDirectory !== null ? gitBaseline(gitDirectory, state, plan.subject) : null;
}

/** Asks the probe of a baseline after its settle delay; null where there is no probe that this version knows. */
export async function askProbe(ports: EffectPorts, baseline: ProbeBaseline | null): Promise<ProbeResult | null> {
  const known = readBaseline(baseline);
  if (!known) return null;
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
