// Chooses between the claims of the rules: the primary class is the one that decides what is safe (HFR document 4.2), the
// secondary the next different one. Three rules stand above the tables:
// - prose never buys permission. Where status or structure say "do not repeat", a wording may only make it stricter;
// - a body never softens a final status, and never makes a write repeatable: only the status line of a refusal and a
//   connection that never came to be prove that nothing was done (writeSafety.ts);
// - the most careful claim of a tier wins, so that more text can only add care.
import type { Fact } from './facts.ts';
import type { FaultClass, PermanentDetail } from './fault.ts';
import type { Claim, Tier } from './rule.ts';
import type { Family } from './family.ts';
import type { Signals } from './signals.ts';
import { provesNothingDone } from './writeSafety.ts';

/** The class chosen, and the claims it rests on (best first). */
export interface Verdict {
  readonly class: FaultClass;
  readonly secondary: FaultClass | null;
  readonly detail: PermanentDetail | null;
  readonly confidence: number;
  readonly claims: readonly Claim[];
}

const TIER_ORDER: Readonly<Record<Tier, number>> = { decisive: 0, specific: 1, generic: 2 };
const CAREFUL_FIRST: readonly FaultClass[] = ['T8', 'T7', 'T6', 'T5', 'V1', 'T4', 'T2', 'T3', 'T1', 'unknown'];
// A request that is merely wrong yields to the rules that know what is wrong with it.
const FIXABLE_ORDER = 3.5;
const CLASS_ORDER: ReadonlyMap<FaultClass, number> = new Map(CAREFUL_FIRST.map((name, index) => [name, index]));
const DETAIL_ORDER: Readonly<Record<PermanentDetail, number>> = { quota: 0, permission: 1, fixable: 2 };

/** Classes after which something may be sent again. */
const PERMISSIVE: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4', 'V1']);

/** Picks primary and secondary class; no claim gives `unknown`. */
export function decide(claims: readonly Claim[], signals: Signals): Verdict {
  const allowed = claims.filter((claim) => isAllowed(claim, signals));
  const ranked = allowed.sort((one, other) => compare(one, other, signals));
  const [primary] = ranked;
  if (primary === undefined) return UNKNOWN;
  const secondary = secondaryOf(primary, ranked, signals);
  if (signals.isIncomplete && PERMISSIVE.has(primary.rule.class))
    return { ...UNKNOWN, secondary: primary.rule.class, confidence: 0 };
  return {
    class: primary.rule.class,
    secondary: secondary === primary.rule.class ? null : secondary,
    detail: primary.rule.class === 'T7' ? (primary.rule.detail ?? 'fixable') : null,
    confidence: confidenceOf(primary, ranked, signals),
    claims: ranked,
  };
}

// Words never hide that a write may have happened: T3 stays in sight beside them, and with it the reconciling.
function secondaryOf(primary: Claim, ranked: readonly Claim[], signals: Signals): FaultClass | null {
  const isWriteInDoubt = signals.operation === 'tool_write' && ranked.some(({ rule }) => rule.class === 'T3');
  if (isWriteInDoubt && primary.isFromProse && primary.rule.class !== 'T3') return 'T3';
  return primary.rule.secondary ?? ranked.find(({ rule }) => rule.class !== primary.rule.class)?.rule.class ?? null;
}

const UNKNOWN: Verdict = { class: 'unknown', secondary: null, detail: null, confidence: 0.2, claims: [] };

// Client errors that are no final verdict about the request: 408 timeout, 409 conflict, 423 locked, 424 failed dependency,
// 425 too early, 429 rate limit, 449 retry with, 498 flex tier full (Groq), 460 and 499 client closed.
const SOFT_STATUSES = new Set([408, 409, 423, 424, 425, 429, 449, 460, 498, 499]);
// Nothing under these can mean that the same request may succeed: they are about who asks, not about what is asked.
const FINAL_STATUSES = new Set([401, 402, 403, 407, 451]);
// Dialects that really tell a passing fault under another 4xx: AWS throttles with 400 (JSON protocol), the Chinese vendors
// put their own code into any status, Groq answers a bad generation with 400, LM Studio a crash. Elsewhere such a code is a
// wrapper's guess, or bait. Their rules bear their names.
const DIALECTS_UNDER_4XX: ReadonlySet<Family> = new Set<Family>(['bedrock', 'eastern', 'groq', 'local']);

