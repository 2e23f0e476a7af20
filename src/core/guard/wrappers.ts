// Programs that run another program. Each row says how many words belong to the wrapper itself, so that the command inside is
// judged as if it stood alone. An option that is not listed makes the call R3: it might take the next word with it.
import type { EffectLevel } from '../ledger/entry.ts';
import { parseArguments, type Grammar } from './arguments.ts';
import { noteExported } from './bash/assignments.ts';
import { higher, note } from './effects.ts';
import { CALLER_STDIN, deeper, noteWrite, type Stdin, type Walk } from './walk.ts';
import { literalText, UNKNOWN_WORD, type ShellWord } from './word.ts';

/** How one family of wrappers takes its arguments. */
export interface Wrapper {
  readonly programs: readonly string[];
  /** The word after the program that makes it a wrapper: `run` in `poetry run`. */
  readonly subcommand?: string;
  readonly grammar?: Grammar;
  /** Options that are harmless and take no value; `=`-style values of long options are included. */
  readonly flags?: readonly string[];
  /** Options with a value that are harmless. */
  readonly valued?: readonly string[];
  /** Options that only print something: the call is then R0. */
  readonly prints?: readonly string[];
  /** Options whose value is a file that is written. */
  readonly writes?: readonly string[];
  /** Operands of the wrapper before the command: the duration of timeout. */
  readonly operands?: number;
  /** Its own operand is a file that it makes: flock. */
  readonly makesOperand?: true;
  /** `NAME=value` words before the command. */
  readonly assignments?: true;
  /** Runs as somebody else: whatever is inside counts one step higher. */
  readonly elevates?: true;
  /** `xargs`: unknown words are appended. `text`: the words are joined and handed to a shell. */
  readonly form?: 'xargs' | 'text' | 'npx';
  readonly examples: { readonly match: readonly string[]; readonly notMatch: readonly string[] };
}

/** Peels one wrapper. True where the call was one (and is judged completely), false where other rules must judge it. */
export function peel(wrapper: Wrapper, words: readonly ShellWord[], stdin: Stdin, walk: Walk): boolean {
  let rest = words.slice(1);
  if (wrapper.subcommand !== undefined) {
    if (literalText(rest[0]) !== wrapper.subcommand) return false;
    rest = rest.slice(1);
  }
  const parsed = parseArguments(rest, { ...wrapper.grammar, stopAtOperand: true });
  const name = literalText(words[0]) ?? 'the wrapper';
  if (parsed.options.some((option) => wrapper.prints?.includes(option.name))) {
    note(walk.findings, { level: 'R0', reason: `${name} only prints`, kind: 'read-system' });
    return true;
  }
  for (const option of parsed.options) {
    if (wrapper.writes?.includes(option.name) && option.value !== undefined) {
      noteWrite(walk, option.value, { level: 'R1', kind: 'write-file', verb: `${name} writes` });
    } else if (!wrapper.flags?.includes(option.name) && !wrapper.valued?.includes(option.name)) {
      note(walk.findings, {
        level: 'R3',
        reason: `${name} ${option.name} is an option the guard does not know`,
        kind: 'unknown-program',
        target: name,
      });
      return true;
    }
  }
  if (parsed.doubtful) {
    note(walk.findings, {
      level: 'R3',
      reason: `what ${name} runs is known only when it runs`,
      kind: 'run-hidden-text',
    });
    return true;
  }
  return runInner(wrapper, name, rest.slice(parsed.end), { stdin, replace: xargsPlaceholder(parsed.options) }, walk);
}

interface Around {
  readonly stdin: Stdin;
  readonly replace: string | undefined;
}

function runInner(wrapper: Wrapper, name: string, rest: readonly ShellWord[], around: Around, walk: Walk): boolean {
  let inner = rest;
  while (wrapper.assignments === true) {
    const match = /^([A-Za-z_]\w*)=/.exec(inner[0]?.known ?? '');
    if (match?.[1] === undefined) break;
    noteExported(match[1], literalText(inner[0])?.slice(match[0].length), walk);
    inner = inner.slice(1);
  }
  const own = inner.slice(0, wrapper.operands ?? 0);
  if (own.some((word) => word.kind !== 'literal')) {
    note(walk.findings, {
      level: 'R3',
      reason: `what ${name} runs is known only when it runs`,
      kind: 'run-hidden-text',
    });
    return true;
  }
  if (wrapper.makesOperand === true)
    for (const word of own)
      noteWrite(walk, word, { level: 'R1', kind: 'write-file', verb: `${name} makes`, isOwnOutput: true });
  inner = inner.slice(own.length);
  if (literalText(inner[0]) === '--') inner = inner.slice(1);
  if (wrapper.form === 'xargs') inner = withUnknownInput(inner, around.replace);
  if (inner.length === 0) {
    if (wrapper.elevates === true)
      note(walk.findings, { level: 'R3', reason: `${name} without a command opens a shell`, kind: 'change-system' });
    else
      note(walk.findings, {
        level: 'R0',
        reason: `${name} prints its environment or waits`,
        kind: name === 'env' ? 'read-secret' : 'read-system',
        ...(name === 'env' ? { target: 'environment' } : {}),
      });
    return true;
  }
  const before = walk.findings.level;
  const { functions } = walk;
  walk.findings.level = 'R0';
  // A wrapper starts the program of that name, never a function.
  walk.functions = new Set();
  deeper(walk, () => {
    if (wrapper.form === 'text') runJoined(inner, walk);
    else walk.runWords(inner, wrapper.form === 'xargs' ? CALLER_STDIN : around.stdin);
  });
  walk.functions = functions;
  const inside = levelOf(walk);
  walk.findings.level = higher(before, inside);
  if (wrapper.elevates === true) {
    note(walk.findings, {
      level: inside === 'R0' ? 'R2' : 'R3',
      reason: `${name} runs it with another user's rights`,
      kind: 'change-system',
    });
  }
  return true;
}

function levelOf(walk: Walk): EffectLevel {
  return walk.findings.level;
}

function runJoined(words: readonly ShellWord[], walk: Walk): void {
  if (words.every((word) => word.kind === 'literal')) walk.runText(words.map((word) => word.known).join(' '));
  else
    note(walk.findings, { level: 'R3', reason: 'runs text that is known only when it runs', kind: 'run-hidden-text' });
}

function xargsPlaceholder(
  options: readonly { readonly name: string; readonly value?: ShellWord }[],
): string | undefined {
  const option = options.find(({ name }) => name === '-I' || name === '--replace' || name === '-i' || name === '-J');
  if (option === undefined) return undefined;
  return literalText(option.value) ?? '{}';
}

/** What xargs appends is not known; words holding the placeholder are known only up to it. */
export function withUnknownInput(words: readonly ShellWord[], placeholder: string | undefined): readonly ShellWord[] {
  if (words.length === 0) return [];
  if (placeholder === undefined || placeholder === '') return [...words, UNKNOWN_WORD];
  return words.map((word) => {
    const at = word.known.indexOf(placeholder);
    if (at < 0) return word;
    const known = word.known.slice(0, at);
    return { kind: 'opaque', known, canBeOption: known === '' || known.startsWith('-'), expanded: true, splits: false };
  });
}
