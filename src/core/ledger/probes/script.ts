// A command as literal steps: what each part runs, where its output goes, what it reads. Anything that an expansion, a
// branch, a loop or an unknown redirection could change makes the whole command unreadable, which is what null says.
import { parse } from 'unbash';
import type {
  Command,
  HereDoc,
  HereString,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirect,
  Statement,
  Word,
  WordPart,
} from 'unbash';

/** One part of a command that is a program with literal words. */
export interface Step {
  readonly words: readonly string[];
  /** The file its standard output goes to; null: none. */
  readonly output: { readonly path: string; readonly isAppend: boolean } | null;
  /** The exact text it reads: '' for nothing, null where that is not known. */
  readonly input: string | null;
  /** Whether the whole command fails when this part does: not so before a `;` and inside a pipeline. */
  readonly decidesExit: boolean;
  /** Literal folders that were entered before, joined; '' for the command's own folder. */
  readonly folder: string;
}

/** A step by itself, without its place in the command. */
type Part = Pick<Step, 'words' | 'output' | 'input'>;

/** A command as the gate gets it: text for a shell, or the words of a program. */
export interface PlannedCommand {
  readonly shell: 'bash' | 'pwsh' | 'none';
  readonly command: string | readonly string[];
  /** Its whole environment; absent: not known. */
  readonly env?: Readonly<Record<string, string>>;
}

const SHELL_NAMES = new Set(['bash', 'sh', 'dash', '/bin/bash', '/bin/sh', '/usr/bin/bash', '/bin/dash']);
/** Text that means only itself outside quotes, wherever it stands. */
const PLAIN_TEXT = /^[\w@%+=:,./-](?:[\w@%+=:,./^-]|(?<=\w)~)*$/;

/** The steps of a command in order; null where its words do not say for certain what it does. */
export function stepsOf({ shell, command, env }: PlannedCommand): readonly Step[] | null {
  if (shell === 'pwsh') return null;
  if (typeof command === 'string') return stepsOfScript('bash', command, env);
  const [name = '', flag, text, ...more] = command;
  if (text !== undefined && more.length === 0 && flag === '-c' && SHELL_NAMES.has(name))
    return stepsOfScript(name, text, env);
  return [{ words: command, output: null, input: '', decidesExit: true, folder: '' }];
}

function stepsOfScript(shell: string, text: string, env: PlannedCommand['env']): readonly Step[] | null {
  if (env && readsMore(shell, env)) return null;
  const steps = stepsOfText(text, env);
  // A function of the environment stands in for the program of its name, and for `cd`, which leaves a folder only.
  const isReplaced = steps?.some(({ words, folder }) =>
    [words[0], folder === '' ? undefined : 'cd'].some((program) => env && `BASH_FUNC_${program}%%` in env),
  );
  return isReplaced ? null : steps;
}

/** What a shell takes from its environment before the text: a file it reads, or options such as `noexec` (bash(1)). */
const READ_BY_ANY = ['BASH_ENV', 'SHELLOPTS', 'BASHOPTS'];
/** Files of an interactive `sh` by POSIX, but of every one in some old systems; never read by bash under its own name. */
const READ_BY_SH = ['ENV'];

/** Whether the shell may do more or less than its text says, which then proves nothing. An empty value says nothing. */
function readsMore(shell: string, env: Readonly<Record<string, string>>): boolean {
  const isBash = shell.endsWith('bash');
  return [...READ_BY_ANY, ...(isBash ? [] : READ_BY_SH)].some((name) => (env[name] ?? '') !== '');
}

function stepsOfText(text: string, env: PlannedCommand['env']): readonly Step[] | null {
  let script: ParsedScript;
  try {
    script = parse(text);
  } catch {
    // The parser gives up on the text: then nothing is certain, which is what null says.
    return null;
  }
  if (script.errors && script.errors.length > 0) return null;
  const steps: Step[] = [];
  for (const [i, statement] of script.commands.entries()) {
    const isLast = i === script.commands.length - 1;
    const nodes = chainOf(statement);
    if (!nodes) return null;
    let folder = '';
    for (const node of nodes) {
      const part = node.type === 'Pipeline' ? pipelineSteps(node) : simpleSteps(node);
      if (!part) return null;
      if (part[0]?.words[0] === 'cd') {
        // A failed `cd` ends a chain of `&&`; elsewhere the rest would run in the wrong folder.
        const entered = script.commands.length === 1 ? enteredFolder(part, folder, env) : null;
        if (entered === null) return null;
        folder = entered;
      } else {
        steps.push(...part.map((step, at) => ({ ...step, folder, decidesExit: isLast && at === part.length - 1 })));
      }
    }
  }
  return steps;
}

/** The commands of `a` or `a && b`; null for anything in the background or with other operators. */
function chainOf(statement: Statement): readonly PipelineNode[] | null {
  if (statement.background) return null;
  const { command } = statement;
  if (command.type !== 'AndOr') return [command];
  return command.operators.every((operator) => operator === '&&') ? command.commands : null;
}

