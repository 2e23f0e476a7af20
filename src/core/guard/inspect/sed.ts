// sed: reads by default, writes with -i and with its `w` command, runs programs with `e`. The script is parsed; a script that
// is not completely understood is R3. Grammar: POSIX sed and the GNU sed manual.
import { hasOption, isOpenEnded, optionValue } from '../arguments.ts';
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import { noteSecretRead, noteWrite, type Stdin, type Walk } from '../walk.ts';
import { literalText, literalWord } from '../word.ts';
import type { Claim } from './inspector.ts';

/** What a sed script does beside printing. */
export interface SedScript {
  readonly writes: readonly string[];
  /** `a`, `i`, `r`, `G`: running it twice on the same file gives another result. */
  readonly adds: boolean;
}

const FLAGS = [
  '-n',
  '-E',
  '-r',
  '-z',
  '-s',
  '-u',
  '-l',
  '-b',
  '--quiet',
  '--silent',
  '--regexp-extended',
  '--null-data',
  '--separate',
  '--unbuffered',
  '--posix',
  '--sandbox',
  '--debug',
];

/** Judges one call of sed. */
export function inspectSed(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const { parsed } = call;
  const scripts = parsed.options
    .filter(({ name }) => name === '-e' || name === '--expression')
    .map(({ value }) => literalText(value));
  const operands = [...parsed.operands];
  if (scripts.length === 0) scripts.push(literalText(operands.shift()));
  const odd = parsed.options.find(
    ({ name }) => !FLAGS.includes(name) && !['-e', '--expression', '-i', '--in-place', '-I'].includes(name),
  );
  const suffix = optionValue(parsed, ['-i', '--in-place']);
  if (odd !== undefined || parsed.doubtful || (suffix !== undefined && !/^[\w.~-]*$/.test(suffix.known))) {
    note(walk.findings, {
      level: 'R3',
      reason: `sed ${odd?.name ?? 'with an option that is known only when it runs'} is not understood`,
      kind: 'run-hidden-text',
    });
    return 'claimed';
  }
  if (operands.some(isOpenEnded)) {
    note(walk.findings, { level: 'R3', reason: 'sed with a word that may become several', kind: 'run-hidden-text' });
    return 'claimed';
  }
  const read = scripts.map((script) => (script === undefined ? undefined : readSedScript(script)));
  if (read.length === 0 || read.some((one) => one === undefined)) {
    note(walk.findings, { level: 'R3', reason: 'sed runs a script the guard cannot follow', kind: 'run-hidden-text' });
    return 'claimed';
  }
  note(walk.findings, { level: 'R0', reason: 'sed reads and prints', kind: 'read-file' });
  for (const one of read)
    for (const file of one?.writes ?? [])
      noteWrite(walk, literalWord(file), { level: 'R1', kind: 'write-file', verb: 'sed writes' });
  operands.forEach((operand) => noteSecretRead(walk, operand));
  if (hasOption(parsed, ['-i', '--in-place', '-I'])) {
    const level = read.some((one) => one?.adds === true) ? 'R2' : 'R1';
    for (const operand of operands) noteWrite(walk, operand, { level, kind: 'write-file', verb: 'edits in place' });
    if (operands.length === 0)
      note(walk.findings, { level: 'R3', reason: 'sed edits in place, but no file is named', kind: 'write-file' });
  }
  return 'claimed';
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a script; undefined where any of it is not understood (also where it runs a program). */
export function readSedScript(text: string): SedScript | undefined {
  const cursor: Cursor = { text, at: 0 };
  const found: { writes: string[]; adds: boolean } = { writes: [], adds: false };
  for (;;) {
    skip(cursor, /[\s;]/);
    if (cursor.at >= text.length) return found;
    if (!skipAddresses(cursor) || !takeCommand(cursor, found)) return undefined;
  }
}

function takeCommand(cursor: Cursor, found: { readonly writes: string[]; adds: boolean }): boolean {
  const command = cursor.text.charAt(cursor.at);
  cursor.at += 1;
  switch (command) {
    case '':
      return false;
    case '{':
      return true;
    case '#':
      skip(cursor, /[^\n]/);
      return true;
    case 'a':
    case 'i':
    case 'c':
      found.adds ||= command !== 'c';
      return takeText(cursor);
    case 'r':
    case 'R':
      found.adds = true;
      takeLine(cursor);
      return true;
    case 'w':
    case 'W':
      found.writes.push(takeLine(cursor));
      return true;
    case 's': {
      const file = takeSubstitution(cursor);
      if (file !== undefined && file !== '') found.writes.push(file);
      return file !== undefined;
    }
    case 'y':
      return takeDelimited(cursor, 2) && ends(cursor);
    case ':':
    case 'b':
    case 't':
    case 'T':
      skip(cursor, / /);
      skip(cursor, /[\w.-]/);
      return ends(cursor);
    case 'q':
    case 'Q':
    case 'L':
    case 'l':
      skip(cursor, / /);
      skip(cursor, /\d/);
      return ends(cursor);
    default:
      found.adds ||= command === 'G';
      return '}=dDgGhHnNpPxFz'.includes(command) && ends(cursor);
  }
}

/** Nothing but a separator may follow a command; what else stands there some seds read as the next one. */
function ends(cursor: Cursor): boolean {
  skip(cursor, /[ \t]/);
  return /^$|[;\n}#]/.test(cursor.text.charAt(cursor.at));
}

function skip(cursor: Cursor, what: RegExp): void {
  while (cursor.at < cursor.text.length && what.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
}

function skipAddresses(cursor: Cursor): boolean {
  for (let i = 0; i < 2; i += 1) {
    if (!skipAddress(cursor)) return false;
    skip(cursor, /\s/);
    if (cursor.text.charAt(cursor.at) !== ',') break;
    cursor.at += 1;
    skip(cursor, /\s/);
  }
  skip(cursor, /[\s!]/);
  return true;
}

function skipAddress(cursor: Cursor): boolean {
  const char = cursor.text.charAt(cursor.at);
  if (/[\d$+~]/.test(char)) {
    skip(cursor, /[\d$+~]/);
    return true;
  }
  if (char !== '/' && char !== '\\') return true;
  if (char === '\\') cursor.at += 1;
  if (!takeDelimited(cursor, 1)) return false;
  skip(cursor, /[IM]/);
  return true;
}

/** Takes `/a/` (count 1) or `/a/b/` (count 2), cursor on the delimiter. */
function takeDelimited(cursor: Cursor, count: number): boolean {
  const delimiter = cursor.text.charAt(cursor.at);
  if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return false;
  cursor.at += 1;
  for (let left = count; left > 0; cursor.at += 1) {
    const char = cursor.text.charAt(cursor.at);
    if (char === '') return false;
    // In a bracket expression the delimiter ends the pattern in some seds and not in others.
    if (char === '[' && delimiter !== '[' && !closesBeforeDelimiter(cursor, delimiter)) return false;
    if (char === '\\') cursor.at += 1;
    else if (char === delimiter) left -= 1;
  }
  return true;
}

function closesBeforeDelimiter(cursor: Cursor, delimiter: string): boolean {
  const close = cursor.text.indexOf(']', cursor.at + 1);
  const end = cursor.text.indexOf(delimiter, cursor.at + 1);
  return close < 0 || close < end || end < 0;
}

/** The file of the `w` flag, '' for none, undefined for the `e` flag or anything unknown. */
function takeSubstitution(cursor: Cursor): string | undefined {
  if (!takeDelimited(cursor, 2)) return undefined;
  skip(cursor, /[gpiIMm\d]/);
  const next = cursor.text.charAt(cursor.at);
  if (next === 'w') {
    cursor.at += 1;
    return takeLine(cursor);
  }
  return ends(cursor) ? '' : undefined;
}

function takeLine(cursor: Cursor): string {
  const end = cursor.text.indexOf('\n', cursor.at);
  const line = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  cursor.at = end < 0 ? cursor.text.length : end;
  return line.trim();
}

/** Text of a, i, c: one line that ends the script. Where lines go on, and where a script ends, seds differ. */
function takeText(cursor: Cursor): boolean {
  const rest = cursor.text.slice(cursor.at).replace(/^\\\n/, '').replace(/\n$/, '');
  cursor.at = cursor.text.length;
  return rest !== '' && !rest.includes('\n') && !rest.endsWith('\\');
}
