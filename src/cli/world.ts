// `belay world`: the scheduler study's environment with its baselines and Belay's own controller in it (CONTRACTS, world). Reads the
// options, names every wrong one, runs, prints; the world itself is in bench/world.
import { ABLATIONS, BASELINES, ENTRIES, HACO_VARIANTS, varied, type Entry } from '../bench/world/catalogue.ts';
import { checkRecovery, checkTable, type CheckedTable } from '../bench/world/check.ts';
import { CLAIM_SCENARIOS, tryClaims, type TriedClaim } from '../bench/world/claims.ts';
import type { RunLimits } from '../bench/world/engine.ts';
import type { WorldRow } from '../bench/world/figures.ts';
import { worldMarkdown } from '../bench/world/markdown.ts';
import { hasMode } from '../bench/world/product/worldSettings.ts';
import { publishedRows } from '../bench/world/published.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../bench/world/scenarios.ts';
import { worldTable, type TableRequest } from '../bench/world/tables.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';
import { wholeNumber } from './wholeNumber.ts';
import { redundancyFromOptions } from './worldRedundancy.ts';

const DEFAULT_SEEDS = '3';
const DEFAULT_SEED_BASE = 1;
const MAX_SEEDS = 1000;
const FORMATS = ['json', 'jsonl', 'md'] as const;
/** The study's own numbers of seeds for the claims. */
const CLAIM_SEEDS = { steady: 12, outage: 24 } as const;
/** What `all` means of Belay's own modes; one that this version does not have is left out with a word. */
const OWN_MODES = ['balanced', 'fast'] as const;

/** Options as commander gives them. */
export type WorldOptions = Readonly<Record<string, string | boolean | undefined>>;

interface WorldRequest {
  readonly scenarios: readonly ScenarioName[];
  readonly entries: readonly Entry[];
  readonly seeds: readonly number[];
  readonly limits: RunLimits;
  readonly format: (typeof FORMATS)[number];
  readonly hasCheck: boolean;
  readonly hasClaims: boolean;
}

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** Runs what the options ask for; bad options end with 2 and one message, a failed `--check` with 1. */
export async function worldFromOptions(options: WorldOptions, io: CommandIo): Promise<ExitCode> {
  if (options.redundancy === true) {
    const seeds = seedsOf(textOf(options.seeds) ?? DEFAULT_SEEDS, textOf(options.seedBase));
    if (seeds.ok) return redundancyFromOptions(options, seeds.value, io);
    io.err(`world: ${seeds.error}`);
    return EXIT_CODES.badInput;
  }
  const request = parseWorldOptions(options);
  if (!request.ok) {
    io.err(`world: ${request.error}`);
    return EXIT_CODES.badInput;
  }
  const { hasClaims, hasCheck, format } = request.value;
  const entries = request.value.entries.filter((entry) => {
    const isThere = entry.kind === 'baseline' || hasMode(entry.name);
    if (!isThere) io.err(`world: ${entry.name} is left out: this version has no such mode`);
    return isThere;
  });
  const rows = await (hasClaims ? claimRows(request.value, io) : plainRows(request.value, entries, io));
  const firstSeed = request.value.seeds[0] ?? DEFAULT_SEED_BASE;
  const checks = hasCheck ? checksOf(rows, firstSeed) : [];
  const claims = hasClaims ? tryClaims(rows) : [];
  print({ rows, checks, claims, format }, io);
  const isInside = checks.every(({ cells }) => cells.every((cell) => cell.isInside !== false));
  return isInside ? EXIT_CODES.done : EXIT_CODES.no;
}

/** Rows in order; JSON lines go out as they are done. */
async function tableOf(request: TableRequest, { format }: WorldRequest, io: CommandIo): Promise<readonly WorldRow[]> {
  return await worldTable(request, (row) => {
    if (format === 'jsonl') io.out(JSON.stringify(row));
  });
}

