// Database clients: statements are read one by one. Only statements that are known to read are R0; adding rows or tables is R2
// (it can be looked up); everything else, and text that is not here, is R3.
import type { EffectLevel } from '../../ledger/entry.ts';
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import type { Stdin, Walk } from '../walk.ts';
import { literalText, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';

const SAFE_FUNCTIONS = new Set(
  'abs array_agg avg ceil ceiling char_length coalesce concat concat_ws count current_database current_schema current_user date date_part date_trunc datetime extract floor format_type greatest group_concat hex if ifnull iif instr json_agg json_array_length json_extract json_group_array json_object julianday least left length lower ltrim max min mod now nullif pg_database_size pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size random rank replace right round row_number rtrim split_part strftime string_agg substr substring sum to_char to_date total trim typeof unixepoch upper version in values and or not exists as over by where from on select any all union except intersect having then when else between like using distinct partition filter'.split(
    ' ',
  ),
);
const READS = /^(select|with|show|explain|describe|desc|values|table|pragma)\b/;
const WRITES =
  /\b(into|insert|update|delete|drop|alter|create|truncate|grant|revoke|copy|call|do|outfile|dumpfile|lock|analyze|attach|detach|vacuum|reindex|replace|merge|execute|prepare|set|load|import|handler|reset|kill|shutdown|begin|commit)\b/;
const ADDS = /^(insert\s+into|create\s+(table|index|unique\s+index|view)(\s+if\s+not\s+exists)?)\s/;
const META = /^\\(d[a-zA-Z+]*|l\+?|conninfo|x|timing|z|sf|sv)(\s+[\w.*"]+)?$/;
const DOT =
  /^\.(tables|schema|databases|indexes|indices|headers?|mode|width|show|fullschema|dbinfo|explain|timer)(\s+[\w%]+)*$/;

/** Level of a text of SQL statements and client commands. */
export function sqlLevel(text: string): EffectLevel {
  if (/\/\*!|\$\$|\$\w+\$/.test(text)) return 'R3';
  const bare = text
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/"(?:[^"]|"")*"/g, 'x')
    .replace(/--[^\n]*/g, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ');
  let level: EffectLevel = 'R0';
  for (const piece of bare.split(';')) {
    const statement = piece.trim();
    if (statement === '' || META.test(statement) || DOT.test(statement)) continue;
    if (statement.includes('\\') || /(^|\n)\s*\./.test(statement)) return 'R3';
    const found = statementLevel(statement.toLowerCase());
    if (found === 'R3') return 'R3';
    if (found > level) level = found;
  }
  return level;
}

function statementLevel(statement: string): EffectLevel {
  if (ADDS.test(statement)) {
    const rest = statement.replace(/^insert\s+into\s+[\w."]+\s*(\([^()]*\))?/, ' ');
    return /\b(select|on\s+conflict|or\s+replace|returning)\b/.test(statement) || callsUnknown(rest) ? 'R3' : 'R2';
  }
  if (!READS.test(statement) || callsUnknown(statement)) return 'R3';
  if (statement.startsWith('pragma')) return statement.includes('=') ? 'R3' : 'R0';
  return WRITES.test(statement.replace(/\breplace\s*\(/g, '(').replace(/^show\s+create\b/, 'show')) ? 'R3' : 'R0';
}

function callsUnknown(statement: string): boolean {
  if (statement.startsWith('pragma') || statement.startsWith('create')) return false;
  const calls = statement.matchAll(/([a-z_][\w.]*)\s*\(/g);
  for (const [, name] of calls) if (name !== undefined && !SAFE_FUNCTIONS.has(name)) return true;
  return false;
}

function judge(words: readonly (ShellWord | undefined)[], call: Call, stdin: Stdin, walk: Walk): Claim {
  const { program } = call;
  const texts = words.map((word) => literalText(word));
  if (texts.length === 0 && stdin.from === 'text') texts.push(stdin.text);
  if (texts.length === 0 || texts.some((text) => text === undefined) || call.parsed.doubtful) {
    note(walk.findings, {
      level: 'R3',
      reason: `${program} runs statements the guard cannot see`,
      kind: 'change-database',
    });
    return 'claimed';
  }
  const level = sqlLevel(texts.join(' ; '));
  if (level === 'R0') note(walk.findings, { level, reason: `${program} only queries`, kind: 'read-system' });
  else if (level === 'R2')
    note(walk.findings, {
      level,
      reason: `${program} adds rows or tables, which can be looked up`,
      kind: 'change-database',
    });
  else
    note(walk.findings, {
      level,
      reason: `${program} changes data, or runs a statement the guard does not know`,
      kind: 'change-database',
    });
  return 'claimed';
}

function values(call: Call, names: readonly string[]): readonly (ShellWord | undefined)[] {
  return call.parsed.options.filter(({ name }) => names.includes(name)).map(({ value }) => value);
}

/** psql, mysql, mariadb: statements come with -c or -e. */
export function inspectSqlClient(call: Call, stdin: Stdin, walk: Walk): Claim {
  if (call.words.length === 1 && hasOption(call.parsed, ['--version', '-V', '--help'])) return 'table';
  if (hasOption(call.parsed, ['-l', '--list']) && call.program === 'psql') return 'table';
  if (
    hasOption(call.parsed, [
      '-f',
      '--file',
      '-o',
      '--output',
      '-L',
      '--log-file',
      '--init-command',
      '--tee',
      '--defaults-file',
      '--pager',
    ])
  ) {
    note(walk.findings, {
      level: 'R3',
      reason: `${call.program} reads or writes files the guard does not follow`,
      kind: 'change-database',
    });
    return 'claimed';
  }
  return judge(values(call, ['-c', '--command', '-e', '--execute']), call, stdin, walk);
}

/** sqlite3, duckdb: statements follow the database file. */
export function inspectSqlite(call: Call, stdin: Stdin, walk: Walk): Claim {
  if (call.words.length === 1 && /^--?(version|help)$/.test(call.words[0]?.known ?? '')) return 'table';
  const odd = call.parsed.options.find(
    ({ name }) =>
      !/^-(readonly|header|noheader|csv|json|line|list|column|markdown|table|box|html|quote|tabs|separator|nullvalue|cmd|batch|bail|c|s)$/.test(
        name,
      ),
  );
  if (odd !== undefined) {
    note(walk.findings, {
      level: 'R3',
      reason: `${call.program} ${odd.name} is an option the guard does not know`,
      kind: 'change-database',
    });
    return 'claimed';
  }
  return judge([...values(call, ['-cmd', '-c', '-s']), ...call.parsed.operands.slice(1)], call, stdin, walk);
}
