// What follows when a guarded edit did not do what was asked (HFR document 4.1-4.5, 4.9): classified, decided by core, told. An
// edit is never written again by itself; one that may stand in part is looked up where the decision says so (and put back
// where it stopped half-way, effectRepair.ts).
import type { EntryState, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { probeOf } from '../core/ledger/probes.ts';
import type { Decision } from '../core/recovery/decision.ts';
import { equivalentTool } from '../core/recovery/equivalentTool.ts';
import { nextStepText } from '../core/recovery/nextStep.ts';
import { toolFault, type ToolEnd } from '../core/recovery/toolFault.ts';
import type { EditContext } from './editRequest.ts';
import type { EditRun } from './editOutcome.ts';
import type { EffectPorts } from './effectEntry.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { FlowEnd } from './effectRequest.ts';
import { actionName, countFailure, decideTool, type FailedTool, type ToolRecovery } from './toolDecision.ts';

/** The end as it is after it was followed, and what the agent is told to do next; '': nothing more than the outcome says. */
export interface FollowedEdit {
  readonly end: FlowEnd<EditRun>;
  readonly next: string;
}

/** Decides about an edit that failed or may stand in part. Without `input.recovery` the end stays as it is. */
export async function followEdit(
  ports: EffectPorts,
  input: Pick<EditContext, 'context' | 'recovery' | 'signal' | 'emit'>,
  intent: Intent,
  end: FlowEnd<EditRun>,
): Promise<FollowedEdit> {
  const { recovery, context, signal } = input;
  if (!recovery) return { end, next: '' };
  const failure = failureOf(end);
  if (!failure) {
    if (isDone(end)) recovery.faults.succeeded(context.task, actionName(intent));
    return { end, next: '' };
  }
  if (signal.aborted) return { end, next: '' };
  const facts = factsOf(recovery, input, intent, failure);
  const decision = await decideTool(recovery, ports.clock, facts, input.emit);
  if (decision.action !== 'RECONCILE' || end.kind !== 'settled') return { end, next: textOf(decision, facts) };
  const looked = await reconcileEffect(ports, end.entry, 0, input.emit);
  if (!looked.ok) return { end, next: textOf(decision, facts) };
  const after = { ...end, entry: looked.value.entry };
  if (after.entry.state === 'RECONCILED_COMMITTED') return { end: after, next: '' };
  const known = { ...facts, entry: after.entry.state, isProbed: true };
  return { end: after, next: textOf(await decideTool(recovery, ports.clock, known, input.emit), facts) };
}

/** An edit's own message says how it must be changed; only what it does not say is added. */
function textOf(decision: Decision, { intent, alternate }: FailedTool): string {
  if (decision.action === 'REPLAN') return '';
  return nextStepText(decision, { level: intent.level, equivalent: alternate, stale: null });
}

interface EditFailure {
  readonly end: ToolEnd;
  readonly entry: EntryState;
  readonly probe: LedgerEntry['probe'];
  readonly isProbed: boolean;
  readonly answer: string;
}

function failureOf(end: FlowEnd<EditRun>): EditFailure | null {
  switch (end.kind) {
    case 'impossible':
      // Nothing was written: as sure as a look afterwards could make it.
      return failed({ kind: 'unfit' }, end.entry ?? 'RECONCILED_ABSENT', true, end.reason);
    case 'settled': {
      const { state } = end.entry;
      if (isDone(end)) return null;
      if (state === 'UNKNOWN') return failed({ kind: 'unseen' }, end.entry, false, '');
      // FAILED of an edit means that every file was read back as it was before.
      return {
        ...failed({ kind: 'not-written' }, end.entry, true, end.ran.applied.error ?? ''),
        entry: 'RECONCILED_ABSENT',
      };
    }
    case 'unrecorded':
      return end.ran.applied.ok ? null : failed({ kind: 'unseen' }, end.entry, false, '');
    case 'withheld':
      return end.entry.state === 'UNKNOWN' ? failed({ kind: 'unseen' }, end.entry, true, '') : null;
    case 'off-ledger':
    case 'needless':
    case 'stored':
    case 'denied':
    case 'unstored':
      return null;
  }
}

function failed(
  end: ToolEnd,
  entry: LedgerEntry | 'RECONCILED_ABSENT',
  isProbed: boolean,
  answer: string,
): EditFailure {
  const [state, probe] = entry === 'RECONCILED_ABSENT' ? [entry, null] : [entry.state, entry.probe];
  return { end, entry: state, probe, isProbed, answer };
}

function isDone(end: FlowEnd<EditRun>): boolean {
  if (end.kind !== 'settled') return end.kind === 'needless' || end.kind === 'stored';
  return end.entry.state === 'COMMITTED' || end.entry.state === 'RECONCILED_COMMITTED';
}

/** An edit takes no time worth counting. */
const ESTIMATE_MS = 100;

function factsOf(
  recovery: ToolRecovery,
  { context }: Pick<EditContext, 'context'>,
  intent: Intent,
  { end, entry, probe, isProbed, answer }: EditFailure,
): FailedTool {
  const fault = toolFault(intent.level, end);
  const asked = { context, intent, name: intent.tool, fault };
  const sameFaults = countFailure(recovery, asked, answer);
  const isFailing = (tool: string): boolean => recovery.faults.count(context.task, `tool:${tool}`) > 0;
  const equivalent = equivalentTool(recovery.settings.tools.contracts, intent.tool, intent.level, isFailing);
  return {
    ...asked,
    entry,
    canProbe: probeOf(probe) !== null,
    isProbed,
    estimateMs: ESTIMATE_MS,
    isClosedOff: false,
    sameFaults,
    repeats: 0,
    alternate: equivalent && { ...equivalent, quality: null, estimateMs: ESTIMATE_MS },
    lower: null,
    fallback: null,
  };
}
