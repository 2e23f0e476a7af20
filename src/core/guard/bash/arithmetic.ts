// Places where the shell evaluates text as arithmetic or as a name: $((..)), ((..)), [[ -eq ]], indexes, offsets, indirection,
// test -v, let. Such text may hold a[$(command)], so all but literal numbers and names that are proved numbers is R3.
// Source: the Bash manual, "Shell Arithmetic" and "Shell Parameter Expansion".
import type { SyntaxNode, Word, WordPart } from 'unbash';
import { note } from '../effects.ts';
import type { Walk } from '../walk.ts';
import { isNumeric, isNumericPart } from './numbers.ts';

const NUMBER = /^(0[xX][\da-fA-F]+|\d+)$/;

function known(walk: Walk): ReadonlySet<string> {
  return walk.names.numeric;
}

/** Judges one node where the shell evaluates text as arithmetic or as a name; other nodes are left alone. */
export function noteArithmetic(node: SyntaxNode, walk: Walk): void {
  switch (node.type) {
    case 'ArithmeticWord':
      if (!isArithmeticWord(node, known(walk))) refuse(walk, 'arithmetic evaluates');
      return;
    case 'ArithmeticCommandExpansion':
      refuse(walk, 'arithmetic evaluates');
      return;
    case 'Assignment':
      if (node.index !== undefined) requireIndex(node.index, walk);
      if (node.value.type === 'ArrayValue' && node.value.elements.some(({ text }) => text.startsWith('[')))
        refuse(walk, 'an array index evaluates');
      return;
    case 'ParameterExpansion':
      if (node.index !== undefined) requireIndex(node.index, walk);
      if (node.prefix === '!' && node.operation?.type !== 'Names' && !/^[@*]$/.test(node.index?.value ?? ''))
        refuse(walk, 'an indirect expansion evaluates');
      return;
    case 'Slice':
      for (const word of [node.offset, node.length]) {
        if (word === undefined || isNumeric(word, known(walk)) || isNumericName(word, walk)) continue;
        refuse(walk, 'an offset evaluates');
      }
      return;
    case 'TestBinary':
      if (!/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
      for (const word of [node.left, node.right]) {
        if (!isNumeric(word, known(walk)) && !isNumericName(word, walk)) refuse(walk, 'a comparison evaluates');
      }
      return;
    case 'TestUnary':
      if (/^-[vR]$/.test(node.operator) && !/^[A-Za-z_]\w*$/.test(node.operand.text)) refuse(walk, 'a test evaluates');
      return;
    case 'FileDescriptorVariable':
      if (!/^[A-Za-z_]\w*$/.test(node.name)) refuse(walk, 'a redirection evaluates');
      return;
    default:
  }
}

function isArithmeticWord(
  node: { readonly value: string; readonly parts?: readonly WordPart[] | undefined },
  numeric: ReadonlySet<string>,
): boolean {
  if (node.parts === undefined) return NUMBER.test(node.value) || numeric.has(node.value);
  return node.parts.length > 0 && node.parts.every((part, i) => isNumericPart(part, numeric, i === 0));
}

function isNumericName(word: Word, walk: Walk): boolean {
  return word.parts === undefined && known(walk).has(word.value.trim());
}

function requireIndex(index: Word, walk: Walk): void {
  if (/^[@*]$/.test(index.text) || isNumeric(index, known(walk)) || isNumericName(index, walk)) return;
  refuse(walk, 'an array index evaluates');
}

function refuse(walk: Walk, what: string): void {
  note(walk.findings, {
    level: 'R3',
    reason: `${what} text that is known only when it runs, and with it any command the text holds`,
    kind: 'run-hidden-text',
  });
}

/** True where a `let` argument holds whole numbers and names that are whole numbers, and nothing else. */
export function isSafeLet(text: string, walk: Walk): boolean {
  if (!/^[\w\s+*/%<>=!&|()-]+$/.test(text)) return false;
  return (text.match(/[A-Za-z_]\w*/g) ?? []).every((name) => known(walk).has(name));
}
