// Where secrets stand in a text that is going to be sent: the shapes of core/ledger/redact, and a few that only matter here.
// It takes too much rather than too little: what is taken out is put back, so too much costs nothing but clarity.
import { isSecretName, secretSpans } from '../ledger/redact.ts';

/** A part of a text, from `start` up to and without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Shorter values are no secrets that could be kept. */
const MIN_CHARS = 4;

/** Forms that redact does not know; the first group, where there is one, is not part of the secret. */
const FORMS: readonly RegExp[] = [
  /(hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{16,}/g,
  /(?<![A-Za-z0-9])()(?:GOCSPX-[\w-]{20,}|AQ\.[\w-]{30,}|r8_\w{20,}|gsk_\w{20,}|xai-\w{20,}|tvly-[\w-]{16,}|lin_api_\w{20,}|sq0[a-z]{3}-[\w-]{20,})/g,
  // .env: a value that no person would type, whatever its name.
  /^([ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]{1,80}=["']?)(?=[^\s"']{0,200}\d)(?=[^\s"']{0,200}[A-Za-z])[\w+/=~.-]{20,500}(?=["']?[ \t]*(?:#[^\n]*)?$)/gm,
];

/** Values in code that name where a secret comes from and are none themselves. */
const REFERENCE = new RegExp(
  [
    String.raw`^\$[({]?[\w.:-]+[)}]?$`,
    String.raw`^\$\{\{.*$`,
    String.raw`^\{\{.*$`,
    String.raw`^%\w+%$`,
    String.raw`^(?:process|os|env|import|this|self|config|settings|req|request|res|response|ctx|context|options|opts|params|props|args|secrets|vars|github|inputs|window|globalThis|System|ENV)(?:\.|\[|\()`,
    String.raw`^[A-Za-z_$][\w$.]*\(`,
    String.raw`^(?:await|new|function|async|return|typeof)$`,
  ].join('|'),
);

/** Parts of `text` that look like secrets, in order, none overlapping another. */
export function findSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { start, end, isByName } of secretSpans(text)) {
    const span = trimmed(text, start, end);
    const value = text.slice(span.start, span.end);
    if (!(isByName && isReference(value))) spans.push(span);
  }
  for (const form of FORMS) {
    for (const match of text.matchAll(form))
      spans.push({ start: match.index + (match[1]?.length ?? 0), end: match.index + match[0].length });
  }
  return united(spans).filter(({ start, end }) => end - start >= MIN_CHARS);
}

/** Whether the whole value of a member of this name is a secret. */
export function isSecretMember(name: string, value: string): boolean {
  return value.length >= MIN_CHARS && isSecretName(name) && !isReference(value);
}

function isReference(value: string): boolean {
  return value.length < 500 && REFERENCE.test(value);
}

/** Without the word before a credential, and without the quotes and blanks around it. */
function trimmed(text: string, from: number, to: number): Span {
  const scheme = /^\s*(?:Bearer|Basic|Digest|Token|ApiKey)\s+/i.exec(text.slice(from, Math.min(to, from + 40)));
  let start = from + (scheme?.[0].length ?? 0);
  let end = to;
  while (start < end && /\s/.test(text.charAt(start))) start++;
  while (end > start && /\s/.test(text.charAt(end - 1))) end--;
  for (const quote of ['\\"', '"', "'"]) {
    const inner = text.slice(start + quote.length, end - quote.length);
    const isQuoted =
      text.startsWith(quote, start) && text.slice(start, end).endsWith(quote) && end - start > quote.length;
    if (isQuoted && !inner.replaceAll(`\\${quote}`, '').includes(quote))
      return { start: start + quote.length, end: end - quote.length };
  }
  return { start, end };
}

/** Overlapping spans become one. */
export function united(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start < last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else if (span.end > span.start) result.push(span);
  }
  return result;
}
