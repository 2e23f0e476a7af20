// How long the provider asked us to wait. Sources in order of trust: retry-after-ms, Retry-After (seconds or HTTP date),
// delays in the body (Gemini's retryDelay, resets_in_seconds, ...), delays written in the text, x-ratelimit-reset-*.
// A delay that is negative or not a number is as good as none; one further away than a month counts as a month.
import { parseHttpDate, parseRfc3339 } from './dates.ts';
import { waitInTextMs } from './waitInText.ts';

/** A longer delay (31 days) is taken for this one: too long is never read as none. */
export const LONGEST_DELAY_MS = 31 * 86_400_000;

/** Where a delay may be written. */
export interface DelaySources {
  readonly headers: Readonly<Record<string, unknown>>;
  /** Delay fields met in the body, by lower-case name without separators. */
  readonly bodyDelays: readonly (readonly [name: string, value: string | number])[];
  /** The error's prose in lower case. */
  readonly text: string;
  /** The clock's time; absent: the response's own `date` header, else absolute times cannot be used. */
  readonly nowMs: number | null;
}

/** The wait in ms from now, or null when the provider did not say (or not in a way that can be trusted). */
export function readRetryAfterMs(sources: DelaySources): number | null {
  const headers = sources.headers;
  const nowMs = sources.nowMs ?? parseHttpDate(headerText(headers, 'date'));
  return (
    believable(numberOf(headerText(headers, 'retry-after-ms'))) ??
    believable(numberOf(headerText(headers, 'x-ms-retry-after-ms'))) ??
    believable(retryAfterHeader(headerText(headers, 'retry-after'), nowMs)) ??
    bodyDelay(sources.bodyDelays, nowMs) ??
    believable(waitInTextMs(sources.text, nowMs)) ??
    rateLimitReset(headers, nowMs)
  );
}

/** A longer value of a header is no time. */
const MAX_HEADER_CHARS = 200;

function headerText(headers: Readonly<Record<string, unknown>>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' && value.length <= MAX_HEADER_CHARS ? value : '';
}

function believable(delayMs: number | null): number | null {
  if (delayMs === null || Number.isNaN(delayMs) || delayMs < 0) return null;
  return Math.min(delayMs, LONGEST_DELAY_MS);
}

function numberOf(text: string): number | null {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function retryAfterHeader(text: string, nowMs: number | null): number | null {
  if (text === '') return null;
  const seconds = numberOf(text);
  if (seconds !== null) return Math.round(seconds * 1000);
  const atMs = parseHttpDate(text) ?? parseRfc3339(text);
  // A date that has already passed means: now.
  if (atMs !== null) return nowMs === null ? null : Math.max(0, atMs - nowMs);
  return parseDurationMs(text);
}

type Unit = 'milliseconds' | 'seconds' | 'epoch';

// Names of delay fields, without separators, and the unit of a bare number in them.
const BODY_DELAYS: Readonly<Record<string, Unit>> = {
  retryafterms: 'milliseconds',
  retrydelayms: 'milliseconds',
  retryafter: 'seconds',
  retryafterseconds: 'seconds',
  retrydelay: 'seconds',
  retrydelayseconds: 'seconds',
  quotaresetdelay: 'seconds',
  estimatedtime: 'seconds',
  resetsinseconds: 'seconds',
  resetinseconds: 'seconds',
  resetafterseconds: 'seconds',
  resetafter: 'seconds',
  resetsat: 'epoch',
  resetat: 'epoch',
  quotaresettimestamp: 'epoch',
};

/** True for a field of a body that `readRetryAfterMs` understands; the name is lower case without `_` and `-`. */
export function isDelayName(name: string): boolean {
  return Object.hasOwn(BODY_DELAYS, name);
}

function bodyDelay(found: DelaySources['bodyDelays'], nowMs: number | null): number | null {
  let longestMs: number | null = null;
  for (const [name, value] of found) {
    const delayMs = believable(oneBodyDelay(BODY_DELAYS[name] ?? 'seconds', value, nowMs));
    if (delayMs !== null && (longestMs === null || delayMs > longestMs)) longestMs = delayMs;
  }
  return longestMs;
}

function oneBodyDelay(unit: Unit, value: string | number, nowMs: number | null): number | null {
  const number = typeof value === 'number' ? value : numberOf(value);
  if (number === null) {
    const text = String(value);
    const atMs = parseRfc3339(text) ?? parseHttpDate(text);
    return atMs === null ? parseDurationMs(text) : nowMs === null ? null : Math.max(0, atMs - nowMs);
  }
  if (unit === 'milliseconds') return Math.round(number);
  if (unit === 'seconds') return Math.round(number * 1000);
  return nowMs === null ? null : Math.max(0, epochMs(number) - nowMs);
}

// Seconds since 1970 have ten digits until 2286, milliseconds thirteen.
function epochMs(number: number): number {
  return number < 1e11 ? number * 1000 : number;
}

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const DURATION_PART = /(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/gy;

/** Milliseconds of a compact duration such as `6m0s`, `1.5s`, `20ms` or `5h59m59.96s`; null for anything else. */
export function parseDurationMs(text: string): number | null {
  const compact = text.trim().toLowerCase();
  DURATION_PART.lastIndex = 0;
  let totalMs = 0;
  let readChars = 0;
  for (let part = DURATION_PART.exec(compact); part !== null; part = DURATION_PART.exec(compact)) {
    totalMs += Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0);
    readChars = DURATION_PART.lastIndex;
  }
  return readChars === 0 || readChars !== compact.length ? null : Math.round(totalMs);
}

const RESET_HEADER = /^(?:x-|anthropic-)?rate-?limit(?:bysize)?-(?:(?:reset)(?:-(.+))?|(.+)-reset)$/;

// Only windows that are used up count; where none says so, the longest one does.
function rateLimitReset(headers: Readonly<Record<string, unknown>>, nowMs: number | null): number | null {
  let exhaustedMs: number | null = null;
  let longestMs: number | null = null;
  for (const name of Object.keys(headers)) {
    if (!name.includes('ratelimit') && !name.includes('rate-limit')) continue;
    const match = RESET_HEADER.exec(name);
    if (match === null) continue;
    const delayMs = believable(resetDelay(headerText(headers, name), nowMs));
    if (delayMs === null) continue;
    longestMs = Math.max(longestMs ?? 0, delayMs);
    if (isUsedUp(headers, match[1] ?? match[2])) exhaustedMs = Math.max(exhaustedMs ?? 0, delayMs);
  }
  return exhaustedMs ?? longestMs;
}

function isUsedUp(headers: Readonly<Record<string, unknown>>, window: string | undefined): boolean {
  const names =
    window === undefined
      ? ['x-ratelimit-remaining', 'ratelimit-remaining']
      : [`x-ratelimit-remaining-${window}`, `ratelimit-remaining-${window}`, `anthropic-ratelimit-${window}-remaining`];
  return names.some((name) => headerText(headers, name).trim() === '0');
}

// A bare number is seconds from now when small, else a moment since 1970.
function resetDelay(text: string, nowMs: number | null): number | null {
  const number = numberOf(text);
  if (number !== null && number < 1e8) return Math.round(number * 1000);
  if (number !== null) return nowMs === null ? null : Math.max(0, epochMs(number) - nowMs);
  const atMs = parseRfc3339(text) ?? parseHttpDate(text);
  return atMs === null ? parseDurationMs(text) : nowMs === null ? null : Math.max(0, atMs - nowMs);
}
