// Masks what looks like a secret in text that is going to be stored or shown: arguments, titles, paths, captured output.
// It goes by shapes, masks too much rather than too little, and never changes what is run. A plain word that nothing marks
// as a secret cannot be found here: callers that know secrets pass their own mask besides.
// Every pattern is linear on any text: what repeats is bounded or ends at the first character that cannot belong to it.

/** What stands in place of a secret. */
export const MASK = '[secret]';

/** Shape and replacement. The named part before a secret is kept, so that a person still sees what it was. */
type Shape = readonly [shape: RegExp, replacement: string];

/** Words that are no secrets where a value is expected: types and constants of code. */
const NO_SECRET = String.raw`(?!(?:string|number|boolean|null|undefined|true|false|none)(?:[\s;,)\]}|&]|$))`;
/** A value as shells and JSON write it: quoted (also with escaped quotes), bare, or a mixture. Ends with its line. */
function valueUntil(ends: string): string {
  const quoted = String.raw`\\"(?:[^"\\\n]|\\[^"\n])*(?:\\"|$)|"(?:[^"\\\n]|\\.)*(?:"|$)|'[^'\n]*(?:'|$)`;
  return String.raw`(?:${quoted}|[^\s"'${'`'};&|<>\\${ends}]|\\[^\s"'])+`;
}

/** The value of a word in a shell, and of a field in a document, where a comma ends it. */
const WORD = valueUntil('');
const FIELD = valueUntil(',');
/** Names whose value is a secret wherever they stand. */
const STRONG = String.raw`(?:pass(?:word|wd|phrase|code)|secret|token(?!s\b|iz)|(?:api|access|private|account|shared|signing|encryption|master|storage|auth|client|subscription)[-_]?key|credential)`;
/** Names whose value is one as an option or in an assignment. */
const WEAK = String.raw`(?:pass|pwd|key|auth|authorization|pin)`;

const PEM: readonly Shape[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    MASK,
  ],
  // The end of a block whose beginning was left out of captured output.
  [/(?<![^\n])(?:[\w+/=]{1,100}\r?\n){1,100}-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g, MASK],
];

/** Keys and tokens that are known by their own form. */
const FORMS: readonly Shape[] = [
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, MASK],
  [/(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[\w-]{16,}|(?=[\w-]{0,15}\d)[\w-]{8,})/g, MASK],
  [
    /(?<![A-Za-z0-9])(?:gh[a-z]_\w{10,}|github_pat_\w{10,}|gl[a-z]{2,4}-[\w-]{10,}|xox[a-z]-[\w-]{6,}|xapp-[\w-]{6,})/g,
    MASK,
  ],
  [
    /(?<![A-Za-z0-9])(?:hf_[A-Za-z0-9]{8,}|npm_\w{20,}|pypi-[\w-]{20,}|dop_v1_\w{20,}|shp[a-z]{2}_\w{16,}|whsec_\S{10,})/g,
    MASK,
  ],
  [
    /(?<![A-Za-z0-9])(?:A[A-Z]IA[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}|SG\.[\w-]{10,}\.[\w-]{10,}|AGE-SECRET-KEY-\w+)/g,
    MASK,
  ],
];

const ADDRESSES: readonly Shape[] = [
  [/(?<![a-z0-9])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'`]{0,200}):[^\s/"'`]{1,500}@/gi, `$1:${MASK}@`],
  [/(:\/\/)[^\s/@:"'`?#]{20,500}@/g, `$1${MASK}@`],
  [/([?&](?:sig|signature|code|key|auth|x-amz-[\w-]{1,40})=)[^&\s"'`]+/gi, `$1${MASK}`],
];

const HEADERS: readonly Shape[] = [
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie|passphrase)((?:\\?["'])?\s{0,8}[:=]\s{0,8}(?:\\?["'])?)[^"'\n\\]+/gi,
    `$1$2${MASK}`,
  ],
  [/\b(Bearer|Basic)(\s{1,8})[\w.~+/=-]{6,}/gi, `$1$2${MASK}`],
  [/\b(token)(\s{1,8})(?=[a-z.~+/=_-]{0,40}\d)[\w.~+/=-]{8,}/gi, `$1$2${MASK}`],
];

const NAMED: readonly Shape[] = [
  [
    new RegExp(
      String.raw`(?<![\w-])(--?(?:[a-z0-9]{1,30}[-_]){0,4}(?:${STRONG}|${WEAK})(?:=|(?:\\\n|[ \t]){1,20}))${WORD}`,
      'gi',
    ),
    `$1${MASK}`,
  ],
  [/(?<![\w-])(-u|--user|--proxy-user|--userpwd)([ \t=]{0,20})(["'])([^\s:"']{1,200}):[^"'\n]+/gi, `$1$2$3$4:${MASK}`],
  [/(?<![\w-])(-u|--user|--proxy-user|--userpwd)([ \t=]{0,20})([^\s:"']{1,200}):[^\s"']+/gi, `$1$2$3:${MASK}`],
  [new RegExp(String.raw`(${STRONG}\w{0,2}(?:[-_]\w{1,30})?=)${NO_SECRET}${WORD}`, 'gi'), `$1${MASK}`],
  [
    new RegExp(
      String.raw`(${STRONG}\w{0,2}(?:[-_]\w{1,30})?(?:\\?["'])?\s{0,8}(?:=>|:=|[:=])\s{0,8})${NO_SECRET}${FIELD}`,
      'gi',
    ),
    `$1${MASK}`,
  ],
  [
    new RegExp(String.raw`(?<![A-Za-z0-9_])([A-Za-z0-9_]{0,80}(?:pass|key|_pwd|_auth|_pin|_salt|creds)=)${WORD}`, 'gi'),
    `$1${MASK}`,
  ],
];

/** Ways of single programs, in which nothing names the secret. */
const PROGRAMS: readonly Shape[] = [
  [/\b((?:mysql|mariadb)[\w-]{0,20}\b[^\n;|&]{0,300}?\s-p)[^\s"']+/g, `$1${MASK}`],
  [/\b(sshpass\s{1,8}-p\s{0,8})(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)/g, `$1${MASK}`],
  [/\b(redis-cli\b[^\n;|&]{0,200}?\s-a\s{1,8})[^\s"']+/g, `$1${MASK}`],
  [/\b(pass:)[^\s"']+/g, `$1${MASK}`],
  [/\b(login\s{1,8}\S{1,200}\s{1,8}password\s{1,8})\S+/gi, `$1${MASK}`],
  [/\b((?:identified by|password)\s{1,8})(?:"[^"\n]*"|'[^'\n]*')/gi, `$1${MASK}`],
  [
    /\b((?:echo|printf)\s{1,8}(?:-n\s{1,8})?)(?:"[^"\n]*"|'[^'\n]*'|[^\s|]+)(?=\s{0,8}\|[^\n|]{0,200}--password-stdin)/g,
    `$1${MASK}`,
  ],
];

/** Shapes in which only a name or place says that a value is a secret. */
const BY_NAME: ReadonlySet<Shape> = new Set([...HEADERS, ...NAMED, ...PROGRAMS]);
const SHAPES: readonly Shape[] = [...PEM, ...ADDRESSES, ...HEADERS, ...FORMS, ...NAMED, ...PROGRAMS];

/** `text` with everything that looks like a secret replaced by `[secret]`. */
export function redactSecrets(text: string): string {
  return SHAPES.reduce((masked, [shape, replacement]) => masked.replace(shape, replacement), text);
}

/** What every match of these shapes holds: a quick look that spares most texts the slow one. */
const NEEDS: ReadonlyMap<Shape, RegExp> = new Map(
  SHAPES.flatMap((shape): (readonly [Shape, RegExp])[] => {
    const { source } = shape[0];
    if (PEM.includes(shape)) return [[shape, /PRIVATE KEY/]];
    if (ADDRESSES.includes(shape) && source.includes(':\\/\\/')) return [[shape, /:\/\/[^\s/@:"'`]*[@:]/]];
    if (source.includes('_salt|creds')) return [[shape, /(?:pass|key|_pwd|_auth|_pin|_salt|creds)=/i]];
    if (source.includes('redis-cli')) return [[shape, /redis-cli/]];
    return [];
  }),
);

/** Where something that looks like a secret stands in a text; `isByName`: only its name or place says so, not its own form. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly isByName: boolean;
}

/** Every part of `text` that `redactSecrets` would mask, as the text stands; spans may overlap. */
export function secretSpans(text: string): readonly SecretSpan[] {
  return SHAPES.flatMap((shape) => {
    const [pattern, replacement] = shape;
    if (NEEDS.get(shape)?.test(text) === false) return [];
    const [before = '', after = ''] = replacement.split(MASK);
    return [...text.matchAll(pattern)].map((match) => {
      const filled = (template: string): number =>
        template.replace(/\$(\d)/g, (_all, group: string) => match[Number(group)] ?? '').length;
      const end = match.index + match[0].length - filled(after);
      return { start: match.index + filled(before), end, isByName: BY_NAME.has(shape) };
    });
  });
}

const SECRET_NAME = new RegExp(String.raw`${STRONG}\w{0,2}$`, 'i');

/** Whether a member or variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return name.length <= 200 && SECRET_NAME.test(name);
}

const SECRET_OPTION = new RegExp(String.raw`^--?(?:[a-z0-9]{1,30}[-_]){0,4}(?:${STRONG}|${WEAK})$`, 'i');
const USER_OPTION = /^(?:-u|--user|--proxy-user|--userpwd)$/i;
/** Options that take a password at these programs alone. */
const OPTION_OF: readonly (readonly [program: RegExp, option: string])[] = [
  [/(?:^|\/)sshpass$/, '-p'],
  [/(?:^|\/)redis-cli$/, '-a'],
];
const PASSWORD_IN_OPTION = /(?:^|\/)(?:mysql|mariadb)[\w-]*$/;

/**
 * A command, as text or as words, with its secrets masked by `redact`. Words are masked before they are joined or written
 * as JSON, where quotes would hide the shapes; an option and its value may be two words. The result is valid Unicode.
 */
export function redactCommand(
  command: string | readonly string[],
  redact: (text: string) => string,
): string | readonly string[] {
  if (typeof command === 'string') return redact(command).toWellFormed();
  const [program = ''] = command;
  return command.map((word, i) => {
    const option = i > 0 ? (command[i - 1] ?? '') : '';
    if (SECRET_OPTION.test(option)) return MASK;
    if (OPTION_OF.some(([owner, name]) => owner.test(program) && name === option)) return MASK;
    if (USER_OPTION.test(option) && word.includes(':')) return `${word.slice(0, word.indexOf(':'))}:${MASK}`;
    if (PASSWORD_IN_OPTION.test(program) && /^-p./.test(word)) return `-p${MASK}`;
    return redact(word).toWellFormed();
  });
}