async function plainRows(
  request: WorldRequest,
  entries: readonly Entry[],
  io: CommandIo,
): Promise<readonly WorldRow[]> {
  const { seeds, limits } = request;
  const rows: WorldRow[] = [];
  for (const scenario of request.scenarios)
    rows.push(...(await tableOf({ scenario, entries, seeds, limits }, request, io)));
  return rows;
}

/** The rows that the claims are about, with the study's own numbers of seeds. */
async function claimRows(request: WorldRequest, io: CommandIo): Promise<readonly WorldRow[]> {
  const { limits } = request;
  const entries = [...BASELINES, ...HACO_VARIANTS];
  const rows: WorldRow[] = [];
  for (const scenario of CLAIM_SCENARIOS) {
    const count = scenario.startsWith('outage') ? CLAIM_SEEDS.outage : CLAIM_SEEDS.steady;
    const seeds = Array.from({ length: count }, (_, index) => DEFAULT_SEED_BASE + index);
    rows.push(...(await tableOf({ scenario, entries, seeds, limits }, request, io)));
  }
  return rows;
}

function checksOf(rows: readonly WorldRow[], firstSeed: number): readonly CheckedTable[] {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return scenarios.flatMap((scenario) => {
    const own = rows.filter((row) => row.scenario === scenario);
    return [checkTable(own, publishedRows(scenario, firstSeed)) ?? [], checkRecovery(own) ?? []].flat();
  });
}

interface Printed {
  readonly rows: readonly WorldRow[];
  readonly checks: readonly CheckedTable[];
  readonly claims: readonly TriedClaim[];
  readonly format: WorldRequest['format'];
}

function print({ rows, checks, claims, format }: Printed, io: CommandIo): void {
  if (format === 'md') {
    io.out(worldMarkdown({ rows, checks, claims }));
    return;
  }
  if (format === 'jsonl') {
    for (const each of [
      ...checks.flatMap(({ scenario, cells }) => cells.map((cell) => ({ scenario, ...cell }))),
      ...claims,
    ])
      io.out(JSON.stringify(each));
    return;
  }
  io.out(
    JSON.stringify({
      rows,
      ...(checks.length > 0 ? { checks } : {}),
      ...(claims.length > 0 ? { claims } : {}),
    }),
  );
}

/** Checks the options; the error names the option, its value and what it may be. */
export function parseWorldOptions(options: WorldOptions): Parsed<WorldRequest> {
  const scenarios = scenariosOf(textOf(options.scenario) ?? 'static');
  if (!scenarios.ok) return scenarios;
  const entries = entriesOf(textOf(options.policy) ?? 'all', options);
  if (!entries.ok) return entries;
  const seeds = seedsOf(textOf(options.seeds) ?? DEFAULT_SEEDS, textOf(options.seedBase));
  if (!seeds.ok) return seeds;
  const limits = limitsOf(textOf(options.steps), textOf(options.horizon));
  if (!limits.ok) return limits;
  const format = FORMATS.find((each) => each === (textOf(options.format) ?? 'json'));
  if (!format) return bad(`--format must be ${FORMATS.join(', ')}, not "${textOf(options.format) ?? ''}"`);
  return {
    ok: true,
    value: {
      scenarios: scenarios.value,
      entries: entries.value,
      seeds: seeds.value,
      limits: limits.value,
      format,
      hasCheck: options.check === true,
      hasClaims: options.claims === true,
    },
  };
}

function scenariosOf(text: string): Parsed<readonly ScenarioName[]> {
  const found: ScenarioName[] = [];
  for (const name of namesIn(text)) {
    const scenario = SCENARIO_NAMES.find((each) => each === name);
    if (name === 'all') found.push(...SCENARIO_NAMES);
    else if (name === 'outage') found.push('outage-900', 'outage-3600');
    else if (scenario) found.push(scenario);
    else return bad(`--scenario knows no "${name}"; it takes all, outage, or some of ${SCENARIO_NAMES.join(', ')}`);
  }
  return { ok: true, value: [...new Set(found)] };
}

