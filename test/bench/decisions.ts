// What one decision costs, and whether many leave anything behind: literal and balanced, for 8 and 64 candidates.
// `node --expose-gc test/bench/decisions.ts [decisions]` also makes that many of each (default 10 million) and prints the heap before,
// after, and its slope (a few minutes); without --expose-gc the heap holds what was not collected yet and the slope says nothing.
import { fileURLToPath } from 'node:url';
import { balancedConstants } from '../../src/core/scheduler/balanced/constants.ts';
import { factsOf } from '../../src/core/scheduler/balanced/facts.ts';
import { learn } from '../../src/core/scheduler/balanced/learn.ts';
import { planBalanced } from '../../src/core/scheduler/balanced/planBalanced.ts';
import { poolOf } from '../../src/core/scheduler/balanced/pool.ts';
import { emptyState } from '../../src/core/scheduler/balanced/savedState.ts';
import type { CallTrace } from '../../src/core/scheduler/balanced/types.ts';
import { planLiteral, type LiteralCandidate } from '../../src/core/scheduler/literal.ts';
import { planLiteralCall } from '../../src/core/scheduler/plan.ts';
import { recordOutcome, recordQuality, unknownProfile } from '../../src/core/scheduler/profile.ts';
import { parseSettings } from '../../src/core/settings.ts';
import { candidate } from '../support/candidates.ts';
import { seededRandom } from '../support/random.ts';

/** One kind of decision over a pool that is ready, as a call meets it. */
interface Decision {
  readonly name: string;
  /** What is called for: µs p50; null: no target is set for it. */
  readonly targetMicroseconds: number | null;
  /** Decides anew and returns something of the result, so that none of the work can be left out. */
  readonly decide: () => number;
}

const DEFAULT_DECISIONS = 10_000_000;
const SAMPLES = 10;
const MIB = 1024 * 1024;

/** The decisions that are measured: the formulas alone, a literal call from its profiles, a balanced plan with its view. */
function decisions(): readonly Decision[] {
  return [8, 64].flatMap((count) => [literalOf(count), literalCallOf(count), balancedOf(count)]);
}

function literalOf(count: number): Decision {
  const random = seededRandom(count);
  const candidates = Array.from({ length: count }, (_, index): LiteralCandidate => ({
    id: String(index),
    alpha: 1 + 40 * random.next(),
    beta: 1 + 10 * random.next(),
    fInt: 0.1 * random.next(),
    lossNet: 0.1 * random.next(),
    procMs: 500 + 4000 * random.next(),
    bytes: 1e4,
    bandwidth: 900,
    jitter: 50,
  }));
  const { scheduler } = parseSettings({}).settings.advanced;
  const parameters = { ...scheduler, tau: 0.95, t0Ms: null };
  return {
    name: `literal formulas, ${count} candidates`,
    targetMicroseconds: count === 64 ? 15 : null,
    decide: () => planLiteral(candidates, parameters).hedgeSet.length,
  };
}

function literalCallOf(count: number): Decision {
  const random = seededRandom(count);
  const candidates = Array.from({ length: count }, (_, index) => candidate(String(index)));
  const learned = candidates.map(({ id }) => {
    const totalMs = 1000 + 3000 * random.next();
    const answer = { totalMs, firstTokenMs: totalMs / 4, sentBytes: 4000, receivedBytes: 1200, tokens: 1300 };
    const profile = recordOutcome(unknownProfile, {
      ...{ kind: 'success', ...answer },
      link: { bandwidth: 0.3 + random.next(), jitter: 0.2 * random.next() },
    });
    return [id, recordQuality(profile, 'coder', random.next())] as const;
  });
  const profiles = Object.fromEntries(learned);
  const settings = parseSettings({}).settings.advanced;
  const terms = { role: 'coder', criticality: 'high', order: 'ranked', nowMs: 1000 } as const;
  return {
    name: `literal call from profiles, ${count} candidates`,
    targetMicroseconds: null,
    decide: () => planLiteralCall({ ...terms, candidates, profiles, settings }).startCount,
  };
}