// Where the headers of the answer itself make a 402 or 403 a passing one.
const TURNED_AWAY_BY_HEADER: ReadonlySet<Fact> = new Set<Fact>(['told-to-come-back', 'in-flight-budget']);

function isAllowed({ rule, isFromProse }: Claim, signals: Signals): boolean {
  // The words on the page of a company's web filter are not a provider's; the page itself is T7.
  if (rule.class === 'T8' && isFromProse && signals.facts.has('network-filter-page')) return false;
  if (!PERMISSIVE.has(rule.class) || rule.tier === 'decisive') return true;
  // A tool that answered wrongly is not asked again (actions.ts), so V1 permits nothing there.
  if (rule.class === 'V1' && signals.operation !== 'model_read') return true;
  if (signals.operation === 'tool_write' && (rule.class === 'T1' || rule.class === 'T2') && !provesNothingDone(signals))
    return false;
  if (rule.facts?.some((fact) => TURNED_AWAY_BY_HEADER.has(fact)) === true) return true;
  const told = toldStatus(signals);
  if (told !== null && FINAL_STATUSES.has(told)) return false;
  if (!isFromProse) return told === null || !isHard(told) || isOwnDialect(rule.id, signals.family);
  if (signals.operation === 'tool_write' && rule.class !== 'T3') return false;
  // Some local servers have no codes: there the message must be the server's own sentence from its first word on.
  if (signals.status === 400 && rule.isWholeMessage === true && isOwnDialect(rule.id, signals.family)) return true;
  if (signals.status !== null && isHard(signals.status)) return false;
  if (signals.status !== null && signals.status >= 400 && signals.status < 500) return true;
  // No status of its own, or a wrapper's: a refusal told anywhere in the structure or the prose holds.
  return ![...signals.innerStatuses, ...signals.quotedStatuses].some(isHard);
}

function isOwnDialect(ruleId: string, family: Family): boolean {
  return DIALECTS_UNDER_4XX.has(family) && ruleId.startsWith(`${family}.`);
}

/** The status that counts: the response's own, or where that says nothing (none, or a success) one told by its structure. */
function toldStatus({ status, innerStatuses }: Signals): number | null {
  if (status !== null && (status < 200 || status >= 300)) return status;
  return [...innerStatuses].find((inner) => FINAL_STATUSES.has(inner)) ?? [...innerStatuses].find(isHard) ?? status;
}

function isHard(status: number): boolean {
  return status >= 400 && status < 500 && !SOFT_STATUSES.has(status);
}

function compare(one: Claim, other: Claim, signals: Signals): number {
  return (
    TIER_ORDER[one.rule.tier ?? 'specific'] - TIER_ORDER[other.rule.tier ?? 'specific'] ||
    classOrder(one, signals) - classOrder(other, signals) ||
    detailOrder(one) - detailOrder(other) ||
    other.rule.confidence - one.rule.confidence ||
    Number(one.isFromProse) - Number(other.isFromProse)
  );
}

// Under 429 the generic word of an error ("invalid request") says less than the status.
function classOrder({ rule }: Claim, signals: Signals): number {
  if (rule.tier === 'generic' && rule.class === 'T2' && signals.status === 429) return -1;
  if (rule.class === 'T7' && rule.detail === 'fixable' && rule.tier !== 'generic') return FIXABLE_ORDER;
  return CLASS_ORDER.get(rule.class) ?? CAREFUL_FIRST.length;
}

function detailOrder({ rule }: Claim): number {
  return rule.detail === undefined ? 0 : DETAIL_ORDER[rule.detail];
}

// Prose without any structure is worth a little less, and so is a verdict that another specific rule contradicts.
function confidenceOf(primary: Claim, ranked: readonly Claim[], signals: Signals): number {
  let confidence = primary.rule.confidence;
  if (primary.isFromProse && signals.status === null && signals.tokens.size === 0) confidence -= 0.05;
  const tier = primary.rule.tier ?? 'specific';
  const isContradicted = ranked.some(
    ({ rule }) =>
      (rule.tier ?? 'specific') === tier && rule.class !== primary.rule.class && rule.class !== primary.rule.secondary,
  );
  if (isContradicted) confidence -= 0.1;
  return Math.round(Math.max(0.05, confidence) * 100) / 100;
}
