// Builtins that change the shell itself or run text: cd, eval, source, trap, alias and their kin. Text that is literally here is
// parsed again; any other is R3. Builtins that only print or test are rows of the effect table.
import { parseArguments, type Grammar } from '../arguments.ts';
import { note } from '../effects.ts';
import { isTemporaryPath, locate, resolvePath } from '../paths.ts';
import { apart, deeper, noteRun, type Walk } from '../walk.ts';
import { literalText, type ShellWord } from '../word.ts';
import { isSafeLet } from './arithmetic.ts';
import { isSteeringVariable, noteExported } from './assignments.ts';
import { holdsIndexCode } from './numbers.ts';

type Builtin = (args: readonly ShellWord[], walk: Walk, name: string) => void;

/** The builtins judged here, by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', changeDirectory],
  ['pushd', changeDirectory],
  ['popd', (_args, walk) => void (walk.cwds = [undefined])],
  ...['export', 'declare', 'typeset', 'local', 'readonly'].map((name): [string, Builtin] => [name, declare]),
  ['eval', evaluate],
  ['source', sourceFile],
  ['.', sourceFile],
  ['trap', setTrap],
  ['alias', setAlias],
  ['shopt', shellOption],
  ['set', setOptions],
  ['read', takeNames],
  ['mapfile', takeNames],
  ['readarray', takeNames],
  ['unset', takeNames],
  ['wait', takeNames],
  ['getopts', takeNames],
  ['let', calculate],
  ['test', test],
  ['[', test],
]);

function hidden(walk: Walk, reason: string): void {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
}

function changeDirectory(args: readonly ShellWord[], walk: Walk, name: string): void {
  const targets = args.filter((word) => !/^-[LPe@]+$/.test(word.known) && word.known !== '--');
  const target = literalText(targets[0]);
  if (targets.length !== 1 || target === undefined || target === '-' || target === '' || /^[+-]\d+$/.test(target)) {
    walk.cwds = [targets.length === 0 ? '~' : undefined];
    return;
  }
  note(walk.findings, { level: 'R0', reason: 'changes the directory of what follows' });
  walk.cwds = [...new Set(walk.cwds.map((cwd) => resolvePath(cwd, target)))];
  if (name === 'pushd' && args.length > 1) walk.cwds = [undefined];
}

// Letters of options that only choose what is listed or how a value is kept; `i` evaluates, `n` points elsewhere, `f` is code.
const DECLARE_FLAGS: Readonly<Record<string, RegExp>> = {
  export: /^-p?$/,
  readonly: /^-[aAp]*$/,
  local: /^-[aAlrux]*$/,
};

function declare(args: readonly ShellWord[], walk: Walk, name: string): void {
  const names = args.filter((word) => !/^[-+]/.test(word.known));
  for (const word of args) {
    if (names.includes(word)) continue;
    if (word.kind !== 'literal' || !(DECLARE_FLAGS[name] ?? /^[-+][aAfFglprux]*$/).test(word.known))
      hidden(walk, `${name} ${word.known} changes how values are read, or is known only when it runs`);
  }
  if (names.length === 0 && !args.some((word) => /^-[A-Za-z]*[fF]/.test(word.known))) secretNames(walk, name);
  if (args.some((word) => /^-[A-Za-z]*p/.test(word.known))) secretNames(walk, name);
  for (const word of names) {
    const assigned = /^([A-Za-z_]\w*)\+?=/.exec(word.known);
    if (assigned?.[1] === undefined) {
      if (word.kind !== 'literal' || !NAME.test(word.known))
        hidden(walk, `${name} sets a variable whose name is known only when it runs, or an index`);
    } else if (name !== 'local') {
      noteExported(assigned[1], literalText(word)?.slice(assigned[0].length), walk);
    }
  }
}

const NAME = /^[A-Za-z_]\w*$/;

/** Lists all variables with their values: whatever is exported may be a secret. */
function secretNames(walk: Walk, name: string): void {
  note(walk.findings, {
    level: 'R0',
    reason: `${name} prints variables, which may hold secrets`,
    kind: 'read-secret',
    target: 'environment',
  });
}

function evaluate(args: readonly ShellWord[], walk: Walk): void {
  if (args.every((word) => word.kind === 'literal' && !word.expanded))
    deeper(walk, () => walk.runText(args.map((word) => word.known).join(' ')));
  else hidden(walk, 'eval runs text that is known only when it runs');
  walk.variables = new Map();
}

function sourceFile(args: readonly ShellWord[], walk: Walk): void {
  const file = literalText(args[0]);
  const at = args[0] === undefined ? undefined : locate(args[0], walk);
  const path = at?.path ?? '';
  if (file === undefined || path.startsWith('/dev/') || path.startsWith('~') || isTemporaryPath(path)) {
    hidden(walk, 'source runs text that the guard cannot see');
    return;
  }
  noteRun(walk, path);
  note(walk.findings, {
    level: 'R2',
    reason: `source runs ${file}, which the guard has not read`,
    kind: 'run-script',
    target: path,
  });
  walk.variables = new Map();
  if (!/(^|\/)\.?venv\/bin\/activate$/.test(path)) walk.cwds = [undefined];
}

function setTrap(args: readonly ShellWord[], walk: Walk): void {
  if (args.length === 0 || /^-[lp]$/.test(args[0]?.known ?? '')) return;
  const text = literalText(args[0]);
  walk.variables = new Map();
  if (text === undefined) {
    hidden(walk, 'trap runs text that is known only when it runs');
    return;
  }
  if (text === '-' || text === '') return;
  // It runs later, from wherever the shell is then, and but for EXIT it runs between the commands that follow.
  walk.loops += 1;
  apart(walk, () => {
    walk.cwds = [undefined];
    deeper(walk, () => walk.runText(text));
  });
  walk.loops -= 1;
  if (!args.slice(1).every((word) => /^(EXIT|0)$/.test(word.known))) walk.cwds = [undefined];
}

