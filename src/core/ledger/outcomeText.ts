// What the agent is told of an effect: what happened, what did not, what nobody knows. Never more than the ledger proves,
// and never that nothing changed where that is not proved.
import type { EntryState, LedgerEntry } from './entry.ts';
import { probeOf } from './probes.ts';
import { shortKey } from './transition.ts';

/** In one word: it stands, it does not, nobody knows, or it was not allowed to run. */
export type EffectResult = 'done' | 'failed' | 'unknown' | 'refused';

/** The result that a state stands for. */
export const RESULT_OF: Readonly<Record<EntryState, EffectResult>> = {
  PREPARED: 'unknown',
  COMMITTED: 'done',
  FAILED: 'failed',
  UNKNOWN: 'unknown',
  RECONCILED_COMMITTED: 'done',
  RECONCILED_ABSENT: 'failed',
  COMPENSATED: 'failed',
};

/** What an entry's state means, with its evidence, as one sentence or two. */
export function stateSentence(entry: LedgerEntry): string {
  const proof = entry.evidence ? ` (${entry.evidence.source}: ${entry.evidence.detail})` : '';
  switch (entry.state) {
    case 'PREPARED':
      return `It was about to run; whether it did is not known yet. ${howToDecide(entry)}`;
    case 'COMMITTED':
      return `It took effect${proof}.`;
    case 'FAILED':
      return `It did not take effect${proof}.`;
    case 'UNKNOWN':
      return `It may have happened, wholly or in part${doubtOf(entry)}. ${howToDecide(entry)}`;
    case 'RECONCILED_COMMITTED':
      return `A look afterwards shows that it took effect${proof}.`;
    case 'RECONCILED_ABSENT':
      return `A look afterwards shows that it did not take effect${proof}.`;
    case 'COMPENSATED':
      return `It took effect and was undone${proof}.`;
  }
}

/** What is known of an unknown effect: the probe's words, or that there is none to ask. */
function doubtOf({ evidence, probe }: LedgerEntry): string {
  if (evidence?.source.startsWith('probe:')) return `; its probe says: ${evidence.detail}`;
  const seen = evidence ? ` (${evidence.source}: ${evidence.detail})` : '';
  return probeOf(probe) ? seen : `${seen}; no probe can look for it`;
}

/** What to do about an unknown effect. */
function howToDecide({ key, level }: LedgerEntry): string {
  const short = shortKey(key);
  // Twice is as good as once there (table 7), and whoever asks again gets it made.
  if (level === 'R0' || level === 'R1')
    return `It may be asked for again: a second time does no harm ("belay ledger show ${short}" tells what is known).`;
  return `It will not be run again by itself: look at what it should have changed ("belay ledger show ${short}"), then ask again with "belay ledger reconcile ${short}".`;
}

/** Captured output for an agent: what was printed, standard error marked as such. */
export function outputText(stdout: string, stderr: string): string {
  const parts = [stdout.trimEnd(), stderr.trim() === '' ? '' : `[standard error]\n${stderr.trimEnd()}`];
  return parts.filter((part) => part !== '').join('\n');
}
