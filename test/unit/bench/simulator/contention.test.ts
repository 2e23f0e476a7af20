// What budgets, breakers and bulkheads are worth in a retry storm (HFR 4.7, 6.4, 6.8), as far as it holds seed by seed; and that
// the report says it.
import { describe, expect, it } from 'vitest';
import {
  CONTENTION_POLICY_NAMES,
  simulateContention,
  type ContentionRow,
} from '../../../../src/bench/simulator/contention.ts';
import type { ContentionFigure, ContentionFigures } from '../../../../src/bench/simulator/contentionFigures.ts';
import { contentionFindings, contentionReport } from '../../../../src/bench/simulator/contentionReport.ts';
import { CONTENTION_WORLD, type ContentionPolicyName } from '../../../../src/bench/simulator/contentionWorld.ts';
import { simFromOptions, type SimOptions } from '../../../../src/cli/sim.ts';
import { memoryIo } from '../../cli/memoryIo.ts';

const SEEDS = 4;
const rows = simulateContention(SEEDS);

const seedsOf = (policy: ContentionPolicyName): readonly ContentionFigures[] =>
  rows.find((row) => row.policy === policy)!.seeds;

/** Each seed's own comparison, not that of the means. */
function expectInEverySeed(
  one: ContentionPolicyName,
  sign: '<' | '>',
  other: ContentionPolicyName,
  figure: ContentionFigure,
): void {
  const others = seedsOf(other);
  seedsOf(one).forEach((figures, seed) => {
    if (sign === '<') expect(figures[figure]).toBeLessThan(others[seed]![figure]);
    else expect(figures[figure]).toBeGreaterThan(others[seed]![figure]);
  });
}

describe('a world whose providers degrade under load', () => {
  it('is well before the incident with every policy', () => {
    for (const { seeds } of rows)
      for (const figures of seeds) expect(figures.goodputBefore).toBeGreaterThan(0.9 * CONTENTION_WORLD.tasksPerSecond);
  });

  it('recovers with all three protections, and in most of the incident serves most', () => {
    for (const figures of seedsOf('plus')) {
      expect(figures.recovered).toBe(100);
      expect(figures.goodputDuring).toBeGreaterThan(0.8 * figures.goodputBefore);
      expect(figures.wasted).toBeLessThan(3);
      expect(figures.sentPerCall).toBeLessThan(1.1);
    }
  });

  it('never recovers with none of them: the storm goes on', () => {
    for (const figures of seedsOf('plus-none-of-them')) {
      expect(figures.recovered).toBe(0);
      expect(figures.goodputAfter).toBeLessThan(0.1 * figures.goodputBefore);
      expect(figures.wasted).toBeGreaterThan(50);
      expect(figures.sentPerCall).toBeGreaterThan(2);
    }
  });

  it('never recovers with the document’s fixed retry, which also does writes twice', () => {
    for (const figures of seedsOf('fixed-retry-3')) expect(figures.recovered).toBe(0);
    expect(rows.find(({ policy }) => policy === 'fixed-retry-3')!.mean.dup1000).toBeGreaterThan(0);
  });

  it('without bulkheads serves less, serves others less and wastes more in the incident', () => {
    expectInEverySeed('plus-no-bulkheads', '<', 'plus', 'goodputDuring');
    expectInEverySeed('plus-no-bulkheads', '<', 'plus', 'others');
    expectInEverySeed('plus-no-bulkheads', '<', 'plus', 'high');
    expectInEverySeed('plus-no-bulkheads', '>', 'plus', 'wasted');
  });

  it('recovers as shipped, and never with breakers alone where calls wait longer than a cooldown', () => {
    for (const figures of seedsOf('plus-as-shipped')) expect(figures.recovered).toBe(100);
    for (const figures of seedsOf('plus-only-breakers-long-wait')) {
      expect(figures.recovered).toBe(0);
      expect(figures.goodputAfter).toBeLessThan(0.2 * figures.goodputBefore);
    }
  });

  it('as shipped serves more after the incident than with long waits', () => {
    expectInEverySeed('plus-as-shipped', '>', 'plus-only-breakers-long-wait', 'goodputAfter');
  });

  it('as shipped serves twice as much in the incident as with places that no overload changes, and recovers at once', () => {
    const fixed = seedsOf('plus-as-shipped-fixed-places');
    seedsOf('plus-as-shipped').forEach((figures, seed) => {
      expect(figures.goodputDuring).toBeGreaterThan(2 * fixed[seed]!.goodputDuring);
      expect(figures.goodputDuring).toBeGreaterThan(0.8 * figures.goodputBefore);
      expect(figures.wasted).toBeLessThan(3);
    });
    expectInEverySeed('plus-as-shipped', '>', 'plus-as-shipped-fixed-places', 'high');
    expectInEverySeed('plus-as-shipped', '>', 'plus-as-shipped-fixed-places', 'greedy');
  });

  it('with breakers alone spares an upstream that is in a storm', () => {
    expectInEverySeed('plus-only-breakers', '<', 'plus-none-of-them', 'wasted');
    expectInEverySeed('plus-only-breakers', '<', 'plus-none-of-them', 'sentPerCall');
  });

  it('with budgets alone retries a tenth as much as with none, and recovers', () => {
    seedsOf('plus-only-budgets').forEach((figures, seed) => {
      expect(figures.recovered).toBe(100);
      expect(figures.retriesPerSuccess).toBeLessThan(seedsOf('plus-none-of-them')[seed]!.retriesPerSuccess / 10);
    });
  });

  it('holds the greedy tenant back by budgets, and keeps the others above it', () => {
    expectInEverySeed('plus', '<', 'plus-no-budgets', 'greedy');
    for (const { others, greedy } of seedsOf('plus')) expect(others).toBeGreaterThan(greedy);
  });

  it('keeps high criticality above low', () => {
    for (const { high, low } of seedsOf('plus-as-shipped')) expect(high).toBeGreaterThan(low);
    // With so small budgets a tenant's last token may have gone to what matters less: not in every seed.
    const { mean } = rows.find(({ policy }) => policy === 'plus')!;
    expect(mean.high).toBeGreaterThan(mean.low);
  });

  it('does nothing twice where core/recovery decides', () => {
    for (const { policy, seeds } of rows)
      if (policy !== 'fixed-retry-3') for (const { dup1000 } of seeds) expect(dup1000).toBe(0);
  });

  it('is the same again for the same seeds', () => {
    expect(simulateContention(1, ['plus'])[0]?.seeds).toEqual(seedsOf('plus').slice(0, 1));
  });
});

