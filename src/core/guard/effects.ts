// The kinds of effect the guard can name, and the collector that one assessment fills.
// The level is the highest one noted; nothing can lower it again. Bounded, so that hostile text cannot grow the answer.
import type { EffectLevel } from '../ledger/entry.ts';
import type { Assessment, Effect } from './assessment.ts';

/** Every `kind` the guard writes into an {@link Effect}. */
export type EffectKind =
  | 'read-file'
  | 'read-secret'
  | 'read-system'
  | 'read-service'
  | 'write-file'
  | 'append-file'
  | 'delete-file'
  | 'outside-workspace'
  | 'run-program'
  | 'run-project-task'
  | 'run-script'
  | 'run-hidden-text'
  | 'unknown-program'
  | 'read-repository'
  | 'change-repository'
  | 'rewrite-history'
  | 'install-packages'
  | 'network-read'
  | 'network-write'
  | 'publish'
  | 'change-database'
  | 'change-service'
  | 'change-system'
  | 'change-environment'
  | 'signal-process'
  | 'secret-to-network'
  | 'not-understood';

/** One thing the guard noticed: how bad, why, and what it touches. */
export interface Note {
  readonly level: EffectLevel;
  readonly reason: string;
  readonly kind?: EffectKind;
  readonly target?: string;
  /** Id of the rule that fired, for `checkRules`. */
  readonly rule?: string;
}

/** What one assessment has noticed so far. */
export interface Findings {
  level: EffectLevel;
  understood: boolean;
  readonly reasons: Map<string, EffectLevel>;
  readonly effects: Map<string, Effect>;
  readonly rules: Set<string>;
  /** Paths written with content of the command's choosing, and how many writes there were at all. */
  readonly written: Set<string>;
  writes: number;
  /** Links made; a write in the same text may go through one. */
  links: number;
  /** Project code that runs; `isLate` where it may run after what follows it in the text. */
  readonly runs: { readonly path: string | undefined; readonly isLate: boolean }[];
}

const MAX_REASONS = 40;
const MAX_EFFECTS = 200;
const MAX_TARGET_CHARS = 200;

/** An empty collector at level R0. */
export function emptyFindings(): Findings {
  return {
    level: 'R0',
    understood: true,
    reasons: new Map(),
    effects: new Map(),
    rules: new Set(),
    written: new Set(),
    writes: 0,
    links: 0,
    runs: [],
  };
}

/** The higher of two levels. */
export function higher(a: EffectLevel, b: EffectLevel): EffectLevel {
  return a < b ? b : a;
}

/** Adds a note. A full list of reasons or effects drops the new text, never the level. */
export function note(findings: Findings, added: Note): void {
  findings.level = higher(findings.level, added.level);
  if (added.rule !== undefined) findings.rules.add(added.rule);
  const known = findings.reasons.get(added.reason);
  if (known !== undefined || findings.reasons.size < MAX_REASONS || added.level === 'R3') {
    if (known === undefined || known < added.level) findings.reasons.set(added.reason, added.level);
  }
  if (added.kind !== undefined) addEffect(findings, added.kind, added.target);
}

/** Records an effect without a reason or level of its own. */
export function addEffect(findings: Findings, kind: EffectKind, target?: string): void {
  const shown =
    target === undefined
      ? undefined
      : target.length > MAX_TARGET_CHARS
        ? `${target.slice(0, MAX_TARGET_CHARS).toWellFormed()}...`
        : target;
  const key = `${kind} ${shown ?? ''}`;
  if (findings.effects.has(key)) return;
  if (findings.effects.size >= MAX_EFFECTS) {
    if (findings.effects.has('not-understood ')) return;
    findings.effects.set('not-understood ', { kind: 'not-understood' });
    note(findings, { level: 'R3', reason: 'the command does more things than the guard lists' });
    return;
  }
  findings.effects.set(key, shown === undefined ? { kind } : { kind, target: shown });
}

/** The text cannot be understood completely: R3 and parsed false. */
export function notUnderstood(findings: Findings, reason: string): void {
  findings.understood = false;
  note(findings, { level: 'R3', reason, kind: 'not-understood' });
}

/** The answer: reasons most severe first, in the order they were found within one level. */
export function toAssessment(findings: Findings): Assessment {
  const reasons = [...findings.reasons]
    .sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1))
    .map(([reason]) => reason);
  return {
    level: findings.understood ? findings.level : 'R3',
    reasons: reasons.slice(0, MAX_REASONS),
    effects: [...findings.effects.values()],
    parsed: findings.understood,
  };
}
