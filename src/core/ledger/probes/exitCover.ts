// Does exit code 0 say that every part of a command did its work? `deploy | tail`, `a; b`, `deploy || true` and `work &` may
// end with 0 whatever became of deploy, a and work. Words only, and in doubt no: then 0 is no proof (../reconcile.ts).
// What a program starts by itself and leaves running is seen when it ends (Evidence.leftRunning).
import { parse } from 'unbash';
import type {
  AndOr,
  Assignment,
  Command,
  CommandNode,
  Pipeline,
  PipelineNode,
  Redirection,
  Statement,
  Word,
} from 'unbash';
import { HARMLESS } from './harmless.ts';

/** A command as it is run. */
export interface RunWords {
  readonly shell: 'bash' | 'pwsh' | 'cmd' | 'none';
  readonly command: string | readonly string[];
}

/** They read a text as a script; which one is not known here. */
const RUNS_TEXT: ReadonlySet<string> = new Set(['eval', 'source', '.']);
const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;

/** True where exit code 0 means that all of it succeeded. */
export function exitCovers({ shell, command }: RunWords): boolean {
  if (typeof command !== 'string') return wordsCover(command);
  if (shell === 'bash') return textCovers(command);
  // No parser for these two: one command, or several that all have to succeed.
  const rest = command.replaceAll('&&', '');
  return shell === 'cmd'
    ? !/[&|\n]|(?:^|\()\s*start\s/i.test(rest)
    : !/[;|&\n{]|\bstart-(?:process|job|threadjob)\b|\bsaps\b/i.test(rest);
}

/** A program with its words; a shell with a text stands for the text, also behind `sudo`, `timeout 5` and their like. */
function wordsCover(words: readonly string[]): boolean {
  const [name = ''] = words;
  if (RUNS_TEXT.has(name)) return false;
  if (name === 'find') return !words.some((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  const shell = words.findIndex((word) => SHELL.test(word));
  const at = shell < 0 ? -1 : words.findIndex((word, i) => i > shell && /^-[a-z]*c$/.test(word));
  return at < 0 || textCovers(words[at + 1] ?? '');
}

function textCovers(text: string): boolean {
  try {
    const script = parse(text);
    return (script.errors?.length ?? 0) === 0 && listCovers(script.commands);
  } catch {
    // The parser gives up on it.
    return false;
  }
}

function listCovers(statements: readonly Statement[]): boolean {
  if (statements.some(({ background }) => background)) return false;
  const last = statements.at(-1);
  if (!last) return true;
  const before = statements.slice(0, -1);
  // After `set -e` a failed command ends it; of a chain only the last part does.
  const endsEarly = before[0] !== undefined && isSetE(before[0].command);
  const isTold = endsEarly
    ? before.slice(1).every(({ command }) => isQuiet(command) || (command.type !== 'AndOr' && covers(command)))
    : before.every(({ command }) => isQuiet(command));
  return isTold && covers(last.command);
}

function isSetE(node: AndOr | PipelineNode): boolean {
  const words = node.type === 'Command' ? literalWords(node) : null;
  return words?.[0] === 'set' && /^-[a-z]*e/.test(words[1] ?? '');
}

function covers(node: AndOr | PipelineNode): boolean {
  switch (node.type) {
    case 'AndOr':
      return chainCovers(node);
    case 'Pipeline':
      return pipelineCovers(node);
    case 'Command':
      return substitutionsAreQuiet(node) && commandCovers(node);
    case 'Redirected':
      return covers(node.command);
    case 'Subshell':
    case 'BraceGroup':
      return listCovers(node.body.commands);
    case 'If': {
      const branches = [node, ...node.elif];
      const bodies = [...branches.map(({ then }) => then), ...(node.else ? [node.else] : [])];
      const isAsked = branches.every(({ clause }) => clause.commands.every(({ command }) => isQuiet(command)));
      return isAsked && bodies.every((body) => listCovers(body.commands));
    }
    case 'Case':
      return node.items.every((item) => listCovers(item.body.commands));
    default:
      return isQuiet(node);
  }
}

function commandCovers(node: Command): boolean {
  if (!node.name) return true;
  const words = literalWords(node);
  if (words !== null) return wordsCover(words);
  const name = nameOf(node);
  if (name === null || name === 'find' || RUNS_TEXT.has(name)) return false;
  return ![name, ...argumentsOf(node).map(({ text }) => text)].some((word) => SHELL.test(word));
}

/** `a && b` needs both. `a || b` hides a failure of a, unless b ends the script with a failure. */
function chainCovers({ commands, operators }: AndOr): boolean {
  const [first, ...rest] = commands;
  if (!first) return false;
  let isCovered = covers(first);
  let isAllQuiet = isQuiet(first);
  for (const [i, node] of rest.entries()) {
    if (operators[i] === '&&') isCovered &&= covers(node);
    else if (!isFailure(node)) isCovered = isAllQuiet && covers(node);
    isAllQuiet &&= isQuiet(node);
  }
  return isCovered;
}

/** `exit 1`, `return 1`, `false`. */
function isFailure(node: PipelineNode): boolean {
  const [name, code, ...more] = (node.type === 'Command' ? literalWords(node) : null) ?? [];
  if (name === 'false') return code === undefined;
  return (name === 'exit' || name === 'return') && more.length === 0 && /^[1-9]\d*$/.test(code ?? '');
}

function pipelineCovers(pipeline: Pipeline): boolean {
  const last = pipeline.commands.at(-1);
  const isTurned = pipeline.prefixes.some(({ type }) => type === 'Negation');
  if (isTurned || !last) return pipeline.commands.every(isQuiet);
  return pipeline.commands.slice(0, -1).every(isQuiet) && covers(last);
}

/** Nothing in it leaves anything behind. */
function isQuiet(node: AndOr | PipelineNode): boolean {
  switch (node.type) {
    case 'AndOr':
    case 'Pipeline':
      return node.commands.every(isQuiet);
    case 'Command':
      return isQuietCommand(node);
    case 'TestCommand':
    case 'ArithmeticCommand':
      return true;
    case 'Subshell':
    case 'BraceGroup':
    case 'For':
      return node.body.commands.every(isQuietStatement);
    case 'While':
      return [...node.clause.commands, ...node.body.commands].every(isQuietStatement);
    default:
      return false;
  }
}

function isQuietStatement({ command, background }: Statement): boolean {
  return !background && isQuiet(command);
}

function isQuietCommand(node: Command): boolean {
  if (!redirectionsOf(node).every(isNoFile) || !substitutionsAreQuiet(node)) return false;
  const name = nameOf(node);
  // Without a name: an assignment.
  return name === null ? !node.name : HARMLESS.has(name) || SETTING.has(name);
}

/** They change this shell alone. */
const SETTING: ReadonlySet<string> = new Set([
  'set',
  'export',
  'shopt',
  'unset',
  'local',
  'readonly',
  'declare',
  'wait',
]);

/** Reads, goes into another descriptor, or into nothing. */
function isNoFile(one: Redirection): boolean {
  if (one.type !== 'Redirect' || one.operator === '<') return true;
  const to = one.target?.value ?? '';
  return to === '/dev/null' || (one.operator === '>&' && /^\d$/.test(to));
}

function redirectionsOf({ prefix, suffix }: Command): readonly Redirection[] {
  return [...prefix, ...suffix].filter((one) => one.type !== 'Word' && one.type !== 'Assignment');
}

function argumentsOf({ suffix }: Command): readonly (Word | Assignment)[] {
  return suffix.filter((one) => one.type === 'Word' || one.type === 'Assignment');
}

function nameOf({ name }: Command): string | null {
  return name && name.parts === undefined ? name.value : null;
}

/** Its words without quotes; null where the shell makes them of something else. */
function literalWords(node: Command): readonly string[] | null {
  const words = [node.name, ...argumentsOf(node)];
  const values = words.map((word) => (word?.type === 'Word' && isLiteral(word) ? word.value : null));
  return values.every((value) => value !== null) ? values : null;
}

function isLiteral({ parts = [] }: Word): boolean {
  return parts.every(
    ({ type }) => type === 'Literal' || type === 'SingleQuoted' || type === 'AnsiCQuoted' || type === 'DoubleQuoted',
  );
}

/** `$(...)`, backquotes and `<(...)` in a command: how they ended is told nowhere. */
function substitutionsAreQuiet(node: CommandNode): boolean {
  // What the parser reads only when asked is in the text that it makes of itself.
  return scriptsIn(JSON.parse(JSON.stringify(node))).every((statements) => statements.every(isQuietStatement));
}

function scriptsIn(value: unknown): readonly (readonly Statement[])[] {
  if (value === null || typeof value !== 'object') return [];
  // A node of the parser, as it writes itself.
  if ('type' in value && value.type === 'Script' && 'commands' in value)
    return [value.commands as readonly Statement[]];
  return Object.values(value).flatMap(scriptsIn);
}
