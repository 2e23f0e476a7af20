// The settings of disclosure (DESIGN 16): who may see code, where data may be processed, and whether secrets are taken out.
// A workspace may only tighten what its user decided; what of it cannot be read counts as the tightest it could have said.
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

/** Full names of the three settings. */
export const DISCLOSURE_SETTINGS = {
  rules: 'belay.disclosure.rules',
  residency: 'belay.disclosure.residency',
  scrubSecrets: 'belay.disclosure.scrubSecrets',
} as const;

/** The raw values of one level (user, workspace, one folder); undefined: not set there. */
export interface DisclosureLevel {
  readonly rules: unknown;
  readonly residency: unknown;
  readonly scrubSecrets: unknown;
}

/** Where a workspace said what it may not say, or nobody can read it; and what is done about it. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Raw values as `parseSettings` takes them, by full name. */
export interface TightenedDisclosure {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/** No place has this tag: a residency list of nothing else lets nothing pass. */
const NOWHERE = '(nowhere)';
const ASK_ALL = { vendor: '*', region: '*', role: '*', verdict: 'ask' } as const;

/**
 * The user's values with those of the workspace and its folders added where they tighten: rules that ask or deny, the
 * common part of the residency lists, scrubbing where anybody wants it. `allow` of a workspace is ignored and named.
 */
export function tightenedDisclosure(user: DisclosureLevel, workspace: readonly DisclosureLevel[]): TightenedDisclosure {
  const problems: Problem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  return {
    raw: {
      [DISCLOSURE_SETTINGS.rules]: rulesOf(user.rules, workspace, report),
      [DISCLOSURE_SETTINGS.residency]: residencyOf(user.residency, workspace, report),
      [DISCLOSURE_SETTINGS.scrubSecrets]: scrubOf([user, ...workspace], report),
    },
    problems,
  };
}

type Report = (path: string, message: string) => void;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The user's own list is left to `parseSettings`, which also says what is wrong with it. */
function rulesOf(own: unknown, workspace: readonly DisclosureLevel[], report: Report): unknown {
  const added = workspace.flatMap(({ rules }): readonly DisclosureRuleSettings[] => {
    if (!isSet(rules)) return [];
    if (!Array.isArray(rules)) {
      report(
        DISCLOSURE_SETTINGS.rules,
        'expected a list in the workspace; everything is asked about until it is mended',
      );
      return [ASK_ALL];
    }
    return rules.flatMap((rule: unknown, index) => tighteningRule(rule, index, report));
  });
  if (added.length === 0) return own;
  if (!isSet(own)) return added;
  // A list that cannot be read stays so, for the problem it is; `parseSettings` then asks about everything, and denies stay.
  return Array.isArray(own) ? [...(own as readonly unknown[]), ...added] : [own, ...added]; // An array of anything.
}

function tighteningRule(rule: unknown, index: number, report: Report): readonly DisclosureRuleSettings[] {
  const path = `${DISCLOSURE_SETTINGS.rules}.${index}`;
  const parsed = disclosureRuleSchema.safeParse(rule);
  if (!parsed.success) {
    report(path, 'this rule of the workspace cannot be read; everything is asked about until it is mended');
    return [ASK_ALL];
  }
  if (parsed.data.verdict !== 'allow') return [parsed.data];
  report(path, 'a workspace may not allow, only ask or deny; the rule is ignored. Allow it in your user settings');
  return [];
}

function residencyOf(own: unknown, workspace: readonly DisclosureLevel[], report: Report): unknown {
  const user = residencySchema.safeParse(own ?? []);
  if (!user.success) return own;
  let allowed: readonly string[] = user.data;
  for (const { residency } of workspace) {
    const parsed = residencySchema.safeParse(residency ?? []);
    if (!parsed.success) {
      report(
        DISCLOSURE_SETTINGS.residency,
        'expected a list of places in the workspace; nothing is sent until it is mended',
      );
      return [NOWHERE];
    }
    if (parsed.data.length === 0) continue;
    const narrowed = allowed.length === 0 ? parsed.data : allowed.filter((tag) => parsed.data.includes(tag));
    if (narrowed.length === 0) {
      const both = `you allow ${allowed.join(', ')} and the workspace ${parsed.data.join(', ')}`;
      report(DISCLOSURE_SETTINGS.residency, `${both}; no place is allowed by both, so nothing is sent`);
      return [NOWHERE];
    }
    allowed = narrowed;
  }
  return allowed;
}

function scrubOf(levels: readonly DisclosureLevel[], report: Report): boolean {
  let scrubs = false;
  for (const { scrubSecrets } of levels) {
    if (isSet(scrubSecrets) && typeof scrubSecrets !== 'boolean')
      report(DISCLOSURE_SETTINGS.scrubSecrets, 'expected true or false; secrets are taken out until it is mended');
    scrubs ||= isSet(scrubSecrets) && scrubSecrets !== false;
  }
  return scrubs;
}
