// Which probe fits a command: read from its words alone. A command gets a probe only if the probed effect is its whole
// lasting effect and its words are literal; everything else gets none, and its unknown results stay unknown.
import { parse } from 'unbash';
import type { Command, ParsedScript, PipelineNode, Redirection, Statement, Word, WordPart } from 'unbash';

/**
 * What the engine reads before the effect. `target` is as written in the command (relative to its directory), `tail` the
 * text it adds. `isAlone` is false where other parts, which change nothing, stand beside the probed one.
 */
export type ProbePlan =
  | { readonly kind: 'append'; readonly target: string; readonly tail: string | null; readonly isAlone: boolean }
  | { readonly kind: 'git-commit'; readonly isAlone: boolean };

/** A command as the gate gets it: text for a shell, or the words of a program. */
export interface PlannedCommand {
  readonly shell: 'bash' | 'pwsh' | 'none';
  readonly command: string | readonly string[];
}

/** A literal simple command: its words and its one redirection, if any. */
interface Simple {
  readonly words: readonly string[];
  readonly appendTo: string | null;
}

const SHELL_NAMES = new Set(['bash', 'sh', 'dash', '/bin/bash', '/bin/sh', '/usr/bin/bash', '/bin/dash']);
/** Programs that leave nothing behind. `exit` only ends the script. */
const HARMLESS = new Set(['sleep', 'true', 'false', ':', 'exit', 'pwd']);
/** Characters that mean only themselves outside quotes, wherever they stand. */
const PLAIN_TEXT = /^[\w@%+=:,./-]+$/;

/** The probe for a command, or null. */
export function probePlan(planned: PlannedCommand): ProbePlan | null {
  const { shell, command } = planned;
  if (shell === 'pwsh') return null;
  if (typeof command === 'string') return planOf(scriptOf(command));
  const [name, flag, text] = command;
  if (command.length === 3 && flag === '-c' && text !== undefined && SHELL_NAMES.has(name ?? '')) {
    return planOf(scriptOf(text));
  }
  return planOf([{ words: command, appendTo: null }]);
}

function planOf(script: readonly Simple[] | null): ProbePlan | null {
  if (!script) return null;
  const isAlone = script.length === 1;
  let plan: ProbePlan | null = null;
  for (const simple of script) {
    if (isHarmless(simple)) continue;
    if (isStaging(simple) && plan === null) continue;
    if (plan) return null;
    plan = appendPlan(simple, isAlone) ?? (isCommit(simple) ? { kind: 'git-commit', isAlone } : null);
    if (!plan) return null;
  }
  // `git add` alone leaves the index changed and has no probe of its own; before a commit it may be done again.
  return plan?.kind === 'append' && script.some(isStaging) ? null : plan;
}

function isHarmless({ words, appendTo }: Simple): boolean {
  const [name] = words;
  return appendTo === null && (HARMLESS.has(name ?? '') || name === 'echo');
}

function isStaging({ words, appendTo }: Simple): boolean {
  return appendTo === null && words[0] === 'git' && words[1] === 'add';
}

function appendPlan({ words, appendTo }: Simple, isAlone: boolean): ProbePlan | null {
  if (appendTo === null || (words[0] !== 'echo' && words[0] !== 'printf')) return null;
  return { kind: 'append', target: appendTo, tail: printedText(words), isAlone };
}

/** What echo or printf print, where that is certain in every POSIX shell: no options, no backslashes, no formats. */
function printedText(words: readonly string[]): string | null {
  const [name, ...rest] = words;
  if (name === 'echo' && !rest.some((word) => word.includes('\\')) && !rest[0]?.startsWith('-')) {
    return `${rest.join(' ')}\n`;
  }
  const [format] = rest;
  if (name !== 'printf' || rest.length !== 1 || format === undefined || format.startsWith('-')) return null;
  const text = format.replaceAll('\\n', '\n');
  return /[\\%]/.test(text) ? null : text;
}

const COMMIT_FLAGS = new Set(['-q', '--quiet', '-a', '--all', '--allow-empty', '-n', '--no-verify']);
const MESSAGE_FLAGS = new Set(['-m', '-am', '-qm', '--message']);

/** A `git commit` that makes one new commit and nothing else: no amend, no pathspec, no editor. */
function isCommit({ words, appendTo }: Simple): boolean {
  const [git, commit, ...rest] = words;
  if (appendTo !== null || git !== 'git' || commit !== 'commit') return false;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word.startsWith('--message=') || COMMIT_FLAGS.has(word)) continue;
    if (!MESSAGE_FLAGS.has(word) || rest[++i] === undefined) return false;
  }
  return true;
}

function scriptOf(text: string): readonly Simple[] | null {
  let script: ParsedScript;
  try {
    script = parse(text);
  } catch {
    // The parser gives up on the text: then no probe is certain, which is what null says.
    return null;
  }
  if (script.errors && script.errors.length > 0) return null;
  const simples: Simple[] = [];
  for (const statement of script.commands) {
    for (const node of chainOf(statement) ?? [null]) {
      const simple = node && simpleOf(node);
      if (!simple) return null;
      simples.push(simple);
    }
  }
  return simples;
}

/** The commands of `a` or `a && b`; null for anything in the background or with other operators. */
function chainOf(statement: Statement): readonly PipelineNode[] | null {
  if (statement.background) return null;
  const { command } = statement;
  if (command.type !== 'AndOr') return [command];
  return command.operators.every((operator) => operator === '&&') ? command.commands : null;
}

function simpleOf(node: PipelineNode): Simple | null {
  if (node.type !== 'Command' || node.prefix.length > 0) return null;
  const words = [node.name, ...node.args].map((word) => (word?.type === 'Word' ? literal(word) : null));
  const redirected = appendTarget(node);
  if (redirected === undefined) return null;
  const known = words.filter((word) => word !== null);
  return known.length === words.length ? { words: known, appendTo: redirected } : null;
}

/** The file of a single `>> file`; null without redirection; undefined for any other. */
function appendTarget(command: Command): string | null | undefined {
  const [first, ...more]: readonly Redirection[] = command.redirects;
  if (!first) return null;
  if (more.length > 0 || first.type !== 'Redirect' || first.operator !== '>>' || first.descriptor) return undefined;
  return (first.target && literal(first.target)) ?? undefined;
}

/** The text of a word that no expansion can change; null otherwise. */
function literal(word: Word): string | null {
  if (!word.parts) return PLAIN_TEXT.test(word.text) ? word.value : null;
  let text = '';
  for (const part of word.parts) {
    const piece = literalPart(part);
    if (piece === null) return null;
    text += piece;
  }
  return text;
}

function literalPart(part: WordPart): string | null {
  if (part.type === 'SingleQuoted') return part.value;
  if (part.type === 'Literal') return PLAIN_TEXT.test(part.text) ? part.value : null;
  if (part.type !== 'DoubleQuoted') return null;
  const plain = part.parts.every((child) => child.type === 'Literal' && !/[\\`$]/.test(child.text));
  return plain ? part.parts.map((child) => (child.type === 'Literal' ? child.value : '')).join('') : null;
}
