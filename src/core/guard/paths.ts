// Where a path points, judged by its text alone: inside the workspace, outside, or not known. No file is looked at, so a
// symbolic link inside the workspace is not seen here (making one that points outside is caught where it is made).
// Unknown is treated by every caller as outside.
import { globCouldMatch } from './globs.ts';
import { isProtected } from './protectedNames.ts';
import type { ShellWord } from './word.ts';

/** `discard`: a device that keeps nothing (/dev/null, standard streams). `protected`: inside, but steers agents, git or tools. */
export type Place = 'inside' | 'discard' | 'protected' | 'outside' | 'unknown';

/** A place and, where known, the normalised path it was judged by. */
export interface Located {
  readonly place: Place;
  readonly path?: string;
}

/** Start directories a command may have (more than one after `cd x;`); undefined stands for an unknown one. */
export interface Surroundings {
  readonly cwds: readonly (string | undefined)[];
  readonly workspace: string | undefined;
}

const SEVERITY: Readonly<Record<Place, number>> = { discard: 0, inside: 1, protected: 2, outside: 3, unknown: 4 };
const MAX_PATH_CHARS = 4_096;
const DISCARD = /^\/dev\/(null|stdout|stderr|stdin|tty|fd\/\d+)$/;

/** Joins and normalises lexically: `.` and `..` are resolved, backslashes of a drive path become slashes. */
export function resolvePath(cwd: string | undefined, text: string): string | undefined {
  const path = slashes(text);
  if (path.startsWith('~')) return path;
  if (path.startsWith('/') || /^[A-Za-z]:(\/|$)/.test(path)) return normalise(path);
  if (cwd === undefined) return undefined;
  return normalise(`${slashes(cwd)}/${path}`);
}

/** Judges one word as a path under every possible start directory and keeps the worst. */
export function locate(word: ShellWord, around: Surroundings): Located {
  if (word.choices !== undefined) return worst(word.choices.map((choice) => locate(choice, around)));
  if (/^\/dev\/fd\/\d*$/.test(word.known)) return { place: 'discard', path: word.known };
  if (word.kind === 'opaque') return { place: 'unknown' };
  const isPattern = word.kind === 'glob';
  if (isPattern && /(^|\/)\.[*?[]/.test(word.known)) return { place: 'unknown', path: word.known };
  if (DISCARD.test(word.known)) return { place: 'discard', path: word.known };
  if (isForeign(word.known)) return { place: 'unknown', path: word.known };
  return worst(around.cwds.map((cwd) => locateText(word.known, isPattern, cwd, around.workspace)));
}

/**
 * Text that a file system may read in another way than it looks: backslashes, drives and streams, short names, dots and blanks
 * at an end, characters nobody sees. Only a drive path with plain slashes is read (its drive is compared like any other name).
 */
function isForeign(text: string): boolean {
  const rest = text.replace(/^[A-Za-z]:\//, '/');
  return (
    rest.length > MAX_PATH_CHARS ||
    /[^/]{256}/.test(rest) ||
    /[\\:]|~\d|[. ](\/|$)/.test(rest.replace(/(^|\/)\.{1,2}(?=\/|$)/g, '$1')) ||
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u.test(rest)
  );
}

function locateText(text: string, isPattern: boolean, cwd: string | undefined, workspace: string | undefined): Located {
  const path = resolvePath(cwd, text);
  if (path === undefined) return { place: 'unknown', path: text };
  if (workspace === undefined || path.startsWith('~')) return { place: 'outside', path };
  const root = normalise(slashes(workspace));
  const inside = path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
  if (!inside) return { place: 'outside', path };
  return { place: isProtected(path.slice(root.length), isPattern) ? 'protected' : 'inside', path };
}

function worst(all: readonly Located[]): Located {
  let found: Located = { place: 'discard' };
  for (const one of all) if (found.path === undefined || SEVERITY[one.place] > SEVERITY[found.place]) found = one;
  return all.length === 0 ? { place: 'unknown' } : found;
}

const SECRET =
  /(^|[/\\:=@])(\.env(\.(?!example|sample|template|dist|defaults?)[\w.-]+)?|\.ssh|\.aws|\.gnupg|\.kube|\.azure|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.password-store|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.(json|ya?ml|toml|ini|db|csv))?|secrets?\.(json|ya?ml|toml|env|txt)|service-account[\w-]*\.json|login\.keychain(-db)?|Login Data|key[34]\.db|logins\.json|Cookies(\.sqlite)?|hosts\.yml|shadow|gshadow|sudoers|environ|master\.key|terraform\.tfstate)($|[/\\])|\.(pem|key|p12|pfx|keystore|jks|kdbx|ppk|asc)$|(^|\/)\.(docker\/config\.json|config\/(gcloud|gh|op)|cargo\/credentials\.toml|m2\/settings\.xml|bash_history|zsh_history|psql_history)($|\/)/;

/** True where the text names a place that usually holds keys, tokens or passwords. Public keys and samples are not meant. */
export function isSecretPath(text: string): boolean {
  return SECRET.test(text.slice(-MAX_PATH_CHARS)) && !text.endsWith('.pub');
}

const SECRET_NAMES =
  '.env .env.local .env.production .npmrc .netrc .pypirc .pgpass .git-credentials .ssh .aws .gnupg .kube'.split(' ');

/** As {@link isSecretPath} for a word: a pattern counts where it could match such a name. */
export function isSecretWord(word: ShellWord): boolean {
  if (isSecretPath(word.known)) return true;
  if (word.kind !== 'glob') return false;
  return word.known
    .split('/')
    .some((segment) => /[*?[]/.test(segment) && SECRET_NAMES.some((name) => globCouldMatch(segment, name)));
}

const TEMPORARY = /^(\/tmp|\/var\/tmp|\/dev\/shm|\/private\/tmp|~\/Downloads)(\/|$)/;

/** True for directories anyone may write to: a program there may be anything. */
export function isTemporaryPath(path: string): boolean {
  return TEMPORARY.test(path);
}

function slashes(text: string): string {
  return /^[A-Za-z]:\\/.test(text)
    ? text.replaceAll('\\', '/').replace(/^[A-Z]/, (drive) => drive.toLowerCase())
    : text;
}

function normalise(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  const kept: string[] = [];
  for (const segment of path.slice(drive.length).split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `${drive.toLowerCase()}/${kept.join('/')}`;
}
