// Could what a probe sees be the work of another entry? Two commands may append the same line or make the same branch: then
// the facts alone do not say which of them ran, and a probe that said COMMITTED would lose the other's effect (HFR document,
// proposition 3). And what is as it was may have been made and then taken back by another entry.
// Decides from entries alone, and in doubt says yes. Writers outside the ledger cannot be seen here.
import type { LedgerEntry } from './entry.ts';
import { footprintOf, probeOf } from './probes.ts';
import type { Footprint } from './probes/probe.ts';
import type { ProbeResult } from './reconcile.ts';
import { shortKey } from './transition.ts';

/** Kind of the baseline of an entry that only follows another (same effect asked for again); its data is `{key}` of that one. */
export const SAME_EFFECT = 'same-effect';

/** Is the probe's answer worth nothing while other entries may explain what it saw? (A commit carries its mark, an edit is a state.) */
export function hasRivals(entry: LedgerEntry, probe: ProbeResult | null): boolean {
  if (!probe || probe.says === 'UNKNOWN' || !entry.probe) return false;
  return probeOf(entry.probe)?.needsRivals(entry.probe.data) ?? false;
}

/**
 * The probe's answer, turned to UNKNOWN where one of `others` may have made what it saw, or unmade it. `changedAfter`: keys of
 * those that the ledger has seen change after `own` was prepared; times alone do not tell where the clock was set back.
 */
export function judgeRivals(
  own: LedgerEntry,
  probe: ProbeResult,
  others: readonly LedgerEntry[],
  changedAfter: ReadonlySet<string> = new Set(),
): ProbeResult {
  if (!hasRivals(own, probe)) return probe;
  const footprint = footprintOf(own.probe);
  const isOther = probe.says === 'COMMITTED' ? isMaker : isUnmaker;
  const isLater = (other: LedgerEntry): boolean => changedAfter.has(other.key) || other.updatedAtMs >= own.preparedAtMs;
  const rival = footprint && others.find((other) => isOther(own, footprint, { other, isLater: isLater(other) }));
  if (!rival) return probe.says === 'COMMITTED' ? { ...probe, detail: `${probe.detail}${UNSEEN}` } : probe;
  const may = probe.says === 'COMMITTED' ? 'may have done that' : 'may have taken it back';
  const detail = `${probe.detail}; but entry ${shortKey(rival.key)} (${rival.title}, ${rival.state}) ${may}`;
  return { ...probe, says: 'UNKNOWN', detail };
}

/** Another entry, and whether it was changed after the own one was prepared. */
interface Rival {
  readonly other: LedgerEntry;
  readonly isLater: boolean;
}

/** What no look can rule out. */
const UNSEEN = ' (unless somebody outside Belay did exactly the same)';

/** May `other` have made what the probe of `own` sees? */
function isMaker(own: LedgerEntry, footprint: Footprint, rival: Rival): boolean {
  if (!isAnother(own, rival.other)) return false;
  return mayHaveActedSince(own, rival) && mayTouch(footprint, footprintOf(rival.other.probe));
}

/** Has `other` surely changed the same things since, so that `own` may stand no more although it was made? */
function isUnmaker(own: LedgerEntry, footprint: Footprint, { other, isLater }: Rival): boolean {
  if (!isAnother(own, other) || !isLater) return false;
  if (other.state !== 'COMMITTED' && other.state !== 'RECONCILED_COMMITTED') return false;
  const touched = footprintOf(other.probe);
  return touched !== null && meet(footprint, touched);
}

function isAnother(own: LedgerEntry, other: LedgerEntry): boolean {
  return other.key !== own.key && other.level !== 'R0' && other.probe?.kind !== SAME_EFFECT;
}

/** May `other` have done something after the baseline of `own` was taken? */
function mayHaveActedSince(own: LedgerEntry, { other, isLater }: Rival): boolean {
  switch (other.state) {
    case 'FAILED':
    case 'RECONCILED_ABSENT':
      return false;
    case 'COMMITTED':
    case 'RECONCILED_COMMITTED':
    case 'COMPENSATED':
      return isLater;
    case 'PREPARED':
    case 'UNKNOWN':
      return isLater || !isOfOtherBoot(own, other);
  }
}

/** The processes of an entry that was last changed before `own` began, in another boot, were gone by then. */
function isOfOtherBoot(own: LedgerEntry, other: LedgerEntry): boolean {
  return own.owner !== null && other.owner !== null && own.owner.bootId !== other.owner.bootId;
}

/** May an effect with the footprint `other` change what `own` changes? Only known targets elsewhere say no. */
function mayTouch(own: Footprint, other: Footprint | null): boolean {
  if (!other) return true;
  const isNear = other.workspace === null || own.workspace === null || overlap(other.workspace, own.workspace);
  return (other.runsPrograms && isNear) || meet(own, other);
}

/** Do two footprints name the same thing, or a folder around it? */
function meet(own: Footprint, other: Footprint): boolean {
  if (own.refs.some((ref) => other.refs.includes(ref))) return true;
  return own.paths.some((path) => other.paths.some((one) => isSamePath(own.workspace, path, other.workspace, one)));
}

function isSamePath(workspace: string | null, path: string, otherWorkspace: string | null, other: string): boolean {
  // Of an edit only the name in some workspace is known.
  if (workspace === null) return otherWorkspace === null ? overlap(path, other) : endsWith(otherWorkspace, other, path);
  if (otherWorkspace === null) return endsWith(workspace, path, other);
  if (!overlap(workspace, otherWorkspace)) return false;
  return overlap(`${asFolder(workspace)}${path}`, `${asFolder(otherWorkspace)}${other}`) || overlap(path, other);
}

function endsWith(workspace: string, path: string, end: string): boolean {
  return `/${workspace}/${path}`.endsWith(`/${end}`);
}

function overlap(one: string, other: string): boolean {
  return asFolder(one).startsWith(asFolder(other)) || asFolder(other).startsWith(asFolder(one));
}

/** With one slash at its end, also the root. */
function asFolder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
