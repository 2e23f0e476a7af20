// What follows when a guarded command did not do what was asked (HFR document 4.1-4.5, 4.9): its end is classified, core decides,
// the decision is told, and the agent reads what it comes to. Belay itself repeats only what reads, once, where the decision is
// a RETRY of something that passes and nobody had to be asked. What writes is looked up and never run again here.
import type { FaultClass } from '../core/faults/fault.ts';
import type { Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { probeOf } from '../core/ledger/probes.ts';
import type { Decision } from '../core/recovery/decision.ts';
import { equivalentTool, programOf } from '../core/recovery/equivalentTool.ts';
import { nextStepText } from '../core/recovery/nextStep.ts';
import { NOT_FOUND, PASSING_CLASSES, toolFault } from '../core/recovery/toolFault.ts';
import { failureOfCommand, failureOfRun, type CommandFailure } from './commandFailure.ts';
import type { GuardedCommandInput } from './commandRequest.ts';
import type { EffectPorts } from './effectEntry.ts';
import type { CommandOutcome, CommandRun } from './effectOutcome.ts';
import { askPerson } from './effectQuestion.ts';
import type { FlowEnd } from './effectRequest.ts';
import {
  actionName,
  countFailure,
  decideTool,
  tellAgreed,
  type FailedTool,
  type ToolRecovery,
} from './toolDecision.ts';

export interface CommandRecovery {
  /** Hears of a run whose end leaves its effect open, and tells the decision to look it up. */
  readonly onUnknown: (entry: LedgerEntry, ran: CommandRun) => Promise<void>;
  /** What the request comes to; `again`: the command is to be run once more. */
  readonly follow: (
    end: FlowEnd<CommandRun>,
    outcome: CommandOutcome,
    elapsedMs: number,
  ) => Promise<CommandOutcome | 'again'>;
}

/** An earlier output of the same command. */
interface StaleOutput {
  readonly stdout: string;
  readonly ageMs: number;
}

/** A command that answered, if only by failing, has nothing that an older answer could stand in for. */
const STALE_FOR: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4', 'T5', 'unknown']);

const UNDECIDED: CommandRecovery = {
  onUnknown: () => Promise.resolve(),
  follow: (_end, outcome) => Promise.resolve(outcome),
};

/** The recovery of one request; without `input.recovery` every end stays as it is. */
export function commandRecovery(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
  isSame: (entry: LedgerEntry) => boolean,
): CommandRecovery {
  const { recovery } = input;
  return recovery ? new Recovering(ports, input, intent, isSame, recovery) : UNDECIDED;
}

class Recovering implements CommandRecovery {
  private readonly ports: EffectPorts;
  private readonly input: GuardedCommandInput;
  private readonly intent: Intent;
  private readonly isSame: (entry: LedgerEntry) => boolean;
  private readonly recovery: ToolRecovery;
  /** Why the first run failed, once it was decided to run it again. */
  private firstReason: string | null = null;
  /** Of the present run: its failure was counted. */
  private counted: number | null = null;

  constructor(
    ports: EffectPorts,
    input: GuardedCommandInput,
    intent: Intent,
    isSame: (entry: LedgerEntry) => boolean,
    recovery: ToolRecovery,
  ) {
    this.ports = ports;
    this.input = input;
    this.intent = intent;
    this.isSame = isSame;
    this.recovery = recovery;
  }

  readonly onUnknown = async (entry: LedgerEntry, ran: CommandRun): Promise<void> => {
    const failure = failureOfRun(ran, entry.state);
    // Without a probe there is nothing to look up by: the end of the request decides.
    if (!failure || probeOf(entry.probe) === null) return;
    const facts = this.facts({ ...failure, canProbe: true, isProbed: false }, this.input.timeoutMs, null);
    await decideTool(this.recovery, this.ports.clock, facts, this.input.emit);
  };

  readonly follow: CommandRecovery['follow'] = async (end, outcome, elapsedMs) => {
    const { input, intent, recovery, ports } = this;
    const failure = outcome.result === 'done' ? null : failureOfCommand(end, intent.level);
    if (outcome.result === 'done') recovery.faults.succeeded(input.context.task, this.action);
    if (!failure || input.signal.aborted) return this.noted(outcome);
    const estimateMs = failure.end.kind === 'timed-out' ? input.timeoutMs : elapsedMs;
    const stale = await this.lastOutput(failure);
    const facts = this.facts(failure, estimateMs, stale);
    const isRepeated = (decision: Decision): boolean => this.isRepeated(end, facts, decision);
    const decision = await decideTool(recovery, ports.clock, facts, input.emit, isRepeated);
    if (isRepeated(decision)) {
      this.firstReason = outcome.reason;
      this.counted = null;
      const isCancelled = await ports.clock.sleep(decision.waitMs, input.signal).then(
        () => false,
        () => true,
      );
      if (!isCancelled) return 'again';
    }
    const agreed = stale && (await this.agreed(facts, decision, stale));
    const next = nextStepText(agreed ?? decision, { level: intent.level, equivalent: facts.alternate, stale });
    return this.noted({ ...outcome, text: [outcome.text, next].filter((part) => part !== '').join('\n') });
  };

  private get action(): string {
    return actionName(this.intent);
  }

  /** Belay runs it again: it reads, nobody had to be asked, its entry is settled, and what failed may pass. Once a request. */
  private isRepeated(end: FlowEnd<CommandRun>, { fault }: FailedTool, { action, target }: Decision): boolean {
    const { intent, input, firstReason } = this;
    const isOver = end.kind === 'settled' || end.kind === 'impossible';
    const isAllowed = intent.level === 'R0' && input.judgement.verdict === 'allow' && isOver;
    return (
      isAllowed &&
      firstReason === null &&
      action === 'RETRY' &&
      target === 'same' &&
      PASSING_CLASSES.has(fault.class) &&
      !input.signal.aborted
    );
  }

  private facts(failure: CommandFailure, estimateMs: number, stale: StaleOutput | null): FailedTool {
    const { intent, input, recovery } = this;
    const { context } = input;
    const { level } = intent;
    const fault = toolFault(level, failure.end);
    // Only where the shell found no program are the words its own.
    const isMissing = failure.end.kind === 'exited' && failure.end.exitCode === NOT_FOUND;
    const name = programOf(input.command, isMissing ? failure.stderr : '') || intent.tool;
    const asked = { context, intent, name, fault };
    this.counted ??= countFailure(recovery, asked, failure.answer);
    const isFailing = (tool: string): boolean => recovery.faults.count(context.task, `tool:${tool}`) > 0;
    const { contracts } = recovery.settings.tools;
    const equivalent = equivalentTool(contracts, name, level, isFailing);
    const unknown = { quality: null, estimateMs };
    const { entry, canProbe, isProbed } = failure;
    return {
      ...asked,
      entry,
      canProbe,
      isProbed,
      estimateMs,
      isClosedOff: failure.end.kind === 'withheld' && failure.end.why === 'breaker-open',
      sameFaults: this.counted,
      repeats: this.firstReason === null ? 0 : 1,
      alternate: equivalent && { ...unknown, ...equivalent },
      // Less of what took too long may be done in time; nothing else is mended by asking for less.
      lower: level === 'R0' && fault.class === 'T3' ? unknown : null,
      fallback: stale && { quality: null, estimateMs: 0 },
    };
  }

  /** Rung L4: what the same command printed when it was last done in this task. Of an answer that it gave now there is none. */
  private async lastOutput(failure: CommandFailure): Promise<StaleOutput | null> {
    const { intent, ports, input } = this;
    if (intent.level !== 'R0' || !STALE_FOR.has(toolFault('R0', failure.end).class)) return null;
    const filter = { task: input.context.task, tool: intent.tool, states: ['COMMITTED'] } as const;
    const listed = await ports.store.entries(filter);
    if (!listed.ok) return null;
    const same = listed.value.filter((entry) => entry.level === 'R0' && this.isSame(entry));
    const last = same.reduce<LedgerEntry | null>((a, b) => (a && a.updatedAtMs >= b.updatedAtMs ? a : b), null);
    const stdout = last?.evidence?.stdout ?? '';
    return last && stdout !== '' ? { stdout, ageMs: ports.clock.nowMs() - last.updatedAtMs } : null;
  }

  /** Where only a person's word is lacking for the stale output: asked, and what a yes makes of the decision. */
  private async agreed(facts: FailedTool, decision: Decision, stale: StaleOutput): Promise<Decision | null> {
    const { ports, input, intent, recovery } = this;
    if (decision.proposes !== 'L4' || ports.approval.hasPerson === false) return null;
    const title = `Use the earlier output of: ${intent.title}`;
    const asked = { intent: { ...intent, title }, signal: input.signal, emit: input.emit };
    const reasons = [
      `${decision.reason} (${decision.rule})`,
      `it is ${Math.round(stale.ageMs / 1000)} s old and is marked as stale`,
    ];
    const answer = await askPerson(ports, asked, { kind: 'lower-rung', reasons, targets: [] });
    return answer.ok ? tellAgreed(recovery, ports.clock, { facts, decision, by: answer.value.by }, input.emit) : null;
  }

  private noted(outcome: CommandOutcome): CommandOutcome {
    if (this.firstReason === null) return outcome;
    const note = `Belay ran it twice, since it only reads; the first time: ${this.firstReason}.`;
    return { ...outcome, text: [outcome.text, note].filter((part) => part !== '').join('\n') };
  }
}
