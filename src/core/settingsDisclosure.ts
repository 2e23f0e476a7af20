// The settings of disclosure (DESIGN 16): who may see code, where data may be processed, and whether secrets are taken out.
import * as z from 'zod';

/** One rule; each pattern may hold `*`. All of its conditions must hold. */
export const disclosureRuleSchema = z.object({
  vendor: z.string().min(1).default('*').describe('Vendor or provider id, e.g. anthropic; may contain *.'),
  region: z.string().min(1).default('*').describe('Region or residency tag, e.g. eu-* or eu; may contain *.'),
  role: z.string().min(1).default('*').describe('What the call is for, e.g. coder; may contain *.'),
  verdict: z.enum(['allow', 'ask', 'deny']),
});

/** Allowed residency tags, compared in lower case. */
export const residencySchema = z.array(z.string().trim().min(1).toLowerCase());

export type DisclosureRuleSettings = z.infer<typeof disclosureRuleSchema>;
