// One guarded command, from its assessment to an outcome that is true: PREPARED on the disk before the gate opens,
// COMMITTED, FAILED or UNKNOWN after it, the probe on UNKNOWN (DESIGN, The way one command goes).
import type { RequestContext } from '../core/context.ts';
import type { Assessment } from '../core/guard/assessment.ts';
import type { EffectIds, Evidence, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { probePlan } from '../core/ledger/probePlan.ts';
import { commitTag } from '../core/ledger/probes.ts';
import { exitToState, exitDoubt } from '../core/ledger/reconcile.ts';
import { redactCommand, redactSecrets } from '../core/ledger/redact.ts';
import { workspacePath } from '../core/ledger/workspacePath.ts';
import { keepFiles } from './commandFiles.ts';
import type { FileOutcome, KeptFiles } from './commandFiles.ts';
import { moveEntry, prepareEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { makeEffect } from './effectFlow.ts';
import type { Attempt, EffectRequest, Judgement } from './effectFlow.ts';
import { baseIntent } from './effectIntent.ts';
import { hasArguments } from './effectKey.ts';
import type { Action } from './effectKey.ts';
import { ended, outcomeOf, refusal, runText } from './effectOutcome.ts';
import type { CommandOutcome, CommandRun } from './effectOutcome.ts';
import { takeBaseline } from './effectProbe.ts';
import { reconcileEffect } from './effectReconcile.ts';
import { ownFiles } from './ownFiles.ts';
import type { Answer, HeldCommand, HoldResult, StoreFault } from './ports.ts';

export type { CommandOutcome } from './effectOutcome.ts';

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
}

const OUTPUT_LIMIT_BYTES = 64 * 1024;

/** Runs a command at most once for its key. Resolves always; rejects only for a bug. */
export async function runGuardedCommand(ports: EffectPorts, input: GuardedCommandInput): Promise<CommandOutcome> {
  const { assessment, emit, redact = redactSecrets } = input;
  const words = typeof input.command === 'string' ? [input.command] : input.command;
  if (!words.every((word) => word.isWellFormed()) || !input.cwd.isWellFormed()) {
    const reason = 'the command is not valid Unicode; send valid text';
    return refusal({ key: '', level: 'R3', title: 'a command' }, null, reason);
  }
  const intent = intentOf(ports, input);
  const { title, level } = intent;
  // Reasons and targets quote the command.
  const reasons = assessment.reasons.map(redact);
  const { verdict, reasons: why } = input.judgement;
  const judgement = { verdict, ...(why ? { reasons: why.map(redact) } : {}) };
  emit({ type: 'command-assessed', title, level, reasons, verdict: judgement.verdict });
  const end = await makeEffect<CommandRun>(ports, {
    intent,
    isSame: hasArguments(actionOf(input), intent.argsText),
    context: input.context,
    judgement,
    question: { kind: 'command', reasons, targets: targetsOf(assessment).map(redact) },
    signal: input.signal,
    emit,
    attempt: (previous, approved) => attemptCommand(ports, input, intent, previous, approved),
    ...(level === 'R0' && verdict === 'allow' ? {} : { attemptUnrecorded: unrecorded(ports, input, intent) }),
  });
  if (end.kind === 'unstored' && level === 'R0' && verdict === 'allow')
    return readWithoutLedger(ports, input, intent, end.fault);
  return outcomeOf(intent, end);
}

function actionOf({ context, toolCall, tool = 'shell', shell, command, cwd }: GuardedCommandInput): Action {
  return { context, toolCall, tool, args: { shell, command, cwd } };
}

function intentOf(ports: EffectPorts, input: GuardedCommandInput): Intent {
  const { context, toolCall, ids, shell, assessment, redact = redactSecrets } = input;
  const { tool, args } = actionOf(input);
  const command = redactCommand(input.command, redact);
  const storedArgs = { shell, command, cwd: redact(input.cwd).toWellFormed() };
  const title = typeof command === 'string' ? command : command.join(' ');
  const [level, paths, nowMs] = [assessment.level, touchedPaths(input), ports.clock.nowMs()];
  return baseIntent({ context, toolCall, ids, tool, level, args, storedArgs, title, paths, redact, nowMs });
}

/** Files the command changes, as far as its words say so; programs, hosts and files that are only read are none. */
function touchedPaths(input: GuardedCommandInput): readonly string[] {
  const touched = input.assessment.effects.flatMap(({ kind, target }) => {
    if (target === undefined || !/(?:file|directory|folder)/.test(kind) || kind.startsWith('read')) return [];
    const path = workspacePath(input, target);
    return path === null || path === '' ? [] : [path];
  });
  return [...new Set(touched)];
}

function targetsOf(assessment: Assessment): readonly string[] {
  return [...new Set(assessment.effects.flatMap((effect) => effect.target ?? []))];
}

async function attemptCommand(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
  previous: LedgerEntry | null,
  approved: Answer | null,
): Promise<Attempt<CommandRun>> {
  const key = previous?.key ?? intent.key;
  const alive = previous && (await ports.command.trace(previous));
  if (alive?.kind === 'running') {
    const reason = `what an earlier run of it started is still alive (${alive.detail}). End it or wait for its end, then ask again`;
    return { kind: 'impossible', reason, entry: previous };
  }
  const { shell, redact = redactSecrets } = input;
  const plan = shell === 'cmd' ? null : probePlan({ ...input, shell });
  // Git marks a commit with this name; where the caller has a name of its own, commits are not told apart.
  const tag = plan?.isMarked === true && input.env.GIT_REFLOG_ACTION === undefined ? commitTag(key) : null;
  const env = tag === null ? input.env : { ...input.env, GIT_REFLOG_ACTION: tag };
  const held = await hold(ports, { ...input, env }, key);
  if (!held.ok && held.fault) return { kind: 'unstored', fault: held.fault };
  if (!held.ok) return { kind: 'impossible', reason: held.error, entry: previous };
  let isReleased = false;
  try {
    const self = await ports.command.self();
    const owner = { ...self, childPid: held.value.pid, childStartedAt: held.value.pidStartedAt };
    const kept = await keepFiles(ports, touchedPaths(input), (path) => redact(path) === path && path.isWellFormed());
    // The time of the baseline: what others did before it is in the baseline, what they do from now on is not (rivals.ts).
    const preparedAtMs = ports.clock.nowMs();
    const probe = await takeBaseline(ports, { plan, place: input, run: input, tag, redact });
    const wanted = { ...intent, key, owner, probe, preparedAtMs };
    const prepared = await prepareEntry(ports, wanted, previous, approved, input.emit);
    if (!prepared.ok) return { kind: 'unstored', fault: prepared.error };
    if (!prepared.value.mine) return { kind: 'taken', entry: prepared.value.entry };
    isReleased = true;
    return await settle(ports, input, prepared.value.entry, await release(held.value, input, kept));
  } finally {
    if (!isReleased) await held.value.discard();
  }
}

function hold(ports: EffectPorts, input: GuardedCommandInput, key: string, isUnrecorded = false): Promise<HoldResult> {
  const { shell, command, cwd, env, timeoutMs, promptQuietMs, outputLimitBytes = OUTPUT_LIMIT_BYTES } = input;
  const quiet = promptQuietMs === undefined ? {} : { promptQuietMs };
  return ports.command.hold({ key, shell, command, cwd, env, timeoutMs, outputLimitBytes, ...quiet, isUnrecorded });
}

const NO_FILES: FileOutcome = { files: [], missing: null };

async function release(
  held: HeldCommand,
  { signal, onOutput, redact = redactSecrets }: GuardedCommandInput,
  kept: KeptFiles | null,
): Promise<CommandRun> {
  const ran = await held.release(signal, (stream, text) => onOutput?.(stream, text));
  const { exit, output, background = [], prompt = null } = ran;
  return {
    exit,
    output: { ...output, stdout: redact(output.stdout), stderr: redact(output.stderr) },
    background: background.map(({ pid, command }) => ({ pid, command: redact(command) })),
    prompt: prompt === null ? null : redact(prompt),
    ...((await kept?.changed()) ?? NO_FILES),
  };
}

async function settle(
  ports: EffectPorts,
  input: GuardedCommandInput,
  entry: LedgerEntry,
  seen: CommandRun,
): Promise<Attempt<CommandRun>> {
  const ran: CommandRun = { ...seen, ...(await ownFiles(ports, entry, input, seen)) };
  const { exit, output, files } = ran;
  const exitCode = exit.kind === 'exited' ? exit.exitCode : null;
  const { stdout, stderr } = output;
  const evidence: Evidence = {
    source: 'exit',
    detail: runText(ran),
    exitCode,
    stdout,
    stderr,
    ...(ran.background.length > 0 ? { leftRunning: true as const } : {}),
  };
  const to = exitToState(entry.level, exit, exitDoubt({ probe: entry.probe, evidence }));
  // What did not take effect has changed nothing: a file that is another now is somebody else's.
  const proof = files.length > 0 && to !== 'FAILED' ? { ...evidence, files } : evidence;
  const moved = await moveEntry(ports, entry, [{ to, evidence: proof }], input.emit);
  if (!moved.ok) return { kind: 'unrecorded', entry, ran, fault: moved.error };
  if (moved.value.state !== 'UNKNOWN') return { kind: 'settled', entry: moved.value, ran };
  const looked = await reconcileEffect(ports, moved.value, 0, input.emit);
  return { kind: 'settled', entry: looked.ok ? looked.value.entry : moved.value, ran };
}

/** Runs a command once without an entry, as a person allowed; the files that its words name are kept all the same. */
function unrecorded(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
): NonNullable<EffectRequest<CommandRun>['attemptUnrecorded']> {
  const { redact = redactSecrets } = input;
  return async (fault) => {
    const held = await hold(ports, input, intent.key, true);
    if (!held.ok) return { kind: 'impossible', reason: held.error, entry: null };
    let isReleased = false;
    try {
      const kept = await keepFiles(ports, touchedPaths(input), (path) => redact(path) === path && path.isWellFormed());
      if (input.signal.aborted) return { kind: 'impossible', reason: 'cancelled before it began', entry: null };
      isReleased = true;
      return { kind: 'off-ledger', ran: await release(held.value, input, kept), fault, unkept: '' };
    } finally {
      if (!isReleased) await held.value.discard();
    }
  };
}

/** Reads fail open when the ledger is out of order (DESIGN, Defaults and scale), and say so. */
async function readWithoutLedger(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
  fault: StoreFault,
): Promise<CommandOutcome> {
  const held = await hold(ports, input, intent.key, true);
  if (!held.ok) return refusal(intent, null, held.error);
  const remedy =
    'This command only reads, so it was run without the ledger; commands that write ask each time until this is mended.';
  input.emit({ type: 'notice', severity: 'warning', message: fault.message, remedy });
  const ran = await release(held.value, input, null);
  const isDone = exitToState('R0', ran.exit) === 'COMMITTED';
  return ended(intent, null, isDone ? 'done' : 'failed', ran, `${runText(ran)}. ${fault.message} ${remedy}`);
}
