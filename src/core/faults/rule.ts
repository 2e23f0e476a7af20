// What a rule is: a row of data that says which signals make which class. All conditions that a row names must hold.
// A rule that rests on prose may only make a verdict more careful than the structure would; see decide.ts.
import type { Fact } from './facts.ts';
import type { Family } from './family.ts';
import { isAscii } from './foldText.ts';
import { findHints, indexHints } from './hints.ts';
import type { HintIndex } from './hints.ts';
import type { FaultClass, Operation, PermanentDetail } from './fault.ts';
import type { Signals } from './signals.ts';

/**
 * How much a rule knows. `decisive`: what it says about safety outranks all else (a write whose result is unknown).
 * `specific`: it knows the cause. `generic`: it knows only the status or the kind of error.
 */
export type Tier = 'decisive' | 'specific' | 'generic';

export interface Rule {
  /** `family.what`; appears in the evidence. */
  readonly id: string;
  readonly class: FaultClass;
  /** 0-1: how sure the class is when the rule matches. */
  readonly confidence: number;
  readonly tier?: Tier;
  /** Only for T7. */
  readonly detail?: PermanentDetail;
  readonly secondary?: FaultClass;
  readonly families?: readonly Family[];
  readonly exceptFamilies?: readonly Family[];
  /** Any of these HTTP statuses. */
  readonly statuses?: readonly number[];
  /** Any of these code words, in lower case. */
  readonly tokens?: readonly string[];
  /** The rule holds only where none of these words is in the structure. */
  readonly exceptTokens?: readonly string[];
  readonly exceptStatuses?: readonly number[];
  readonly exceptFacts?: readonly Fact[];
  /** What a code word that is in no table may contain, so that a vendor's own compound of known words is understood. */
  readonly stem?: RegExp;
  /** Words in the prose: one of the hints must occur (a cheap test) and then the pattern must match. Lower case. */
  readonly hints?: readonly string[];
  readonly pattern?: RegExp;
  /** The pattern matches only a message that is this sentence as a whole, so that nobody else's words are in it. */
  readonly isWholeMessage?: true;
  readonly finishes?: readonly string[];
  readonly facts?: readonly Fact[];
  readonly operations?: readonly Operation[];
}

/** A rule that matched, and whether it rests on prose alone. */
export interface Claim {
  readonly rule: Rule;
  readonly isFromProse: boolean;
  /** The signal that matched, from the rule's own words: never text of the observation. */
  readonly signal: string;
}

/** Rules arranged for look-up, so that a classification touches only the rows that may match. */
export interface RuleIndex {
  readonly byToken: ReadonlyMap<string, readonly Rule[]>;
  readonly byStatus: ReadonlyMap<number, readonly Rule[]>;
  readonly byFinish: ReadonlyMap<string, readonly Rule[]>;
  readonly byFact: ReadonlyMap<Fact, readonly Rule[]>;
  readonly byHint: HintIndex<Phrase>;
  /** Hints in other scripts; looked for only where the prose has such letters. */
  readonly byForeignHint: HintIndex<readonly Rule[]>;
  readonly stems: readonly (readonly [stem: RegExp, rule: Rule])[];
  /** Words already compared with the stems; providers use few. */
  readonly remembered: Map<string, readonly Rule[]>;
}

/** A phrase to look for in prose: the hint of a pattern, or a code word that must stand alone. */
interface Phrase {
  readonly rules: readonly Rule[];
  readonly word: string | null;
}

// Code words that are so by their form, and so are looked for in prose too: snake_case, ThisException, ECONNRESET, -32601.
const CODE_WORD =
  /_|(?:exception|error)$|^e(?:conn[a-z]+|[a-z]*timedout|ai_again|notfound|pipe|hostunreach|netunreach|acces|perm)$|^-3[12]\d{3}$/;

/** Arranges tables of rules. Each rule is found by the most telling thing it names. */
export function indexRules(rules: readonly Rule[]): RuleIndex {
  const byToken = new Map<string, Rule[]>();
  const byStatus = new Map<number, Rule[]>();
  const byFinish = new Map<string, Rule[]>();
  const byFact = new Map<Fact, Rule[]>();
  const byHint = new Map<string, Rule[]>();
  const stems: (readonly [RegExp, Rule])[] = [];
  for (const rule of rules) {
    if (rule.stem !== undefined) stems.push([rule.stem, rule]);
    else if (rule.tokens !== undefined) addEach(byToken, rule.tokens, rule);
    else if (rule.hints !== undefined) addEach(byHint, rule.hints, rule);
    else if (rule.finishes !== undefined) addEach(byFinish, rule.finishes, rule);
    else if (rule.facts !== undefined) addEach(byFact, rule.facts.slice(0, 1), rule);
    else addEach(byStatus, rule.statuses ?? [], rule);
  }
  const hints = [...byHint];
  return {
    byToken,
    byStatus,
    byFinish,
    byFact,
    byHint: indexHints<Phrase>([
      ...hints.filter(([hint]) => isAscii(hint)).map(([hint, row]) => [hint, { rules: row, word: null }] as const),
      ...[...byToken]
        .filter(([token]) => CODE_WORD.test(token))
        .map(([token, row]) => [token, { rules: row, word: token }] as const),
    ]),
    byForeignHint: indexHints(
      hints.filter(([hint]) => !isAscii(hint)),
      2,
    ),
    stems,
    remembered: new Map(),
  };
}

