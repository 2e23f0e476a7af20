// Variables that change what later programs do. A variable handed to a program must be one known to be harmless;
// a variable set for the shell alone must not be one that is usually exported already (PATH, PAGER, ...).
import type { Assignment, Word } from 'unbash';
import { note } from '../effects.ts';
import type { Walk } from '../walk.ts';
import { holdsIndexCode } from './numbers.ts';
import { rememberVariable, toShellWord } from './words.ts';

// Names that make a shell, loader, interpreter, pager, editor, build or version-control tool run or load something else.
const STEERING =
  /^(LD_|DYLD_|GIT_|BASH|NODE_(?!ENV$)|NPM_|npm_|YARN_|PNPM_|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$)|PERL|RUBY|GEM_|BUNDLE_|JAVA|JDK_|_JAVA|MAVEN_|GRADLE_|CARGO_(?!TERM_|INCREMENTAL$)|RUSTC|RUSTDOC|RUSTUP|GO(?!OS$|ARCH$|GC$|MAXPROCS$)|DOCKER_(?!BUILDKIT$)|KUBE|AWS_(?!REGION$|DEFAULT_REGION$|PAGER$)|SSH|GPG|PIP_|UV_|CONDA|VIRTUAL_ENV|XDG_|LESS|MAN|PS[0-4]$|PG(SERVICE|SYS|PASS)|MYSQL_|RSYNC_|TAR_|ZIP|UNZIP|RIPGREP_|FZF_|BAT_|AWK|M4|GCONV|LOCPATH|NLSPATH|TERMINFO|TERMCAP|HOSTALIASES|OPENSSL_|SSL_|CURL_|WGETRC|EXINIT|VIM|NVIM|EMACS|SUDO_|MAKE|CMAKE_|ANSIBLE_|TF_|HELM_|ELECTRON_|VSCODE_|SSLKEYLOGFILE$|KRB5|PROMPT_COMMAND$|IFS$|ENV$|HOME$|SHELL|CDPATH$|PWD$|OLDPWD$|TMPDIR$|TEMP$|TMP$|FPATH$|GLOBIGNORE$|EDITOR$|VISUAL$|BROWSER$|CC$|CXX$|CPP$|LD$|AR$|AS$|FC$)|(PATH|PAGER|EDITOR|ASKPASS|OPTIONS|OPTS|FLAGS|PRELOAD|WRAPPER|COMMAND|CMD|PROXY|proxy|RC|CONFIG|_SHELL|HOOKS?)$/;

// The only names a command may hand to a program: each changes how it prints, how fast it goes or what it calls itself.
const HARMLESS =
  /^(CI|NODE_ENV|DEBUG|VERBOSE|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|PORT|HOST|LOG_LEVEL|LOGLEVEL|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|CARGO_INCREMENTAL|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|GOGC|GOMAXPROCS|CGO_ENABLED|AWS_REGION|AWS_DEFAULT_REGION|DOCKER_BUILDKIT|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|HEADLESS|NEXT_TELEMETRY_DISABLED|DO_NOT_TRACK)$/;
const PLAIN_VALUE = /^[\w.,:@+*=/ -]*$/;

/** True for a name whose value can make other programs run something else. */
export function isSteeringVariable(name: string): boolean {
  return STEERING.test(name) && !/^AWS_PAGER$/.test(name);
}

/** Judges `NAME=value` before a command or after env/export: the program will see it. */
export function noteExported(name: string, value: string | undefined, walk: Walk): void {
  if (isSteeringVariable(name)) {
    note(walk.findings, {
      level: 'R3',
      reason: `sets ${name}, which can make programs run something else`,
      kind: 'change-environment',
      target: name,
    });
  } else if (name === 'AWS_PAGER' && value !== '') {
    note(walk.findings, { level: 'R3', reason: `sets ${name} to a program`, kind: 'change-environment', target: name });
  } else if (name !== 'AWS_PAGER' && (!HARMLESS.test(name) || value === undefined || !PLAIN_VALUE.test(value))) {
    note(walk.findings, {
      level: 'R3',
      reason: `sets ${name} for a program, and what that changes is not known`,
      kind: 'change-environment',
      target: name,
    });
  }
}

/** Judges one parsed assignment. `exported`: a program will see it (prefix of a command, export, declare -x). */
export function noteAssignment(assignment: Assignment, exported: boolean, walk: Walk): void {
  const value = assignment.value;
  const literal = value.type === 'Word' ? plainValue(value, walk) : undefined;
  if (exported) noteExported(assignment.name, literal, walk);
  else if (isSteeringVariable(assignment.name)) {
    note(walk.findings, {
      level: 'R3',
      reason: `sets ${assignment.name}, which can make programs run something else`,
      kind: 'change-environment',
      target: assignment.name,
    });
  }
  // Arithmetic and indirect expansion run code that a value holds: a[$(command)].
  const texts = value.type === 'Word' ? [literal ?? ''] : value.elements.map((word) => plainValue(word, walk) ?? '');
  if (texts.some((text) => /\$\(|`|\$\{/.test(text) || holdsIndexCode(text))) {
    note(walk.findings, {
      level: 'R3',
      reason: `${assignment.name} holds shell code as text`,
      kind: 'run-hidden-text',
    });
  }
  if (value.type === 'Word' && assignment.append !== true && assignment.index === undefined) {
    rememberVariable(assignment.name, [toShellWord(value, walk)], walk);
  }
}

function plainValue(word: Word, walk: Walk): string | undefined {
  const made = toShellWord(word, walk);
  return made.kind === 'opaque' ? undefined : made.known;
}
