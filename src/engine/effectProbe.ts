// Answers what a probe asks, before and after an effect, through the ports; the verdict is core's (core/ledger/probes).
// Only looks: nothing asked here changes a file or a repository. What cannot be read gives no baseline or no answer.
import { encodeText } from '../core/edits/textFormat.ts';
import type { LedgerEntry, ProbeBaseline } from '../core/ledger/entry.ts';
import { probeOf } from '../core/ledger/probes.ts';
import { exitCovers } from '../core/ledger/probes/exitCover.ts';
import type { RunWords } from '../core/ledger/probes/exitCover.ts';
import { placeBaseline } from '../core/ledger/probes/place.ts';
import type { Verdict } from '../core/ledger/probes/probe.ts';
import type { Answer, Ask, Looking, Seen } from '../core/ledger/probes/reading.ts';
import type { ProbePlan } from '../core/ledger/probePlan.ts';
import type { ProbeResult } from '../core/ledger/reconcile.ts';
import { folderOf, workspacePath } from '../core/ledger/workspacePath.ts';
import type { FilePort, Ports } from './ports.ts';

/** The ports a probe looks through. */
export interface ProbePorts extends Pick<Ports, 'files' | 'command' | 'clock'> {
  /** A probe asked afterwards has so many ms (belay.advanced.limits.reconcileTimeoutMs). Default 15,000. */
  readonly reconcileTimeoutMs?: number;
}

const RECONCILE_TIMEOUT_MS = 15_000;

/** What a baseline is taken of. */
export interface Planned {
  readonly plan: ProbePlan | null;
  /** Where the command runs; both absolute. */
  readonly place: { readonly cwd: string; readonly workspace: string };
  readonly run: RunWords;
  /** How git will mark the command's own commits (`commitTag`); null where it will not. */
  readonly tag: string | null;
  /** Masks secrets: what holds one gets no probe, since a baseline is stored. */
  readonly redact: (text: string) => string;
}

/** The baseline of a plan, taken now; without a plan, or where it cannot be had, only the place (no probe). */
export async function takeBaseline(ports: ProbePorts, planned: Planned): Promise<ProbeBaseline> {
  const baseline = await baselineOf(ports, planned);
  const isShared = !(planned.plan ? planned.plan.decidesExit : exitCovers(planned.run));
  return isShared ? { ...baseline, exitIsShared: true } : baseline;
}

async function baselineOf(ports: ProbePorts, planned: Planned): Promise<ProbeBaseline> {
  const { plan, place, tag, redact } = planned;
  const { workspace } = place;
  if (redact(workspace) !== workspace) return placeBaseline(null);
  if (!plan) return placeBaseline(workspace);
  const folder = folderOf(place, plan.folder);
  // What happens outside may happen in another workspace.
  const isOutside = (target: string): boolean =>
    workspacePath({ cwd: folder ?? place.cwd, workspace }, target) === null;
  if (folder === null || plan.targets.some(isOutside)) return placeBaseline(null);
  const baseline = await carryOut(ports, plan.before({ workspace, folder, isAlone: plan.isAlone, mark: tag }));
  if (!baseline) return placeBaseline(workspace);
  return holdsSecret(baseline.data, redact) ? placeBaseline(workspace) : baseline;
}

function holdsSecret(value: unknown, redact: (text: string) => string): boolean {
  if (typeof value === 'string') return redact(value) !== value;
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some((one) => holdsSecret(one, redact));
}

/**
 * Asks the probe of an entry; null where there is none that this version knows. An ABSENT of an outside that may lag behind
 * is asked again after its settle delay. What does not answer in time says UNKNOWN: silence is no proof of anything. What it
 * says still has to be weighed against other entries (core/ledger/rivals.ts).
 */
export async function askProbe(
  ports: ProbePorts,
  { probe: baseline }: Pick<LedgerEntry, 'probe'>,
  signal?: AbortSignal,
): Promise<ProbeResult | null> {
  const probe = probeOf(baseline);
  if (!probe || !baseline) return null;
  const ask = async (): Promise<Verdict | null> => {
    const looking = probe.after(baseline.data);
    return looking && (await inTime(ports, looking));
  };
  let said = await ask();
  if (said?.says === 'ABSENT' && probe.settleMs > 0) {
    await ports.clock.sleep(probe.settleMs, signal);
    said = await ask();
  }
  return said && { ...said, probe: probe.kind };
}

/** The probe's answer within its time limit, else UNKNOWN. A program that it runs is ended with the limit. */
async function inTime(ports: ProbePorts, looking: Looking<Verdict>): Promise<Verdict> {
  const { clock, reconcileTimeoutMs = RECONCILE_TIMEOUT_MS } = ports;
  const untilMs = clock.nowMs() + reconcileTimeoutMs;
  const detail = `it gave no answer within ${reconcileTimeoutMs} ms`;
  const late: Verdict = { says: 'UNKNOWN', detail };
  const over = new AbortController();
  const limit = clock.sleep(reconcileTimeoutMs, over.signal).then(() => late);
  // Ended by the answer: nobody waits for the limit any more.
  limit.catch(() => undefined);
  try {
    return await Promise.race([carryOut(ports, looking, () => untilMs - clock.nowMs()), limit]);
  } catch (cause) {
    if (cause === TOO_LATE) return late;
    throw cause;
  } finally {
    over.abort(new Error('the probe has answered'));
  }
}

const TOO_LATE = new Error('a probe has used up its time');

/**
 * Runs a probe's work to its end, one question after the other. `leftMs`: how long it may still take; nothing is asked, and
 * no answer is used, once that is over.
 */
async function carryOut<T>(ports: ProbePorts, looking: Looking<T>, leftMs: () => number = () => Infinity): Promise<T> {
  let turn = looking.next();
  while (turn.done !== true) {
    if (!(leftMs() > 0)) throw TOO_LATE;
    const answered = await answer(ports, turn.value, leftMs());
    if (!(leftMs() > 0)) throw TOO_LATE;
    turn = looking.next(answered);
  }
  return turn.value;
}

async function answer({ files, command }: ProbePorts, ask: Ask, leftMs: number): Promise<Answer> {
  switch (ask.ask) {
    case 'locate':
      return { ask: 'locate', seen: await files.locate(ask.path) };
    case 'look':
      return { ask: 'look', seen: await files.look(ask.path) };
    case 'bytes':
      return { ask: 'bytes', seen: await bytesOf(files, ask.path, ask.hash) };
    case 'list':
      return { ask: 'list', paths: await files.list() };
    case 'query':
      return { ask: 'query', seen: await command.query({ ...ask, timeoutMs: Math.min(ask.timeoutMs, leftMs) }) };
  }
}

/** The bytes of a file as they are on the disk; of one that is no text, or is open with changes, by way of its image. */
async function bytesOf(files: FilePort, path: string, hash: string): Promise<Seen<Uint8Array>> {
  const read = await files.read(path);
  if (read.ok && read.value.hash === hash) {
    const bytes = encodeText(read.value.text, read.value.format);
    if (bytes) return { ok: true, value: bytes };
  }
  const saved = await files.saveBefore(path);
  if (!saved.ok) return saved;
  return saved.value === hash ? files.image(hash) : { ok: false, error: `${path} is being changed right now` };
}
