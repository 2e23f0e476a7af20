// What a guarded command came to, for the caller, the person and the agent: never more than the ledger or the exit proves.
import type { EffectLevel, EntryState, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { utf8LengthBytes } from '../core/ledger/key.ts';
import { outputText, RESULT_OF, stateSentence } from '../core/ledger/outcomeText.ts';
import type { EffectResult } from '../core/ledger/outcomeText.ts';
import { howToAnswer } from '../core/ledger/promptText.ts';
import { exitText, exitToState } from '../core/ledger/reconcile.ts';
import { levelWords } from '../core/words.ts';
import type { FileOutcome } from './commandFiles.ts';
import type { FlowEnd } from './effectFlow.ts';
import type { CommandExit, CommandOutput } from './ports.ts';
import { unrecordedText, unstoredText } from './withoutLedger.ts';

export interface CommandOutcome {
  readonly key: string;
  readonly level: EffectLevel;
  /** State of the ledger entry; null when there is none (refused, or run without a ledger). */
  readonly state: EntryState | null;
  readonly result: EffectResult;
  /** Whether the command was let run by this request. */
  readonly ran: boolean;
  /** Null: it did not end by itself, or is not known. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True lengths; of a stored outcome those of the kept text. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** What the command left running. */
  readonly background: readonly BackgroundProcess[];
  /** The question it asked and that nobody could answer; null: it asked none. */
  readonly prompt: string | null;
  /** For a person. */
  readonly reason: string;
  /** For the agent: output and the truth about the effect. */
  readonly text: string;
  /** True unless the effect stands. */
  readonly isError: boolean;
}

/** A process that outlived its command. */
export interface BackgroundProcess {
  readonly pid: number;
  readonly command: string;
}

/** How a released command ended, what it printed, changed and left running. Secrets are masked. */
export interface CommandRun extends FileOutcome {
  readonly exit: CommandExit;
  readonly output: CommandOutput;
  readonly background: readonly BackgroundProcess[];
  readonly prompt: string | null;
}

const NO_OUTPUT: CommandOutput = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 };
const NOTHING_MORE = { background: [], prompt: null, files: [], missing: null } as const;

const MAX_NAMED = 5;

/** The end of a run for the ledger: exit, question, what it left running, what could not be kept. */
export function runText({ exit, background, prompt, missing }: CommandRun): string {
  const named = background.slice(0, MAX_NAMED).map(({ pid, command }) => `process ${pid} (${command})`);
  const more = background.length > MAX_NAMED ? ` and ${background.length - MAX_NAMED} more` : '';
  const parts = [
    exitText(exit),
    prompt === null ? '' : `it asked "${prompt}" and got no answer`,
    named.length === 0 ? '' : `left running: ${named.join(', ')}${more}`,
    missing ?? '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** What the caller can do about the run's end; empty: nothing is to be done. */
function runAdvice({ background, prompt }: CommandRun): string {
  const pids = background.map(({ pid }) => pid).join(' ');
  const stop = `What is left running is not stopped by Belay, and the same command is not run again while it lives; end it with "kill ${pids}" where it is not wanted.`;
  const parts = [prompt === null ? '' : howToAnswer(prompt), pids === '' ? '' : stop];
  return parts.filter((part) => part !== '').join(' ');
}

/** The outcome of a request that went through the ledger. */
export function outcomeOf(intent: Intent, end: FlowEnd<CommandRun>): CommandOutcome {
  switch (end.kind) {
    case 'settled':
      return ended(intent, end.entry, RESULT_OF[end.entry.state], end.ran, endSentence(end.entry, end.ran));
    case 'unrecorded': {
      const reason =
        `It ran (${runText(end.ran)}), but the ledger could not record that: ${end.fault.message} It is looked up before it can run again. ${runAdvice(end.ran)}`.trim();
      return ended(intent, end.entry, 'unknown', end.ran, reason);
    }
    case 'stored':
      return repeated(
        intent,
        end.entry,
        `This command was asked for before and is not run again. ${stateSentence(end.entry)}`,
      );
    case 'withheld':
      return repeated(intent, end.entry, `It was not run: ${end.reason}. ${stateSentence(end.entry)}`);
    case 'denied':
    case 'impossible':
    case 'needless':
      return refusal(intent, end.entry, end.reason);
    case 'off-ledger': {
      const result = RESULT_OF[exitToState(intent.level, end.ran.exit)];
      const parts = [`${runText(end.ran)}.`, runAdvice(end.ran), unrecordedText(end)];
      return ended(intent, null, result, end.ran, parts.filter((part) => part !== '').join(' '));
    }
    case 'unstored':
      return refusal(intent, null, `the ledger cannot take it: ${unstoredText(end)}`);
  }
}

/** Where the exit code says it all, nothing is added to it. */
function endSentence(entry: LedgerEntry, ran: CommandRun): string {
  const { exit } = ran;
  const [text, advice] = [runText(ran), runAdvice(ran)];
  const isPlain = exit.kind === 'exited' && (entry.state === 'COMMITTED' || entry.state === 'FAILED');
  if (isPlain) return advice === '' ? text : `${text}. ${advice}`;
  // Where nobody looked any further, the evidence is the run's own end.
  const shown = entry.evidence?.detail === text ? { ...entry, evidence: null } : entry;
  return [`${text}.`, stateSentence(shown), advice].filter((part) => part !== '').join(' ');
}

/** The outcome of a command that ran now; `entry` is null where it has none. */
export function ended(
  intent: Intent,
  entry: LedgerEntry | null,
  result: EffectResult,
  ran: CommandRun,
  reason: string,
): CommandOutcome {
  const { exit, output, background, prompt } = ran;
  const exitCode = exit.kind === 'exited' ? exit.exitCode : null;
  const text = [outputText(output.stdout, output.stderr), reason].filter((part) => part !== '').join('\n');
  const { key, level } = intent;
  return {
    key,
    level,
    state: entry?.state ?? null,
    result,
    ran: true,
    exitCode,
    ...output,
    background,
    prompt,
    reason,
    text,
    isError: result !== 'done',
  };
}

function repeated(intent: Intent, entry: LedgerEntry, reason: string): CommandOutcome {
  const { exitCode = null, stdout = '', stderr = '' } = entry.evidence ?? {};
  const ran: CommandRun = {
    exit: exitCode === null ? { kind: 'lost', message: '' } : { kind: 'exited', exitCode, signal: null },
    output: { stdout, stderr, stdoutBytes: utf8LengthBytes(stdout), stderrBytes: utf8LengthBytes(stderr) },
    ...NOTHING_MORE,
  };
  const withheld = entry.state === 'UNKNOWN' || entry.state === 'PREPARED' ? 'unknown' : RESULT_OF[entry.state];
  return { ...ended(intent, entry, withheld, ran, reason), ran: false };
}

/** The outcome of a command that was not let run. */
export function refusal(
  { key, level, title }: Pick<Intent, 'key' | 'level' | 'title'>,
  entry: LedgerEntry | null,
  why: string,
): CommandOutcome {
  const before = entry ? ` ${stateSentence(entry)}` : '';
  const reason = `Not run: ${why.replace(/\.$/, '')}.${before}`;
  const text = `${title}\n${reason} (${level}: ${levelWords[level]})`;
  const state = entry?.state ?? null;
  return {
    key,
    level,
    state,
    result: 'refused',
    ran: false,
    exitCode: null,
    ...NO_OUTPUT,
    background: [],
    prompt: null,
    reason,
    text,
    isError: true,
  };
}
