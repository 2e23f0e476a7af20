// Could what a probe sees be the work of another entry? Two commands may append the same line: then the file alone does not
// say which of them ran, and a probe that said COMMITTED would lose the other's effect (HFR document, proposition 3).
// Decides from entries alone, and in doubt says yes. Writers outside the ledger cannot be seen here.
import type { LedgerEntry } from './entry.ts';
import { readBaseline } from './probes.ts';
import type { AppendBaseline } from './probes.ts';
import type { ProbeResult } from './reconcile.ts';
import { shortKey } from './transition.ts';

/** Kind of the baseline of an entry that only follows another (same effect asked for again); its data is `{key}` of that one. */
export const SAME_EFFECT = 'same-effect';

/** Is the probe's COMMITTED worth nothing while other entries may have made the same change? (A commit carries its tag, an edit is a state.) */
export function hasRivals(entry: LedgerEntry, probe: ProbeResult | null): boolean {
  return probe?.says === 'COMMITTED' && readBaseline(entry.probe)?.kind === 'append';
}

/** The probe's answer, turned to UNKNOWN where one of `others` may have made what it saw. */
export function judgeRivals(own: LedgerEntry, probe: ProbeResult, others: readonly LedgerEntry[]): ProbeResult {
  const baseline = readBaseline(own.probe);
  if (probe.says !== 'COMMITTED' || baseline?.kind !== 'append') return probe;
  const rival = others.find((other) => isRival(own, baseline.data, other));
  if (!rival) return probe;
  const detail = `${baseline.data.path} has the bytes of this command, but entry ${shortKey(rival.key)} (${rival.state}) may have written them`;
  return { ...probe, says: 'UNKNOWN', detail };
}

function isRival(own: LedgerEntry, target: AppendBaseline, other: LedgerEntry): boolean {
  if (other.key === own.key || other.level === 'R0' || other.probe?.kind === SAME_EFFECT) return false;
  return mayHaveActedSince(own, other) && mayTouch(target, other);
}

/** May `other` have done something after the baseline of `own` was taken? */
function mayHaveActedSince(own: LedgerEntry, other: LedgerEntry): boolean {
  switch (other.state) {
    case 'FAILED':
    case 'RECONCILED_ABSENT':
      return false;
    case 'COMMITTED':
    case 'RECONCILED_COMMITTED':
    case 'COMPENSATED':
      return other.updatedAtMs >= own.preparedAtMs;
    case 'PREPARED':
    case 'UNKNOWN':
      return !endedWithItsBoot(own, other);
  }
}

/** An entry of an earlier boot: its processes were gone before `own` began. */
function endedWithItsBoot(own: LedgerEntry, other: LedgerEntry): boolean {
  const isOtherBoot = own.owner !== null && other.owner !== null && own.owner.bootId !== other.owner.bootId;
  return isOtherBoot && other.updatedAtMs < own.preparedAtMs;
}

/** May `other` write the file? Only a known target elsewhere, or a workspace apart, says no. */
function mayTouch(target: AppendBaseline, other: LedgerEntry): boolean {
  const file = `${target.workspace}/${target.path}`;
  const known = readBaseline(other.probe);
  switch (known?.kind) {
    case 'append':
      return `${known.data.workspace}/${known.data.path}` === file;
    case 'edit':
      return `/${file}`.endsWith(`/${known.data.path}`);
    case 'git-commit':
    case 'place':
      // Hooks and programs may write anything in their workspace.
      return known.data.workspace === null || overlap(known.data.workspace, target.workspace);
    case undefined:
      return true;
  }
}

function overlap(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}
