// Two books of one run, laid side by side attempt by attempt: what Belay says each attempt cost, later corrections included,
// and what the wall bills for it. They are linked by the attempt's id, which each request carries in a header.
import type { DecisionEvent, EventBody } from '../../core/events.ts';
import type { WallLine } from '../wall/books.ts';

/** What became of one attempt in one book. */
interface Entry {
  readonly tokens: number;
  readonly usd: number;
}

/** One attempt in both books. */
export interface BookRow {
  readonly attempt: string;
  readonly candidate: string;
  /** How it ended in Belay's eyes; null: Belay knows no such attempt, or it has not ended. */
  readonly ending: 'succeeded' | 'failed' | 'cancelled' | null;
  readonly ours: Entry;
  /** Zero where the request never reached the wall. */
  readonly bill: Entry;
}

export interface Books {
  readonly rows: readonly BookRow[];
  readonly ours: Entry;
  readonly bill: Entry;
  /** Part of ours that went to cancelled attempts. */
  readonly hedgesUsd: number;
  /** How far ours is off the bill, as a share of it; 0 where nothing was billed and nothing booked. */
  readonly difference: number;
}

type Ending = Extract<EventBody, { type: 'attempt-succeeded' | 'attempt-failed' | 'attempt-cancelled' }>;

const ENDINGS = {
  'attempt-succeeded': 'succeeded',
  'attempt-failed': 'failed',
  'attempt-cancelled': 'cancelled',
} as const;

const nothing: Entry = { tokens: 0, usd: 0 };

/** Lays both books side by side. A request without an id of Belay's is on the bill under its number. */
export function compareBooks(events: readonly DecisionEvent[], lines: readonly WallLine[]): Books {
  const rows = new Map<string, BookRow>();
  const put = (attempt: string, change: Partial<BookRow>): void => {
    const before = rows.get(attempt) ?? { attempt, candidate: '', ending: null, ours: nothing, bill: nothing };
    rows.set(attempt, { ...before, ...change });
  };
  for (const { body, ids } of events) {
    const attempt = ids.attempt ?? '';
    if (body.type === 'attempt-launched') put(attempt, { candidate: body.candidate });
    const ours = isCost(body) ? { tokens: body.billedTokens, usd: body.costUsd } : null;
    if (ours) put(attempt, isEnding(body) ? { ours, ending: ENDINGS[body.type] } : { ours });
  }
  for (const line of lines)
    put(line.attempt ?? `request ${line.number}`, {
      bill: { tokens: line.billedInputTokens + line.billedOutputTokens, usd: line.costUsd },
    });
  const all = [...rows.values()];
  const [ours, bill] = [sumOf(all.map((row) => row.ours)), sumOf(all.map((row) => row.bill))];
  const cancelled = all.filter((row) => row.ending === 'cancelled');
  return {
    rows: all,
    ours,
    bill,
    hedgesUsd: sumOf(cancelled.map((row) => row.ours)).usd,
    difference: shareOff(ours, bill),
  };
}

function shareOff(ours: Entry, bill: Entry): number {
  if (bill.usd > 0) return (ours.usd - bill.usd) / bill.usd;
  return ours.usd > 0 ? Infinity : 0;
}

function isEnding(body: EventBody): body is Ending {
  return Object.hasOwn(ENDINGS, body.type);
}

function isCost(body: EventBody): body is Ending | Extract<EventBody, { type: 'cost-corrected' }> {
  return isEnding(body) || body.type === 'cost-corrected';
}

function sumOf(entries: readonly Entry[]): Entry {
  return entries.reduce((sum, { tokens, usd }) => ({ tokens: sum.tokens + tokens, usd: sum.usd + usd }), nothing);
}
