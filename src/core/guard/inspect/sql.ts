// Database clients: statements are read one by one. Only statements that are known to read are R0; adding rows or tables is R2
// (it can be looked up); everything else, and text that is not here, is R3.
import type { EffectLevel } from '../../ledger/entry.ts';
import { hasOption } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import type { Stdin, Walk } from '../walk.ts';
import { locate } from '../paths.ts';
import { literalText, type ShellWord } from '../word.ts';
import type { Claim } from './inspector.ts';
import { splitSql } from './sqlText.ts';

const SAFE_FUNCTIONS = new Set(
  'abs array_agg avg ceil ceiling char_length coalesce concat concat_ws count current_database current_schema current_user date date_part date_trunc datetime extract floor format_type greatest group_concat hex if ifnull iif instr json_agg json_array_length json_extract json_group_array json_object julianday least left length lower ltrim max min mod now nullif pg_database_size pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size random rank replace right round row_number rtrim split_part strftime string_agg substr substring sum to_char to_date total trim typeof unixepoch upper version in values and or not exists as over by where from on select any all union except intersect having then when else between like using distinct partition filter'.split(
    ' ',
  ),
);
const READS = /^(select|with|show|explain|describe|desc|values|table)\b/;
const WRITES =
  /\b(into|insert|update|delete|drop|alter|create|truncate|grant|revoke|copy|call|do|outfile|dumpfile|lock|analyze|attach|detach|vacuum|reindex|replace|merge|execute|prepare|set|load|import|handler|reset|kill|shutdown|begin|commit)\b/;
const ADDS = /^(insert\s+into|create\s+(table|index|unique\s+index)(\s+if\s+not\s+exists)?)\s/;
const META = /^\\(d[a-zA-Z+]*|l\+?|conninfo|x|timing|z|sf|sv)(\s+[\w.*]+)?$/;
const DOT =
  /^\.(tables|schema|databases|indexes|indices|headers?|mode|width|show|fullschema|dbinfo|explain|timer)([ \t]+[\w%]+)*$/;
const CLIENT_COMMAND = /^[ \t]*(system|source|tee|pager|delimiter|edit|notee|nopager)\b/im;
// Pragmas that only look, with at most a name to look at.
const PRAGMA =
  /^pragma\s+(\w+\.)?((table_info|table_xinfo|index_list|index_info|index_xinfo|foreign_key_list)\s*\(\s*(\w+|'')\s*\)|table_list|database_list|user_version|schema_version|journal_mode|integrity_check|quick_check|foreign_key_check|compile_options|encoding|page_count|page_size|freelist_count|collation_list|function_list|foreign_keys)$/;
const COLUMN_TYPES = new Set(
  'varchar char character nvarchar varying decimal numeric float double bit varbit time timestamp int integer smallint bigint text key unique index check table'.split(
    ' ',
  ),
);
const MAX_SQL_CHARS = 20_000;

/** Level of a text of SQL statements and client commands. */
export function sqlLevel(text: string): EffectLevel {
  if (DOT.test(text.trim())) return 'R0';
  if (text.length > MAX_SQL_CHARS || /(^|\n)\s*[./]/.test(text) || CLIENT_COMMAND.test(text)) return 'R3';
  const statements = splitSql(text);
  if (statements === undefined) return 'R3';
  let level: EffectLevel = 'R0';
  for (const piece of statements) {
    const statement = piece.trim();
    if (statement === '' || META.test(statement)) continue;
    if (statement.includes('\\')) return 'R3';
    const found = statementLevel(statement.toLowerCase());
    if (found === 'R3') return 'R3';
    if (found > level) level = found;
  }
  return level;
}

