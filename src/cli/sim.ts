// `belay sim`: the HFR document's simulator -> its tables (CONTRACTS, sim). Reads the options, names every wrong one, runs, prints;
// the world, the policies and the comparison with the document are in bench/simulator.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { simulateContention } from '../bench/simulator/contention.ts';
import { contentionJson, contentionReport } from '../bench/simulator/contentionReport.ts';
import { CONTENTION_WORLD } from '../bench/simulator/contentionWorld.ts';
import { POLICY_NAMES, type PolicyName } from '../bench/simulator/names.ts';
import { readParameters, type SimulationParameters } from '../bench/simulator/parameters.ts';
import { PARAMETER_SETS } from '../bench/simulator/parameterSets.ts';
import { INCIDENT_FAULT_RATE } from '../bench/simulator/published.ts';
import { simulationReport } from '../bench/simulator/report.ts';
import { judgeTargets } from '../bench/simulator/targets.ts';
import {
  hasExpectation,
  simulateIncidents,
  simulateMain,
  simulateSweep,
  type Row,
  type RunOptions,
  type Simulation,
} from '../bench/simulator/simulate.ts';
import { MAX_FAULT_RATE, TABLE_B1 } from '../bench/simulator/world.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';

/** Policies of Table C1 and Belay's own: what `--incidents` runs for `--policy all`. */
const INCIDENT_POLICIES: readonly PolicyName[] = ['hfr', 'hfr-no-budget', 'hfr-plus'];
/** What stands where an option is left out, as commander is told too. */
const DEFAULTS = { policy: 'all', seeds: '10', tasks: '20000', params: 'J', format: 'json' } as const;
const MAX_SEEDS = 1000;
const MAX_TASKS = 1_000_000;

/** Options as commander gives them. */
export type SimOptions = Readonly<Record<string, string | boolean | undefined>>;

/** What is to be run. */
export interface SimRequest {
  readonly policies: readonly PolicyName[];
  /** `--policy all`: each table takes the policies it is for. */
  readonly isAll: boolean;
  readonly options: RunOptions;
  /** null: each table's own. */
  readonly faultRate: number | null;
  readonly parameters: SimulationParameters;
  readonly parametersName: string;
  readonly format: 'json' | 'md';
  readonly hasSweep: boolean;
  readonly hasIncidents: boolean;
}

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** Runs the simulation that the options ask for and prints it; bad options end with 2 and one message. */
export function simFromOptions(options: SimOptions, cwd: string, io: CommandIo): ExitCode {
  if (options.contention === true) return contentionFromOptions(options, io);
  const request = parseSimOptions(options, cwd);
  if (!request.ok) {
    io.err(`sim: ${request.error}`);
    return EXIT_CODES.badInput;
  }
  return runSim(request.value, io);
}

/** `--contention` is a world of its own: it takes seeds and a format, and says no to what belongs to the document's world. */
function contentionFromOptions(options: SimOptions, io: CommandIo): ExitCode {
  const seeds = wholeNumber('--seeds', textOf(options.seeds) ?? DEFAULTS.seeds, MAX_SEEDS);
  const format = formatOf(options);
  const strange = foreignOption(options);
  const wrong = strange ?? (seeds.ok ? null : seeds.error) ?? (format.ok ? null : format.error);
  if (wrong !== null || !seeds.ok || !format.ok) {
    io.err(`sim: ${wrong ?? ''}`);
    return EXIT_CODES.badInput;
  }
  const rows = simulateContention(seeds.value);
  io.out(format.value === 'json' ? contentionJson(rows) : contentionReport(rows, CONTENTION_WORLD));
  return EXIT_CODES.done;
}

function foreignOption(options: SimOptions): string | null {
  const names = {
    policy: '--policy',
    tasks: '--tasks',
    params: '--params',
    faultRate: '--fault-rate',
    sweep: '--sweep',
    incidents: '--incidents',
    exact: '--exact',
    fixableShare: '--fixable-share',
  };
  const defaults: SimOptions = DEFAULTS;
  for (const [option, name] of Object.entries(names)) {
    const value = options[option];
    if (value !== undefined && value !== false && value !== defaults[option])
      return `${name} is for the document's world; leave it out, or --contention`;
  }
  return null;
}

