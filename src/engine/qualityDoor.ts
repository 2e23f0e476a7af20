// The one way by which a judgement of an answer is learned: by the scheduler's own beliefs, and by the soft counts of literal HACO
// (issue, Quality evidence). A candidate that is no longer configured teaches nothing.
import type { Candidate } from '../core/candidate.ts';
import type { QualityEvidence } from '../core/scheduler/balanced/types.ts';
import type { Settings } from '../core/settings.ts';
import type { LearnQuality } from './callParts.ts';
import { failedCallReading, type ProfileBook } from './profileBook.ts';
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
    if (!candidate) return;
    const constants = scheduler.constantsOf(settings());
    scheduler.learnQuality(candidate, role, evidence, constants);
    // By reading A the failed call itself counts as q = 0 already, where it is recorded: not twice.
    if (!(evidence.q >= 0) || (isOfFailedCall(evidence) && failedCallReading(settings()) === 'A')) return;
    profiles.recordQuality(id, role, evidence.q, constants.evidence[evidence.source] * (evidence.weight ?? 1));
  };
}

/** An answer whose form cannot be used has failed as a call, too; all other judgements are of answers that were accepted. */
function isOfFailedCall({ source, q }: QualityEvidence): boolean {
  return source === 'semantic-fault' || (source === 'schema' && q === 0);
}
