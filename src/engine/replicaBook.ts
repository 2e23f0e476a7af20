// Answers of several attempts of one call, compared once when none of its attempts runs any more: in literal mode losers run on, and
// in the other modes two may answer before one is accepted. Which differ is told; whose check passed, before or after, decides what
// is learned of the others. Keeps who agreed with whom, no answer; bounded. Source: the redundant-execution text (seed 004), 5.2.
import type { CandidateId } from '../core/candidate.ts';
import type { CheckLevel, DecisionEvent, EventBody } from '../core/events.ts';
import type { QualityEvidence } from '../core/scheduler/balanced/types.ts';
import { compareReplicas, type AnsweredReplica, type Comparison } from '../core/scheduler/redundancy/disagreement.ts';

/** Takes a judgement of an answer of this candidate in this role. */
type Learn = (candidate: CandidateId, role: string, evidence: QualityEvidence) => void;

type Verification = NonNullable<AnsweredReplica['verification']>;

/** What is known of one call. */
interface KnownCall {
  readonly role: string;
  /** Whose answer the caller got; null: nobody's yet. */
  readonly winner: CandidateId | null;
  /** The best check that the winner's answer has passed. */
  readonly verification: Verification | null;
  /** Who agreed with whom; null: nothing was compared. */
  readonly groups: Extract<EventBody, { type: 'replicas-compared' }>['groups'] | null;
  /** What differed was learned from. */
  readonly isLearned: boolean;
}

/** Calls that are remembered, the oldest is forgotten first: what is verified long after is not learned from. */
const MOST_KEPT = 500;

const ORDER: Readonly<Record<CheckLevel, number>> = { V0: 0, V1: 1, V2: 2, V3: 3 };

export class ReplicaBook {
  private readonly learn: Learn;
  private readonly calls = new Map<string, KnownCall>();

  constructor(learn: Learn) {
    this.learn = learn;
  }

  /** Calls that are remembered. */
  get size(): number {
    return this.calls.size;
  }

  /** Reads off the event stream who answered a call and whether a check of that answer passed. */
  hear({ ids, body }: DecisionEvent): void {
    if (ids.call === undefined) return;
    if (body.type === 'call-started')
      this.keep(ids.call, { role: body.role, winner: null, verification: null, groups: null, isLearned: false });
    const known = this.calls.get(ids.call);
    if (!known) return;
    if (body.type === 'call-committed') this.keep(ids.call, { ...known, winner: body.candidate });
    if (body.type === 'verification-finished' && body.passed && body.isUnanswered !== true) {
      const isBetter = known.verification === null || ORDER[body.check] > ORDER[known.verification.check];
      if (!isBetter) return;
      this.keep(ids.call, { ...known, verification: { check: body.check, passed: true, quality: null } });
      this.teach(ids.call);
    }
  }

  /**
   * Compares the answers of a call, in the order in which they came, and gives the event that tells of it; null: they cannot be
   * compared, or were already.
   */
  compare(call: string, answers: readonly Pick<AnsweredReplica, 'candidate' | 'answer'>[]): Comparison['event'] | null {
    const known = this.calls.get(call);
    if (known?.groups !== null) return null;
    const comparison = compareReplicas(answers.map((each) => ({ ...each, verification: verified(known, each) })));
    if (!comparison) return null;
    this.keep(call, { ...known, groups: comparison.event.groups });
    this.teach(call);
    return comparison.event;
  }

  /** Once both are known: who differs from a majority whose answer was verified. */
  private teach(call: string): void {
    const known = this.calls.get(call);
    if (!known?.groups || known.verification === null || known.isLearned) return;
    const comparison = compareReplicas(
      known.groups.flatMap((group, place) =>
        group.map((candidate): AnsweredReplica => {
          // The groups stand for the answers, which are not kept.
          const answer = { kind: 'tool-result', text: `group ${place}`, isError: false } as const;
          return { candidate, answer, verification: verified(known, { candidate }) };
        }),
      ),
    );
    const evidence = comparison?.evidence ?? [];
    if (evidence.length === 0) return;
    this.keep(call, { ...known, isLearned: true });
    for (const each of evidence) this.learn(each.candidate, known.role, each.evidence);
  }

  private keep(call: string, known: KnownCall): void {
    this.calls.delete(call);
    this.calls.set(call, known);
    const [oldest] = this.calls.keys();
    if (this.calls.size > MOST_KEPT && oldest !== undefined) this.calls.delete(oldest);
  }
}

/** Only the winner's answer is ever checked: the others were never used. */
function verified(
  { winner, verification }: KnownCall,
  { candidate }: Pick<AnsweredReplica, 'candidate'>,
): Verification | null {
  return candidate === winner ? verification : null;
}
