// Masks what looks like a secret in text that is going to be stored or shown: arguments, titles, captured output.
// A first, careful set of shapes; it masks too much rather than too little and never changes what is run.

const MASK = '[secret]';

/** Shape and replacement. The named part before a secret is kept, so that a person still sees what it was. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(Bearer|Basic|token)(\s+)[\w.~+/=-]{8,}/gi, `$1$2${MASK}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
  [/\b(?:sk|pk|rk)[-_][\w-]{16,}/g, MASK],
  [/\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|npm_\w{30,})/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
  [/\bAIza[\w-]{30,}/g, MASK],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*):[^\s@/"']+@/gi, `$1:${MASK}@`],
  [
    /((?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key)["']?\s*[=:]\s*["']?)[^\s"'&;,]{3,}/gi,
    `$1${MASK}`,
  ],
];

/** `text` with everything that looks like a secret replaced by `[secret]`. */
export function redactSecrets(text: string): string {
  return SHAPES.reduce((masked, [shape, replacement]) => masked.replace(shape, replacement), text);
}
