// What a probe's answer is worth in the light of how the run ended. What was stopped here may go on elsewhere (a server that
// has a push already): then nothing seen now proves ABSENT, and no delay does. And what was made by a run that was stopped may
// lack what comes after it (hooks). Decides from the entry and the gate's trace alone.
import type { LedgerEntry } from './entry.ts';
import { probeOf } from './probes.ts';
import type { RunEnd } from './probes/probe.ts';
import { exitDoubt, mayBeDeath } from './reconcile.ts';
import type { ProbeResult, RunTrace } from './reconcile.ts';

type Ran = Pick<LedgerEntry, 'probe' | 'evidence'>;

/** The probe's answer: an ABSENT that this end does not prove is UNKNOWN; a COMMITTED tells what a stopped run left open. */
export function judgeEnd(entry: Ran, trace: RunTrace, probe: ProbeResult | null): ProbeResult | null {
  if (!probe || !entry.probe) return probe;
  const { ifStopped, ...said } = probe;
  if (said.says === 'ABSENT') {
    const doubt = probeOf(entry.probe)?.absentDoubt(entry.probe.data, endOf(entry, trace)) ?? null;
    return doubt === null ? said : { ...said, says: 'UNKNOWN', detail: `${said.detail}; but ${doubt}` };
  }
  const isTold = said.says === 'COMMITTED' && ifStopped !== undefined && !endedByItself(entry, trace);
  return isTold ? { ...said, detail: `${said.detail}${ifStopped}` } : said;
}

/** The end as the effect's own program had it. */
function endOf(entry: Ran, trace: RunTrace): RunEnd {
  const { stdout = '', stderr = '' } = entry.evidence ?? {};
  return { exitCode: exitDoubt(entry) !== false ? null : codeOf(entry, trace), output: `${stdout}\n${stderr}` };
}

/** The recorded exit code; null also for a run that was stopped, whatever code it left then. */
function codeOf({ evidence }: Ran, trace: RunTrace): number | null {
  if (evidence?.exitCode !== undefined) return evidence.exitCode;
  return trace.kind === 'exited' ? trace.exitCode : null;
}

function endedByItself(entry: Ran, trace: RunTrace): boolean {
  const exitCode = codeOf(entry, trace);
  return exitCode !== null && !mayBeDeath(exitCode);
}
