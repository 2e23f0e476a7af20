// Indexes the tables by program: rows, grammar, inspector, wrappers. Built once when the module loads; nothing is looked up by
// anything but the exact name.
import type { Grammar } from './arguments.ts';
import { BUILTINS } from './bash/builtins.ts';
import { inspectAwk } from './inspect/awk.ts';
import { inspectCompiler } from './inspect/compiler.ts';
import { inspectFd, inspectFind } from './inspect/find.ts';
import type { Inspector } from './inspect/inspector.ts';
import { inspectLink } from './inspect/link.ts';
import { inspectPerl } from './inspect/perl.ts';
import { inspectSed } from './inspect/sed.ts';
import { inspectJq } from './inspect/jq.ts';
import { inspectCoverage, inspectNode, inspectPython, inspectScripted, inspectShell } from './inspect/shell.ts';
import { inspectSqlClient, inspectSqlite } from './inspect/sql.ts';
import { FILE_RULES } from './rules/files.ts';
import { GIT_RULES } from './rules/git.ts';
import { GRAMMAR_ALIASES, GRAMMARS } from './rules/grammars.ts';
import { LANGUAGE_RULES } from './rules/languages.ts';
import { NODE_RULES, NODE_TOOLS } from './rules/node.ts';
import { READER_RULES } from './rules/readers.ts';
import type { Rule } from './rules/rule.ts';
import { SERVICE_RULES } from './rules/services.ts';
import { SYSTEM_RULES } from './rules/system.ts';
import { WRAPPERS } from './rules/wrappers.ts';
import type { Wrapper } from './wrappers.ts';

/** Every row of the effect table. */
export const ALL_RULES: readonly Rule[] = [
  ...READER_RULES,
  ...FILE_RULES,
  ...SYSTEM_RULES,
  ...GIT_RULES,
  ...NODE_RULES,
  ...LANGUAGE_RULES,
  ...SERVICE_RULES,
];

/** All that is known of one program. */
export interface ProgramEntry {
  readonly rules: readonly Rule[];
  readonly grammar: Grammar;
  readonly hasSubcommands: boolean;
  readonly subcommandGrammars: ReadonlyMap<string, Grammar>;
  readonly inspector: Inspector | undefined;
}

const INSPECTORS: ReadonlyMap<string, Inspector> = new Map<string, Inspector>([
  ...['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash', 'rbash'].map((name): [string, Inspector] => [name, inspectShell]),
  ...['python', 'python3', 'pypy', 'pypy3'].map((name): [string, Inspector] => [name, inspectPython]),
  ...['node', 'tsx', 'ts-node'].map((name): [string, Inspector] => [name, inspectNode]),
  ...['ruby', 'php', 'lua', 'Rscript', 'julia', 'groovy'].map((name): [string, Inspector] => [name, inspectScripted]),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, Inspector] => [name, inspectAwk]),
  ['perl', inspectPerl],
  ['sed', inspectSed],
  ['ln', inspectLink],
  ['jq', inspectJq],
  ...'gcc g++ cc c++ clang clang++ rustc javac kotlinc ghc ocamlc protoc'
    .split(' ')
    .map((name): [string, Inspector] => [name, inspectCompiler]),
  ['coverage', inspectCoverage],
  ['gsed', inspectSed],
  ['find', inspectFind],
  ['gfind', inspectFind],
  ['fd', inspectFd],
  ['fdfind', inspectFd],
  ['psql', inspectSqlClient],
  ['mysql', inspectSqlClient],
  ['mariadb', inspectSqlClient],
  ['sqlite3', inspectSqlite],
  ['duckdb', inspectSqlite],
]);

const PROGRAMS = index();

/** What the tables know of a program; undefined: nothing, so it is R3. */
export function programNamed(name: string): ProgramEntry | undefined {
  return PROGRAMS.get(name);
}

/** Wrapper rows by program. */
export const WRAPPERS_BY_PROGRAM: ReadonlyMap<string, readonly Wrapper[]> = groupWrappers();

/** True for a name that already means something: a function may not take it. */
export function isKnownCommand(name: string): boolean {
  return PROGRAMS.has(name) || WRAPPERS_BY_PROGRAM.has(name) || BUILTINS.has(name);
}

/** Tools a project keeps in its own Python environment. */
export const VENV_TOOLS: ReadonlySet<string> = new Set(
  'python python3 pip pip3 pytest mypy ruff black isort flake8 pylint coverage tox nox alembic'.split(' '),
);

/** Tools that load code of the project while they check or format, so that they run what the same line wrote. */
export const LOADING_TOOLS: ReadonlySet<string> = new Set([
  ...NODE_TOOLS,
  ...'mypy flake8 pylint ruff black isort rubocop phpcbf php-cs-fixer golangci-lint pre-commit lint-staged terraform tofu npm pnpm yarn bun'.split(
    ' ',
  ),
]);

/** What npx may start, by package name: the program whose rows judge it. */
export const NPX_TOOLS: ReadonlyMap<string, string> = new Map([
  ...NODE_TOOLS.map((name): [string, string] => [name, name]),
  ['@biomejs/biome', 'biome'],
  ['@angular/cli', 'ng'],
  ['@changesets/cli', 'changeset'],
  ['markdownlint-cli', 'markdownlint'],
  ['@playwright/test', 'playwright'],
]);

function index(): ReadonlyMap<string, ProgramEntry> {
  const grouped = new Map<string, Rule[]>();
  for (const name of INSPECTORS.keys()) grouped.set(name, []);
  for (const rule of ALL_RULES) {
    for (const program of new Set(rule.programs)) {
      const rows = grouped.get(program);
      if (rows === undefined) grouped.set(program, [rule]);
      else rows.push(rule);
    }
  }
  const subcommands = subcommandGrammars();
  const entries = new Map<string, ProgramEntry>();
  for (const [name, rules] of grouped) {
    const family = GRAMMAR_ALIASES[name] ?? name;
    entries.set(name, {
      rules,
      grammar: GRAMMARS[family] ?? {},
      hasSubcommands: rules.some((rule) => rule.subcommands !== undefined),
      subcommandGrammars: subcommands.get(family) ?? new Map<string, Grammar>(),
      inspector: INSPECTORS.get(name),
    });
  }
  return entries;
}

function subcommandGrammars(): ReadonlyMap<string, Map<string, Grammar>> {
  const found = new Map<string, Map<string, Grammar>>();
  for (const [key, grammar] of Object.entries(GRAMMARS)) {
    const [program, subcommand] = key.split(' ');
    if (program === undefined || subcommand === undefined) continue;
    const rows = found.get(program) ?? new Map<string, Grammar>();
    rows.set(subcommand, grammar);
    found.set(program, rows);
  }
  return found;
}

function groupWrappers(): ReadonlyMap<string, readonly Wrapper[]> {
  const grouped = new Map<string, Wrapper[]>();
  for (const wrapper of WRAPPERS) {
    for (const program of wrapper.programs) grouped.set(program, [...(grouped.get(program) ?? []), wrapper]);
  }
  return grouped;
}