function balancedOf(count: number): Decision {
  const random = seededRandom(count);
  const candidates = Array.from({ length: count }, (_, index) => candidate(String(index)));
  const facts = candidates.map((each) => factsOf(each));
  const pool = poolOf(facts, balancedConstants);
  const learned = facts.reduce(
    (state, each) => learn(state, each, trace(each.id, 1000 + 3000 * random.next()), 0, balancedConstants),
    emptyState,
  );
  return {
    name: `balanced plan with its view, ${count} candidates`,
    targetMicroseconds: count === 64 ? 30 : null,
    decide: () => planBalanced(learned, { pool, role: 'coder', nowMs: 1000 }).start.length,
  };
}

function trace(candidateId: string, totalMs: number): CallTrace {
  return {
    candidate: candidateId,
    role: 'coder',
    outcome: 'success',
    totalMs,
    firstTokenMs: totalMs / 4,
    outputTokens: 300,
    quality: [{ source: 'verifier', q: 0.8 }],
    isPing: false,
    promisedSuccess: 0.9,
  };
}

/** Median time of one call, µs, over batches of 50. */
function microseconds(work: () => unknown): number {
  for (let warm = 0; warm < 5000; warm++) work();
  const batches = Array.from({ length: 400 }, () => {
    const from = process.hrtime.bigint();
    for (let again = 0; again < 50; again++) work();
    return Number(process.hrtime.bigint() - from) / 50_000;
  });
  return batches.sort((a, b) => a - b)[batches.length >> 1] ?? Number.NaN;
}

/** Prints what each decision takes. */
export function decisionFigures(line: (name: string, value: string) => void): void {
  for (const { name, targetMicroseconds, decide } of decisions()) {
    const target = targetMicroseconds === null ? '' : ` (target <= ${targetMicroseconds} µs)`;
    line(`decision, ${name}`, `${microseconds(decide).toFixed(1)} µs p50${target}`);
  }
}

/** Heap in use after each tenth of `count` decisions, bytes, all garbage collected where that may be asked for. */
function heapOver(count: number, decide: () => number): readonly number[] {
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  let sum = 0;
  for (let warm = 0; warm < 20_000; warm++) sum += decide();
  const found = [heap()];
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let made = 0; made < count / SAMPLES; made++) sum += decide();
    found.push(heap());
  }
  if (!(sum > 0)) throw new Error('no decision started anybody');
  return found;
}

/** Least squares over equally spaced samples: change from one to the next. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let above = 0;
  let below = 0;
  values.forEach((value, index) => {
    above += (index - middle) * value;
    below += (index - middle) ** 2;
  });
  return above / below;
}

function growthFigures(count: number, line: (name: string, value: string) => void): void {
  // What is left behind does not depend on the pool: with eight, ten million take minutes and not hours.
  for (const { name, decide } of [literalOf(8), literalCallOf(8), balancedOf(8)]) {
    const from = process.hrtime.bigint();
    const heaps = heapOver(count, decide);
    const seconds = Number(process.hrtime.bigint() - from) / 1e9;
    const [before = 0] = heaps;
    const after = heaps.at(-1) ?? 0;
    const bytesEach = slopeOf(heaps) / (count / SAMPLES);
    line(
      `heap over ${count} decisions, ${name}`,
      `${(before / MIB).toFixed(3)} -> ${(after / MIB).toFixed(3)} MiB, slope ${bytesEach.toFixed(6)} bytes each, ${seconds.toFixed(0)} s`,
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const line = (name: string, value: string): void => console.log(`${name.padEnd(66)} ${value}`);
  const count = Number(process.argv[2] ?? DEFAULT_DECISIONS);
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`decisions: ${process.argv[2]} is no number of decisions`);
  decisionFigures(line);
  if (count > 0) growthFigures(count, line);
  if (count > 0 && globalThis.gc === undefined) line('heap', 'not collected before each reading: run with --expose-gc');
}
