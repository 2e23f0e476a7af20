// Variables that change what later programs do. A variable handed to a program must be one known to be harmless;
// a variable set for the shell alone must not be one that is usually exported already (PATH, PAGER, ...).
import type { Assignment, Word } from 'unbash';
import { note } from '../effects.ts';
import type { Walk } from '../walk.ts';
import { rememberVariable, toShellWord } from './words.ts';

// Names that make a shell, loader, interpreter, pager, editor, build or version-control tool run or load something else.
const STEERING =
  /^(LD_|DYLD_|GIT_|BASH|NODE_(?!ENV$)|NPM_|npm_|YARN_|PNPM_|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$)|PERL|RUBY|GEM_|BUNDLE_|JAVA|JDK_|_JAVA|MAVEN_|GRADLE_|CARGO_(?!TERM_|INCREMENTAL$)|RUSTC|RUSTDOC|RUSTUP|GO(?!OS$|ARCH$|GC$|MAXPROCS$)|DOCKER_(?!BUILDKIT$)|KUBE|AWS_(?!REGION$|DEFAULT_REGION$|PAGER$)|SSH|GPG|PIP_|UV_|CONDA|VIRTUAL_ENV|XDG_|LESS|MAN|PS[0-4]$|PG(SERVICE|SYS|PASS)|MYSQL_|RSYNC_|TAR_|ZIP|UNZIP|RIPGREP_|FZF_|BAT_|AWK|M4|GCONV|LOCPATH|NLSPATH|TERMINFO|TERMCAP|HOSTALIASES|OPENSSL_|SSL_|CURL_|WGETRC|EXINIT|VIM|NVIM|EMACS|SUDO_|MAKE|CMAKE_|ANSIBLE_|TF_|HELM_|PROMPT_COMMAND$|IFS$|ENV$|HOME$|SHELL|CDPATH$|PWD$|OLDPWD$|TMPDIR$|TEMP$|TMP$|FPATH$|GLOBIGNORE$|EDITOR$|VISUAL$|BROWSER$|CC$|CXX$|CPP$|LD$|AR$|AS$|FC$)|(PATH|PAGER|EDITOR|ASKPASS|OPTIONS|OPTS|FLAGS|PRELOAD|WRAPPER|COMMAND|CMD|PROXY|proxy|RC|CONFIG|_SHELL|HOOKS?)$/;

const HARMLESS =
  /^(CI|NODE_ENV|DEBUG|VERBOSE|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_\w+|TZ|PORT|HOST|HOSTNAME|LOG_LEVEL|LOGLEVEL|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|CARGO_INCREMENTAL|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|GOGC|GOMAXPROCS|CGO_ENABLED|AWS_REGION|AWS_DEFAULT_REGION|AWS_PAGER|DOCKER_BUILDKIT|COMPOSE_PROJECT_NAME|DJANGO_SETTINGS_MODULE|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|VITEST\w*|JEST_\w+|UPDATE_\w+|TEST_\w+|SEED|HEADLESS|TS_NODE_\w+|NEXT_TELEMETRY_DISABLED|DO_NOT_TRACK|\w+_(URL|PORT|HOST|USER|NAME|ID|LEVEL|MODE|ENV|TIMEOUT|REGION|VERSION|DEBUG|ENABLED|DISABLED|COLOR|SEED|COUNT|LIMIT)|[a-z]\w?)$/;

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
  } else if (!HARMLESS.test(name)) {
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
  if (/\$\(|`|\$\{/.test(value.type === 'Word' ? (literal ?? '') : '')) {
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