function addEach<Key>(index: Map<Key, Rule[]>, keys: readonly Key[], rule: Rule): void {
  for (const key of keys) {
    const row = index.get(key);
    if (row === undefined) index.set(key, [rule]);
    else row.push(rule);
  }
}

/** Every rule that the signals fulfil; a rule is named once, with the strongest signal first. */
export function matchRules(index: RuleIndex, signals: Signals): readonly Claim[] {
  const claims: Claim[] = [];
  const seen = new Set<Rule>();
  const claim = (
    rules: readonly Rule[] | undefined,
    kind: string,
    word: string | number,
    isFromProse: boolean,
  ): void => {
    if (rules === undefined) return;
    for (const rule of rules) {
      if (seen.has(rule)) continue;
      const isMatch = holds(rule, signals, typeof word === 'number');
      // A pattern that does not match at one hint will not match at another.
      if (isMatch || rule.pattern !== undefined) seen.add(rule);
      if (isMatch)
        claims.push({ rule, isFromProse: isFromProse || rule.pattern !== undefined, signal: `${kind} ${word}` });
    }
  };
  for (const fact of signals.facts) claim(index.byFact.get(fact), 'fact', fact, false);
  const claimWord = (
    known: ReadonlyMap<string, readonly Rule[]>,
    kind: string,
    word: string,
    isQuoted: boolean,
  ): void => {
    const exact = known.get(word);
    if (exact !== undefined) claim(exact, kind, word, isQuoted);
    else claim(rulesByStem(index, word), `compound ${kind}`, '', true);
  };
  if (signals.finish !== null) claimWord(index.byFinish, 'finish', signals.finish, false);
  for (const token of signals.tokens) claimWord(index.byToken, 'code', token, false);
  if (signals.status !== null) claim(index.byStatus.get(signals.status), 'status', signals.status, false);
  for (const status of signals.innerStatuses) claim(index.byStatus.get(status), 'inner status', status, false);
  for (const token of signals.quotedTokens) claimWord(index.byToken, 'quoted code', token, true);
  if (signals.text !== '') matchProse(index, signals.text, claim);
  for (const status of signals.quotedStatuses) claim(index.byStatus.get(status), 'told status', status, true);
  return claims;
}

type AddClaim = (rules: readonly Rule[], kind: string, word: string, isFromProse: boolean) => void;

function matchProse(index: RuleIndex, text: string, claim: AddClaim): void {
  findHints(index.byHint, text, ({ rules, word }, at) => {
    if (word === null) claim(rules, 'wording', '', true);
    else if (standsAlone(text, at, word.length)) claim(rules, 'told code', word, true);
  });
  if (isAscii(text)) return;
  findHints(index.byForeignHint, text, (rules) => {
    claim(rules, 'wording', '', true);
  });
}

// A word of one piece and a sensible length; anything else is a sentence, an id or padding.
const CODE_FORM = /^[a-z][a-z0-9_.:-]{4,59}$/;

/** The rules whose stem the unknown code word contains. */
function rulesByStem({ stems, remembered }: RuleIndex, word: string): readonly Rule[] {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (!CODE_FORM.test(word)) return [];
  const rules = stems.filter(([stem]) => stem.test(word)).map(([, rule]) => rule);
  if (remembered.size < 2000) remembered.set(word, rules);
  return rules;
}

function standsAlone(text: string, at: number, chars: number): boolean {
  return !isWordChar(text.charCodeAt(at - 1)) && !isWordChar(text.charCodeAt(at + chars));
}

// Outside of the text the code is NaN, which is no letter, digit or underscore.
function isWordChar(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95;
}

function holds(rule: Rule, signals: Signals, isByStatus: boolean): boolean {
  return (
    (rule.operations?.includes(signals.operation) ?? true) &&
    (rule.families?.includes(signals.family) ?? true) &&
    !(rule.exceptFamilies?.includes(signals.family) ?? false) &&
    (rule.facts?.every((fact) => signals.facts.has(fact)) ?? true) &&
    !(rule.exceptFacts?.some((fact) => signals.facts.has(fact)) ?? false) &&
    !(rule.exceptTokens?.some((token) => signals.tokens.has(token)) ?? false) &&
    !(rule.exceptStatuses?.some((status) => signals.status === status || signals.innerStatuses.has(status)) ?? false) &&
    (rule.statuses === undefined || isByStatus || hasStatus(rule.statuses, signals)) &&
    (rule.pattern?.test(signals.text) ?? true)
  );
}

function hasStatus(statuses: readonly number[], signals: Signals): boolean {
  return (
    (signals.status !== null && statuses.includes(signals.status)) ||
    statuses.some((status) => signals.innerStatuses.has(status))
  );
}