/** The folder after `cd word`; null where `..`, options or CDPATH could lead elsewhere. */
function enteredFolder(steps: readonly Part[], from: string, env: PlannedCommand['env']): string | null {
  const [step, ...more] = steps;
  const [, target, ...rest] = step?.words ?? [];
  if (more.length > 0 || step?.output || target === undefined || rest.length > 0) return null;
  if (target === '' || target.startsWith('-') || target.split('/').includes('..')) return null;
  const isSearched = !target.startsWith('/') && !target.startsWith('./') && target !== '.';
  if (isSearched && (env === undefined || 'CDPATH' in env)) return null;
  return target.startsWith('/') || from === '' ? target : `${from}/${target}`;
}

/** `a | b | c`, also with standard error; the text that one part prints is the next one's input where it is known. */
function pipelineSteps(pipeline: Pipeline): readonly Part[] | null {
  if (pipeline.prefixes.length > 0) return null;
  const steps: Part[] = [];
  for (const [i, node] of pipeline.commands.entries()) {
    const last = steps.at(-1);
    const piped = last && pipeline.operators[i - 1] === '|' && !last.output ? printedText(last) : null;
    const step = simpleStep(node, last ? piped : '');
    if (!step) return null;
    steps.push(step);
  }
  return steps;
}

function simpleSteps(node: PipelineNode): readonly Part[] | null {
  const step = simpleStep(node, '');
  return step && [step];
}

/** `given`: what it reads unless a redirection says otherwise. */
function simpleStep(node: PipelineNode, given: string | null): Part | null {
  if (node.type !== 'Command' || node.prefix.some((one) => one.type === 'Assignment')) return null;
  const all = node.name ? [node.name, ...node.args] : node.args;
  const words = all.map((word) => (word.type === 'Word' ? literal(word) : null));
  const known = words.filter((word) => word !== null);
  const flow = flowOf(node, given);
  return flow && known.length === words.length ? { words: known, ...flow } : null;
}

/** What the redirections of a command come to; null for any that could write another file. */
function flowOf(command: Command, given: string | null): Pick<Part, 'output' | 'input'> | null {
  let output: Step['output'] = null;
  let input = given;
  let isMoved = false;
  for (const one of command.redirects) {
    if (one.type === 'HereDoc') input = hereDocText(one);
    else if (one.type === 'HereString') input = hereStringText(one);
    else if (one.operator === '<') input = literalTarget(one) === '/dev/null' ? '' : null;
    else if (isNeutral(one)) isMoved ||= isOfOutput(one);
    else {
      const path = literalTarget(one);
      const isFile = one.operator === '>' || one.operator === '>>' || one.operator === '>|';
      if (path === null || output || isMoved || !isFile || !isOfOutput(one)) return null;
      output = { path, isAppend: one.operator === '>>' };
    }
  }
  // `>&2` beside a file: which of them gets the output depends on their order.
  return isMoved && output ? null : { output, input };
}

/** Into another descriptor (`2>&1`) or into nothing. */
function isNeutral(one: Redirect): boolean {
  const target = literalTarget(one);
  if (one.operator === '>&') return /^\d$/.test(target ?? '');
  return /^(?:>|>>|&>|&>>)$/.test(one.operator) && target === '/dev/null';
}

/** `&>` never has a descriptor. */
function isOfOutput({ descriptor }: Redirect): boolean {
  return !descriptor || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
}

function literalTarget({ target }: Redirect): string | null {
  return target ? literal(target) : null;
}

function hereDocText({ operator, delimiter, body, closing, descriptor }: HereDoc): string | null {
  if (operator !== '<<' || !delimiter || !closing || descriptor) return null;
  return delimiter.quoted || !/[\\$`]/.test(body.text) ? body.text : null;
}

function hereStringText({ target, descriptor }: HereString): string | null {
  const text = target && !descriptor ? literal(target) : null;
  return text === null ? null : `${text}\n`;
}

/** What echo, printf or cat print, where that is certain in every POSIX shell: no options, no backslashes, few formats. */
export function printedText({ words, input }: Pick<Step, 'words' | 'input'>): string | null {
  const [name, ...rest] = words;
  if (name === 'cat') return rest.length === 0 || (rest.length === 1 && rest[0] === '-') ? input : null;
  if (name === 'echo') {
    return rest.some((word) => word.includes('\\')) || rest[0]?.startsWith('-') ? null : `${rest.join(' ')}\n`;
  }
  const [format, ...values] = rest;
  if (name !== 'printf' || format === undefined || format.startsWith('-')) return null;
  if (values.length > 0) {
    const end = /^%s(\\n)?$/.exec(format);
    return end ? values.map((value) => value + (end[1] ? '\n' : '')).join('') : null;
  }
  const text = format.replaceAll('\\n', '\n');
  return /[\\%]/.test(text) ? null : text;
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
