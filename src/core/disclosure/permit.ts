// May this candidate see the user's code in a call of this role (DESIGN 16)? Residency first, then deny > ask > allow, and
// what no rule names is a question for a person, whose answers are handed in. Pure and total; it asks nobody itself.
// The role is the one that the caller told: a client may name any. A rule by role therefore sorts calls, it keeps no client
// out; what nobody may send is denied for every role.
import type { Candidate } from '../candidate.ts';
import type { Role } from '../chat.ts';
import { residencyOf } from '../providers/residency.ts';
import type { DisclosureRuleSettings } from '../settingsDisclosure.ts';
import { matchesGenerously, matchesStrictly } from './match.ts';
import { isOwnPlace, residencyTagOf } from './place.ts';

/** What a person is asked about and an answer is remembered for. */
export interface DisclosureScope {
  readonly vendor: string;
  readonly region: string;
  /** Tag of the place where data is processed; null: not known for sure. Another place is another question. */
  readonly residency: string | null;
  readonly role: Role;
}

/** Answers of the person by `scopeKey`. */
export interface RememberedAnswers {
  get(key: string): 'allow' | 'deny' | undefined;
}

/** The verdict. `reason` names the setting or the answer that decided, for a person. */
export type Permission =
  | { readonly status: 'allowed'; readonly reason: string }
  | { readonly status: 'ask'; readonly reason: string; readonly scope: DisclosureScope }
  | { readonly status: 'denied'; readonly reason: string };

/** The settings of disclosure as `permit` needs them. */
export interface DisclosureSettings {
  readonly disclosureRules: readonly DisclosureRuleSettings[];
  /** Allowed residency tags in lower case; empty: anywhere. */
  readonly residency: readonly string[];
}

/** What of a candidate decides. */
export type Disclosed = Pick<
  Candidate,
  'baseUrl' | 'domains' | 'family' | 'kind' | 'providerId' | 'region' | 'residency'
>;

/** Text that is equal for equal scopes only. */
export function scopeKey({ vendor, region, residency, role }: DisclosureScope): string {
  return JSON.stringify([vendor, region, residency, role]);
}

/** The scope a candidate belongs to in a call of `role`. */
export function scopeOf(candidate: Disclosed, role: Role): DisclosureScope {
  const { domains, region } = candidate;
  return { vendor: domains.vendor, region, residency: residencyTagOf(candidate), role };
}

/**
 * The verdict on one candidate. The user's own machine needs no question and passes every residency rule, but obeys deny.
 * Answers count only where no rule decides or a rule says ask.
 */
export function permit(
  candidate: Disclosed,
  role: Role,
  { disclosureRules, residency }: DisclosureSettings,
  answers: RememberedAnswers,
): Permission {
  const isOwn = isOwnPlace(candidate);
  const tag = residencyTagOf(candidate);
  if (residency.length > 0 && !isOwn && (tag === null || !residency.includes(tag)))
    return { status: 'denied', reason: residencyReason(candidate, tag, residency) };
  const deny = ruleThatStops(disclosureRules, 'deny', candidate, role);
  if (deny) return { status: 'denied', reason: `belay.disclosure.rules denies ${ruleText(deny)}` };
  if (isOwn) return { status: 'allowed', reason: 'it runs on this machine' };
  const ask = ruleThatStops(disclosureRules, 'ask', candidate, role);
  if (!ask) {
    const allow = disclosureRules.find((rule) => rule.verdict === 'allow' && allows(rule, candidate, role));
    if (allow) return { status: 'allowed', reason: `belay.disclosure.rules allows ${ruleText(allow)}` };
  }
  const scope = scopeOf(candidate, role);
  const answer = answers.get(scopeKey(scope));
  if (answer === 'allow') return { status: 'allowed', reason: 'you allowed it when asked' };
  if (answer === 'deny') return { status: 'denied', reason: 'you denied it when asked in this session' };
  const reason = ask
    ? `belay.disclosure.rules asks about ${ruleText(ask)}`
    : 'no rule of belay.disclosure.rules allows it';
  return { status: 'ask', reason, scope };
}

function ruleThatStops(
  rules: readonly DisclosureRuleSettings[],
  verdict: 'ask' | 'deny',
  candidate: Disclosed,
  role: Role,
): DisclosureRuleSettings | undefined {
  return rules.find(
    (rule) =>
      rule.verdict === verdict &&
      names(rule.vendor, candidate.domains.vendor, candidate.providerId, matchesGenerously) &&
      regionNames(candidate).some((name) => matchesGenerously(rule.region, name)) &&
      matchesGenerously(rule.role, role),
  );
}

function allows(rule: DisclosureRuleSettings, candidate: Disclosed, role: Role): boolean {
  return (
    names(rule.vendor, candidate.domains.vendor, candidate.providerId, matchesStrictly) &&
    (rule.region === '*' || confirmedNames(candidate).some((name) => matchesStrictly(rule.region, name))) &&
    matchesStrictly(rule.role, role)
  );
}

/** What a rule that stops may mean by a region: its name, the place where data is processed, and the place its name promises. */
function regionNames(candidate: Disclosed): readonly string[] {
  const tags = [residencyTagOf(candidate), residencyOf(candidate.region)];
  return [candidate.region, ...tags.filter((tag) => tag !== null)];
}

/**
 * What a rule that allows may mean: the place, and the name unless that promises a place where data is not surely processed
 * (a worldwide profile in eu-central-1).
 */
function confirmedNames(candidate: Disclosed): readonly string[] {
  const tag = residencyTagOf(candidate);
  const promised = residencyOf(candidate.region);
  return [...(promised === null || promised === tag ? [candidate.region] : []), ...(tag === null ? [] : [tag])];
}

/** A condition may name the one or the other. */
function names(pattern: string, one: string, other: string, matches: typeof matchesStrictly): boolean {
  return matches(pattern, one) || matches(pattern, other);
}

function ruleText({ vendor, region, role }: DisclosureRuleSettings): string {
  const parts = [
    ...(vendor === '*' ? [] : [`vendor ${vendor}`]),
    ...(region === '*' ? [] : [`region ${region}`]),
    ...(role === '*' ? [] : [`role ${role}`]),
  ];
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

function residencyReason({ region }: Disclosed, tag: string | null, residency: readonly string[]): string {
  const where = tag === null ? `nobody knows for sure where ${region} is` : `${region} is in ${tag}`;
  return `belay.disclosure.residency allows ${residency.join(', ')} only, and ${where}`;
}
