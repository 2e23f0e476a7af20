// One attempt at a guarded command: PREPARED on the disk before the gate opens, COMMITTED, FAILED or UNKNOWN after it, and the
// probe on UNKNOWN (DESIGN, The way one command goes). Which attempt is made, and whether, is effectFlow.ts' to say.
import type { Evidence, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { probePlan } from '../core/ledger/probePlan.ts';
import { commitTag } from '../core/ledger/probes.ts';
import { exitToState, exitDoubt } from '../core/ledger/reconcile.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import type { ToolEnd } from '../core/recovery/toolFault.ts';
import { keepFiles } from './commandFiles.ts';
import type { FileOutcome, KeptFiles } from './commandFiles.ts';
import { touchedPaths } from './commandRequest.ts';
import type { GuardedCommandInput } from './commandRequest.ts';
import { moveEntry, prepareEntry } from './effectEntry.ts';
import type { EffectPorts } from './effectEntry.ts';
import { runText } from './effectOutcome.ts';
import type { CommandRun } from './effectOutcome.ts';
import { takeBaseline } from './effectProbe.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { Attempt, EffectRequest } from './effectRequest.ts';
import { ownFiles } from './ownFiles.ts';
import type { Answer, HeldCommand, HoldResult } from './ports.ts';

const OUTPUT_LIMIT_BYTES = 64 * 1024;

/** What an attempt is given beside its request. */
export interface AttemptParts {
  /** The entry to prepare again; null for a first time. */
  readonly previous: LedgerEntry | null;
  readonly approved: Answer | null;
  /** Hears that the run's end does not say what became of its effect, before anybody looks. */
  readonly onUnknown: (entry: LedgerEntry, ran: CommandRun) => Promise<void>;
}

/** Prepares the entry and runs the command once; the gate opens only after PREPARED is on the disk. */
export async function attemptCommand(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
  { previous, approved, onUnknown }: AttemptParts,
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
  const held = await holdCommand(ports, { ...input, env }, key);
  if (!held.ok && held.fault) return { kind: 'unstored', fault: held.fault };
  if (!held.ok) return { kind: 'impossible', reason: held.error, entry: previous, ...endOfHold(held) };
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
    const seen = await releaseCommand(held.value, input, kept);
    return await settle(ports, input, prepared.value.entry, seen, onUnknown);
  } finally {
    if (!isReleased) await held.value.discard();
  }
}

/** How a command ended that was not let to its gate; absent: what holds it back is the ledger's, or its caller has gone. */
function endOfHold(held: Extract<HoldResult, { readonly ok: false }>): { readonly end?: ToolEnd } {
  if (held.fault || held.withheld?.why === 'cancelled') return {};
  return { end: held.withheld ? { kind: 'withheld', ...held.withheld } : { kind: 'not-started' } };
}

/** A child at the gate. */
export function holdCommand(
  ports: EffectPorts,
  input: GuardedCommandInput,
  key: string,
  isUnrecorded = false,
): Promise<HoldResult> {
  const { shell, command, cwd, env, timeoutMs, promptQuietMs, outputLimitBytes = OUTPUT_LIMIT_BYTES } = input;
  const quiet = promptQuietMs === undefined ? {} : { promptQuietMs };
  const { tenant, criticality } = input.context;
  const asked = { key, shell, command, cwd, env, timeoutMs, outputLimitBytes, ...quiet, isUnrecorded };
  return ports.command.hold({ ...asked, caller: { tenant, criticality, signal: input.signal } });
}

const NO_FILES: FileOutcome = { files: [], missing: null };

/** Lets it run, and tells with masked secrets how it went. */
export async function releaseCommand(
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
  onUnknown: AttemptParts['onUnknown'],
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
  await onUnknown(moved.value, ran);
  const looked = await reconcileEffect(ports, moved.value, 0, input.emit);
  return { kind: 'settled', entry: looked.ok ? looked.value.entry : moved.value, ran };
}

/** Runs a command once without an entry, as a person allowed; the files that its words name are kept all the same. */
export function unrecorded(
  ports: EffectPorts,
  input: GuardedCommandInput,
  intent: Intent,
): NonNullable<EffectRequest<CommandRun>['attemptUnrecorded']> {
  const { redact = redactSecrets } = input;
  return async (fault) => {
    const held = await holdCommand(ports, input, intent.key, true);
    if (!held.ok) return { kind: 'impossible', reason: held.error, entry: null, ...endOfHold(held) };
    let isReleased = false;
    try {
      const kept = await keepFiles(ports, touchedPaths(input), (path) => redact(path) === path && path.isWellFormed());
      if (input.signal.aborted) return { kind: 'impossible', reason: 'cancelled before it began', entry: null };
      isReleased = true;
      return { kind: 'off-ledger', ran: await releaseCommand(held.value, input, kept), fault, unkept: '' };
    } finally {
      if (!isReleased) await held.value.discard();
    }
  };
}
