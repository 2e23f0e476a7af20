// From an assessment to a verdict. The mode gives a default by level; admin over user rules may change it; workspace rules may
// only tighten; deny wins everywhere; and a floor that nothing lifts: R3 that is not contained in the workspace, text that is not
// understood, and secrets that could reach the network are asked about at least. The order of rules never matters.
import type { Assessment } from './assessment.ts';
import type { EffectKind } from './effects.ts';
import type { EffectLevel } from '../ledger/entry.ts';
import type { Mode, Policy, PolicyRule, RuleMatch, RuleTier, Verdict } from './policy.ts';

/** A verdict with the rule that made it and what to tell a person. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Id of the deciding rule, `mode <name>`, `floor`, or `broken rule <id>`. */
  readonly rule: string;
  readonly reasons: readonly string[];
}

const DEFAULTS: Readonly<Record<Mode, Readonly<Record<EffectLevel, Verdict>>>> = {
  careful: { R0: 'allow', R1: 'ask', R2: 'ask', R3: 'ask' },
  balanced: { R0: 'allow', R1: 'allow', R2: 'ask', R3: 'ask' },
  autonomous: { R0: 'allow', R1: 'allow', R2: 'allow', R3: 'ask' },
};

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

// Effects that leave an R3 inside the workspace, where a before-image can undo it. Any other kind puts it on the floor.
const CONTAINED: ReadonlySet<string> = new Set<EffectKind>([
  'read-file',
  'read-secret',
  'read-system',
  'read-service',
  'read-repository',
  'write-file',
  'append-file',
  'delete-file',
  'run-program',
  'run-project-task',
]);

/** Judges an assessment. `command` is the exact text, for rules that name one. */
export function judge(assessment: Assessment, policy: Policy, command?: string): Judgement {
  let decided = byMode(assessment, policy.mode);
  const matching = policy.rules.filter((rule) => applies(rule, assessment, command));
  for (const tier of ['admin', 'user'] as const) {
    const strictest = strictestOf(matching, tier);
    if (strictest === undefined) continue;
    decided = fromRule(strictest);
    break;
  }
  for (const rule of strictestFirst(matching)) {
    if (rule.verdict === 'deny' || rule.tier === 'workspace') decided = stricter(decided, fromRule(rule));
  }
  for (const broken of [...policy.problems].sort(
    (a, b) => compare(a.id, b.id) || compare(a.problem, b.problem) || compare(a.tier, b.tier),
  )) {
    if (broken.id === 'mode' || (broken.match !== undefined && !touches(broken.match, assessment, command))) continue;
    decided = stricter(decided, {
      verdict: 'ask',
      rule: `broken rule ${broken.id}`,
      reasons: [`the ${broken.tier} rule "${broken.id}" cannot be read (${broken.problem}); correct or remove it`],
    });
  }
  const floor = floorReason(assessment);
  if (floor !== undefined) decided = stricter(decided, { verdict: 'ask', rule: 'floor', reasons: [floor] });
  return { ...decided, reasons: [...decided.reasons, ...assessment.reasons] };
}

function byMode(assessment: Assessment, mode: Mode): Judgement {
  const verdict = DEFAULTS[mode][assessment.level];
  const secret = mode !== 'autonomous' && assessment.effects.some(({ kind }) => kind === 'read-secret');
  if (secret && verdict === 'allow')
    return { verdict: 'ask', rule: `mode ${mode}`, reasons: ['it reads what may be a secret'] };
  return { verdict, rule: `mode ${mode}`, reasons: [] };
}

/** Why no mode or rule may let it run unasked; undefined where one may. */
export function floorReason(assessment: Assessment): string | undefined {
  if (!assessment.parsed) return 'the text is not understood completely, so a person must decide';
  if (assessment.effects.some(({ kind }) => kind === 'secret-to-network'))
    return 'a secret could leave this machine, so a person must decide';
  if (assessment.level !== 'R3') return undefined;
  const contained =
    assessment.effects.every(({ kind }) => CONTAINED.has(kind)) && assessment.effects.every(hasKnownTarget);
  return contained
    ? undefined
    : 'it cannot be taken back and reaches beyond the workspace, or may, so a person must decide';
}

/** A deletion is contained only where the guard could say what it deletes. */
function hasKnownTarget(effect: { readonly kind: string; readonly target?: string }): boolean {
  return effect.kind !== 'delete-file' || effect.target !== undefined;
}

function applies(rule: PolicyRule, assessment: Assessment, command: string | undefined): boolean {
  if (rule.verdict !== 'allow') return touches(rule.match, assessment, command);
  return covers(rule.match, assessment, command);
}

/** True where some part of the command is what the rule names: enough to ask or deny. */
function touches(match: RuleMatch, assessment: Assessment, command: string | undefined): boolean {
  if ('command' in match) return match.command === command;
  return programs(assessment).some((title) => names(match, title));
}

/** True where all of the command is what the rule names: needed to allow. */
function covers(match: RuleMatch, assessment: Assessment, command: string | undefined): boolean {
  if ('command' in match) return match.command === command;
  const titles = programs(assessment);
  return (
    assessment.parsed &&
    titles.length > 0 &&
    titles.every((title) => names(match, title)) &&
    assessment.effects.every(
      ({ kind }) => kind !== 'run-script' && kind !== 'run-hidden-text' && kind !== 'unknown-program',
    )
  );
}

function programs(assessment: Assessment): readonly string[] {
  return assessment.effects.flatMap(({ kind, target }) =>
    (kind === 'run-program' || kind === 'unknown-program') && target !== undefined ? [target] : [],
  );
}

function names(match: { readonly program: string; readonly subcommand?: string }, title: string): boolean {
  const wanted = match.subcommand === undefined ? match.program : `${match.program} ${match.subcommand}`;
  return title === wanted || title.startsWith(`${wanted} `);
}

function strictestOf(rules: readonly PolicyRule[], tier: RuleTier): PolicyRule | undefined {
  return strictestFirst(rules.filter((rule) => rule.tier === tier))[0];
}

function strictestFirst(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return [...rules].sort(
    (a, b) => STRICTNESS[b.verdict] - STRICTNESS[a.verdict] || compare(a.id, b.id) || compare(a.reason, b.reason),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fromRule(rule: PolicyRule): Judgement {
  return { verdict: rule.verdict, rule: rule.id, reasons: [rule.reason] };
}

function stricter(a: Judgement, b: Judgement): Judgement {
  return STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a;
}