describe('the contention report', () => {
  const sentences = contentionFindings(rows);

  it('says of each protection what it is worth beside the others and alone', () => {
    for (const words of ['Budgets', 'Breakers', 'Bulkheads']) {
      expect(sentences.filter((each) => each.startsWith(`**${words}**`))).toHaveLength(1);
      expect(sentences.filter((each) => each.startsWith(`**${words} alone**`))).toHaveLength(1);
    }
    expect(sentences.find((each) => each.startsWith('**Bulkheads alone**'))).toContain(`${SEEDS} of ${SEEDS} seeds`);
    expect(sentences.find((each) => each.startsWith('**Breakers alone**'))).toContain(
      `${seedsOf('plus-only-breakers').filter(({ recovered }) => recovered === 100).length} of ${SEEDS} seeds`,
    );
    expect(sentences.find((each) => each.startsWith('**Breakers alone, and calls wait'))).toContain('worse are');
  });

  it('says plainly where one is worth nothing', () => {
    const named = (policy: ContentionPolicyName): ContentionRow => rows.find((row) => row.policy === policy)!;
    const same = [named('plus'), { ...named('plus'), policy: 'plus-no-budgets' as const }];
    expect(contentionFindings(same)).toEqual([
      '**Budgets**: taken away from all three, nothing gets worse: beside the other two they are worth nothing here.',
    ]);
  });

  it('has a row a policy and names what the world assumes', () => {
    const text = contentionReport(rows, CONTENTION_WORLD);
    for (const policy of CONTENTION_POLICY_NAMES) expect(text).toContain(`\n| ${policy} | `);
    expect(text).toContain('## What this world assumes');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });
});

function run(options: SimOptions): {
  readonly code: number;
  readonly text: string;
  readonly messages: readonly string[];
} {
  const { io, lines, messages } = memoryIo([]);
  const code = simFromOptions({ contention: true, ...options }, '/', io);
  return { code, text: lines.join('\n'), messages };
}

describe('belay sim --contention', () => {
  // As commander fills them in.
  const defaults = { policy: 'all', tasks: '20000', params: 'J', format: 'json' };

  it('prints a row a policy with means and deviations, and the sentences, as JSON', () => {
    const { code, text } = run({ ...defaults, seeds: '1' });
    expect(code).toBe(0);
    const output = JSON.parse(text) as { rows: Readonly<Record<string, unknown>>[]; findings: string[] };
    expect(output.rows.map((row) => row.policy)).toEqual([...CONTENTION_POLICY_NAMES]);
    const { policy: _policy, sd, ...figures } = output.rows[0]!;
    expect(figures).toEqual(seedsOf('plus')[0]);
    expect(Object.keys(sd as object)).toEqual(Object.keys(figures));
    expect(output.findings.length).toBeGreaterThan(6);
  });

  it('prints the report as Markdown', () => {
    expect(run({ ...defaults, seeds: '1', format: 'md' }).text).toMatch(/^# Contention/);
  });

  it('names the option that belongs to the other world, and every wrong value', () => {
    const errorOf = (options: SimOptions): string => {
      const { code, text, messages } = run(options);
      expect([code, text]).toEqual([2, '']);
      return messages.join('\n');
    };
    expect(errorOf({ policy: 'hfr' })).toMatch(/--policy .*leave it out, or --contention/);
    expect(errorOf({ sweep: true })).toMatch(/--sweep/);
    expect(errorOf({ faultRate: '0.2' })).toMatch(/--fault-rate/);
    expect(errorOf({ seeds: '0' })).toMatch(/--seeds must be a whole number/);
    expect(errorOf({ format: 'xml' })).toMatch(/--format must be json or md/);
  });
});
