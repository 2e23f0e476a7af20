// Default deny for options: a row at R0 or R1 holds only for calls all of whose options are known. Known is what the option
// lists name (options.ts) and what the program's own rows look for. An option nobody has listed may write, load or run anything.
import type { Option } from '../arguments.ts';
import { subcommandDepth, type Call } from './match.ts';
import { GRAMMAR_ALIASES } from './grammars.ts';
import { OPTIONS } from './options.ts';
import { TOOL_OPTIONS } from './toolOptions.ts';
import type { Rule } from './rule.ts';

/** Listed names of one program or subcommand; `any`: none of its options can do harm. */
interface Known {
  readonly any: boolean;
  readonly exact: ReadonlySet<string>;
  readonly beginnings: readonly string[];
}

const LISTS: ReadonlyMap<string, Known> = new Map(
  [...Object.entries(OPTIONS), ...Object.entries(TOOL_OPTIONS)].flatMap(([names, text]) =>
    names.split('|').map((name): [string, Known] => [name, read(text)]),
  ),
);

/** `abc --long -name --prefix*`: the first token without a dash is a list of letters. */
function read(text: string): Known {
  const tokens = text.split(/\s+/).filter((token) => token !== '');
  const exact = tokens
    .filter((token) => token !== '*' && !token.endsWith('*'))
    .flatMap((token) => (token.startsWith('-') ? [token] : Array.from(token).map((letter) => `-${letter}`)));
  const beginnings = tokens.filter((token) => token !== '*' && token.endsWith('*')).map((token) => token.slice(0, -1));
  return { any: tokens.includes('*'), exact: new Set(exact), beginnings };
}

/** True where no option of the program can do harm, so that even an option nobody can know is no matter. */
export function isPure(program: string): boolean {
  return LISTS.get(familyOf(program))?.any === true;
}

function familyOf(program: string): string {
  const isAlias = !LISTS.has(program) && Object.hasOwn(GRAMMAR_ALIASES, program);
  return (isAlias ? GRAMMAR_ALIASES[program] : undefined) ?? program;
}

/** The first option of a call that neither a list nor a row of the program knows. */
export function unknownOption(call: Call, rules: readonly Rule[]): string | undefined {
  const family = familyOf(call.program);
  const subcommand = call.parsed.operands[0]?.known ?? '';
  const second = call.parsed.operands[1]?.known ?? '';
  const lists = [family, `${family} ${subcommand}`, `${family} ${subcommand} ${second}`].flatMap(
    (name) => LISTS.get(name) ?? [],
  );
  if (lists.some(({ any }) => any)) return undefined;
  const rows = rules.filter((rule) => subcommandDepth(rule, call) !== undefined);
  return call.parsed.options.find((option) => !isListed(option, lists) && !rows.some((rule) => looksFor(rule, option)))
    ?.name;
}

function isListed({ name }: Option, lists: readonly Known[]): boolean {
  return lists.some(
    ({ exact, beginnings }) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning)),
  );
}

function looksFor(rule: Rule, { name }: Option): boolean {
  const named = [...(rule.options ?? []), ...(rule.globalOptions ?? [])];
  return named.some((one) => one === name || one.startsWith(`${name}=`));
}
