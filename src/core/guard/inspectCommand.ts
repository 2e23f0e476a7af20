// Runs the walk over one text and returns the raw findings, with the ids of the rows that fired (for the tables' self-test).
// Bounded: length, nesting and number of commands; never throws.
import { parse } from 'unbash';
import type { CommandToAssess } from './assessment.ts';
import { surveyNames, UNKNOWN_NAMES } from './bash/names.ts';
import { walkScript } from './bash/script.ts';
import { judgeCommand } from './command.ts';
import { emptyFindings, note, notUnderstood, type Findings } from './effects.ts';
import { inspectPwsh } from './pwsh.ts';
import { noteWrittenRun, spend, type Walk } from './walk.ts';

/** Longest text that is looked at, in UTF-16 units. */
export const MAX_COMMAND_CHARS = 256 * 1024;
const MAX_COMMANDS = 2_000;
const MAX_WORDS = 4_000;
const MAX_SEPARATORS = 10_000;

// Control characters but tab and line feed; zero-width and direction marks; line and paragraph separators; byte-order mark.
const HIDING =
  // eslint-disable-next-line no-control-regex -- these are the bytes that hide what a command does.
  /[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0]/;

/** Everything noticed about a command. */
export function inspectCommand(input: CommandToAssess): Findings {
  const findings = emptyFindings();
  try {
    if (input.command.length > MAX_COMMAND_CHARS)
      notUnderstood(findings, `the command is longer than ${MAX_COMMAND_CHARS} characters`);
    else if (HIDING.test(input.command)) notUnderstood(findings, 'the command holds control or invisible characters');
    else if (tooManySeparators(input.command))
      notUnderstood(findings, 'the command holds too many separators and expansions to follow');
    else if (input.shell === 'bash') walkBash(input, findings);
    else inspectPwsh(input.command, newWalk(input, findings));
    weighTogether(findings);
  } catch (error) {
    // The guard's own failure must look like the worst command, not like a harmless one.
    notUnderstood(
      findings,
      `the guard failed on this command (${error instanceof Error ? error.name : 'unknown error'})`,
    );
  }
  return findings;
}

/** Counted before parsing, so that hostile text costs a scan and no more. */
function tooManySeparators(text: string): boolean {
  if (text.length <= MAX_SEPARATORS) return false;
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    // ; & | $ and the backtick
    if (code === 59 || code === 38 || code === 124 || code === 36 || code === 96) count += 1;
  }
  return count > MAX_SEPARATORS;
}

function walkBash(input: CommandToAssess, findings: Findings): void {
  const commands = walkText(input.command, newWalk(input, findings));
  if (commands === 0 && !holdsOnlyComments(input.command))
    notUnderstood(findings, 'no command could be read from the text');
}

/** Parses and walks one text; the number of its commands. */
function walkText(text: string, walk: Walk): number {
  const script = parse(text);
  walk.names = script.errors?.[0] === undefined ? surveyNames(script) : UNKNOWN_NAMES;
  walkScript(script, walk);
  return script.commands.length;
}

function holdsOnlyComments(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#.*)?$/.test(line.slice(0, 200)));
}

function newWalk(input: CommandToAssess, findings: Findings): Walk {
  const walk: Walk = {
    cwds: [input.cwd],
    workspace: input.workspace,
    findings,
    functions: new Set<string>(),
    variables: new Map(),
    names: UNKNOWN_NAMES,
    depth: 0,
    loops: 0,
    steps: 0,
    commandCount: 0,
    runWords(words, stdin) {
      walk.commandCount += 1;
      if (walk.commandCount > MAX_COMMANDS)
        notUnderstood(findings, `the text holds more than ${MAX_COMMANDS} commands`);
      else if (words.length > MAX_WORDS) notUnderstood(findings, `a command has more than ${MAX_WORDS} words`);
      else if (findings.understood) judgeCommand(words, stdin, walk);
    },
    runText(text) {
      const { variables, names } = walk;
      if (!spend(walk, Math.ceil(text.length / 64))) return;
      walk.variables = new Map();
      walkText(text, walk);
      walk.variables = variables;
      walk.names = names;
    },
  };
  return walk;
}

/** What only shows when the whole line is known: secrets that could leave, and a script that the line itself wrote. */
function weighTogether(findings: Findings): void {
  const effects = [...findings.effects.values()];
  const leaves = effects.some(({ kind }) => kind === 'network-read' || kind === 'network-write' || kind === 'publish');
  if (leaves && effects.some(({ kind }) => kind === 'read-secret')) {
    note(findings, {
      level: 'R3',
      reason: 'reads what may be a secret and talks to the network in the same line',
      kind: 'secret-to-network',
    });
  }
  if (findings.links > 0 && findings.writes > findings.links) {
    note(findings, {
      level: 'R3',
      reason: 'makes a link and writes in the same line, perhaps through it',
      kind: 'outside-workspace',
    });
  }
  for (const { path, isLate } of findings.runs) if (isLate) noteWrittenRun(findings, path);
}
