// What a guarded command came to, for the caller, the person and the agent: never more than the ledger or the exit proves.
import type { EffectLevel, EntryState, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { utf8LengthBytes } from '../core/ledger/key.ts';
import { outputText, RESULT_OF, stateSentence } from '../core/ledger/outcomeText.ts';
import type { EffectResult } from '../core/ledger/outcomeText.ts';
import { exitText } from '../core/ledger/reconcile.ts';
import { levelWords } from '../core/words.ts';
import type { FlowEnd } from './effectFlow.ts';
import type { CommandExit, CommandOutput } from './ports.ts';

export interface CommandOutcome {
  readonly key: string;
  readonly level: EffectLevel;
  /** State of the ledger entry; null when there is none (refused, or read without a ledger). */
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
  /** For a person. */
  readonly reason: string;
  /** For the agent: output and the truth about the effect. */
  readonly text: string;
  /** True unless the effect stands. */
  readonly isError: boolean;
}

/** How a released command ended and what it printed. */
export interface CommandRun {
  readonly exit: CommandExit;
  readonly output: CommandOutput;
}

const NO_OUTPUT: CommandOutput = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 };

/** The outcome of a request that went through the ledger. */
export function outcomeOf(intent: Intent, end: FlowEnd<CommandRun>): CommandOutcome {
  switch (end.kind) {
    case 'settled':
      return ended(intent, end.entry, RESULT_OF[end.entry.state], end.ran, endSentence(end.entry, end.ran.exit));
    case 'unrecorded': {
      const reason = `It ran (${exitText(end.ran.exit)}), but the ledger could not record that: ${end.fault.message} It is looked up before it can run again.`;
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
    case 'unstored':
      return refusal(intent, null, `the ledger cannot take it: ${end.fault.message}`);
  }
}

/** Where the exit code says it all, nothing is added to it. */
function endSentence(entry: LedgerEntry, exit: CommandExit): string {
  const isPlain = exit.kind === 'exited' && (entry.state === 'COMMITTED' || entry.state === 'FAILED');
  return isPlain ? exitText(exit) : `${exitText(exit)}. ${stateSentence(entry)}`;
}

/** The outcome of a command that ran now; `entry` is null where it has none. */
export function ended(
  intent: Intent,
  entry: LedgerEntry | null,
  result: EffectResult,
  ran: CommandRun,
  reason: string,
): CommandOutcome {
  const { exit, output } = ran;
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
  const reason = `Not run: ${why}.${before}`.replaceAll('..', '.');
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
    reason,
    text,
    isError: true,
  };
}
