// The one way by which a judgement of an answer is learned: by the scheduler's own beliefs, and by the soft counts of literal HACO
// (issue, Quality evidence). A candidate that is no longer configured teaches nothing.
import type { Candidate } from '../core/candidate.ts';
import type { Settings } from '../core/settings.ts';
import type { LearnQuality } from './callParts.ts';
import type { ProfileBook } from './profileBook.ts';
import type { SchedulerBook } from './schedulerBook.ts';

export interface QualityDoorInput {
  readonly profiles: Pick<ProfileBook, 'recordQuality'>;
  readonly scheduler: Pick<SchedulerBook, 'learnQuality' | 'constantsOf'>;
  readonly candidates: () => readonly Candidate[];
  readonly settings: () => Settings;
}

/** Builds the door. */
export function qualityDoor({ profiles, scheduler, candidates, settings }: QualityDoorInput): LearnQuality {
  return (id, role, evidence) => {
    const candidate = candidates().find((each) => each.id === id);
    const constants = scheduler.constantsOf(settings());
    if (candidate) scheduler.learnQuality(candidate, role, evidence, constants);
    // Literal HACO has no word for an answer of the wrong form: there that is a failed call.
    if (evidence.source === 'semantic-fault' || !(evidence.q >= 0)) return;
    profiles.recordQuality(id, role, evidence.q, constants.evidence[evidence.source] * (evidence.weight ?? 1));
  };
}
