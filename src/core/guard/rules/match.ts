// Decides which rows of the effect table fire for one call. Answers are three-valued: an operand or option that is known only
// at run time counts as "perhaps". Base and lower rows fire on a plain yes alone, raise rows on perhaps too.
import type { Option, ParsedArguments } from '../arguments.ts';
import type { ShellWord } from '../word.ts';
import type { Rule } from './rule.ts';

/** One call of a program, parsed: what the rows are matched against. */
export interface Call {
  readonly program: string;
  readonly words: readonly ShellWord[];
  /** Options before the subcommand, where the program has subcommands. */
  readonly globalOptions: readonly Option[];
  readonly parsed: ParsedArguments;
}

type Answer = 0 | 1 | 2;
const NO: Answer = 0;
const PERHAPS: Answer = 1;
const YES: Answer = 2;

/** The rows that fire, sorted by tier; `depth` is the number of subcommand words the base rows matched. */
export interface Fired {
  readonly base: readonly Rule[];
  readonly lower: readonly Rule[];
  readonly raise: readonly Rule[];
  readonly depth: number;
}

/** Matches all rows of one program against the call. `isClear`: every option of the call is known with its arity. */
export function fire(rules: readonly Rule[], call: Call, isClear: boolean): Fired {
  let base: Rule[] = [];
  let depth = -1;
  const lower: Rule[] = [];
  const raise: Rule[] = [];
  for (const rule of rules) {
    const tier = rule.tier ?? 'base';
    const path = subcommandDepth(rule, call);
    if (path === undefined) continue;
    const answer = matches(rule, call, path);
    if (tier === 'raise') {
      if (answer !== NO) raise.push(rule);
    } else if (answer === YES && tier === 'lower') {
      if (isClear && isPlainlyGiven(rule, call)) lower.push(rule);
    } else if (answer === YES && path >= depth) {
      base = path > depth ? [rule] : [...base, rule];
      depth = path;
    }
  }
  return { base, lower, raise, depth: Math.max(depth, 0) };
}

/**
 * A row that makes it milder counts only where its option stands once, without a value (or with one the row names), is not
 * taken back, and no operand could be a value for it.
 */
function isPlainlyGiven(rule: Rule, call: Call): boolean {
  if (rule.options === undefined) return true;
  const bare = rule.options.map((name) => name.split('=')[0] ?? name);
  const given = call.parsed.options.filter(({ name }) => bare.includes(name));
  const [only] = given;
  if (given.length !== 1 || only === undefined) return false;
  const shown = only.value === undefined ? only.name : `${only.name}=${only.value.known}`;
  return (
    rule.options.includes(shown) &&
    (only.value === undefined || only.value.kind === 'literal') &&
    !call.parsed.operands.some((word) => /^(true|false|none|null|yes|no|on|off|0|1)$/i.test(word.known))
  );
}

/** How many leading operands the row's subcommand takes; undefined where it does not match. */
export function subcommandDepth(rule: Rule, call: Call): number | undefined {
  if (rule.subcommands === undefined) return 0;
  const first = call.parsed.operands[0];
  const paths = pathsOf(rule, rule.subcommands).get(first?.kind === 'literal' ? first.known : '');
  let best: number | undefined = pathsOf(rule, rule.subcommands).has('') ? 0 : undefined;
  for (const parts of paths ?? []) {
    const fits = parts.every((part, i) => {
      const word = call.parsed.operands[i];
      return word?.kind === 'literal' && word.known === part;
    });
    if (fits && (best === undefined || parts.length > best)) best = parts.length;
  }
  return best;
}

// Subcommands of a row by their first word, split once; '' stands for the empty subcommand.
const PATHS = new WeakMap<Rule, ReadonlyMap<string, readonly (readonly string[])[]>>();

