// What a check says of a result: never only passed or failed, but reasons that name test, file, line and message, so that the
// next try has evidence and a person can judge (HFR document 4.6). Here is also when a rejection is the same one again and
// when it brings new evidence. It runs nothing and accepts nothing: acceptance is its neighbour's.
import type { CheckLevel } from '../events.ts';

/** Version of the rules by which reasons are compared and bounded; part of every result. */
export const checksVersion = '1';

/** `not-run`: the check is required and could not be run, which is never a pass. */
export type ReasonKind = 'test' | 'type' | 'lint' | 'exit' | 'field' | 'transport' | 'not-run';

/** One reason for which a result is rejected. */
export interface CheckReason {
  readonly kind: ReasonKind;
  /** Name of the test, code of the compiler (TS2322), rule of the linter, field, or command. */
  readonly name: string;
  /** Relative to the workspace where it lies in it; null: no file is meant. */
  readonly file: string | null;
  /** From 1; null: not known. */
  readonly line: number | null;
  readonly message: string;
}

/** What one verifier says. */
export interface CheckResult {
  readonly check: CheckLevel;
  /** Who checked, e.g. `tests: npm test`. */
  readonly verifier: string;
  /** Version of the verifier and of the rules by which its output is read. */
  readonly version: string;
  readonly passed: boolean;
  /** Share of what was checked that holds, 0-1; null: the verifier tells no share. */
  readonly quality: number | null;
  /** Empty exactly where it passed. */
  readonly reasons: readonly CheckReason[];
  /** One line for a person and the audit. */
  readonly evidence: string;
  readonly durationMs: number;
}

const MAX_REASONS = 20;
const MAX_NAME_CHARS = 200;
const MAX_MESSAGE_CHARS = 500;

/** At most 20 reasons with bounded texts, secrets masked by `redact`; the last one says how many more there are. */
export function boundedReasons(
  reasons: readonly CheckReason[],
  redact: (text: string) => string,
): readonly CheckReason[] {
  const shown = reasons.length > MAX_REASONS ? reasons.slice(0, MAX_REASONS - 1) : reasons;
  const bounded = shown.map(({ kind, name, file, line, message }) => ({
    kind,
    name: cut(redact(name), MAX_NAME_CHARS),
    file: file === null ? null : cut(redact(file), MAX_NAME_CHARS),
    line,
    message: cut(redact(message), MAX_MESSAGE_CHARS),
  }));
  const more = reasons.length - shown.length;
  const [first] = reasons;
  if (more === 0 || !first) return bounded;
  return [...bounded, { kind: first.kind, name: 'more', file: null, line: null, message: `${more} more reasons` }];
}

/** One reason in a line: `test "adds" (src/a.ts:3): expected 200, got 500`. */
export function reasonText({ kind, name, file, line, message }: CheckReason): string {
  const place = file === null ? '' : ` (${line === null ? file : `${file}:${line}`})`;
  const said = message === '' ? '' : `: ${message}`;
  return `${kind === 'test' ? `test "${name}"` : `${kind} ${name}`}${place}${said}`;
}

/** What rejections of one task have said so far. */
export interface RejectionMemory {
  /** Every reason that was ever given, normalised. */
  readonly seen: readonly string[];
  /** Those of the last rejection, with how often each. */
  readonly last: readonly string[];
  /** Fewest reasons that a rejection had. */
  readonly least: number;
}

/** Nothing was rejected yet. */
export const noRejections: RejectionMemory = { seen: [], last: [], least: Number.MAX_SAFE_INTEGER };

/** A rejection beside what was known before it. */
export interface RejectionVerdict {
  /** It says exactly what the last one said (HFR 4.3: then the strategy has to change). */
  readonly isSame: boolean;
  /**
   * It says something that no earlier one said, or fewer things than any (4.6, has_new_evidence). Both can happen only finitely
   * often for finitely many reasons, so that retries which ask for new evidence come to an end.
   */
  readonly hasNewEvidence: boolean;
  readonly memory: RejectionMemory;
}

const MAX_SEEN = 500;

/** Compares a rejection with the earlier ones. Reasons are compared without times, addresses, lines and the like. */
export function judgeRejection(before: RejectionMemory, reasons: readonly CheckReason[]): RejectionVerdict {
  const keys = reasons.map(normalReason).sort();
  const seen = new Set(before.seen);
  const fresh = [...new Set(keys)].filter((key) => !seen.has(key));
  const isSame = before.last.length === keys.length && keys.every((key, index) => key === before.last[index]);
  return {
    isSame: isSame && before.least < Number.MAX_SAFE_INTEGER,
    hasNewEvidence: fresh.length > 0 || keys.length < before.least,
    memory: {
      seen: [...before.seen, ...fresh].slice(-MAX_SEEN),
      last: keys,
      least: Math.min(before.least, keys.length),
    },
  };
}

/** True where two rejections give the same reasons, whatever their times, lines and order. */
export function isSameRejection(before: readonly CheckReason[], now: readonly CheckReason[]): boolean {
  return judgeRejection(judgeRejection(noRejections, before).memory, now).isSame;
}

/** Text of a memory, for a checkpoint. */
export function rejectionText(memory: RejectionMemory): string {
  return JSON.stringify([memory.seen, memory.last, memory.least]);
}

/** The memory of a saved text; a text of another form counts as one reason that was seen. */
export function readRejections(text: string | null): RejectionMemory {
  if (text === null) return noRejections;
  try {
    const read: unknown = JSON.parse(text);
    const [seen, last, least] = Array.isArray(read) ? (read as readonly unknown[]) : [];
    if (isTexts(seen) && isTexts(last) && typeof least === 'number') return { seen, last, least };
  } catch {
    // An older text: the one reason that was given.
  }
  return { seen: [text], last: [text], least: 1 };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Noise in messages, by shape. Plain numbers stay: "expected 200, got 500" and "got 404" are two reasons. */
const NOISE: readonly (readonly [shape: RegExp, instead: string])[] = [
  // eslint-disable-next-line no-control-regex -- colours of a terminal
  [/\u001b\[[0-9;]{0,20}[A-Za-z]/g, ''],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b\d{1,12}(?:\.\d{1,12})?\s?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?)\b/g, '<time>'],
  [/\b0x[0-9a-f]{1,16}\b/gi, '<address>'],
  [/\b[0-9a-f]{16,128}\b/gi, '<hash>'],
  [/(?:\/private)?\/(?:tmp|var\/folders)\/[^\s'"():]{1,200}/g, '<temporary>'],
  [/\b((?:127\.0\.0\.1|localhost|\[::1\]):)\d{2,5}\b/g, '$1<port>'],
  [/\b(pid|process|thread)([ :=]{1,2})\d{1,9}\b/gi, '$1$2<number>'],
  [/(?<=[\w)\]]):\d{1,7}(?::\d{1,7})?(?=$|[\s),:;'"])/g, ':<line>'],
  [/\b(lines?|Ln) \d{1,7}\b/gi, '$1 <line>'],
  [/\s+/g, ' '],
];

/** A reason by what it says: equal for the same failure seen twice. The line is left out: an edit above it moves it. */
export function normalReason({ kind, name, file, message }: CheckReason): string {
  return [kind, file ?? '', withoutNoise(name), withoutNoise(message)].join(' | ');
}

function withoutNoise(text: string): string {
  return NOISE.reduce((quiet, [shape, instead]) => quiet.replace(shape, instead), text).trim();
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;
}
