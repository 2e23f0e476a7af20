// `npm run bench:micro simulator`: tasks a CPU second of the simulator, policy by policy, and what a draw costs beside pure-rand.
// CPU time, so that a busy machine does not spoil it much; prints figures, judges nothing.
import { loadavg } from 'node:os';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { createGenerator } from '../../src/bench/simulator/generator.ts';
import { POLICY_NAMES, type PolicyName } from '../../src/bench/simulator/names.ts';
import { readParameters } from '../../src/bench/simulator/parameters.ts';
import { PARAMETER_SETS } from '../../src/bench/simulator/parameterSets.ts';
import { DOCUMENT_POLICIES } from '../../src/bench/simulator/policies.ts';
import { simulateMain } from '../../src/bench/simulator/simulate.ts';
import { TABLE_B1 } from '../../src/bench/simulator/world.ts';

const ROUNDS = 5;
const DRAWS = 5_000_000;
const options = { seeds: 10, tasks: 20_000, isExact: false, fixableShare: null };
const read = readParameters(PARAMETER_SETS.J);
if (!read.ok) throw new Error(read.error);
const parameters = read.value;
const line = (name: string, value: string): void => console.log(`${name.padEnd(46)} ${value}`);

/** Median CPU seconds of a piece of work, after one round to warm up. */
function cpuSeconds(work: () => unknown): number {
  work();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1e6;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}

function tasksPerSecond(policies: readonly PolicyName[]): string {
  const tasks = policies.length * options.seeds * options.tasks;
  const seconds = cpuSeconds(() => simulateMain(policies, parameters, TABLE_B1.faultRate, options));
  return `${(tasks / seconds / 1e6).toFixed(2)} M tasks a CPU second`;
}

/** Sums `DRAWS` draws, so that none is optimised away. */
function sumOf(next: () => number): number {
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw++) sum += next();
  return sum;
}

console.log(`load ${loadavg()[0]?.toFixed(1) ?? '?'}, ${process.version}`);
line('the eight policies of the document (goal 1.00)', tasksPerSecond(DOCUMENT_POLICIES));
line('hfr-plus (goal 0.10)', tasksPerSecond(['hfr-plus']));
for (const policy of POLICY_NAMES) line(`  ${policy}`, tasksPerSecond([policy]));
const own = cpuSeconds(() => sumOf(createGenerator(1).next));
const library = cpuSeconds(() => {
  const generator = xoroshiro128plus(1);
  return sumOf(() => (generator.next() >>> 0) / 2 ** 32);
});
line(
  'a draw',
  `${((1e9 * own) / DRAWS).toFixed(1)} ns, pure-rand's xoroshiro128plus ${((1e9 * library) / DRAWS).toFixed(1)} ns`,
);
