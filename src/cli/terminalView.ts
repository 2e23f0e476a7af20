// The live terminal: event lines above, and on a TTY a small block below that is redrawn in place: the race, the ranking,
// the ledger. Not a TTY, or NO_COLOR: plain lines, nothing redrawn.
import { eventLine, seconds, short, type LineTone } from '../bench/report/lines.ts';
import type { DecisionEvent } from '../core/events.ts';
import type { LaneState, Snapshot } from '../core/snapshot.ts';

export interface TerminalView {
  show(event: DecisionEvent, snapshot: Snapshot): void;
  /** Removes the live block; lines stay. */
  end(): void;
}

export interface TerminalOptions {
  readonly isTty: boolean;
  readonly hasColor: boolean;
  readonly columns: number;
  readonly write: (text: string) => void;
}

const CODES: Readonly<Record<LineTone, string>> = {
  plain: '',
  good: '\u001b[32m',
  bad: '\u001b[31m',
  soft: '\u001b[2m',
  ask: '\u001b[33m',
};
const RESET = '\u001b[0m';

/** A view that writes through `options.write`. */
export function terminalView(options: TerminalOptions): TerminalView {
  let startedAtMs: number | null = null;
  let blockHeight = 0;

  const paint = (tone: LineTone, text: string): string =>
    options.hasColor && CODES[tone] !== '' ? `${CODES[tone]}${text}${RESET}` : text;
  const fit = (text: string): string =>
    options.isTty && text.length > options.columns - 1 ? `${text.slice(0, options.columns - 2)}…` : text;
  const erase = (): void => {
    if (blockHeight > 0) options.write(`\u001b[${blockHeight}A\u001b[0J`);
    blockHeight = 0;
  };

  return {
    show(event, snapshot) {
      startedAtMs ??= event.atMs;
      const line = eventLine(event);
      if (!line && !options.isTty) return;
      erase();
      if (line) {
        const at = ((event.atMs - startedAtMs) / 1000).toFixed(1).padStart(5);
        options.write(`${paint('soft', at)}  ${paint(line.tone, fit(line.text))}\n`);
      }
      if (!options.isTty) return;
      const block = liveBlock(snapshot, event.atMs).map((text) => fit(text));
      options.write(`${block.map((text) => paint('soft', text)).join('\n')}\n`);
      blockHeight = block.length;
    },
    end: erase,
  };
}

/** The block below the lines, at most ten of them. */
function liveBlock(snapshot: Snapshot, nowMs: number): readonly string[] {
  const { race, task, totals } = snapshot;
  const lanes =
    race?.lanes
      .slice(-4)
      .map((lane) => `  ${laneMark(lane)} ${short(lane.candidate).padEnd(36)} ${laneWords(lane, nowMs)}`) ?? [];
  const effects = snapshot.effects.length;
  const unpriced = totals.unpricedAttempts > 0 ? ` and ${totals.unpricedAttempts} attempts without a known price` : '';
  const ranking = race ? (snapshot.rankings[race.role]?.rows ?? []) : [];
  const ranked = ranking.slice(0, 3).map((row) => `${short(row.id)} ${row.utility.toFixed(2)}`);
  return [
    '─'.repeat(60),
    task ? `  step ${task.step}  ${race ? `race for ${race.role}` : ''}` : '  starting',
    ...(ranked.length > 0 ? [`  ranking ${ranked.join(' > ')}`] : []),
    ...lanes,
    `  ${totals.calls} calls, ${totals.attempts} attempts, ${totals.faults} faults, ${effects} ledger entries, ${totals.duplicates} doubled, $${totals.costUsd.toFixed(4)}${unpriced}`,
  ];
}

const laneMark = (lane: LaneState): string =>
  ({ running: '·', streaming: '▸', succeeded: '✓', failed: '✕', cancelled: '–' })[lane.status];

function laneWords(lane: LaneState, nowMs: number): string {
  const elapsed = seconds(lane.elapsedMs ?? nowMs - lane.startedAtMs);
  if (lane.status === 'failed') return `${lane.note} after ${elapsed}`;
  if (lane.status === 'running') return `waiting ${elapsed}`;
  return lane.status === 'streaming'
    ? `writing, first token ${seconds(lane.firstTokenMs ?? 0)}`
    : `${lane.status} ${elapsed}`;
}
