// The second gate of disclosure, right at the provider port: whatever the scheduler did, an attempt at a candidate that is
// not permitted at this moment sends nothing and fails as a permission that is missing.
import type { Candidate } from '../core/candidate.ts';
import type { Permission } from '../core/disclosure/permit.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import type { ProviderPort } from './ports.ts';

/** Id of the rule that knows the code below (core/faults/rules/adapter). */
const RULE = 'adapter.disclosure';

/** The port, closed for everybody whom `permission` does not allow. It is asked at each attempt. */
export function permittedProvider(
  provider: ProviderPort,
  permission: (candidate: Candidate) => Permission,
): ProviderPort {
  return {
    async *stream(request, candidate, signal, attemptId, tellSent) {
      const verdict = permission(candidate);
      if (verdict.status === 'allowed') yield* provider.stream(request, candidate, signal, attemptId, tellSent);
      else yield { failed: deniedObservation(candidate, verdict.reason) };
    },
  };
}

/** What is observed of an attempt that was not made. T7, permission. */
export function deniedObservation(candidate: Candidate, reason: string): Observation {
  return {
    provider: candidate.family,
    httpStatus: null,
    headers: {},
    body: null,
    clientError: {
      name: 'DisclosureDenied',
      code: 'belay_disclosure_denied',
      message: `${candidate.id} may not get code: ${reason}`,
    },
    streamPhase: 'before_headers',
    finishReason: null,
    operation: 'model_read',
  };
}

/** Whether a fault is Belay's own no, which says nothing of the candidate's health. */
export function isDisclosureDenial(fault: Fault): boolean {
  return fault.evidence.some((line) => line.includes(RULE));
}
