// The panel's words: what the codes mean to a person, and the translation of every text. The code always stands beside
// the word for those who learn it.
import type { EffectLevel, EntryState, FaultClass, LaunchReason, RecoveryAction, Rung } from '../src/protocol.ts';

let translations: Readonly<Record<string, string>> = {};

/** Takes the user's language; called once, before the first snapshot is drawn. */
export function useWords(words: Readonly<Record<string, string>>): void {
  translations = words;
}

/** An English text in the user's language, with {0}, {1}, ... filled in. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  return (translations[text] ?? text).replace(/\{(\d+)\}/g, (whole, index: string) =>
    String(args[Number(index)] ?? whole),
  );
}

/** A fault class in words. */
export function faultWords(fault: FaultClass): string {
  const words: Readonly<Record<FaultClass, string>> = {
    T1: t('passing trouble'),
    T2: t('rate limit'),
    T3: t('timeout, result unknown'),
    T4: t('overloaded'),
    T5: t('bad tool call'),
    T6: t('context too long'),
    T7: t('permanent error'),
    T8: t('refused'),
    V1: t('wrong answer'),
    unknown: t('unknown trouble'),
  };
  return words[fault];
}

/** What a recovery action does, in words. */
export function actionWords(action: RecoveryAction | 'ACCEPT'): string {
  const words: Readonly<Record<RecoveryAction | 'ACCEPT', string>> = {
    RETRY: t('tried again'),
    RECONCILE: t('asked whether it happened'),
    COMPRESS: t('shortened the context'),
    DEGRADE_MODEL: t('took another model'),
    DEGRADE_TOOL: t('took another tool'),
    DEGRADE_SCOPE: t('did a smaller part'),
    REPLAN: t('planned anew'),
    ESCALATE: t('asked a person'),
    FAIL: t('gave up'),
    ACCEPT: t('accepted'),
  };
  return words[action];
}

/** A ledger state in words. */
export function stateWords(state: EntryState): string {
  const words: Readonly<Record<EntryState, string>> = {
    PREPARED: t('about to run'),
    COMMITTED: t('done'),
    FAILED: t('failed, nothing done'),
    UNKNOWN: t('result unknown'),
    RECONCILED_COMMITTED: t('found done'),
    RECONCILED_ABSENT: t('found not done'),
    COMPENSATED: t('undone'),
  };
  return words[state];
}

/** A side-effect level in words. */
export function levelWords(level: EffectLevel): string {
  const words: Readonly<Record<EffectLevel, string>> = {
    R0: t('only reads'),
    R1: t('safe to repeat'),
    R2: t('can be checked'),
    R3: t('cannot be undone'),
  };
  return words[level];
}

/** A rung of the degradation ladder in words. */
export function rungWords(rung: Rung): string {
  const words: Readonly<Record<Rung, string>> = {
    L0: t('as asked'),
    L1: t('shorter context'),
    L2: t('substitute'),
    L3: t('smaller model or scope'),
    L4: t('partial result'),
  };
  return words[rung];
}

/** Why an attempt was started, in words. */
export function reasonWords(reason: LaunchReason): string {
  const words: Readonly<Record<LaunchReason, string>> = {
    first: t('first choice'),
    parallel: t('started together'),
    hedge: t('hedge'),
    failover: t('failover'),
    retry: t('retry'),
  };
  return words[reason];
}

const launchReasons: ReadonlySet<string> = new Set<LaunchReason>(['first', 'parallel', 'hedge', 'failover', 'retry']);
const faultClasses: ReadonlySet<string> = new Set<FaultClass>([
  'T1',
  'T2',
  'T3',
  'T4',
  'T5',
  'T6',
  'T7',
  'T8',
  'V1',
  'unknown',
]);

/** A lane's note, which is a launch reason or a fault class, in words; anything else as it is. */
export function noteWords(note: string): string {
  if (isLaunchReason(note)) return reasonWords(note);
  return isFaultClass(note) ? withCode(faultWords(note), note) : note;
}

/** `overloaded (T4)`; a code that says nothing more than the word is left out. */
export function withCode(words: string, code: string): string {
  return code === 'unknown' ? words : `${words} (${code})`;
}

const isLaunchReason = (note: string): note is LaunchReason => launchReasons.has(note);
const isFaultClass = (note: string): note is FaultClass => faultClasses.has(note);
