// Splits a program's words into options and operands by a small grammar (which options take a value).
// Tolerant on purpose: an option it does not know is taken for a flag. What might be an option but is not known makes the
// answer `doubtful`, and callers then assume the worst option there is.
import { wordTail, type ShellWord } from './word.ts';

/** Which options of a program take a value. Everything else is a flag. */
export interface Grammar {
  /** Letters that take a value: `C` for `-C 3` and `-C3`. */
  readonly short?: string;
  /** Long names without dashes that take their value from the next word when there is no `=`. */
  readonly long?: readonly string[];
  /** `single-dash`: `-name value` words (terraform, go, find). `tar`: the first word may be a cluster without a dash. */
  readonly style?: 'gnu' | 'single-dash' | 'tar';
  /** Letters with an optional value that must be attached: `i` for `-i` and `-i.bak`. */
  readonly attached?: string;
  /** Long names must be written out. */
  readonly exactNames?: true;
  /** Stop at the first operand: what follows belongs to another program or a subcommand. */
  readonly stopAtOperand?: boolean;
}

/** An option as written: `-f` or `--force`, with its value where it has one. */
export interface Option {
  readonly name: string;
  readonly value?: ShellWord;
}

/** Options and operands in order. */
export interface ParsedArguments {
  readonly options: readonly Option[];
  readonly operands: readonly ShellWord[];
  /** A word may turn out to be any option at all. */
  readonly doubtful: boolean;
  /** Index in the words of the first word not consumed (with `stopAtOperand`), else the number of words. */
  readonly end: number;
  /** Operands after `--`; undefined where there is no `--`. */
  readonly afterDashes: readonly ShellWord[] | undefined;
}

interface State {
  readonly words: readonly ShellWord[];
  readonly grammar: Grammar;
  readonly options: Option[];
  readonly operands: ShellWord[];
  doubtful: boolean;
  index: number;
}

/** Parses words by the grammar. Linear; never fails. */
export function parseArguments(words: readonly ShellWord[], grammar: Grammar): ParsedArguments {
  const state: State = { words, grammar, options: [], operands: [], doubtful: false, index: 0 };
  const first = words[0];
  if (grammar.style === 'tar' && first?.kind === 'literal' && /^[A-Za-z]+$/.test(first.known))
    takeOldStyle(state, first.known);
  while (state.index < words.length) {
    const word = words[state.index];
    if (word === undefined) break;
    if (word.known === '--' && word.kind === 'literal') {
      const rest = words.slice(state.index + 1);
      state.operands.push(...rest);
      return { ...finished(state), end: state.index + 1, afterDashes: rest };
    }
    if (!word.canBeOption || word.known === '-') {
      if (grammar.stopAtOperand === true) break;
      state.doubtful ||= isOpenEnded(word);
      state.operands.push(word);
      state.index += 1;
    } else {
      takeOption(state, word);
    }
  }
  return { ...finished(state), end: state.index, afterDashes: undefined };
}

/** True for a word that may become several, of which any but the first may be an option. */
export function isOpenEnded(word: ShellWord): boolean {
  return word.kind === 'opaque' && word.splits && word.choices === undefined;
}

/** A value that may be several words leaves the rest of them to be read as anything. */
function checkValue(state: State, value: ShellWord): void {
  state.doubtful ||= isOpenEnded(value) || value.kind === 'glob';
}

/** A value in a word of its own that looks like an option may be one: many options take a value only when it is attached. */
function checkNextWord(state: State, value: ShellWord): void {
  checkValue(state, value);
  state.doubtful ||= /^--?[A-Za-z]/.test(value.known);
}

/** `xfC a.tar dir`: the values follow the whole cluster, in the order of its letters. */
function takeOldStyle(state: State, letters: string): void {
  state.index = 1;
  for (const letter of letters) {
    const value = (state.grammar.short ?? '').includes(letter) ? state.words[state.index] : undefined;
    if (value !== undefined) {
      state.index += 1;
      checkValue(state, value);
    }
    state.options.push(value === undefined ? { name: `-${letter}` } : { name: `-${letter}`, value });
  }
}

function finished(state: State): Pick<ParsedArguments, 'options' | 'operands' | 'doubtful'> {
  return { options: state.options, operands: state.operands, doubtful: state.doubtful };
}

function takeOption(state: State, word: ShellWord): void {
  if (!word.known.startsWith('-')) {
    state.doubtful = true;
    state.operands.push(word);
    state.index += 1;
    return;
  }
  if (state.grammar.style === 'single-dash') takeLong(state, word, word.known.startsWith('--') ? 1 : 0);
  else if (word.known.startsWith('--')) takeLong(state, word, 0);
  else takeCluster(state, word);
}

/** GNU-style programs accept the beginning of a long name; these do not. */
function takesBeginnings(grammar: Grammar): boolean {
  return grammar.style !== 'single-dash' && grammar.exactNames !== true;
}

function takeLong(state: State, word: ShellWord, skip: number): void {
  const equals = word.known.indexOf('=');
  if (equals < 0) {
    if (word.kind !== 'literal') state.doubtful = true;
    const name = word.known.slice(skip);
    const bare = name.replace(/^--?/, '');
    const takesValue = (state.grammar.long ?? []).some(
      (long) => long === bare || (bare.length >= 1 && takesBeginnings(state.grammar) && long.startsWith(bare)),
    );
    state.index += 1;
    const value = takesValue ? state.words[state.index] : undefined;
    if (takesValue && value !== undefined) {
      state.index += 1;
      checkNextWord(state, value);
    }
    state.options.push(value === undefined ? { name } : { name, value });
    return;
  }
  checkValue(state, word);
  state.options.push({ name: word.known.slice(skip, equals), value: wordTail(word, equals + 1) });
  state.index += 1;
}

function takeCluster(state: State, word: ShellWord): void {
  state.index += 1;
  state.doubtful ||= isOpenEnded(word) || word.kind === 'glob';
  const text = word.known;
  for (let i = 1; i < text.length; i += 1) {
    const letter = text.charAt(i);
    if ((state.grammar.attached ?? '').includes(letter)) {
      const rest = i + 1 < text.length || word.kind === 'opaque';
      state.options.push(rest ? { name: `-${letter}`, value: wordTail(word, i + 1) } : { name: `-${letter}` });
      return;
    }
    if (!(state.grammar.short ?? '').includes(letter)) {
      state.options.push({ name: `-${letter}` });
      continue;
    }
    const attached = i + 1 < text.length || word.kind === 'opaque';
    // Some parsers take `-v=x` for the value x; nothing sensible starts with an equals sign.
    const value = attached ? wordTail(word, text.charAt(i + 1) === '=' ? i + 2 : i + 1) : state.words[state.index];
    if (!attached && value !== undefined) {
      state.index += 1;
      checkNextWord(state, value);
    }
    state.options.push(value === undefined ? { name: `-${letter}` } : { name: `-${letter}`, value });
    return;
  }
  if (word.kind !== 'literal') state.doubtful = true;
}

/** Value of the first option with one of these names. */
export function optionValue(parsed: ParsedArguments, names: readonly string[]): ShellWord | undefined {
  return parsed.options.find((option) => names.includes(option.name) && option.value !== undefined)?.value;
}

/** True where one of these options is given, by its exact name. */
export function hasOption(parsed: ParsedArguments, names: readonly string[]): boolean {
  return parsed.options.some((option) => names.includes(option.name));
}
