// One guarded command, from its assessment to an outcome that is true (DESIGN, The way one command goes). What it failed with
// is decided by core (commandRecovery.ts): what only reads and failed by something that passes is run once more, nothing else.
import type { Assessment } from '../core/guard/assessment.ts';
import type { Intent } from '../core/ledger/entry.ts';
import { exitToState } from '../core/ledger/reconcile.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import { attemptCommand, holdCommand, releaseCommand, unrecorded } from './commandAttempt.ts';
import { commandRecovery } from './commandRecovery.ts';
import { actionOf, intentOf } from './commandRequest.ts';
import type { GuardedCommandInput } from './commandRequest.ts';
import type { EffectPorts } from './effectEntry.ts';
import { makeEffect } from './effectFlow.ts';
import { hasArguments } from './effectKey.ts';
import { ended, outcomeOf, refusal, runText } from './effectOutcome.ts';
import type { CommandOutcome, CommandRun } from './effectOutcome.ts';
import type { StoreFault } from './ports.ts';

export type { CommandOutcome } from './effectOutcome.ts';
export type { GuardedCommandInput } from './commandRequest.ts';

/** Runs a command at most once for its key; one that only reads once more where that is decided. Resolves always; rejects only for a bug. */
export async function runGuardedCommand(ports: EffectPorts, input: GuardedCommandInput): Promise<CommandOutcome> {
  const { assessment, emit, redact = redactSecrets } = input;
  const words = typeof input.command === 'string' ? [input.command] : input.command;
  if (!words.every((word) => word.isWellFormed()) || !input.cwd.isWellFormed()) {
    const reason = 'the command is not valid Unicode; send valid text';
    return refusal({ key: '', level: 'R3', title: 'a command' }, null, reason);
  }
  const intent = intentOf(ports.clock, input);
  const { title, level } = intent;
  // Reasons and targets quote the command.
  const reasons = assessment.reasons.map(redact);
  const { verdict, reasons: why } = input.judgement;
  const judgement = { verdict, ...(why ? { reasons: why.map(redact) } : {}) };
  emit({ type: 'command-assessed', title, level, reasons, verdict: judgement.verdict });
  const isSame = hasArguments(actionOf(input), intent.argsText);
  const recovery = commandRecovery(ports, input, intent, isSame);
  for (;;) {
    const startedAtMs = ports.clock.nowMs();
    const end = await makeEffect<CommandRun>(ports, {
      intent,
      isSame,
      context: input.context,
      judgement,
      question: { kind: 'command', reasons, targets: targetsOf(assessment).map(redact) },
      signal: input.signal,
      emit,
      attempt: (previous, approved) =>
        attemptCommand(ports, input, intent, { previous, approved, onUnknown: recovery.onUnknown }),
      ...(level === 'R0' && verdict === 'allow' ? {} : { attemptUnrecorded: unrecorded(ports, input, intent) }),
    });
    if (end.kind === 'unstored' && level === 'R0' && verdict === 'allow')
      return readWithoutLedger(ports, input, intent, end.fault);
    const outcome = await recovery.follow(end, outcomeOf(intent, end), ports.clock.nowMs() - startedAtMs);
    if (outcome !== 'again') return outcome;
  }
}

function targetsOf(assessment: Assessment): readonly string[] {
  return [...new Set(assessment.effects.flatMap((effect) => effect.target ?? []))];
}

/** Reads fail open when the ledger is out of order (DESIGN, Defaults and scale), and say so. */
async function readWithoutLedger(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
  fault: StoreFault,
): Promise<CommandOutcome> {
  const held = await holdCommand(ports, input, intent.key, true);
  if (!held.ok) return refusal(intent, null, held.error);
  const remedy =
    'This command only reads, so it was run without the ledger; commands that write ask each time until this is mended.';
  input.emit({ type: 'notice', severity: 'warning', message: fault.message, remedy });
  const ran = await releaseCommand(held.value, input, null);
  const isDone = exitToState('R0', ran.exit) === 'COMMITTED';
  return ended(intent, null, isDone ? 'done' : 'failed', ran, `${runText(ran)}. ${fault.message} ${remedy}`);
}
