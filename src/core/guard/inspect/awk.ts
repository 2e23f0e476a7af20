// awk: prints by default. Anything in the program that can run a command, read through a pipe, write a file
// or load code makes it R3; the check looks at the text with strings taken out and errs on the careful side.
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import { noteSecretRead, type Stdin, type Walk } from '../walk.ts';
import { literalText } from '../word.ts';
import type { Claim } from './inspector.ts';

function hidden(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
  return 'claimed';
}

/** awk, gawk, mawk. */
export function inspectAwk(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const { parsed, program } = call;
  const odd = parsed.options.find(
    ({ name }) =>
      ![
        '-F',
        '-v',
        '--field-separator',
        '--assign',
        '--version',
        '--re-interval',
        '--posix',
        '-P',
        '--csv',
        '-k',
      ].includes(name),
  );
  if (odd !== undefined || parsed.doubtful)
    return hidden(
      walk,
      `${program} ${odd?.name ?? 'with an option that is known only when it runs'} is not understood`,
    );
  const text = literalText(parsed.operands[0]);
  if (text === undefined)
    return parsed.operands.length === 0 && hasOption(parsed, ['--version'])
      ? 'table'
      : hidden(walk, `${program} runs a program that is known only when it runs`);
  const reason = awkDanger(text);
  if (reason !== undefined) return hidden(walk, `${program} ${reason}`);
  parsed.operands.slice(1).forEach((operand) => noteSecretRead(walk, operand));
  if (/\bENVIRON\b/.test(text))
    note(walk.findings, {
      level: 'R0',
      reason: `${program} reads the environment, which may hold secrets`,
      kind: 'read-secret',
      target: 'environment',
    });
  note(walk.findings, { level: 'R0', reason: `${program} reads and prints`, kind: 'read-file' });
  return 'claimed';
}

/** Why an awk program is not a plain filter; undefined where it is. */
export function awkDanger(text: string): string | undefined {
  if (/\bsystem\b|\bgetline\b|@/.test(text)) return 'runs or reads through another command';
  const bare = withoutLiterals(text);
  if (bare === undefined) return 'has a program the guard cannot split into words';
  if (bare.replaceAll('||', ' or ').includes('|')) return 'sends its output to another command';
  return comparesOnly(bare) ? undefined : 'writes a file, or may';
}

/** True where every `>` compares: in a pattern, outside all actions, or inside parentheses. Elsewhere it may be a redirection. */
function comparesOnly(bare: string): boolean {
  let braces = 0;
  let parentheses = 0;
  for (let at = 0; at < bare.length; at += 1) {
    const char = bare.charAt(at);
    if (char === '{') braces += 1;
    else if (char === '}') braces -= 1;
    else if (char === '(') parentheses += 1;
    else if (char === ')') parentheses -= 1;
    else if (char === '>' && bare.charAt(at + 1) === '>') return false;
    else if (char === '>' && braces > 0 && parentheses === 0) return false;
    if (braces < 0 || parentheses < 0 || (char === '{' && parentheses > 0)) return false;
  }
  return braces === 0 && parentheses === 0;
}

const KEYWORD = /^(print|printf|return|in|else|do|case|getline|exit|delete|length)$/;

/** The program with strings and regular expressions emptied; undefined where a slash could be read in two ways. */
function withoutLiterals(text: string): string | undefined {
  const pieces: string[] = [];
  // The last sign that is no blank, and the word it ends.
  let last = '';
  let word = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '#') {
      const end = text.indexOf('\n', at);
      at = (end < 0 ? text.length : end) - 1;
      continue;
    }
    if (char !== '"' && char !== '/') {
      pieces.push(char);
      if (/\w/.test(char)) word = /\s/.test(text.charAt(at - 1)) || !/\w/.test(last) ? char : word + char;
      if (!/\s/.test(char)) last = char;
      if (word.length > 20) word = word.slice(-20);
      continue;
    }
    const reading = char === '"' ? 'literal' : slashReading(last, word, text, at);
    if (reading === undefined) return undefined;
    const end = reading === 'divides' ? at : closing(text, at, char);
    if (end === undefined) return undefined;
    pieces.push(reading === 'divides' ? char : `${char}${char}`);
    at = end;
    last = reading === 'divides' ? char : 'x';
    word = 'x';
  }
  return pieces.join('');
}

/** Whether a slash divides or opens a pattern, by what stands before it. */
function slashReading(last: string, word: string, text: string, at: number): 'divides' | 'literal' | undefined {
  if (last === '' || /[(,;{}!~&|\n]/.test(last)) return 'literal';
  if (/[\w.$]/.test(last)) return KEYWORD.test(word) ? undefined : 'divides';
  // Without another slash there is nothing that could close a pattern.
  return /[)\]]/.test(last) && !text.includes('/', at + 1) ? 'divides' : undefined;
}

/** Index of the quote or slash that closes the literal at `start`; undefined where there is none or a bracket makes it unsure. */
function closing(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '\n') return undefined;
    else if (char === quote) return at;
    else if (char === '[' && quote === '/' && /^\[\^?\]?[^\]]*\//.test(text.slice(at, at + 40))) return undefined;
  }
  return undefined;
}
