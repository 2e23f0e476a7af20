// The table of probes: one line a kind, one file a kind (probes/<kind>.ts). A kind that stands here is planned from a
// command's words (probePlan.ts), looked at before and after by the engine (effectProbe.ts) and weighed against what other
// entries may have done (rivals.ts). To add one: write its file with `defineProbe`, add its line, test it with real programs.
import type { ProbeBaseline } from './entry.ts';
import { appendProbe } from './probes/append.ts';
import { editProbe } from './probes/edit.ts';
import { fileCopyProbe } from './probes/fileCopy.ts';
import { fileCreateProbe } from './probes/fileCreate.ts';
import { fileMoveProbe } from './probes/fileMove.ts';
import { gitCommitProbe } from './probes/gitCommit.ts';
import { gitPushProbe } from './probes/gitPush.ts';
import { gitRefProbe } from './probes/gitRef.ts';
import { npmVersionProbe } from './probes/npmVersion.ts';
import { placeFootprint } from './probes/place.ts';
import type { Footprint, Probe } from './probes/probe.ts';

/** Every kind of effect that can be looked for. The first that reads a command's words plans it. */
export const PROBES: readonly Probe[] = [
  appendProbe,
  editProbe,
  fileCreateProbe,
  fileCopyProbe,
  fileMoveProbe,
  gitCommitProbe,
  gitRefProbe,
  gitPushProbe,
  npmVersionProbe,
];

const BY_KIND: ReadonlyMap<string, Probe> = new Map(PROBES.map((probe) => [probe.kind, probe]));

/** The probe of a baseline; null for a kind this version does not know, or none. */
export function probeOf(baseline: ProbeBaseline | null): Probe | null {
  return baseline && (BY_KIND.get(baseline.kind) ?? null);
}

/** What an effect with this baseline may have touched; null: not known. */
export function footprintOf(baseline: ProbeBaseline | null): Footprint | null {
  if (!baseline) return null;
  return placeFootprint(baseline) ?? probeOf(baseline)?.footprint(baseline.data) ?? null;
}

export { commitTag } from './probes/gitLog.ts';
export { compareEdit, editBaseline } from './probes/edit.ts';
