// Does exit code 0 say that every part of a command did its work? `deploy | tail`, `a; b`, `deploy || true` and `work &` may
// end with 0 whatever became of deploy, a and work. Words only, and in doubt no: then 0 is no proof (../reconcile.ts).
// What a program starts by itself and leaves running is seen when it ends (Evidence.leftRunning).
import { parse } from 'unbash';
import type { AndOr, Assignment, Command, Pipeline, PipelineNode, Redirection, Statement, Word } from 'unbash';
import { HARMLESS } from './harmless.ts';

/** A command as it is run. */
export interface RunWords {
  readonly shell: 'bash' | 'pwsh' | 'cmd' | 'none';
  readonly command: string | readonly string[];
}

/** They run a text as a script; which one is not known here. */
const RUNS_TEXT: ReadonlySet<string> = new Set(['eval', 'source', '.', 'trap']);
const SHELL = /(?:^|[/\\])(?:(?:ba|da|a|z|k|mk|c|tc|fi)?sh|su)(?:\.exe)?$/;
/** Whatever its words are, the shell on the other side runs them. */
const REMOTE = /(?:^|[/\\])ssh(?:\.exe)?$/;
const FIND = /(?:^|\/)find$/;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
/** In cmd and PowerShell: what starts something and does not wait, or repeats it. The beginning of a part. */
const CMD_STARTS = /^[\s(@]*(?:start|for)\s/i;
const PWSH_STARTS = /^[\s(]*(?:start|saps|sajb|iex)\s|\b(?:start-(?:process|job|threadjob)|invoke-expression)\b/i;

/** True where exit code 0 means that all of it succeeded. */
export function exitCovers({ shell, command }: RunWords): boolean {
  if (typeof command !== 'string') return wordsCover(command);
  if (shell === 'bash') return textCovers(command);
  // No parser for these two: one command, or several that all have to succeed.
  const [joins, starts] = shell === 'cmd' ? [/[&|\n]/, CMD_STARTS] : [/[;|&\n{]/, PWSH_STARTS];
  return command.split('&&').every((part) => !joins.test(part) && !starts.test(part));
}

/** A program with its words; a shell with a text stands for the text, also behind `sudo`, `timeout 5` and their like. */
function wordsCover(words: readonly string[]): boolean {
  const [name = ''] = words;
  if (RUNS_TEXT.has(name)) return false;
  if (words.some((word) => FIND.test(word)) && words.some((word) => FIND_RUNS.test(word))) return false;
  const remote = words.findIndex((word) => REMOTE.test(word));
  if (remote >= 0 && !textCovers(words.slice(remote + 1).join(' '))) return false;
  const shell = words.findIndex((word) => SHELL.test(word));
  if (shell < 0) return true;
  const own = words.slice(shell + 1);
  const at = own.findIndex((word) => /^-[a-z]*c[a-z]*$/i.test(word));
  // More options may stand between `-c` and the text, so every word has to be a text that covers.
  if (at >= 0) return own.slice(at + 1).every(textCovers);
  // Without the name of a file it reads the script from its input.
  return shell > 0 || own.some((word) => !/^[-+]/.test(word));
}

/** An option is turned off; it may be the one that ends a script early. */
const SET_BACK = /\bset\b[^;&|\n]*\s\+/;

function textCovers(text: string): boolean {
  try {
    const script = parse(text);
    return (
      (script.errors?.length ?? 0) === 0 &&
      (listCovers(script.commands) || (endsEarly(script.commands) && !SET_BACK.test(text))) &&
      substitutionsAreQuiet(script.commands)
    );
  } catch {
    // The parser gives up on it.
    return false;
  }
}

function listCovers(statements: readonly Statement[]): boolean {
  if (statements.some(({ background }) => background)) return false;
  const last = statements.at(-1);
  if (!last) return true;
  return statements.slice(0, -1).every(isQuietStatement) && covers(last.command);
}

/** A whole text after `set -e`: a failed command ends it. (In a part of a text it may have no effect: `(set -e; a; b) || c`.) */
function endsEarly([first, ...rest]: readonly Statement[]): boolean {
  const last = rest.at(-1);
  if (!first || !last || !isSetE(first.command) || rest.some(({ background }) => background)) return false;
  return rest.slice(0, -1).every(({ command }) => isEndOfAll(command)) && covers(last.command);
}

/** Under `set -e`: where it fails, all is over. Not so `a && b`, also as the last part of a group or branch (bash(1)). */
function isEndOfAll(node: AndOr | PipelineNode): boolean {
  if (isQuiet(node)) return true;
  return (node.type === 'Command' || node.type === 'Pipeline' || node.type === 'Subshell') && covers(node);
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
      return commandCovers(node);
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
  // What it is fed may be a shell's script.
  if (redirectionsOf(node).some(isFeed) && names(node, [SHELL, REMOTE])) return false;
  const words = literalWords(node);
  if (words !== null) return wordsCover(words);
  const name = nameOf(node);
  if (name === null || RUNS_TEXT.has(name)) return false;
  return !names(node, [SHELL, REMOTE, FIND]);
}

/** Has it a word like one of these? */
function names(node: Command, programs: readonly RegExp[]): boolean {
  const texts = [node.name, ...argumentsOf(node)].map((word) => word?.text ?? '');
  return texts.some((text) => programs.some((one) => one.test(text)));
}

/** A here-document, or a file but nothing. */
function isFeed(one: Redirection): boolean {
  if (one.type !== 'Redirect') return true;
  return one.operator.startsWith('<') && one.target?.value !== '/dev/null';
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
  // A shell keeps the lowest 8 bits.
  return (name === 'exit' || name === 'return') && more.length === 0 && Number(code) % 256 > 0;
}

function pipelineCovers(pipeline: Pipeline): boolean {
  const last = pipeline.commands.at(-1);
  const isTurned = pipeline.prefixes.some(({ type }) => type === 'Negation');
  if (isTurned || !last) return pipeline.commands.every(isQuiet);
  const before = pipeline.commands.slice(0, -1);
  return before.every(isQuiet) && (before.length === 0 || !readsScript(last)) && covers(last);
}

/** A shell may take what is piped into it for its script, also one in a group. */
function readsScript(node: AndOr | PipelineNode): boolean {
  switch (node.type) {
    case 'Command':
      return names(node, [SHELL, REMOTE]);
    case 'Redirected':
      return readsScript(node.command);
    case 'AndOr':
    case 'Pipeline':
      return node.commands.some(readsScript);
    case 'Subshell':
    case 'BraceGroup':
      return node.body.commands.some(({ command }) => readsScript(command));
    default:
      // Branches, loops and functions are not looked into, unless nothing in them leaves anything behind.
      return !isQuiet(node);
  }
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
  if (!redirectionsOf(node).every(isNoFile)) return false;
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

/** Its words without quotes; null where the shell makes several or other words of one. (`"$x"` is one, whatever it holds.) */
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

/** `$(...)`, backquotes and `<(...)`, wherever they stand: how they ended is told nowhere. */
function substitutionsAreQuiet(statements: readonly Statement[]): boolean {
  // What the parser reads only when asked is in the text that it makes of itself.
  return scriptsIn(JSON.parse(JSON.stringify(statements))).every((script) => script.every(isQuietStatement));
}

function scriptsIn(value: unknown): readonly (readonly Statement[])[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(scriptsIn);
  // A node of the parser, as it writes itself.
  return 'type' in value && value.type === 'Script' && 'commands' in value
    ? [value.commands as readonly Statement[], ...inner]
    : inner;
}
