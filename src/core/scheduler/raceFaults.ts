// What one attempt's failure means for the rest of its race: who is ruled out with it, and which of several failures decides what
// comes next. Shared by both races. Source: HFR table 4 (T6, T7); it starts nothing.
import type { Candidate, CandidateId } from '../candidate.ts';
import type { Fault } from '../faults/fault.ts';

/** A refusal is one wherever it shows, also as the second class (recovery/rules/risk): it is surfaced, never routed around. */
export function isRefusal({ class: primary, secondary }: Pick<Fault, 'class' | 'secondary'>): boolean {
  return primary === 'T8' || secondary === 'T8';
}

/**
 * Whether `candidate` is still worth asking after `failed` ended in `fault`. An overflow (T6) leaves larger windows only; a key
 * or quota is an account's; a request that one vendor cannot read may suit another's wire.
 */
export function isUsefulAfter(fault: Fault, failed: Candidate, candidate: Candidate): boolean {
  if (fault.class === 'T6') return candidate.contextWindowTokens > failed.contextWindowTokens;
  if (fault.class !== 'T7') return true;
  if (fault.detail === 'fixable') return candidate.domains.vendor !== failed.domains.vendor;
  return candidate.providerId !== failed.providerId || candidate.account !== failed.account;
}

/**
 * Those of the candidates that have not failed and that no refusal of another's key, quota or wire (T7) rules out. An earlier
 * overflow rules out nobody: the request may have been made smaller since.
 */
export function notRuledOut(
  candidates: readonly Candidate[],
  failures: ReadonlyMap<CandidateId, Fault>,
): readonly Candidate[] {
  const refused = candidates.flatMap((candidate) => {
    const fault = failures.get(candidate.id);
    return fault?.class === 'T7' ? [{ candidate, fault }] : [];
  });
  const isUseful = (candidate: Candidate): boolean =>
    refused.every(({ candidate: failed, fault }) => isUsefulAfter(fault, failed, candidate));
  return candidates.filter((candidate) => !failures.has(candidate.id) && isUseful(candidate));
}

/** Of all faults of a race, the one whose remedy makes progress: overflow, then what may pass, then what will not; null: none. */
export function decidingFault(faults: readonly Fault[]): Fault | null {
  const weight = (fault: Fault): number => (fault.class === 'T6' ? 3 : fault.class === 'T7' ? 1 : 2);
  return faults.reduce<Fault | null>((best, fault) => (best && weight(best) >= weight(fault) ? best : fault), null);
}