function statementLevel(statement: string): EffectLevel {
  if (statement.startsWith('pragma')) return PRAGMA.test(statement) ? 'R0' : 'R3';
  if (ADDS.test(statement)) {
    const rest = statement
      .replace(/^insert\s+into\s+[\w.]+\s*(\([^()]*\))?/, ' ')
      .replace(/^create\s+table(\s+if\s+not\s+exists)?\s+[\w.]+\s*\(/, ' (')
      .replace(/^(create\s+(?:unique\s+)?index[^(]*?\bon\s+)[\w.]+\s*\(/, '$1 (')
      .replace(/\breferences\s+[\w.]+\s*\(/g, ' (');
    const isOdd = /\b(select|on\s+conflict|or\s+replace|returning|as)\b/.test(statement);
    return isOdd || callsUnknown(rest, COLUMN_TYPES) ? 'R3' : 'R2';
  }
  if (!READS.test(statement) || callsUnknown(statement)) return 'R3';
  return WRITES.test(statement.replace(/\breplace\s*\(/g, '(').replace(/^show\s+create\b/, 'show')) ? 'R3' : 'R0';
}

/** Names before a bracket, found backwards from each bracket, so that long names cost no more than their length. */
function callsUnknown(statement: string, also: ReadonlySet<string> = new Set()): boolean {
  for (let open = statement.indexOf('('); open >= 0; open = statement.indexOf('(', open + 1)) {
    let end = open;
    while (end > 0 && /\s/.test(statement.charAt(end - 1))) end -= 1;
    let start = end;
    while (start > 0 && /[\w.]/.test(statement.charAt(start - 1)) && end - start <= 64) start -= 1;
    const name = statement.slice(start, end);
    if (name !== '' && !SAFE_FUNCTIONS.has(name) && !also.has(name)) return true;
    if (name === '' && /[^\s(),=<>+*/|%!-]/.test(statement.charAt(end - 1))) return true;
  }
  return false;
}

function judge(words: readonly (ShellWord | undefined)[], call: Call, stdin: Stdin, walk: Walk): Claim {
  const { program } = call;
  const texts = words.map((word) => literalText(word));
  if (texts.length === 0 && stdin.from === 'text') texts.push(stdin.text);
  // A pipe or a file may bring more statements when none are given; with some given it is not read.
  if (texts.length === 0 || texts.some((text) => text === undefined) || call.parsed.doubtful) {
    note(walk.findings, {
      level: 'R3',
      reason: `${program} runs statements the guard cannot see`,
      kind: 'change-database',
    });
    return 'claimed';
  }
  const levels = texts.map((text) => sqlLevel(text ?? '')).sort();
  const level = levels.at(-1) ?? 'R3';
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

function refuse(walk: Walk, reason: string): Claim {
  note(walk.findings, { level: 'R3', reason, kind: 'change-database' });
  return 'claimed';
}

const PSQL =
  /^(-[cdhpUtAxqXwlFV1]|--(command|dbname|host|port|username|tuples-only|no-align|expanded|quiet|no-psqlrc|no-password|list|field-separator|csv|single-transaction|version|help))$/;
const MYSQL =
  /^(-[ehuPDNBtsVpE]|--(execute|host|user|port|database|skip-column-names|batch|table|silent|version|help|password))$/;
// This machine, or a short name of the local network; a server further away may read files through the client.
const NEAR = /^(localhost|127\.0\.0\.1|::1|[\w-]+)$/;

/** psql, mysql, mariadb: statements come with -c or -e. */
export function inspectSqlClient(call: Call, stdin: Stdin, walk: Walk): Claim {
  const { parsed, program } = call;
  if (call.words.length === 1 && hasOption(parsed, ['--version', '-V', '--help'])) return 'table';
  const odd = parsed.options.find(({ name }) => !(program === 'psql' ? PSQL : MYSQL).test(name));
  if (odd !== undefined) return refuse(walk, `${program} ${odd.name} is an option the guard does not follow`);
  if (hasOption(parsed, ['-l', '--list']) && program === 'psql') return 'table';
  const hosts = values(call, ['-h', '--host']);
  const databases = [...parsed.operands, ...values(call, ['-d', '--dbname', '-D', '--database'])];
  if (
    !hosts.every((word) => NEAR.test(literalText(word) ?? '.')) ||
    !databases.every((word) => /^[\w.-]+$/.test(literalText(word) ?? '='))
  )
    return refuse(walk, `${program} talks to a server or takes settings that the guard does not know`);
  return judge(values(call, ['-c', '--command', '-e', '--execute']), call, stdin, walk);
}

/** sqlite3, duckdb: statements follow the database file, which must lie in the workspace or be only read. */
export function inspectSqlite(call: Call, stdin: Stdin, walk: Walk): Claim {
  if (call.words.length === 1 && /^--?(version|help)$/.test(call.words[0]?.known ?? '')) return 'table';
  const odd = call.parsed.options.find(
    ({ name }) =>
      !/^-(readonly|header|noheader|csv|json|line|list|column|markdown|table|box|html|quote|tabs|separator|nullvalue|cmd|batch|bail|c|s)$/.test(
        name,
      ),
  );
  if (odd !== undefined) return refuse(walk, `${call.program} ${odd.name} is an option the guard does not know`);
  const [database] = call.parsed.operands;
  const name = literalText(database);
  const isReadOnly = hasOption(call.parsed, ['-readonly']);
  if (database !== undefined && name !== ':memory:') {
    const { place } = locate(database, walk);
    if (name === undefined || /[|:]/.test(name) || (place !== 'inside' && !(isReadOnly && place === 'outside')))
      return refuse(walk, `${call.program} opens a database outside the workspace, or one that is not known`);
  }
  return judge([...values(call, ['-cmd', '-c', '-s']), ...call.parsed.operands.slice(1)], call, stdin, walk);
}
