// The policy: a mode and rules of the admin, the user and the workspace. Parsed once, rule by rule; a malformed rule is reported by
// name and kept as a reason to ask, so that a typing error never makes the guard more permissive (fail closed).
import * as z from 'zod';

export type Verdict = 'allow' | 'ask' | 'deny';
export type Mode = 'careful' | 'balanced' | 'autonomous';
/** Who wrote a rule. Workspace rules come with the code that is being guarded, so they may only tighten. */
export type RuleTier = 'admin' | 'user' | 'workspace';

/** What a rule is about: the exact command text, or every call of a program (with a subcommand). */
export type RuleMatch = { readonly command: string } | { readonly program: string; readonly subcommand?: string };

/** One rule as written in settings, with its tier. */
export interface PolicyRule {
  readonly id: string;
  readonly tier: RuleTier;
  readonly match: RuleMatch;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** A rule that could not be read. `match` is what could be read of it; absent: it may have meant anything. */
export interface RuleProblem {
  readonly id: string;
  readonly tier: RuleTier;
  readonly problem: string;
  readonly match?: RuleMatch;
}

/** A parsed policy. */
export interface Policy {
  readonly mode: Mode;
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly RuleProblem[];
}

/** A policy as it stands in settings and files: nothing in it is trusted to have the right shape. */
export interface PolicySource {
  readonly mode?: unknown;
  readonly admin?: unknown;
  readonly user?: unknown;
  readonly workspace?: unknown;
}

const name = z.string().regex(/^\S+$/, 'one word').max(200);
const match = z.union([
  z.strictObject({ command: z.string().min(1).max(10_000) }),
  z.strictObject({
    program: name,
    subcommand: z
      .string()
      .regex(/^\S+( \S+)*$/, 'words with single blanks between them')
      .max(200)
      .optional(),
  }),
]);
const rule = z.strictObject({
  id: z.string().min(1).max(200).optional(),
  match,
  verdict: z.enum(['allow', 'ask', 'deny']),
  reason: z.string().min(1).max(1_000),
});
const modes = z.enum(['careful', 'balanced', 'autonomous']);

/** Parses a policy. Never throws: what is wrong is in `problems`, and an unreadable mode is `careful`. */
export function parsePolicy(source: PolicySource): Policy {
  const rules: PolicyRule[] = [];
  const problems: RuleProblem[] = [];
  const mode = modes.optional().safeParse(source.mode);
  if (!mode.success)
    problems.push({
      id: 'mode',
      tier: 'user',
      problem: 'mode must be careful, balanced or autonomous; careful is used',
    });
  for (const tier of ['admin', 'user', 'workspace'] as const) {
    const given = source[tier] ?? [];
    if (!Array.isArray(given)) {
      problems.push({ id: `${tier} rules`, tier, problem: 'must be a list of rules' });
      continue;
    }
    given.forEach((one: unknown, i) => readRule(one, tier, i, rules, problems));
  }
  return { mode: mode.success ? (mode.data ?? 'careful') : 'careful', rules, problems };
}

function readRule(one: unknown, tier: RuleTier, index: number, rules: PolicyRule[], problems: RuleProblem[]): void {
  const fallback = `${tier} rule ${index + 1}`;
  const parsed = rule.safeParse(one);
  if (parsed.success) {
    const { id = fallback, match: read, verdict, reason } = parsed.data;
    rules.push({ id, tier, match: cleaned(read), verdict, reason });
    return;
  }
  const loose = z
    .object({ id: z.string().optional().catch(undefined), match: match.optional().catch(undefined) })
    .safeParse(one);
  const id = (loose.success ? loose.data.id : undefined) ?? fallback;
  const problem = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'rule'}: ${issue.message}`).join('; ');
  const read = loose.success ? loose.data.match : undefined;
  problems.push(read === undefined ? { id, tier, problem } : { id, tier, problem, match: cleaned(read) });
}

function cleaned(read: z.infer<typeof match>): RuleMatch {
  if ('command' in read) return read;
  return read.subcommand === undefined
    ? { program: read.program }
    : { program: read.program, subcommand: read.subcommand };
}
