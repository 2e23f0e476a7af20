// Judges one command: which program it is, whether it wraps another one, and which rows of the effect table fire.
// A name that is not completely literal, and a program or form that is in no row, is R3.
import type { EffectLevel } from '../ledger/entry.ts';
import { parseArguments, type ParsedArguments } from './arguments.ts';
import { BUILTINS } from './bash/builtins.ts';
import { addEffect, higher, note } from './effects.ts';
import { noteScript } from './inspect/shell.ts';
import { NPX_TOOLS, programNamed, WRAPPERS_BY_PROGRAM, type ProgramEntry } from './programs.ts';
import { fire, type Call } from './rules/match.ts';
import type { Rule, Target } from './rules/rule.ts';
import { noteSecretRead, noteWrite, type Stdin, type Walk } from './walk.ts';
import { literalWord, type ShellWord } from './word.ts';
import { peel, type Wrapper } from './wrappers.ts';

/** Judges the words of one command. */
export function judgeCommand(words: readonly ShellWord[], stdin: Stdin, walk: Walk): void {
  const name = words[0];
  if (name === undefined) return;
  if (name.kind !== 'literal' || name.expanded) {
    note(walk.findings, {
      level: 'R3',
      reason: 'which program runs is known only when it runs',
      kind: 'run-hidden-text',
    });
    return;
  }
  const program = programName(name.known);
  if (program === undefined) {
    noteScript(name, walk, 'the shell');
    words.slice(1).forEach((word) => noteSecretRead(walk, word));
    return;
  }
  if (walk.functions.has(program) && programNamed(program) === undefined && !BUILTINS.has(program)) return;
  if (EVALUATES_NAMES.test(program) && words.some((word) => /\$\(|`/.test(word.known) && word.kind === 'literal')) {
    note(walk.findings, {
      level: 'R3',
      reason: `${program} evaluates a name that holds shell code`,
      kind: 'run-hidden-text',
    });
  }
  const builtin = BUILTINS.get(program);
  if (builtin !== undefined) {
    builtin(words.slice(1), walk, program);
    return;
  }
  for (const wrapper of WRAPPERS_BY_PROGRAM.get(program) ?? []) {
    if (peelWrapper(wrapper, [literalWord(program), ...words.slice(1)], stdin, walk)) return;
  }
  // `yarn eslint` and `pnpm vitest` start the project's own copy of the tool.
  if (
    (program === 'yarn' || program === 'pnpm') &&
    words[1]?.kind === 'literal' &&
    NPX_TOOLS.get(words[1].known) === words[1].known
  ) {
    walk.runWords(words.slice(1), stdin);
    return;
  }
  judgeProgram(program, words.slice(1), stdin, walk);
}

// Builtins that evaluate an array index in a name: a[$(command)].
const EVALUATES_NAMES =
  /^(test|\[|let|unset|read|declare|typeset|export|local|readonly|getopts|wait|mapfile|readarray|printf)$/;

const TRUSTED = /^(\/usr(\/local)?)?\/s?bin\/([^/]+)$|^\/opt\/homebrew\/s?bin\/([^/]+)$/;
const LOCAL_TOOL = /(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin)\/([^/]+)$/;
const LOCAL_WRAPPER = /^\.\/(gradlew|mvnw)$/;

/** The name rules go by; undefined for a program given by a path that is no usual program directory. */
function programName(text: string): string | undefined {
  const bare = text.replace(/\.(exe|cmd)$/i, '');
  if (!bare.includes('/') && !bare.includes('\\')) return bare;
  const local = LOCAL_WRAPPER.exec(bare)?.[1];
  if (local !== undefined) return local;
  if (bare.split('/').includes('..')) return undefined;
  const trusted = TRUSTED.exec(bare);
  return (
    trusted?.[3] ??
    trusted?.[4] ??
    (bare.startsWith('/') || bare.startsWith('~') ? undefined : LOCAL_TOOL.exec(bare)?.[1])
  );
}

function peelWrapper(wrapper: Wrapper, words: readonly ShellWord[], stdin: Stdin, walk: Walk): boolean {
  if (wrapper.form !== 'npx') return peel(wrapper, words, stdin, walk);
  // What npx starts comes from the package of that name, so only names of known tools may pass as what they say they are.
  const inner: Walk = {
    ...walk,
    runWords: (rest, from) => {
      const tool = rest[0]?.kind === 'literal' ? rest[0].known.replace(/(?<=.)@[\w.^~-]+$/, '') : '';
      const known = NPX_TOOLS.get(tool);
      if (known === undefined)
        note(walk.findings, {
          level: 'R3',
          reason: `${words[0]?.known ?? 'npx'} runs a package the guard does not know`,
          kind: 'unknown-program',
          target: tool,
        });
      else walk.runWords([literalWord(known), ...rest.slice(1)], from);
    },
  };
  return peel(wrapper, words, stdin, inner);
}

function judgeProgram(program: string, words: readonly ShellWord[], stdin: Stdin, walk: Walk): void {
  const entry = programNamed(program);
  if (entry === undefined) {
    note(walk.findings, {
      level: 'R3',
      reason: `${program} is not a program the guard knows`,
      kind: 'unknown-program',
      target: program,
    });
    return;
  }
  if (words.length === 1 && words[0]?.kind === 'literal' && /^--(version|help)$/.test(words[0].known)) {
    note(walk.findings, { level: 'R0', reason: `${program} ${words[0].known} only prints`, kind: 'read-system' });
    return;
  }
  const call = parseCall(program, words, entry);
  const claim = entry.inspector?.(call, stdin, walk) ?? 'table';
  applyRules(call, entry.rules, claim === 'claimed', walk);
}

/** Options before the subcommand are parsed by the program's grammar, the rest by the subcommand's. */
function parseCall(program: string, words: readonly ShellWord[], entry: ProgramEntry): Call {
  const { grammar } = entry;
  if (!entry.hasSubcommands) return { program, words, globalOptions: [], parsed: parseArguments(words, grammar) };
  const global = parseArguments(words, { ...grammar, stopAtOperand: true });
  const subcommand = words[global.end]?.known ?? '';
  const rest = parseArguments(words.slice(global.end + 1), entry.subcommandGrammars.get(subcommand) ?? grammar);
  const operands = words[global.end] === undefined ? [] : [words[global.end] ?? literalWord(''), ...rest.operands];
  const parsed: ParsedArguments = {
    ...rest,
    options: [...global.options, ...rest.options],
    operands,
    doubtful: global.doubtful || rest.doubtful,
  };
  return { program, words, globalOptions: global.options, parsed };
}

function applyRules(call: Call, rules: readonly Rule[], claimed: boolean, walk: Walk): void {
  const fired = fire(rules, call);
  const title = [call.program, ...call.parsed.operands.slice(0, fired.depth).map((word) => word.known)].join(' ');
  addEffect(walk.findings, 'run-program', title);
  const dry = fired.lower.length > 0;
  const level: readonly Rule[] = dry ? fired.lower : claimed ? [] : highest(fired.base);
  for (const rule of level) applyRule(rule, call, fired.depth, title, walk);
  if (level.length === 0 && !claimed) {
    note(walk.findings, {
      level: 'R3',
      reason: `${title} in this form is not in the guard's table`,
      kind: 'unknown-program',
      target: title,
    });
  }
  for (const rule of fired.raise)
    if (!dry || rule.evenInDryRun === true) applyRule(rule, call, fired.depth, title, walk);
  const textOnly = level.some((rule) => rule.textOnly === true);
  if (!textOnly && !claimed) readsSecrets(call, level, walk);
  if (
    level.some((rule) => rule.kind === 'network-read') &&
    call.words.some((word) => word.kind === 'opaque' && word.choices === undefined)
  ) {
    note(walk.findings, {
      level: 'R3',
      reason: `${title} sends text to the network that is known only when it runs`,
      kind: 'network-write',
    });
  }
}

