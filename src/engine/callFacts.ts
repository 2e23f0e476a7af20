// What is known of a call before it is made: how long its prompt and its answer are, and who has some of it in a cache. Of this the
// scheduler reckons what an attempt costs.
import type { Candidate } from '../core/candidate.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import type { SchedulerConstants } from '../core/scheduler/balanced/constants.ts';
import type { CallFacts } from '../core/scheduler/balanced/pricing.ts';
import { sizeOfRequest } from '../core/textSize.ts';
import type { RoundInput } from './roundParts.ts';

/** Candidates by position in their pool, which leaves out the second of two with the same id. */
export function membersOf(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...new Map([...candidates].reverse().map((candidate) => [candidate.id, candidate])).values()].reverse();
}

/** What is known of the call to come; tokens as the first candidate's model counts them. `members`: by position. */
export function callFacts(
  { dependencies, input, request }: Pick<RoundInput, 'dependencies' | 'input' | 'request'>,
  members: readonly Candidate[],
  { referenceOutputTokens, worstOutputTokens }: SchedulerConstants,
): CallFacts {
  const { profiles, caches, ports } = dependencies;
  const [first] = members;
  const model = plainName(first ? askedName(first.model, request.model) : request.model);
  const promptTokens = profiles.tokens.estimate(model, sizeOfRequest(request));
  const nowMs = ports.clock.nowMs();
  return {
    promptTokens,
    outputTokens: Math.min(request.maxOutputTokens ?? referenceOutputTokens, referenceOutputTokens),
    worstOutputTokens: request.maxOutputTokens ?? worstOutputTokens,
    cachedShare: (position) => {
      const candidate = members[position];
      return candidate ? caches.shareOf(input.context.task, candidate, promptTokens, nowMs) : 0;
    },
    inFlight: () => 0,
  };
}
