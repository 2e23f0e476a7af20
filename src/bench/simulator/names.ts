// The names of the simulator's policies, as the command line and the reports use them.
import { DOCUMENT_POLICIES, type DocumentPolicy } from './policies.ts';

/** All policies: the document's eight and Belay's own rules. */
export const POLICY_NAMES = [...DOCUMENT_POLICIES, 'hfr-plus'] as const;

export type PolicyName = (typeof POLICY_NAMES)[number];

/** True for the eight policies that the document's tables print. */
export function isDocumentPolicy(name: string): name is DocumentPolicy {
  return DOCUMENT_POLICIES.some((each) => each === name);
}
