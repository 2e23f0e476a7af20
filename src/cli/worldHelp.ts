// The options of `belay world` and the words below them. Apart from the command, so that other commands do not load it.
import type { Command } from 'commander';
import type { CommandIo } from './io.ts';

const worldHelp = `
Scenarios: static, dynamic, random, outage (after 900 and after 3600 s; also outage-900, outage-3600), hot, capacity;
several with commas.

Policies: best-one, best-one-online, random, moa, fixed-local, fixed-regional, fixed-global, redundant-2,
redundant-2-regional, tail-at-scale, gateway-retry, gateway-retry-20, gateway-breaker-60, gateway-breaker-20,
gateway-breaker-12, gateway-ttft-3, gateway-best, haco-a, haco-b, oracle, clairvoyant; gateway-ttft-3-seeing,
gateway-best-seeing and oracle-seeing (their first-token timers also see calls that hang);
balanced, fast and literal: Belay's own controller in that mode (some hundred steps a second, so name few seeds).
HACO: --tau and --ablate change haco-a and haco-b; or name haco-a-tau-0.8, haco-b-no-lcb, haco-a-eta-0.5,
haco-a-one-beta, haco-a-timeout-20.
all: each once. baselines: without Belay's own. study: every row that the study prints a figure for.

  belay world --scenario static,dynamic --policy study --seeds 12 --check --format md
  belay world --claims --format md                    the paper's claims (outages with 24 seeds)
  belay world --policy balanced,gateway-best-seeing --scenario dynamic --seeds 2001-2002 --steps 1000
  belay world --policy haco-b --tau 0.8 --ablate lcb --seeds 4

  belay world --redundancy --seeds 3 --format md      single against redundant execution with the printed service,
                                                      n = 50 and 50,000; takes --seeds, --seed-base and --format

Seeds 1 to 12 (random: 24) are the study's for tuning; 2001 and up are not for tuning.
Rates are percent, times seconds, tokens in full calls (4,272 tokens) or in best-one's.`;

/** Adds the command; `done` gets its exit code. */
export function addWorldCommand(program: Command, io: CommandIo, done: (exitCode: number) => void): void {
  program
    .command('world')
    .description("the scheduler study's environment: policies, scenarios, seeds -> its tables")
    .option('--scenario <names>', 'scenarios, separated by commas', 'static')
    .option('--policy <names>', 'policies, separated by commas', 'all')
    .option('--seeds <n>', 'a number of seeds, or a range like 2001-2012', '3')
    .option('--seed-base <k>', 'the first seed; default: 1')
    .option('--tau <t>', 'haco-a and haco-b: target reliability, several with commas; default: 0.95')
    .option('--ablate <parts>', 'haco-a and haco-b without env, lcb or ucb')
    .option('--steps <n>', 'about so many steps a seed instead of 9,700')
    .option('--horizon <s>', 'workflows arrive for so many seconds only')
    .option('--format <name>', 'json, jsonl or md', 'json')
    .option('--check', "beside the study's own figures; exit code 1 where one is outside its tolerance")
    .option('--claims', "runs what the paper's claims are about, and says which hold")
    .option(
      '--redundancy',
      'another experiment: what redundant execution is worth in its own source; which claims hold',
    )
    .addHelpText('after', worldHelp)
    .action(async (options: Record<string, string | boolean>) => {
      done(await (await import('./world.ts')).worldFromOptions(options, io));
    });
}
