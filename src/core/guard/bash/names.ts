// Surveys the names a shell text sets, once per text and before it is walked: how often each name is set, which names can only
// hold whole numbers, and whether some name is set in a way that cannot be read here. Then no value of any variable is relied on.
// Source: the Bash manual, "Shell Builtin Commands" (every builtin that takes a name).
import { forEachChild, type Assignment, type Command, type ParsedScript, type SyntaxNode, type Word } from 'unbash';
import { readsWholeNumber } from './numbers.ts';

/** What a text does to names. */
export interface NameSurvey {
  /** Some name is set by text, by a file, by a function, or under a name that is not written out: any name may have any value. */
  readonly opaque: boolean;
  /** How many places set a name. */
  readonly settings: ReadonlyMap<string, number>;
  /** Names that every setting gives a whole number. */
  readonly numeric: ReadonlySet<string>;
}

/** The survey of a text nobody has read: nothing is known. */
export const UNKNOWN_NAMES: NameSurvey = { opaque: true, settings: new Map(), numeric: new Set() };

// Builtins that set the names among their words, and those that run text or a function and so may set any.
const SETTERS = new Set(
  'read mapfile readarray declare local typeset export readonly getopts unset let wait coproc printf test ['.split(' '),
);
const RUNS_TEXT = new Set('eval trap source . enable alias shopt'.split(' '));
const PREFIXES = new Set('command builtin exec time'.split(' '));
// Names whose value the shell itself changes.
const SPECIAL =
  /^(_|BASH\w*|COMP_\w+|COMPREPLY|COPROC\w*|COLUMNS|LINES|DIRSTACK|EPOCH\w+|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|MAPFILE|OLDPWD|OPTARG|OPTIND|OPTERR|PIPESTATUS|PPID|PWD|RANDOM|SRANDOM|READLINE_\w+|REPLY|SECONDS|SHELLOPTS|SHLVL|UID)$/;

// Substitutions inside one another, as deep as the walk goes; below that the text is refused anyway.
const MAX_DEPTH = 14;
const MAX_NODES = 20_000;

interface Draft {
  opaque: boolean;
  readonly settings: Map<string, number>;
  readonly notNumeric: Set<string>;
  readonly functions: Set<string>;
  readonly called: Set<string>;
}

/** Reads all of a text, bodies and substitutions included. Linear in the size of the tree. */
export function surveyNames(script: ParsedScript): NameSurvey {
  const draft: Draft = {
    opaque: false,
    settings: new Map(),
    notNumeric: new Set(),
    functions: new Set(),
    called: new Set(),
  };
  const pending: { readonly node: SyntaxNode; readonly depth: number }[] = [{ node: script, depth: 0 }];
  let left = MAX_NODES;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    left -= 1;
    const depth = next.depth + (node.type === 'Script' ? 1 : 0);
    if (depth > MAX_DEPTH || left < 0) {
      draft.opaque = true;
      break;
    }
    visit(node, draft);
    forEachChild(node, (child) => void pending.push({ node: child, depth }));
  }
  for (const name of draft.called) if (draft.functions.has(name)) draft.opaque = true;
  const numeric = draft.opaque ? [] : [...draft.settings.keys()].filter((name) => !draft.notNumeric.has(name));
  return { opaque: draft.opaque, settings: draft.settings, numeric: new Set(numeric) };
}

/** True where the text sets the name in one place only, and nothing it does not show can set it. */
export function isSetOnce(name: string, survey: NameSurvey): boolean {
  return !survey.opaque && !SPECIAL.test(name) && survey.settings.get(name) === 1;
}

/** True where nothing in the text sets the name. */
export function isNeverSet(name: string, survey: NameSurvey): boolean {
  return !survey.opaque && !survey.settings.has(name);
}

function set(draft: Draft, name: string, numeric: boolean): void {
  draft.settings.set(name, (draft.settings.get(name) ?? 0) + 1);
  if (!numeric || SPECIAL.test(name)) draft.notNumeric.add(name);
}

function visit(node: SyntaxNode, draft: Draft): void {
  switch (node.type) {
    case 'Assignment':
      visitAssignment(node, draft);
      return;
    case 'For':
      set(draft, node.name.value, node.wordlist?.every((word) => readsWholeNumber(word)) === true);
      if (!isPlain(node.name)) draft.opaque = true;
      return;
    case 'Select':
      set(draft, node.name.value, false);
      return;
    case 'Function':
      draft.functions.add(node.name.value);
      return;
    case 'Coproc':
      set(draft, node.name?.value ?? 'COPROC', false);
      return;
    case 'Command':
      visitCommand(node, draft);
      return;
    case 'ArithmeticBinary':
      if (/^([-+*/%&|^]|<<|>>)?=$/.test(node.operator)) visitTarget(node.left, draft);
      return;
    case 'ArithmeticUnary':
      if (node.operator === '++' || node.operator === '--') visitTarget(node.operand, draft);
      return;
    case 'FileDescriptorVariable':
      set(draft, node.name, false);
      return;
    case 'ParameterExpansion':
      if (node.operation?.type !== 'Default' || !node.operation.operator.endsWith('=')) return;
      if (node.prefix !== undefined) draft.opaque = true;
      set(draft, node.parameter, false);
      return;
    default:
  }
}

function visitAssignment(node: Assignment, draft: Draft): void {
  const { value } = node;
  const whole = value.type === 'Word' && node.index === undefined && readsWholeNumber(value);
  const signed = value.type === 'Word' && value.value.startsWith('-');
  set(draft, node.name, whole && !(node.append === true && signed));
}

function visitTarget(target: SyntaxNode, draft: Draft): void {
  if (target.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(target.value)) set(draft, target.value, true);
  else draft.opaque = true;
}

function visitCommand(command: Command, draft: Draft): void {
  const words = [command.name, ...command.args.filter((one) => one.type === 'Word')].filter((one) => one !== undefined);
  let at = 0;
  while (at < words.length && PREFIXES.has(words[at]?.value ?? '')) at += 1;
  const name = words[at]?.value;
  if (name === undefined) return;
  draft.called.add(command.name?.value ?? '');
  if (RUNS_TEXT.has(name)) draft.opaque = true;
  if (at > 0 && words.slice(0, at + 1).some((word) => !isPlain(word))) draft.opaque = true;
  if (!SETTERS.has(name)) return;
  const rest = words.slice(at + 1);
  if (name === 'printf' || name === 'test' || name === '[') {
    // These set a name only with -v; any word that may be that option, written otherwise, counts.
    if (name === 'printf' && rest.some((word, i) => i === 0 && (!isLiteral(word) || word.value.startsWith('-'))))
      draft.opaque = true;
    return;
  }
  for (const word of rest) {
    if (!isPlain(word)) draft.opaque = true;
    else if (/^[A-Za-z_]\w*/.test(word.value)) set(draft, /^\w+/.exec(word.value)?.[0] ?? '', false);
    else if (!/^-[A-Za-z]+$|^\d+$|^[-+]$/.test(word.value)) draft.opaque = true;
  }
}

/** Written without quotes, escapes or expansions: what stands there is what the shell sees. */
function isPlain(word: Word): boolean {
  return word.parts === undefined && word.text === word.value;
}

function isLiteral(word: Word): boolean {
  return word.parts === undefined || word.parts.every(({ type }) => type === 'Literal' || type === 'SingleQuoted');
}
