// Walks the syntax tree of one bash text: every statement, branch, loop body, function body and substitution, each once.
// Any syntax error, and any node that is not listed here, makes the text not understood.
import {
  forEachChild,
  type Assignment,
  type Command,
  type CommandArgument,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { note, notUnderstood } from '../effects.ts';
import { isKnownCommand } from '../programs.ts';
import { apart, deeper, noteSecretRead, scoped, spend, type Walk } from '../walk.ts';
import { literalWord, UNKNOWN_WORD, type ShellWord } from '../word.ts';
import { noteArithmetic } from './arithmetic.ts';
import { isSteeringVariable, noteAssignment } from './assignments.ts';
import { holdsIndexCode } from './numbers.ts';
import { noteRedirect, stdinOf } from './redirects.ts';
import { rememberVariable, toShellWords } from './words.ts';

const MAX_CWDS = 4;

/** Walks a parsed text; its findings go into `walk`. */
export function walkScript(script: ParsedScript, walk: Walk): void {
  const error = script.errors?.[0];
  if (error !== undefined) {
    notUnderstood(walk.findings, `the shell text has a syntax error: ${error.message}`);
    return;
  }
  for (const statement of script.commands) walkNode(statement, walk, false);
}

function walkNode(node: SyntaxNode, walk: Walk, piped: boolean): void {
  if (!spend(walk)) return;
  switch (node.type) {
    case 'Statement':
      either(walk, () => walkNode(node.command, walk, piped));
      return;
    case 'CompoundList':
      for (const statement of node.commands) walkNode(statement, walk, piped);
      return;
    case 'AndOr':
      scoped(walk, () =>
        node.commands.forEach((command, i) => {
          if (i > 0 && node.operators[i - 1] === '||') either(walk, () => walkNode(command, walk, piped));
          else walkNode(command, walk, piped);
        }),
      );
      return;
    case 'Pipeline':
      if (node.commands.length === 1 && node.commands[0] !== undefined) walkNode(node.commands[0], walk, piped);
      else node.commands.forEach((command, i) => apart(walk, () => walkNode(command, walk, piped || i > 0)));
      return;
    case 'Command':
      walkCommand(node, walk, piped);
      return;
    case 'Redirected':
      for (const redirect of node.redirects) walkRedirect(redirect, false, walk);
      walkNode(
        node.command,
        walk,
        piped || node.redirects.some((redirect) => redirect.type !== 'Redirect' || redirect.operator.startsWith('<')),
      );
      return;
    case 'Subshell':
      apart(walk, () => walkNode(node.body, walk, piped));
      return;
    case 'BraceGroup':
      walkNode(node.body, walk, piped);
      return;
    default:
      walkCompound(node, walk, piped);
  }
}

/** After a branch that may or may not have run, the directory is one of both. */
function either(walk: Walk, inner: () => void): void {
  const before = walk.cwds;
  inner();
  if (walk.cwds === before) return;
  const both = [...new Set([...before, ...walk.cwds])];
  walk.cwds = both.length > MAX_CWDS ? [undefined] : both;
}

function walkCompound(node: SyntaxNode, walk: Walk, piped: boolean): void {
  switch (node.type) {
    case 'If':
    case 'Elif':
    case 'While':
    case 'Case':
    case 'CaseItem':
      forEachChild(node, (child) => walkChild(child, walk, piped));
      return;
    case 'For':
    case 'Select': {
      if (isSteeringVariable(node.name.value))
        note(walk.findings, { level: 'R3', reason: `a loop sets ${node.name.value}`, kind: 'change-environment' });
      const words = node.wordlist?.flatMap((word) => [...toShellWords(word, walk)]) ?? [UNKNOWN_WORD];
      node.wordlist?.forEach((word) => walkExpansions(word, walk));
      if (words.some((word) => /\$\(|`/.test(word.known) || holdsIndexCode(word.known)))
        note(walk.findings, { level: 'R3', reason: 'a loop runs over shell code as text', kind: 'run-hidden-text' });
      inLoop(walk, () => {
        if (node.type === 'For') rememberVariable(node.name.value, words, walk);
        walkNode(node.body, walk, piped);
      });
      return;
    }
    case 'ArithmeticFor':
    case 'ArithmeticCommand':
    case 'TestCommand':
      forEachChild(node, (child) => walkChild(child, walk, piped));
      return;
    case 'Function':
      walkFunction(node.name.value, node.body, walk);
      return;
    case 'Coproc':
      apart(walk, () => walkNode(node.body, walk, true));
      return;
    default:
      notUnderstood(walk.findings, `shell syntax that the guard does not know: ${node.type}`);
  }
}

/** A body is judged where it stands, as if it ran there many times; a name that means something already is refused. */
function walkFunction(name: string, body: SyntaxNode, walk: Walk): void {
  if (isKnownCommand(name) || !/^[A-Za-z_][\w-]*$/.test(name))
    note(walk.findings, {
      level: 'R3',
      reason: `a function gives ${name} another meaning`,
      kind: 'run-hidden-text',
    });
  const { functions } = walk;
  // Inside its own body a function may not be called: it would run without end, or before it has been judged.
  walk.functions = new Set([...functions].filter((other) => other !== name));
  apart(walk, () => inLoop(walk, () => walkNode(body, walk, true)));
  walk.functions = new Set([...functions, name]);
}

/** A body that may run many times: a `cd` in it leaves the directory unknown, also for its own beginning. */
function inLoop(walk: Walk, inner: () => void): void {
  const before = walk.cwds;
  walk.loops += 1;
  scoped(walk, inner);
  if (walk.cwds !== before) {
    walk.cwds = [undefined];
    scoped(walk, inner);
    walk.cwds = [undefined];
  }
  walk.loops -= 1;
}

function walkChild(child: SyntaxNode, walk: Walk, piped: boolean): void {
  if (child.type === 'CompoundList') inLoop(walk, () => walkNode(child, walk, piped));
  else if (child.type === 'CaseItem' || child.type === 'Elif') walkCompound(child, walk, piped);
  else walkExpansions(child, walk);
}

function walkCommand(command: Command, walk: Walk, piped: boolean): void {
  const { name, redirects } = command;
  const words = name === undefined ? [] : [...toShellWords(name, walk)];
  if (name !== undefined) walkExpansions(name, walk);
  for (const part of command.prefix) {
    if (part.type !== 'Assignment') continue;
    walkExpansions(part, walk);
    noteAssignment(part, name !== undefined, walk);
  }
  for (const argument of command.args) {
    walkExpansions(argument, walk);
    words.push(...argumentWords(argument, walk));
  }
  const called = words[0];
  if (called?.kind === 'literal' && walk.functions.has(called.known)) callFunction(words, walk);
  else if (words.length > 0) walk.runWords(words, stdinOf(redirects, piped, walk));
  const empties = printsNothing(words);
  for (const redirect of redirects) walkRedirect(redirect, empties, walk);
}

/** A call of a function that the text defines: it may set anything, and its arguments may be used as code. */
function callFunction(words: readonly ShellWord[], walk: Walk): void {
  for (const word of words.slice(1)) {
    noteSecretRead(walk, word);
    if (holdsIndexCode(word.known))
      note(walk.findings, { level: 'R3', reason: 'hands shell code to a function', kind: 'run-hidden-text' });
  }
  walk.cwds = [undefined];
  walk.variables = new Map();
}

function argumentWords(argument: CommandArgument, walk: Walk): readonly ShellWord[] {
  if (argument.type === 'Word') return toShellWords(argument, walk);
  return [assignmentWord(argument, walk)];
}

/** `export NAME=value`: the builtin sees one word; its value stays opaque unless it is plain. */
function assignmentWord(assignment: Assignment, walk: Walk): ShellWord {
  noteAssignment(assignment, true, walk);
  const known = `${assignment.name}=`;
  const value = assignment.value.type === 'Word' ? literalOf(assignment.value) : undefined;
  if (value !== undefined) return literalWord(known + value);
  return { kind: 'opaque', known, canBeOption: false, expanded: true, splits: false };
}

function literalOf(word: Word): string | undefined {
  return word.parts === undefined ? word.value : undefined;
}

/** No command at all, `:`, `true`, `cat /dev/null`, `echo -n`, `printf ''`: `>` then only empties its target. */
function printsNothing(words: readonly ShellWord[]): boolean {
  const text = words.map((word) => (word.kind === 'opaque' ? '$' : word.known));
  const rest = text.slice(1).join(' ').trim();
  switch (text[0]) {
    case undefined:
    case ':':
    case 'true':
    case 'false':
      return true;
    case 'cat':
      return rest === '/dev/null';
    case 'echo':
      return /^-[neE]+$/.test(rest);
    case 'printf':
      return rest === '' || rest === '%s';
    default:
      return false;
  }
}

function walkRedirect(redirect: Redirection, empties: boolean, walk: Walk): void {
  walkExpansions(redirect, walk);
  noteRedirect(redirect, empties, walk);
}

/** Finds the commands inside words: substitutions run wherever they stand, also inside quotes, defaults and arithmetic. */
function walkExpansions(node: SyntaxNode, walk: Walk): void {
  if (!spend(walk)) return;
  noteArithmetic(node, walk);
  switch (node.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
      return;
    case 'Word':
      if (node.parts === undefined) return;
      break;
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
    case 'ProcessSubstitution': {
      const script = node.script;
      if (script === undefined) notUnderstood(walk.findings, 'a command substitution could not be read');
      else deeper(walk, () => apart(walk, () => walkScript(script, walk)));
      return;
    }
    case 'ArithmeticExpansion':
      if (node.expression === undefined) notUnderstood(walk.findings, 'an arithmetic expression could not be read');
      break;
    case 'Unknown':
      notUnderstood(walk.findings, `a parameter expansion the guard does not know: ${node.operator}`);
      return;
    case 'Transform':
      if (!/^[QEUuLKkAa]$/.test(node.operand.value))
        note(walk.findings, {
          level: 'R3',
          reason: 'expands a value as a prompt, which runs commands in it',
          kind: 'run-hidden-text',
        });
      break;
    case 'Script':
      walkScript(node, walk);
      return;
    default:
  }
  forEachChild(node, (child) => walkExpansions(child, walk));
}
