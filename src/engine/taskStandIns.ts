// Who else could make a result that was rejected (HFR 4.6, can_degrade): the candidates of the task's route that have not tried
// it, are not known to do worse than its floor, and may serve unasked at its criticality. It starts nothing.
import type { CandidateId } from '../core/candidate.ts';
import type { RequestContext } from '../core/context.ts';
import type { RecoveryPolicy } from '../core/recovery/presets.ts';
import { isBelowTier, type ResolvedRoute } from '../core/routes.ts';
import { recordedQuality, unknownProfile } from '../core/scheduler/profile.ts';
import type { ProfileBook } from './profileBook.ts';

/** One that could stand in. `quality`: 0-1 from history; null: not known. */
export interface StandIn {
  readonly id: CandidateId;
  readonly quality: number | null;
}

/** In the order of the route; empty for a pinned model, which is never swapped (DESIGN 1). */
export function standIns(
  { candidates, pinned, tier }: ResolvedRoute,
  tried: readonly CandidateId[],
  { role, qualityFloor, criticality }: Pick<RequestContext, 'role' | 'qualityFloor' | 'criticality'>,
  profiles: ProfileBook,
  { automatic }: Pick<RecoveryPolicy, 'automatic'>,
): readonly StandIn[] {
  if (pinned) return [];
  return candidates
    .filter((each) => !tried.includes(each.id) && (!isBelowTier(each, tier) || automatic[criticality].L3))
    .map(({ id }) => ({ id, quality: recordedQuality(profiles.all[id] ?? unknownProfile, role) }))
    .filter(({ quality }) => quality === null || quality >= qualityFloor);
}
