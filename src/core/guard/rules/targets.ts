// Which words of a call a row's targets are. Words only; where they point is judged by locate().
import type { Option } from '../arguments.ts';
import { literalWord, UNKNOWN_WORD, type ShellWord } from '../word.ts';
import type { Call } from './match.ts';
import type { Target } from './rule.ts';

/** The words a target stands for; `depth` is the number of subcommand words. */
export function targetsOf(target: Target, call: Call, depth: number): readonly ShellWord[] {
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
    case 'sources':
      return operands.slice(0, -1);
    case 'copy-target':
      return copyTargets(operands);
    case 'clone-target':
      return operands[1] === undefined ? operands.slice(0, 1).map(cloneName) : operands.slice(1, 2);
    case 'prefix-operand':
      return operands
        .slice(1, 2)
        .map((word) => (word.kind === 'literal' ? literalWord(`${word.known}aa`) : UNKNOWN_WORD));
    case 'afterwards':
      return call.parsed.afterDashes ?? [];
    case 'cwd':
      return [literalWord('.')];
    default:
      return valuesOf(call.parsed.options, target.slice(7));
  }
}

function valuesOf(options: readonly Option[], wanted: string): readonly ShellWord[] {
  return options.flatMap(({ name, value }) => (value !== undefined && isOption(name, wanted) ? [value] : []));
}

function isOption(given: string, wanted: string): boolean {
  return given === wanted || (given.startsWith('--') && given.length >= 3 && wanted.startsWith(given));
}

/** The last operand, and what the sources would be called if it is a directory. */
function copyTargets(operands: readonly ShellWord[]): readonly ShellWord[] {
  const last = operands.at(-1);
  if (last === undefined) return [];
  return [last, ...operands.slice(0, -1).flatMap((source) => joined(last, source))];
}

function joined(directory: ShellWord, source: ShellWord): readonly ShellWord[] {
  if (source.choices !== undefined) return source.choices.flatMap((choice) => joined(directory, choice));
  if (directory.kind === 'opaque') return [];
  if (source.kind === 'opaque') return [UNKNOWN_WORD];
  const name =
    source.known
      .split('/')
      .filter((segment) => segment !== '')
      .at(-1) ?? '';
  if (copiesContents(source)) return [];
  const kind = directory.kind === 'glob' || source.kind === 'glob' ? 'glob' : 'literal';
  return [{ ...literalWord(`${directory.known}/${name}`), kind }];
}

/** `a/.`, `.` and `a/`: what is in it is copied, whatever that is. */
export function copiesContents(source: ShellWord): boolean {
  return /(^|\/)\.{0,2}$/.test(source.known);
}

/** The directory git makes for an address. */
function cloneName(address: ShellWord): ShellWord {
  if (address.kind !== 'literal') return UNKNOWN_WORD;
  const name =
    address.known
      .replace(/[/\s]+$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return literalWord(name.replace(/\.git$/, '') || '..');
}
