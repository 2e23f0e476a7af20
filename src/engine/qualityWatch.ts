// Reads judgements of answers off the event stream: an edit that a person lets through or turns down, and what a person says of a
// whole result (V3). They are the answering candidate's, in the role of its call. Checks that ran are told where they run
// (taskRunner), the form of an answer where it came (teachScheduler). Bounded; it changes nothing else.
import type { CandidateId } from '../core/candidate.ts';
import type { DecisionEvent } from '../core/events.ts';
import type { LearnQuality } from './callParts.ts';

/** Who answered, and in which role. */
interface Maker {
  readonly candidate: CandidateId;
  readonly role: string;
}

/** A permission is a weaker sign than a refusal: who lets an edit through need not have read it. */
const ALLOWED_WEIGHT = 0.5;
const MOST_KEPT = 500;

/** Builds the listener. */
export function qualityWatch(learn: LearnQuality): (event: DecisionEvent) => void {
  const roles = new Map<string, string>();
  const ofCall = new Map<string, Maker>();
  const ofTask = new Map<string, Maker>();
  const asked = new Map<string, Maker>();
  return ({ ids, body }) => {
    const call = ids.call ?? '';
    switch (body.type) {
      case 'call-started':
        keep(roles, call, body.role);
        break;
      case 'call-committed': {
        const maker = { candidate: body.candidate, role: roles.get(call) ?? 'chat' };
        keep(ofCall, call, maker);
        keep(ofTask, ids.task, maker);
        break;
      }
      case 'question-asked': {
        const maker = body.about === 'edit' ? (ofCall.get(call) ?? ofTask.get(ids.task)) : undefined;
        if (maker) keep(asked, body.question, maker);
        break;
      }
      case 'question-answered': {
        const maker = asked.get(body.question);
        asked.delete(body.question);
        if (!maker || body.isUnanswered) break;
        const isAllowed = body.answer === 'allow';
        const weight = isAllowed ? ALLOWED_WEIGHT : 1;
        learn(maker.candidate, maker.role, { source: 'acceptance', q: isAllowed ? 1 : 0, weight });
        break;
      }
      case 'verification-finished': {
        const maker = body.check === 'V3' && !body.isUnanswered ? ofTask.get(ids.task) : undefined;
        if (maker) learn(maker.candidate, maker.role, { source: 'acceptance', q: body.passed ? 1 : 0 });
        break;
      }
      default:
    }
  };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MOST_KEPT) return;
    map.delete(oldest);
  }
}