function setAlias(args: readonly ShellWord[], walk: Walk): void {
  for (const word of args) {
    const text = literalText(word);
    if (text === '-p') continue;
    if (text === undefined || text.includes('=')) hidden(walk, 'alias gives a command name another meaning');
  }
}

const HARMLESS_SHOPT = /^(-[suqp]+|globstar|nocasematch|inherit_errexit|failglob|checkwinsize|huponexit)$/;

/** Options that change how later text is read are refused; the list is of those that do not. */
function shellOption(args: readonly ShellWord[], walk: Walk): void {
  for (const word of args) {
    if (word.kind !== 'literal' || !HARMLESS_SHOPT.test(word.known))
      hidden(walk, `shopt ${word.known} changes how later commands are read`);
  }
}

const SET_LETTERS = /^[-+][efuvxC]*o?$/;
/** `set -o` names under which later text means the same. */
export const SET_NAMES = /^(errexit|noglob|nounset|verbose|xtrace|noclobber|pipefail)$/;

function setOptions(args: readonly ShellWord[], walk: Walk): void {
  if (args.length === 0) secretNames(walk, 'set');
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i];
    if (word === undefined) return;
    if (holdsIndexCode(word.known)) hidden(walk, 'set keeps shell code as text');
    if (word.known === '--' && word.kind === 'literal') {
      if (args.slice(i).some((rest) => holdsIndexCode(rest.known))) hidden(walk, 'set keeps shell code as text');
      return;
    }
    if (word.kind !== 'literal' || (/^[-+]/.test(word.known) && !SET_LETTERS.test(word.known))) {
      hidden(walk, `set ${word.known} changes how later commands are read, or is known only when it runs`);
      return;
    }
    if (!/^[-+]/.test(word.known)) return;
    if (word.known.endsWith('o')) {
      i += 1;
      if (args[i] !== undefined && !SET_NAMES.test(literalText(args[i]) ?? ''))
        hidden(walk, `set -o ${args[i]?.known ?? ''} changes how later commands are read`);
    }
  }
}

// Options with a value, by builtin; what remains must be names that are written out.
const NAME_GRAMMARS: Readonly<Record<string, { readonly grammar: Grammar; readonly flags: RegExp }>> = {
  read: { grammar: { short: 'adinNptu' }, flags: /^-[adinNptures]$/ },
  mapfile: { grammar: { short: 'dnOsucC' }, flags: /^-[dnOsuct]$/ },
  readarray: { grammar: { short: 'dnOsucC' }, flags: /^-[dnOsuct]$/ },
  unset: { grammar: {}, flags: /^-v$/ },
  wait: { grammar: { short: 'p' }, flags: /^-[fnp]$/ },
  getopts: { grammar: { stopAtOperand: true }, flags: /^$/ },
};

/** Builtins that set or use the names they are given: a name may hold an index, and an index is evaluated. */
function takeNames(args: readonly ShellWord[], walk: Walk, name: string): void {
  const { grammar, flags } = NAME_GRAMMARS[name] ?? { grammar: {}, flags: /^$/ };
  const parsed = parseArguments(args, grammar);
  const odd = parsed.options.find((option) => !flags.test(option.name));
  if (odd !== undefined) hidden(walk, `${name} ${odd.name} runs code or is not known to the guard`);
  if (parsed.doubtful) hidden(walk, `${name} takes a name that is known only when it runs`);
  const operands = name === 'getopts' ? args.slice(1, 2) : parsed.operands;
  const given = [
    ...operands,
    ...parsed.options.flatMap(({ name: option, value }) =>
      value !== undefined && ((option === '-a' && name === 'read') || (option === '-p' && name === 'wait'))
        ? [value]
        : [],
    ),
  ];
  for (const word of given) {
    if (name === 'wait' && /^%?\d+$/.test(word.known)) continue;
    if (name === 'wait' && word.kind === 'opaque' && !word.canBeOption && !word.splits) continue;
    if (word.kind !== 'literal' || !NAME.test(word.known)) hidden(walk, `${name} evaluates the name ${word.known}`);
    else if (isSteeringVariable(word.known))
      hidden(walk, `${name} sets ${word.known}, which changes what later commands run`);
    else if (name === 'unset' && walk.functions.has(word.known))
      hidden(walk, `unset takes away the function ${word.known}`);
  }
  for (const word of args)
    if (holdsIndexCode(word.known)) hidden(walk, `${name} evaluates a name that holds shell code`);
}

function calculate(args: readonly ShellWord[], walk: Walk): void {
  if (!args.every((word) => isSafeLet(literalText(word) ?? '$', walk)))
    hidden(walk, 'let evaluates text that is known only when it runs');
}

/** `test -v` evaluates a name; a word that may become several may become that. */
function test(args: readonly ShellWord[], walk: Walk, name: string): void {
  note(walk.findings, { level: 'R0', reason: `${name} only tests`, kind: 'read-system' });
  args.forEach((word, i) => {
    const before = args[i - 1]?.known;
    const isName = before === '-v' || before === '-R';
    if (isName && (word.kind !== 'literal' || !NAME.test(word.known)) && word.known !== ']')
      hidden(walk, `${name} -v evaluates a name that is known only when it runs`);
    if (word.splits && word.kind === 'opaque' && word.choices === undefined)
      hidden(walk, `${name} with a word that may become several, one of them a name to evaluate`);
  });
  const operands = name === '[' ? args.slice(0, -1) : args;
  if (operands.length === 2 && operands[0]?.kind === 'opaque')
    hidden(walk, `${name} with a test that is known only when it runs`);
}