function pathsOf(rule: Rule, subcommands: readonly string[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const known = PATHS.get(rule);
  if (known !== undefined) return known;
  const paths = new Map<string, (readonly string[])[]>();
  for (const subcommand of subcommands) {
    const parts = subcommand === '' ? [] : subcommand.split(' ');
    const first = parts[0] ?? '';
    paths.set(first, [...(paths.get(first) ?? []), parts]);
  }
  PATHS.set(rule, paths);
  return paths;
}

function matches(rule: Rule, call: Call, depth: number): Answer {
  const raising = rule.tier === 'raise' && rule.exactNames !== true;
  const operands = call.parsed.operands.slice(depth);
  let answer: Answer = YES;
  const and = (next: Answer) => {
    if (next < answer) answer = next;
  };
  if (rule.options !== undefined)
    and(anyOption(rule.options, call.parsed.options, call.parsed.doubtful, raising, rule.value));
  if (rule.globalOptions !== undefined) and(anyOption(rule.globalOptions, call.globalOptions, false, raising));
  if (rule.without !== undefined) and(noOption(rule.without, call.parsed));
  if (rule.afterDashes === true) and((call.parsed.afterDashes?.length ?? 0) > 0 ? YES : NO);
  if (rule.operand !== undefined) and(someOperand(rule.operand, operands));
  if (rule.first !== undefined) and(someOperand(rule.first, operands.slice(0, 1)));
  if (rule.second !== undefined) and(someOperand(rule.second, operands.slice(1, 2)));
  if (rule.everyOperand !== undefined) and(everyOperand(rule.everyOperand, operands));
  if (rule.operandCount !== undefined) and(countFits(rule.operandCount, operands));
  return answer;
}

function anyOption(
  wanted: readonly string[],
  given: readonly Option[],
  doubtful: boolean,
  abbreviations: boolean,
  value?: RegExp,
): Answer {
  let answer: Answer = doubtful ? PERHAPS : NO;
  for (const option of given) {
    if (!wanted.some((name) => optionIs(option, name, abbreviations))) continue;
    if (value === undefined || (option.value?.kind === 'literal' && value.test(option.value.known))) return YES;
    if (option.value?.kind !== 'literal') answer = PERHAPS;
  }
  return answer;
}

function noOption(unwanted: readonly string[], parsed: ParsedArguments): Answer {
  const found = anyOption(unwanted, parsed.options, parsed.doubtful, true);
  return found === YES ? NO : found === PERHAPS ? PERHAPS : YES;
}

/** GNU and git accept any unique beginning of a long name, so a raise row takes those too. */
function optionIs(option: Option, wanted: string, abbreviations: boolean): boolean {
  const equals = wanted.indexOf('=');
  if (equals > 0)
    return (
      option.name === wanted.slice(0, equals) &&
      option.value?.kind === 'literal' &&
      option.value.known === wanted.slice(equals + 1)
    );
  if (option.name === wanted) return true;
  return abbreviations && option.name.startsWith('--') && option.name.length >= 3 && wanted.startsWith(option.name);
}

function someOperand(pattern: RegExp, operands: readonly ShellWord[]): Answer {
  let answer: Answer = NO;
  for (const word of operands.flatMap(texts)) {
    if (word.kind === 'opaque') answer = PERHAPS;
    else if (pattern.test(word.known)) return YES;
  }
  return answer;
}

function everyOperand(pattern: RegExp, operands: readonly ShellWord[]): Answer {
  let answer: Answer = YES;
  for (const word of operands.flatMap(texts)) {
    if (word.kind === 'opaque') answer = PERHAPS;
    else if (!pattern.test(word.known)) return NO;
  }
  return answer;
}

/** All the words an opaque one can be, where they are known. */
function texts(word: ShellWord): readonly ShellWord[] {
  return word.choices ?? [word];
}

function countFits([least, most]: readonly [number, number], operands: readonly ShellWord[]): Answer {
  if (operands.some((word) => word.splits || word.kind === 'glob')) return operands.length - 1 <= most ? PERHAPS : NO;
  return operands.length >= least && operands.length <= most ? YES : NO;
}