function highest(rules: readonly Rule[]): readonly Rule[] {
  let level: EffectLevel = 'R0';
  for (const rule of rules) level = higher(level, rule.level);
  return rules.filter((rule) => rule.level === level);
}

function readsSecrets(call: Call, level: readonly Rule[], walk: Walk): void {
  const writesLast = level.some((rule) => rule.writes?.includes('last-operand') === true);
  const writesAll = level.some((rule) => rule.writes?.includes('operands') === true);
  const operands = writesAll ? [] : writesLast ? call.parsed.operands.slice(0, -1) : call.parsed.operands;
  operands.forEach((word) => noteSecretRead(walk, word));
  for (const option of call.parsed.options) if (option.value !== undefined) noteSecretRead(walk, option.value);
}

function applyRule(rule: Rule, call: Call, depth: number, title: string, walk: Walk): void {
  const reason = `${title} ${rule.because}`;
  if (rule.writes === undefined) {
    note(walk.findings, { level: rule.level, reason, kind: rule.kind, rule: rule.id });
    return;
  }
  walk.findings.rules.add(rule.id);
  const targets = rule.writes.flatMap((target) => targetsOf(target, call, depth));
  if (targets.length === 0) note(walk.findings, { level: rule.level, reason, kind: rule.kind, rule: rule.id });
  for (const word of targets) {
    if (word.kind === 'literal' && word.known === '-') continue;
    noteWrite(walk, word, { level: rule.level, kind: rule.kind, verb: `${reason}:`, rule: rule.id });
  }
}

function targetsOf(target: Target, call: Call, depth: number): readonly ShellWord[] {
  const operands = call.parsed.operands.slice(depth);
  switch (target) {
    case 'operands':
      return operands;
    case 'first-operand':
      return operands.slice(0, 1);
    case 'second-operand':
      return operands.slice(1, 2);
    case 'last-operand':
      return operands.slice(-1);
    case 'afterwards':
      return call.parsed.afterDashes ?? [];
    case 'cwd':
      return [literalWord('.')];
    default:
      return call.parsed.options.flatMap((option) =>
        isOption(option.name, target.slice(7)) && option.value !== undefined ? [option.value] : [],
      );
  }
}

function isOption(given: string, wanted: string): boolean {
  return given === wanted || (given.startsWith('--') && given.length >= 3 && wanted.startsWith(given));
}
