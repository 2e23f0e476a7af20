// One-line perl: only -n and -p loops of plain s/// and tr/// are understood. perl evaluates code inside patterns, replacements
// and even file names ('cmd |'), so text with @, $name, brackets after a name, or an odd operand is R3. Source: perlop, perlopentut.
import { hasOption, optionValue } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import { noteWrite, type Stdin, type Walk } from '../walk.ts';
import { literalText, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';

function hidden(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'run-hidden-text' });
  return 'claimed';
}

/** perl: a script file is left to the table. */
export function inspectPerl(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const { parsed } = call;
  const code = parsed.options.filter(({ name }) => name === '-e' || name === '-E');
  if (code.length === 0)
    return parsed.options.some(({ name }) => !['-w', '-v', '--version'].includes(name))
      ? hidden(walk, 'perl with an option the guard does not know')
      : 'table';
  const odd = parsed.options.find(({ name }) => !['-p', '-n', '-e', '-i', '-0', '-7', '-l', '-w'].includes(name));
  const suffix = optionValue(parsed, ['-i']);
  if (odd !== undefined || parsed.doubtful || (suffix !== undefined && !/^[\w.~-]*$/.test(suffix.known)))
    return hidden(walk, 'perl with an option the guard does not know');
  if (!code.every(({ value }) => isPlainPerl(literalText(value) ?? '$')))
    return hidden(walk, 'perl runs code given on the command line');
  if (!parsed.operands.every(isPlainFile)) return hidden(walk, 'perl opens a name that may be a command');
  note(walk.findings, { level: 'R0', reason: 'perl replaces text', kind: 'read-file' });
  if (hasOption(parsed, ['-i']))
    for (const operand of parsed.operands)
      noteWrite(walk, operand, { level: 'R1', kind: 'write-file', verb: 'edits in place' });
  return 'claimed';
}

/** perl opens `cmd |` and `>file` as what they look like; so a name must be plain from end to end. */
function isPlainFile(word: ShellWord): boolean {
  if (word.choices !== undefined) return word.choices.every(isPlainFile);
  if (word.kind === 'opaque') return false;
  return /^[\w./][\w./*?@+-]*$/.test(word.known) && /[\w]$/.test(word.known);
}

/** True for substitutions and transliterations that hold nothing perl would evaluate. Linear. */
export function isPlainPerl(text: string): boolean {
  let at = 0;
  let count = 0;
  while (at < text.length) {
    if (/[\s;]/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const end = statementEnd(text, at);
    if (end === undefined) return false;
    at = end;
    count += 1;
  }
  return count > 0;
}

function statementEnd(text: string, start: number): number | undefined {
  const operator = /^(s|y|tr)(?=[/|#])/.exec(text.slice(start, start + 4))?.[1];
  if (operator === undefined) return undefined;
  const delimiter = text.charAt(start + operator.length);
  const middle = partEnd(text, start + operator.length + 1, delimiter);
  const end = middle === undefined ? undefined : partEnd(text, middle + 1, delimiter);
  if (middle === undefined || end === undefined) return undefined;
  const pattern = text.slice(start + operator.length + 1, middle);
  const replacement = text.slice(middle + 1, end);
  if (operator === 's' && !(isPlainPattern(pattern) && isPlainReplacement(replacement))) return undefined;
  const flags = /^[gimsxdcr]*/.exec(text.slice(end + 1, end + 10))?.[0] ?? '';
  const after = end + 1 + flags.length;
  return /^(\s|;|$)/.test(text.slice(after, after + 1)) ? after : undefined;
}

function partEnd(text: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === delimiter) return at;
  }
  return undefined;
}

/** `$` only as the end of a line or group; no `@`, no code blocks. */
function isPlainPattern(pattern: string): boolean {
  return !/@|\(\?\??\{|\(\?[pP]|\\[NpP]\{|\$(?!$|[)|])/.test(pattern.replace(/\\[@$\\]/g, ''));
}

/** `$1` to `$9` and `$&`, not followed by an index; no `@`. */
function isPlainReplacement(replacement: string): boolean {
  return !/@|`|\$(?![1-9&](?![[{>\w-]))/.test(replacement.replace(/\\[@$\\]/g, ''));
}
