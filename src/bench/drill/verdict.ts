// Did the drill succeed? Faults of the wall are laid beside what Belay saw, attempt by attempt, both books are compared,
// and everything left unexplained is named. Exit code 0 only if the tests pass, nothing was doubled and nothing is open.
import type { FaultRow, MoneyRows } from '../report/report.ts';
import { handling, tellStory, unexplained, type Story } from '../report/story.ts';
import type { WallLine } from '../wall/books.ts';
import { compareBooks, type Books } from './books.ts';
import type { DrillRun } from './drill.ts';
import { candidateIdAt } from './drillSettings.ts';

export interface DrillVerdict {
  readonly isGood: boolean;
  /** One sentence for a person. */
  readonly sentence: string;
  readonly story: Story;
  readonly faults: readonly FaultRow[];
  readonly money: MoneyRows;
  readonly open: readonly string[];
}

/** Judges a finished run. */
export function judgeDrill(run: DrillRun): DrillVerdict {
  const story = tellStory(run.events);
  const served = run.wall.log().filter((line) => line.fault !== null);
  const faults = served.map((line) => faultRow(line, story));
  const money = moneyRows(compareBooks(run.events, run.wall.log()));
  const isPassed = run.outcome.outcome === 'success' && story.checks.at(-1)?.passed === true;
  const open = [
    ...unexplained(story),
    ...faults.filter((row) => row.handling === '').map((row) => `${row.served} at ${row.candidate} was not noticed`),
  ];
  const isGood = isPassed && story.duplicates === 0 && open.length === 0;
  const tests = isPassed
    ? 'The failing test is mended and all tests pass'
    : `The task ended as ${run.outcome.outcome}: ${run.outcome.evidence}`;
  const kinds = new Set(served.map((line) => line.fault)).size;
  const met =
    served.length === 0
      ? 'no fault was injected'
      : `${served.length} faults of ${kinds} kinds met${open.length === 0 ? ', each one handled' : ''}`;
  const sentence = `${tests}; ${met}; ${story.duplicates} duplicated effects.`;
  return { isGood, sentence, story, faults, money, open };
}

function faultRow(line: WallLine, story: Story): FaultRow {
  const candidate = line.model === null ? `${line.vendor}/${line.region}` : candidateIdAt(line, line.model);
  const call = story.calls.find((each) => each.lanes.some((lane) => lane.attempt === line.attempt));
  const lane = call?.lanes.find((each) => each.attempt === line.attempt);
  const base = { step: call?.step ?? 0, served: served(line), candidate };
  if (!call || !lane) return { ...base, seen: null, handling: '' };
  if (lane.status === 'failed')
    return { ...base, seen: lane.fault?.class ?? 'unknown', handling: handling(call, lane) ?? '' };
  if (lane.status === 'cancelled')
    return { ...base, seen: null, handling: `outrun: ${call.winner ?? 'another candidate'} answered first` };
  return { ...base, seen: null, handling: 'answered all the same, in time' };
}

function served(line: WallLine): string {
  const name = (line.fault ?? '').replaceAll('-', ' ');
  return line.faultDetail === null ? name : `${name} (${line.faultDetail})`;
}

function moneyRows({ ours, bill, hedgesUsd, difference }: Books): MoneyRows {
  return {
    oursUsd: ours.usd,
    billUsd: bill.usd,
    oursTokens: ours.tokens,
    billTokens: bill.tokens,
    hedgesUsd,
    difference,
  };
}
