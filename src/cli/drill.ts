// `belay drill`: runs the demonstration, shows it live, and ends with what a person wants to know; exit code 0 only if the
// task's tests pass, no effect is doubled and every step is explained.
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolders } from '../adapters/files/makeFolders.ts';
import { runDrill, type DrillRun } from '../bench/drill/drill.ts';
import { judgeDrill, type DrillVerdict } from '../bench/drill/verdict.ts';
import { seconds, shortIds } from '../bench/report/lines.ts';
import { renderReport } from '../bench/report/report.ts';
import { faultWords } from '../core/words.ts';
import type { CommandIo } from './io.ts';
import { terminalView } from './terminalView.ts';
import { wholeNumber } from './wholeNumber.ts';

const LEVELS = ['none', 'default', 'storm'] as const;

/** Parsed from commander; every wrong value is named. */
export async function drillFromOptions(
  options: Readonly<Record<string, string | boolean>>,
  cwd: string,
  io: CommandIo,
): Promise<number> {
  const seed = wholeNumber(String(options.seed), 15);
  const faults = LEVELS.find((level) => level === options.faults);
  if (seed === null) {
    io.err(`drill: --seed must be a whole number from 0, not "${String(options.seed)}"`);
    return 2;
  }
  if (!faults) {
    io.err(`drill: --faults must be one of ${LEVELS.join(', ')}, not "${String(options.faults)}"`);
    return 2;
  }
  const report =
    typeof options.report === 'string'
      ? resolve(cwd, options.report)
      : resolve(cwd, 'out', `drill-${seed}-${faults}.html`);
  return runAndShow({ seed, faults, keep: options.keep === true, report }, io);
}

async function runAndShow(
  {
    seed,
    faults,
    keep,
    report,
  }: {
    readonly seed: number;
    readonly faults: (typeof LEVELS)[number];
    readonly keep: boolean;
    readonly report: string;
  },
  io: CommandIo,
): Promise<number> {
  const isTty = process.stdout.isTTY;
  const view = terminalView({
    isTty,
    hasColor: isTty && process.env.NO_COLOR === undefined,
    columns: process.stdout.columns || 100,
    write: (text) => void process.stdout.write(text),
  });
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop);
  io.out(
    `Belay drill: seed ${seed}, faults ${faults}. Two vendors in three regions on loopback, one failing test, one agent.`,
  );
  try {
    const run = await runDrill({
      seed,
      faults,
      keep,
      onEvent: (event, snapshot) => view.show(event, snapshot),
      signal: abort.signal,
    });
    view.end();
    const verdict = judgeDrill(run);
    await makeFolders(dirname(report));
    await writeFile(
      report,
      renderReport({
        ...verdict,
        title: 'Belay drill',
        verdict: verdict.sentence,
        facts: facts(run, verdict, seed, faults),
      }),
    );
    summary(run, verdict, io);
    io.out(`  report      ${report}`);
    if (keep) io.out(`  kept        ${run.directory}`);
    return verdict.isGood ? 0 : 1;
  } finally {
    process.off('SIGINT', stop);
  }
}

function facts(run: DrillRun, verdict: DrillVerdict, seed: number, faults: string): { name: string; value: string }[] {
  const lanes = verdict.story.calls.reduce((sum, call) => sum + call.lanes.length, 0);
  return [
    { name: 'time', value: seconds(run.elapsedMs) },
    { name: 'model calls', value: String(verdict.story.calls.length) },
    { name: 'attempts', value: String(lanes) },
    { name: 'faults met', value: String(verdict.faults.length) },
    { name: 'effects', value: String(verdict.story.effects.length) },
    { name: 'doubled', value: String(verdict.story.duplicates) },
    { name: 'cost', value: `$${verdict.money.oursUsd.toFixed(4)}` },
    { name: 'schedule', value: `seed ${seed}, ${faults}` },
  ];
}

function summary(run: DrillRun, verdict: DrillVerdict, io: CommandIo): void {
  const { story, money } = verdict;
  const lanes = story.calls.flatMap((call) => call.lanes);
  io.out('');
  io.out(`${verdict.isGood ? '✓' : '✕'} ${verdict.sentence}`);
  io.out('');
  if (verdict.faults.length > 0) {
    io.out('  step  injected                              seen as                      what Belay did');
    for (const row of verdict.faults) {
      const seen = row.seen === null ? '-' : `${words(row.seen)} (${row.seen})`;
      io.out(
        `  ${String(row.step).padStart(4)}  ${row.served.padEnd(36)}  ${seen.padEnd(27)}  ${shortIds(row.handling)}`,
      );
    }
    io.out('');
  }
  io.out(`  tests       ${story.checks.at(-1)?.evidence ?? 'not run'}`);
  io.out(
    `  calls       ${story.calls.length} model calls, ${lanes.length} attempts, ${lanes.filter((lane) => lane.status === 'cancelled').length} of them cancelled losers`,
  );
  io.out(
    `  effects     ${story.effects.length} in the ledger, ${story.duplicates} doubled, ${story.withheld.length} not run again`,
  );
  io.out(`  tokens      ${money.oursTokens} in Belay's books, ${money.billTokens} on the providers' bill`);
  io.out(
    `  cost        $${money.oursUsd.toFixed(5)} in Belay's books, $${money.billUsd.toFixed(5)} on the bill (${percentOff(money.difference)}), cancelled attempts $${money.hedgesUsd.toFixed(5)}`,
  );
  io.out(`  time        ${seconds(run.elapsedMs)}`);
  for (const line of verdict.open) io.out(`  open        ${line}`);
}

/** With its sign and so many digits that a thousandth can be seen. */
const percentOff = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(3)} %`;

const words = (seen: string): string =>
  Object.hasOwn(faultWords, seen) ? faultWords[seen as keyof typeof faultWords] : seen;
