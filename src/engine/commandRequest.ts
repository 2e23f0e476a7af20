// What is asked of a guarded command, and the ledger entry that it asks for: its key is made of its words as they are, what is
// stored of them is masked.
import type { RequestContext } from '../core/context.ts';
import type { Assessment } from '../core/guard/assessment.ts';
import type { EffectIds, Intent } from '../core/ledger/entry.ts';
import { redactCommand, redactSecrets } from '../core/ledger/redact.ts';
import { workspacePath } from '../core/ledger/workspacePath.ts';
import type { Emit } from './effectEntry.ts';
import { baseIntent } from './effectIntent.ts';
import type { Action } from './effectKey.ts';
import type { Judgement } from './effectRequest.ts';
import type { ClockPort } from './ports.ts';
import type { ToolRecovery } from './toolDecision.ts';

export interface GuardedCommandInput {
  readonly context: RequestContext;
  /**
   * The tool-use id, where one identifies the action (DESIGN 4): it then belongs to the key, together with the step. Leave
   * it out where a resumed caller would ask for the same action under another id.
   */
  readonly toolCall?: string;
  /** Where it was asked for; goes into the row, not into the key. */
  readonly ids?: Partial<Omit<EffectIds, 'client'>>;
  /** Name of the tool in the ledger. Default `shell`. */
  readonly tool?: string;
  /** Text for a shell; the words of a program when `shell` is `none`. */
  readonly command: string | readonly string[];
  readonly shell: 'bash' | 'pwsh' | 'cmd' | 'none';
  /**
   * Absolute folder the command starts in. It belongs to the key, since the same words do another thing in another folder:
   * the same task, step and command from elsewhere is another action, and is run.
   */
  readonly cwd: string;
  /** Absolute root of the workspace, the file port's root. */
  readonly workspace: string;
  readonly assessment: Assessment;
  readonly judgement: Judgement;
  readonly timeoutMs: number;
  /** A command that printed a question and was silent for so long is stopped. Default: the command port's. */
  readonly promptQuietMs?: number;
  /** Kept bytes of each output stream. Default 65,536. */
  readonly outputLimitBytes?: number;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Output as it comes. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Masks secrets in what is stored and shown. Default: core's own masks. */
  readonly redact?: (text: string) => string;
  /** What a failure is decided with. Absent: it is told as it is, nothing is decided and nothing is run once more. */
  readonly recovery?: ToolRecovery;
}

/** What identifies the command, before any secret is masked. */
export function actionOf({ context, toolCall, tool = 'shell', shell, command, cwd }: GuardedCommandInput): Action {
  return { context, toolCall, tool, args: { shell, command, cwd } };
}

/** The ledger entry that it asks for. */
export function intentOf(clock: ClockPort, input: GuardedCommandInput): Intent {
  const { context, toolCall, ids, shell, assessment, redact = redactSecrets } = input;
  const { tool, args } = actionOf(input);
  const command = redactCommand(input.command, redact);
  const storedArgs = { shell, command, cwd: redact(input.cwd).toWellFormed() };
  const title = typeof command === 'string' ? command : command.join(' ');
  const [level, paths, nowMs] = [assessment.level, touchedPaths(input), clock.nowMs()];
  return baseIntent({ context, toolCall, ids, tool, level, args, storedArgs, title, paths, redact, nowMs });
}

/** Files the command changes, as far as its words say so; programs, hosts and files that are only read are none. */
export function touchedPaths(input: GuardedCommandInput): readonly string[] {
  const touched = input.assessment.effects.flatMap(({ kind, target }) => {
    if (target === undefined || !/(?:file|directory|folder)/.test(kind) || kind.startsWith('read')) return [];
    const path = workspacePath(input, target);
    return path === null || path === '' ? [] : [path];
  });
  return [...new Set(touched)];
}