function runSim(request: SimRequest, io: CommandIo): ExitCode {
  const { parameters, options, isAll, hasSweep, hasIncidents } = request;
  const policies = request.policies.filter((name) => !options.isExact || hasExpectation(name));
  if (policies.length < request.policies.length)
    io.err('sim: hfr-plus is left out: what it does depends on the steps before, so that no exact expectation exists');
  const faultRate = request.faultRate ?? TABLE_B1.faultRate;
  const wantsMain = request.format === 'md' || (!hasSweep && !hasIncidents);
  const incidentPolicies = isAll ? policies.filter((name) => INCIDENT_POLICIES.includes(name)) : policies;
  const start = process.cpuUsage();
  const main = wantsMain ? simulateMain(policies, parameters, faultRate, options) : null;
  const sweep = hasSweep ? simulateSweep(policies, parameters, options) : null;
  const incidents = hasIncidents
    ? simulateIncidents(incidentPolicies, parameters, options, request.faultRate ?? INCIDENT_FAULT_RATE)
    : null;
  const used = process.cpuUsage(start);
  const runs = [main, sweep, incidents].filter((each): each is Simulation => each !== null);
  const tasks = runs.reduce((sum, each) => sum + each.tasks, 0);
  const tasksPerSecond = tasks === 0 ? null : Math.round(tasks / ((used.user + used.system) / 1e6));
  const hasTargets = policies.includes('hfr-plus') && faultRate === TABLE_B1.faultRate;
  if (request.format === 'json')
    io.out(JSON.stringify({ rows: runs.flatMap((each): readonly Row[] => each.rows), tasksPerSecond }));
  else
    io.out(
      simulationReport({
        parametersName: request.parametersName,
        parameters,
        faultRate,
        options,
        main: main?.rows ?? [],
        sweep: sweep?.rows ?? null,
        incidents: incidents?.rows ?? null,
        incidentFaultRate: request.faultRate ?? INCIDENT_FAULT_RATE,
        targets: hasTargets ? judgeTargets(parameters, options) : null,
        tasksPerSecond,
      }),
    );
  return EXIT_CODES.done;
}

/** Checks the options of `belay sim`; the error names the option, its value and what it may be. */
export function parseSimOptions(options: SimOptions, cwd: string): Parsed<SimRequest> {
  const policies = policiesOf(textOf(options.policy) ?? DEFAULTS.policy);
  if (!policies.ok) return policies;
  const seeds = wholeNumber('--seeds', textOf(options.seeds) ?? DEFAULTS.seeds, MAX_SEEDS);
  if (!seeds.ok) return seeds;
  const tasks = wholeNumber('--tasks', textOf(options.tasks) ?? DEFAULTS.tasks, MAX_TASKS);
  if (!tasks.ok) return tasks;
  const faultRate = probability('--fault-rate', textOf(options.faultRate), MAX_FAULT_RATE);
  if (!faultRate.ok) return faultRate;
  const fixableShare = probability('--fixable-share', textOf(options.fixableShare), 1);
  if (!fixableShare.ok) return fixableShare;
  if (fixableShare.value !== null && !policies.value.includes('hfr-plus'))
    return bad('--fixable-share is for hfr-plus; name it in --policy, or leave the share out');
  const format = formatOf(options);
  if (!format.ok) return format;
  const hasSweep = options.sweep === true;
  if (hasSweep && faultRate.value !== null)
    return bad('--sweep runs the fault rates of Table 15; leave out --fault-rate, or --sweep');
  const isExact = options.exact === true;
  if (isExact && !policies.value.some(hasExpectation))
    return bad('--exact has no expectation for hfr-plus: its steps depend on each other; leave out --exact');
  const parametersName = textOf(options.params) ?? DEFAULTS.params;
  const parameters = parametersNamed(parametersName, cwd);
  if (!parameters.ok) return parameters;
  return {
    ok: true,
    value: {
      policies: policies.value,
      isAll: (textOf(options.policy) ?? DEFAULTS.policy) === 'all',
      options: { seeds: seeds.value, tasks: tasks.value, isExact, fixableShare: fixableShare.value },
      faultRate: faultRate.value,
      parameters: parameters.value,
      parametersName,
      format: format.value,
      hasSweep,
      hasIncidents: options.incidents === true,
    },
  };
}

function policiesOf(text: string): Parsed<readonly PolicyName[]> {
  if (text === 'all') return { ok: true, value: POLICY_NAMES };
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const known: PolicyName[] = [];
  for (const name of names) {
    const policy = POLICY_NAMES.find((each) => each === name);
    if (!policy) return bad(`--policy knows no "${name}"; it takes all, or some of ${POLICY_NAMES.join(', ')}`);
    known.push(policy);
  }
  return { ok: true, value: known };
}

function formatOf(options: SimOptions): Parsed<SimRequest['format']> {
  const format = textOf(options.format) ?? DEFAULTS.format;
  if (format === 'json' || format === 'md') return { ok: true, value: format };
  return bad(`--format must be json or md, not "${format}"`);
}

function parametersNamed(name: string, cwd: string): Parsed<SimulationParameters> {
  if (name === 'J' || name === 'A') return readParameters(PARAMETER_SETS[name]);
  const file = resolve(cwd, name);
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unreadable';
    return bad(`--params must be J, A or a JSON file; ${file} cannot be read: ${why}`);
  }
  const parameters = readParameters(document);
  return parameters.ok ? parameters : bad(`--params ${file}: ${parameters.error}`);
}

function probability(name: string, text: string | undefined, most: number): Parsed<number | null> {
  if (text === undefined) return { ok: true, value: null };
  const rate = text.trim() === '' ? Number.NaN : Number(text);
  if (rate >= 0 && rate <= most) return { ok: true, value: rate };
  return bad(`${name} must be a probability from 0 to ${most}, not "${text}"`);
}

function wholeNumber(name: string, text: string, most: number): Parsed<number> {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return { ok: true, value: number };
  return bad(`${name} must be a whole number from 1 to ${most}, not "${text}"`);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function bad(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}
