// How programs ask, and what to do so that they do not: rows from the special to the general, the first that fits counts.
// Wordings are those of the programs' own sources and manuals (git, OpenSSH, sudo, apt, npm, coreutils, PowerShell, ...).

export interface PromptWording {
  /** A line that waits for an answer; it ends where the answer would begin. */
  readonly asks?: RegExp;
  /** A sentence that says that nobody could be asked. */
  readonly refuses?: RegExp;
  /** For the agent: how to run it without a person. */
  readonly howTo: string;
}

const SIGN_IN =
  'Nobody can type a password here. Sign in beforehand (credential helper, token or key agent), or ask the person to.';
const YES_NO =
  'Nobody can answer here. Give the answer with the command: most programs take --yes, -y or --force; see its help. Do so only if that answer is wanted.';

/** A choice in brackets at the end: [y/N], (yes/no), [Y,n,q,?], (yes/no/[fingerprint]), with what may follow it. */
const CHOICE = /[[({]\s*y(?:es)?\s*[/|,]\s*no?(?:\s*[/|,][^)\]}]{0,60}\]?)?\s*[\])}]\s*[?:>]?$/i;

export const promptWordings: readonly PromptWording[] = [
  {
    asks: /\bcontinue connecting \(yes\/no/,
    refuses: /^Host key verification failed\.?$/,
    howTo:
      "Nobody can confirm the host's key here. Ask the person to check its fingerprint and to add it to known_hosts; `ssh -o BatchMode=yes` fails at once instead of asking.",
  },
  {
    asks: /\bEnter passphrase for (?:key )?\S.*:$/i,
    howTo: 'Nobody can type a passphrase here. Ask the person to load the key into the key agent (ssh-add) beforehand.',
  },
  {
    asks: /^\[sudo\].*password for .*:$/i,
    refuses: /\bsudo: (?:a terminal is required|a password is required|no tty present|sorry, you must have a tty)/,
    howTo:
      'Nobody can type a password here. Run it without sudo, or ask the person to run it; `sudo -n` fails at once instead of asking.',
  },
  {
    asks: /^(?:Username|Password) for '[^']*':$/,
    refuses: /\bcould not read (?:Username|Password) for '/,
    howTo:
      'git wants to sign in and nobody can type here. Ask the person to sign in (credential helper, token or key agent); with GIT_TERMINAL_PROMPT=0 git fails at once instead of asking.',
  },
  {
    asks: /(?:^|[\s:'"])(?:(?:\S+['’]s )?(?:new |current |old |your |retype |repeat |confirm )*(?:pass(?:word|phrase|code)|pass phrase|PIN(?: code)?))(?: for [^:]{1,100}| \([^)]{1,60}\))?:$/i,
    howTo: SIGN_IN,
  },
  {
    asks: /^(?:.{0,60}\b)?(?:user ?name|login|e-?mail)(?: address)?(?: for [^:]{1,100}| \([^)]{0,60}\))?:$/i,
    howTo: SIGN_IN,
  },
  {
    asks: /\b(?:one-?time (?:password|code)|OTP|verification code|authentication code|2FA code|security code)\b[^:?]{0,40}[:?]$/i,
    refuses: /\b(?:EOTP\b|requires a one-time password)/,
    howTo: 'It wants a code that only the person has. Ask the person to do this step.',
  },
  {
    asks: /^Do you want to continue\? \[Y\/n\]$/,
    howTo: 'Nobody can answer here. With apt give -y (and DEBIAN_FRONTEND=noninteractive), if that answer is wanted.',
  },
  {
    asks: /\b(?:Ok to proceed|Is this OK)\? \((?:y|yes)\)$/,
    howTo: 'Nobody can answer here. npm, npx and npm init take --yes, if that answer is wanted.',
  },
  {
    asks: /(?:Use arrow|arrow[- ]keys|space to select|type to filter|<space>|[›❯»]\s*(?:\(Y\/n\)|\(y\/N\)|- Use.*)?$)/i,
    howTo:
      'It shows a menu and nobody can choose here. Give the choices as options (see its help); many such programs also take --yes, or ask nothing when CI=1 is set.',
  },
  {
    asks: /(?:^|\s)(?:press|hit|strike) (?:any key|enter|return|\[?enter\]?|<enter>|space|a key)\b.{0,60}$/i,
    howTo: 'It waits for a key. Look for an option that turns the pause off (--no-pause, --batch, --yes).',
  },
  {
    asks: /^(?:--More--(?:\s*\(\d+%\))?|\(END\)|lines \d+-\d+.*|Manual page .* line \d+.*)$/,
    howTo: 'It shows its output by pages. Turn the pager off: --no-pager, PAGER=cat, or `| cat`.',
  },
  {
    asks: /(?:^|\s)\[Y\] Yes\b.*(?:default is "?\w"?\)|\[\?\] Help.*):$/,
    howTo: 'PowerShell asks to confirm. Give -Confirm:$false or -Force, if that answer is wanted.',
  },
  {
    asks: /\bEnter a value:$/,
    howTo: 'terraform asks. With -input=false it fails at once instead; variables are given with -var or a file.',
  },
  { asks: CHOICE, howTo: YES_NO },
  { asks: /\[y\]es, \[n\]o\b.*:$/i, howTo: YES_NO },
  {
    asks: /^(?:rm|mv|cp|ln|gzip|gunzip|install|xz|zstd): .*(?:remove|overwrite|replace|override|descend into|already exists).*\?$/,
    howTo: 'It asks before it overwrites or removes. If that is wanted, give -f; if not, take another name.',
  },
  {
    asks: /\b(?:continue|proceed|overwrite|replace|remove|delete|confirm|accept|agree|really|sure|abort|retry|want to|would you like|do you wish|should I|shall I|is this (?:ok|correct))\b[^?]{0,200}\?(?:\s*[[(][^\])]{1,40}[\])])?:?$/i,
    howTo: YES_NO,
  },
  {
    asks: /(?:^|[.!?]\s+)(?:please )?(?:enter|type|provide|input|choose|select|pick|specify)\s+(?:['"“<[]|(?:an?|the|your|one|in|new|number|yes|option|choice|selection)\b)[^:?>]{0,150}(?:\[[^\]]{0,60}\]|\([^)]{0,60}\))?\s*[:?>]$/i,
    howTo: 'It asks for a value. Give it as an option or in a file (see its help), or pipe it into the command.',
  },
  {
    asks: /^(?:your |enter )?(?:choice|selection|answer)(?: \[[^\]]{0,40}\])?\s*[:?>]$/i,
    howTo: 'It asks for a choice. Give it as an option (see its help), or pipe it into the command.',
  },
  {
    refuses: /\bEOFError: EOF when reading a line$/,
    howTo:
      'A Python program called input() and its input was at its end. Pipe the answers into it, or give them as options.',
  },
  {
    refuses: /\bthe input device is not a TTY\b/i,
    howTo: 'There is no terminal here. Leave out -t (docker run -i, docker exec -i).',
  },
  {
    refuses:
      /\b(?:cannot prompt|can(?:'|no)t (?:ask|prompt)|prompts? (?:is|are|were) disabled|(?:non-?interactive|not (?:an )?interactive) (?:mode|shell|terminal|session)|when not running interactively|must be run interactively|no tty (?:is )?(?:present|available)|cannot open (?:'|`)?\/dev\/tty|inappropriate ioctl for device)/i,
    howTo: 'It wanted to ask and there is no terminal. Give the answers as options (--yes, -y, --batch; see its help).',
  },
];