function entriesOf(text: string, options: WorldOptions): Parsed<readonly Entry[]> {
  const found: Entry[] = [];
  for (const name of namesIn(text)) {
    const entry = ENTRIES.get(name);
    if (name === 'all') found.push(...BASELINES, ...OWN_MODES.flatMap((mode) => ENTRIES.get(mode) ?? []));
    else if (name === 'baselines') found.push(...BASELINES);
    else if (name === 'study') found.push(...BASELINES, ...HACO_VARIANTS);
    else if (entry) found.push(entry);
    else
      return bad(
        `--policy knows no "${name}"; it takes all, baselines, study, or some of ${[...ENTRIES.keys()].join(', ')}`,
      );
  }
  const taus = tausOf(textOf(options.tau));
  if (!taus.ok) return taus;
  const ablations = ablationsOf(textOf(options.ablate));
  if (!ablations.ok) return ablations;
  const all = found.flatMap((entry) =>
    taus.value.flatMap((tau) => ablations.value.map((ablation) => varied(entry, tau, ablation))),
  );
  const unique = new Map(all.map((entry) => [entry.name, entry]));
  const isVaried = textOf(options.tau) !== undefined || textOf(options.ablate) !== undefined;
  if (isVaried && !found.some(({ name }) => name === 'haco-a' || name === 'haco-b'))
    return bad('--tau and --ablate are for haco-a and haco-b; name one of them in --policy');
  return { ok: true, value: [...unique.values()] };
}

function tausOf(text: string | undefined): Parsed<readonly (number | null)[]> {
  if (text === undefined) return { ok: true, value: [null] };
  const taus = namesIn(text).map(Number);
  if (taus.every((tau) => tau > 0 && tau < 1)) return { ok: true, value: taus };
  return bad(`--tau must be numbers between 0 and 1, not "${text}"`);
}

function ablationsOf(text: string | undefined): Parsed<readonly ((typeof ABLATIONS)[number] | null)[]> {
  if (text === undefined) return { ok: true, value: [null] };
  const found = namesIn(text).map((name) => ABLATIONS.find((each) => each === name));
  const known = found.flatMap((each) => each ?? []);
  if (known.length === found.length) return { ok: true, value: known };
  return bad(`--ablate must be some of ${ABLATIONS.join(', ')}, not "${text}"`);
}

/** `3`: so many seeds from the base. `2001-2012`: these. */
function seedsOf(text: string, base: string | undefined): Parsed<readonly number[]> {
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  if (range && base !== undefined)
    return bad('--seed-base is for a number of seeds; leave it out, or the range in --seeds');
  const first = range ? Number(range[1]) : base === undefined ? DEFAULT_SEED_BASE : wholeNumber(base);
  if (first === null) return bad(`--seed-base must be a whole number, not "${base ?? ''}"`);
  const count = range ? Number(range[2]) - first + 1 : wholeNumber(text);
  if (count === null || count < 1 || count > MAX_SEEDS)
    return bad(`--seeds must be a whole number from 1 to ${MAX_SEEDS} or a range like 2001-2012, not "${text}"`);
  return { ok: true, value: Array.from({ length: count }, (_, index) => first + index) };
}

function limitsOf(steps: string | undefined, horizon: string | undefined): Parsed<RunLimits> {
  const limits: { steps?: number; horizonS?: number } = {};
  if (steps !== undefined) {
    const number = wholeNumber(steps);
    if (number === null || number < 1) return bad(`--steps must be a whole number from 1, not "${steps}"`);
    limits.steps = number;
  }
  if (horizon !== undefined) {
    const number = wholeNumber(horizon);
    if (number === null || number < 1) return bad(`--horizon must be whole seconds from 1, not "${horizon}"`);
    limits.horizonS = number;
  }
  return { ok: true, value: limits };
}

function namesIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))];
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function bad(error: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error };
}
