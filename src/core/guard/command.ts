// Judges one command: which program it is, whether it wraps another one, and which rows of the effect table fire.
// A name that is not completely literal, and a program or form that is in no row, is R3.
import type { EffectLevel } from '../ledger/entry.ts';
import { isOpenEnded, parseArguments, type ParsedArguments } from './arguments.ts';
import { BUILTINS } from './bash/builtins.ts';
import { addEffect, higher, note } from './effects.ts';
import { locate, resolvePath } from './paths.ts';
import { NPX_TOOLS, programNamed, VENV_TOOLS, WRAPPERS_BY_PROGRAM, type ProgramEntry } from './programs.ts';
import { noteReach } from './reach.ts';
import { isPure, unknownOption } from './rules/known.ts';
import { fire, type Call } from './rules/match.ts';
import type { Rule } from './rules/rule.ts';
import { copiesContents, targetsOf } from './rules/targets.ts';
import { noteRun, noteSecretRead, noteWrite, type Stdin, type Walk } from './walk.ts';
import { literalText, literalWord, type ShellWord } from './word.ts';
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
  const program = programName(name.known, walk);
  if (program === undefined) {
    refusePath(words, walk);
    return;
  }
  const builtin = BUILTINS.get(program);
  if (builtin !== undefined) {
    if (TITLED.has(program)) addEffect(walk.findings, 'run-program', program);
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

// Builtins that count as programs where a policy names what may run.
const TITLED: ReadonlySet<string> = new Set(['test', '[', 'unset', 'wait', 'let', 'getopts']);

const TRUSTED = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$|^\/opt\/homebrew\/s?bin\/([^/]+)$/;
const NODE_BIN = /^(?:\.\/)?node_modules\/\.bin\/([^/]+)$/;
const VENV_BIN = /^(?:\.\/)?\.?venv\/bin\/([^/]+)$/;
const BUILD_WRAPPER = /^\.\/(gradlew|mvnw)$/;

/** The name rules go by; undefined for a program given by a path where anything may lie. */
function programName(text: string, walk: Walk): string | undefined {
  const bare = text.replace(/\.(exe|cmd)$/i, '');
  if (!bare.includes('/') && !bare.includes('\\')) return bare;
  const trusted = TRUSTED.exec(bare);
  if (trusted !== null) return trusted[1] ?? trusted[2];
  const node = NODE_BIN.exec(bare)?.[1];
  const venv = VENV_BIN.exec(bare)?.[1];
  const local =
    BUILD_WRAPPER.exec(bare)?.[1] ??
    (node !== undefined && NPX_TOOLS.get(node) === node ? node : undefined) ??
    (venv !== undefined && VENV_TOOLS.has(venv) ? venv : undefined);
  const at = locate(literalWord(text), walk);
  if (local === undefined || at.place !== 'inside' || at.path === undefined) return undefined;
  noteRun(walk, at.path);
  return local;
}

/** A program somewhere in the project or beyond: whatever lies there, nobody has read it. */
function refusePath(words: readonly ShellWord[], walk: Walk): void {
  const [name] = words;
  if (name === undefined) return;
  const at = locate(name, walk);
  const path = at.path ?? name.known;
  noteRun(walk, path);
  note(walk.findings, {
    level: 'R3',
    reason: `the shell runs ${path}, a file that may be anything`,
    kind: 'run-script',
    target: path,
  });
  words.slice(1).forEach((word) => noteSecretRead(walk, word));
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
  const { cwds } = walk;
  if (program === 'git') walk.cwds = gitDirectories(call, cwds);
  const claim = entry.inspector?.(call, stdin, walk) ?? 'table';
  applyRules(call, entry.rules, claim === 'claimed', stdin, walk);
  walk.cwds = cwds;
}

/** `git -C a -C b` works in a/b. */
function gitDirectories(call: Call, cwds: Walk['cwds']): Walk['cwds'] {
  let from = cwds;
  for (const { name, value } of call.globalOptions) {
    if (name !== '-C') continue;
    const text = literalText(value);
    from = text === undefined ? [undefined] : from.map((cwd) => resolvePath(cwd, text));
  }
  return from;
}

/** Options before the subcommand are parsed by the program's grammar, the rest by the subcommand's. */
function parseCall(program: string, words: readonly ShellWord[], entry: ProgramEntry): Call {
  const { grammar } = entry;
  if (!entry.hasSubcommands) return { program, words, globalOptions: [], parsed: parseArguments(words, grammar) };
  const global = parseArguments(words, { ...grammar, stopAtOperand: true });
  const first = words[global.end];
  const rest = parseArguments(words.slice(global.end + 1), entry.subcommandGrammars.get(first?.known ?? '') ?? grammar);
  const parsed: ParsedArguments = {
    ...rest,
    options: [...global.options, ...rest.options],
    operands: first === undefined ? [] : [first, ...rest.operands],
    doubtful: global.doubtful || rest.doubtful || (first !== undefined && isOpenEnded(first)),
  };
  return { program, words, globalOptions: global.options, parsed };
}

function applyRules(call: Call, rules: readonly Rule[], claimed: boolean, stdin: Stdin, walk: Walk): void {
  const unknown = call.parsed.doubtful ? 'an option that is known only when it runs' : unknownOption(call, rules);
  const isClear = unknown === undefined;
  const fired = fire(rules, call, isClear);
  const title = [call.program, ...call.parsed.operands.slice(0, fired.depth).map((word) => word.known)].join(' ');
  addEffect(walk.findings, 'run-program', title);
  const dry = fired.lower.length > 0;
  const level: readonly Rule[] = dry ? fired.lower : claimed ? [] : highest(fired.base);
  // Before its own writes: what a tool writes is no reason to distrust its own run.
  if (!claimed) noteReach({ call, level, title, stdin }, walk);
  for (const rule of level) applyRule(rule, { call, depth: fired.depth, title }, walk);
  if (level.length === 0 && !claimed) refuse(walk, `${title} in this form is not in the guard's table`, title);
  if (!isClear && !claimed && level.some(needsKnownOptions) && !isPure(call.program))
    refuse(walk, `${title} with ${unknown}, which the guard does not know`, title);
  for (const rule of fired.raise)
    if (!dry || rule.evenInDryRun === true) applyRule(rule, { call, depth: fired.depth, title }, walk);
  if (!level.some((rule) => rule.textOnly === true) && !claimed) readsSecrets(call, level, walk);
}

/** Whatever runs unasked, and whatever writes files: an unknown option may choose another file. */
function needsKnownOptions(rule: Rule): boolean {
  return rule.level <= 'R1' || (rule.level === 'R2' && (rule.kind === 'write-file' || rule.kind === 'append-file'));
}

function refuse(walk: Walk, reason: string, title: string): void {
  note(walk.findings, { level: 'R3', reason, kind: 'unknown-program', target: title });
}

function highest(rules: readonly Rule[]): readonly Rule[] {
  let level: EffectLevel = 'R0';
  for (const rule of rules) level = higher(level, rule.level);
  return rules.filter((rule) => rule.level === level);
}

function readsSecrets(call: Call, level: readonly Rule[], walk: Walk): void {
  const writes = level.flatMap((rule) => rule.writes ?? []);
  const writesLast = writes.includes('last-operand') || writes.includes('copy-target');
  const operands = writes.includes('operands')
    ? []
    : writesLast
      ? call.parsed.operands.slice(0, -1)
      : call.parsed.operands;
  operands.forEach((word) => noteSecretRead(walk, word));
  for (const option of call.parsed.options) if (option.value !== undefined) noteSecretRead(walk, option.value);
}

interface Titled {
  readonly call: Call;
  readonly depth: number;
  readonly title: string;
}

function applyRule(rule: Rule, { call, depth, title }: Titled, walk: Walk): void {
  const reason = `${title} ${rule.because}`;
  for (const word of (rule.needsInside ?? []).flatMap((target) => targetsOf(target, call, depth))) {
    const { place } = locate(word, walk);
    if (place !== 'inside')
      note(walk.findings, {
        level: 'R3',
        reason: `${reason}: ${word.known}`,
        kind: 'outside-workspace',
        rule: rule.id,
      });
  }
  if (rule.needsInside !== undefined && rule.tier === 'raise') return;
  if (rule.writes === undefined) {
    note(walk.findings, { level: rule.level, reason, kind: rule.kind, rule: rule.id });
    return;
  }
  walk.findings.rules.add(rule.id);
  const targets = rule.writes.flatMap((target) => targetsOf(target, call, depth));
  if (targets.length === 0) note(walk.findings, { level: rule.level, reason, kind: rule.kind, rule: rule.id });
  const isOwnOutput = rule.ownOutput === true || OWN_OUTPUT.has(rule.kind);
  for (const word of targets) {
    if (word.kind === 'literal' && word.known === '-') continue;
    const at = noteWrite(walk, word, {
      level: rule.level,
      kind: rule.kind,
      verb: `${reason}:`,
      rule: rule.id,
      isOwnOutput,
    });
    if (
      rule.writes.includes('copy-target') &&
      at.path === rootOf(walk) &&
      call.parsed.operands.slice(depth, -1).some(copiesContents)
    )
      note(walk.findings, {
        level: 'R3',
        reason: `${reason}: all that is in a directory, over the root of the workspace`,
        kind: 'change-environment',
      });
  }
}

const OWN_OUTPUT: ReadonlySet<string> = new Set(['run-project-task', 'install-packages']);

function rootOf(walk: Walk): string | undefined {
  return walk.workspace === undefined ? undefined : resolvePath('/', walk.workspace);
}
