// What the one status bar item says: the most urgent thing first. Pure; the words are translated by the caller's `t`.
import type { Rung } from '../../core/events.ts';
import type { Snapshot } from '../../core/snapshot.ts';

/** Translates an English text and fills {0}, {1}, ...: vscode.l10n.t in the extension. */
export type Translate = (text: string, ...args: (string | number)[]) => string;

/** What the item shows. `severity` picks the background: only where a person has something to do. */
export interface StatusLook {
  readonly text: string;
  readonly severity: 'none' | 'warning' | 'error';
}

/** What the item is made from. `rung` is the rung of the call that runs or ended last. */
export interface StatusFacts {
  readonly engine: 'idle' | 'starting' | 'running' | 'failed' | 'closed';
  readonly snapshot: Snapshot | null;
  readonly rung: Rung;
}

const fallbackRungs: ReadonlySet<Rung> = new Set<Rung>(['L2', 'L3', 'L4']);

/** Questions, then unknown effects, then a race of several attempts, then a fallback, else ok. */
export function statusLook({ engine, snapshot, rung }: StatusFacts, t: Translate): StatusLook {
  if (engine === 'failed') return { text: `$(error) ${t('Belay: cannot start')}`, severity: 'error' };
  const questions = snapshot?.questions.length ?? 0;
  if (questions > 0) return { text: `$(question) ${t('Belay: {0} waiting', questions)}`, severity: 'warning' };
  const unknown = snapshot?.totals.unknownEffects ?? 0;
  if (unknown > 0) return { text: `$(circle-slash) ${t('Belay: {0} unknown', unknown)}`, severity: 'warning' };
  const running = runningAttempts(snapshot);
  if (running > 1) return { text: `$(sync~spin) ${t('Belay: hedging {0}', running)}`, severity: 'none' };
  if (fallbackRungs.has(rung)) return { text: `$(warning) ${t('Belay: {0} fallback', rung)}`, severity: 'none' };
  return { text: `$(shield) ${t('Belay: ok')}`, severity: 'none' };
}

/** Attempts of the present race that are still going. */
export function runningAttempts(snapshot: Snapshot | null): number {
  return snapshot?.race?.lanes.filter((lane) => lane.status === 'running' || lane.status === 'streaming').length ?? 0;
}

/** The lines of the tooltip, as plain text: what has been done so far, and the last notice. */
export function statusLines({ engine, snapshot }: StatusFacts, t: Translate): readonly string[] {
  if (engine === 'starting') return [t('Belay is starting.')];
  if (!snapshot) return [t('Belay waits for its first call.')];
  const { totals, notices, spending } = snapshot;
  const cost = `$${totals.costUsd.toFixed(2)}`;
  const lines = [
    t('{0} calls, {1} attempts, {2}', totals.calls, totals.attempts, cost),
    t('{0} faults, {1} mended', totals.faults, totals.faultsMended),
  ];
  if (spending.limitUsd !== null)
    lines.push(t('Today {0} of {1}', `$${spending.usd.toFixed(2)}`, `$${spending.limitUsd.toFixed(2)}`));
  if (totals.unpricedAttempts > 0)
    lines.push(t('{0} attempts without a known price are not in the cost', totals.unpricedAttempts));
  if (totals.unknownEffects > 0) lines.push(t('{0} effects with an unknown result', totals.unknownEffects));
  const notice = notices.at(-1);
  if (notice && notice.severity !== 'info') lines.push(`${notice.message} ${notice.remedy}`);
  return lines;
}
