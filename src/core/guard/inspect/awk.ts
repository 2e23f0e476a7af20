// awk and one-line perl: prints by default. Anything in the program that can run a command, read through a pipe, write a file
// or load code makes it R3; the check looks at the text with strings taken out and errs on the careful side.
import { hasOption, optionValue } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import { noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
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
  note(walk.findings, { level: 'R0', reason: `${program} reads and prints`, kind: 'read-file' });
  return 'claimed';
}

/** Why an awk program is not a plain filter; undefined where it is. */
export function awkDanger(text: string): string | undefined {
  if (/\bsystem\b|\bgetline\b|@/.test(text)) return 'runs or reads through another command';
  const bare = withoutLiterals(text);
  if (bare === undefined) return 'has a program the guard cannot split into words';
  if (bare.replaceAll('||', ' or ').includes('|')) return 'sends its output to another command';
  for (const statement of bare.replace(/\\\n|,\s*\n/g, ',').split(/[;{}\n]/)) {
    const print = statement.search(/\bprintf?\b/);
    if (print >= 0 && statement.includes('>', print)) return 'writes a file';
  }
  return undefined;
}

/** The program with strings and regular expressions emptied; undefined where a slash could be read in two ways. */
function withoutLiterals(text: string): string | undefined {
  let bare = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '#') {
      while (at + 1 < text.length && text.charAt(at + 1) !== '\n') at += 1;
      continue;
    }
    if (char !== '"' && char !== '/') {
      bare += char;
      continue;
    }
    const before = /\S(?=\s*$)/.exec(bare.slice(-80))?.[0] ?? '';
    const word = /([A-Za-z]\w*)\s*$/.exec(bare.slice(-80))?.[1] ?? '';
    if (char === '/' && (/[)}\]]/.test(before) || /^(print|printf|return|in|else|do|case|getline|exit)$/.test(word))) {
      // After these a slash may divide or open a pattern; without quotes after it both readings show the same dangers.
      if (before !== ']' && text.includes('"', at)) return undefined;
      bare += char;
      continue;
    }
    if (char === '/' && /[\w.$]/.test(before)) {
      bare += char;
      continue;
    }
    const end = closing(text, at, char);
    if (end === undefined) return undefined;
    bare += `${char}${char}`;
    at = end;
  }
  return bare;
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

const SUBSTITUTIONS =
  /^\s*(?:(?:s|y|tr)(?:\/(?:[^/\\]|\\.)*\/(?:[^/\\]|\\.)*\/|\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\||#(?:[^#\\]|\\.)*#(?:[^#\\]|\\.)*#)[gimsxd]*\s*;?\s*)+$/;

/** perl: only `-n`/`-p` loops of plain substitutions are understood; a script file is left to the table. */
export function inspectPerl(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const { parsed } = call;
  const code = parsed.options.filter(({ name }) => name === '-e' || name === '-E');
  if (code.length === 0)
    return parsed.options.some(({ name }) => !['-w', '-v', '--version'].includes(name))
      ? hidden(walk, 'perl with an option the guard does not know')
      : 'table';
  const odd = parsed.options.find(({ name }) => !['-p', '-n', '-e', '-i', '-0', '-7', '-l', '-w'].includes(name));
  const plain = code.every(({ value }) => {
    const text = literalText(value);
    return text !== undefined && SUBSTITUTIONS.test(text) && !/@\{|\$\{|\(\?\??\{|\$\(/.test(text);
  });
  const suffix = optionValue(parsed, ['-i']);
  if (!plain || odd !== undefined || parsed.doubtful || (suffix !== undefined && !/^[\w.~-]*$/.test(suffix.known)))
    return hidden(walk, 'perl runs code given on the command line');
  note(walk.findings, { level: 'R0', reason: 'perl replaces text', kind: 'read-file' });
  if (hasOption(parsed, ['-i']))
    for (const operand of parsed.operands)
      noteWrite(walk, operand, { level: 'R1', kind: 'write-file', verb: 'edits in place' });
  return 'claimed';
}
