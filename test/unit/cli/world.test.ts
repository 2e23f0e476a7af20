import { describe, expect, it } from 'vitest';
import { worldFromOptions, type WorldOptions } from '../../../src/cli/world.ts';
import { memoryIo } from './memoryIo.ts';

const small = { seeds: '2', steps: '60', policy: 'best-one,haco-a' };

async function run(
  options: WorldOptions,
): Promise<{ code: number; lines: readonly string[]; messages: readonly string[] }> {
  const { io, lines, messages } = memoryIo([]);
  return { code: await worldFromOptions(options, io), lines, messages };
}

async function rowsOf(options: WorldOptions): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { code, lines } = await run(options);
  expect(code).toBe(0);
  return (JSON.parse(lines.join('\n')) as { rows: Readonly<Record<string, unknown>>[] }).rows;
}

async function errorOf(options: WorldOptions): Promise<string> {
  const { code, lines, messages } = await run(options);
  expect([code, lines.length, messages.length]).toEqual([2, 0, 1]);
  return messages[0]!;
}

describe('belay world', () => {
  it('prints one row a policy with every contracted figure and its standard error', async () => {
    const rows = await rowsOf(small);
    const figures = [
      'allFailedPct',
      'workflowSuccessPct',
      'miss30Pct',
      'p50',
      'p95',
      'p99',
      'mean',
      'fullCalls',
      'timesBestOne',
      'quality',
      'j',
      'holdP99',
      'coldStartTimesBestOne',
      'calibration',
      'shiftSteps',
      'healSteps',
    ];
    expect(rows.map((row) => row.policy)).toEqual(['best-one', 'haco-a']);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(expect.arrayContaining([...figures, 'policy', 'se']));
      expect(Object.keys(row.se as object)).toEqual(figures);
      expect(row.shiftSteps).toBeNull();
    }
    expect(rows[0]).toMatchObject({ timesBestOne: 1, coldStartTimesBestOne: 1 });
  });

  it('takes outage as both histories, and measures shift and heal there', async () => {
    const rows = await rowsOf({ scenario: 'outage', policy: 'gateway-breaker-20', seeds: '1' });
    expect(rows.map((row) => row.scenario)).toEqual(['outage-900', 'outage-3600']);
    for (const row of rows) expect([typeof row.shiftSteps, typeof row.healSteps]).toEqual(['number', 'number']);
  });

  it('varies HACO by tau and ablation', async () => {
    const names = (await rowsOf({ ...small, policy: 'haco-a', tau: '0.7,0.95', ablate: 'env,ucb' })).map(
      (row) => row.policy,
    );
    expect(names).toEqual([
      'haco-a-tau-0.7-no-env',
      'haco-a-tau-0.7-no-ucb',
      'haco-a-tau-0.95-no-env',
      'haco-a-tau-0.95-no-ucb',
    ]);
  });

  it('takes a number of seeds, a base and a range', async () => {
    const [byBase] = await rowsOf({ ...small, policy: 'random', seedBase: '2001' });
    const [byRange] = await rowsOf({ ...small, policy: 'random', seeds: '2001-2002' });
    const [others] = await rowsOf({ ...small, policy: 'random' });
    expect(byRange).toEqual(byBase);
    expect(others).not.toEqual(byBase);
  });

  it('prints JSON lines as the rows are done, and Markdown with the comparison', async () => {
    const { lines } = await run({ ...small, format: 'jsonl' });
    expect(lines.map((line) => (JSON.parse(line) as { policy: string }).policy)).toEqual(['best-one', 'haco-a']);
    const { lines: text } = await run({ ...small, format: 'md', check: true });
    expect(text.join('\n')).toMatch(/\| best-one \| p99 \| [\d.]+ ± [\d.]+ \| 60 \|/);
  });

  it('ends with 1 where a checked figure is outside its tolerance', async () => {
    // So few steps without any failure are far from the printed 10 %.
    const { code } = await run({ policy: 'best-one', seeds: '1', steps: '10', horizon: '50', check: true });
    expect(code).toBe(1);
  });

  it('runs Belay’s own controller, and leaves out a mode that this version does not have', async () => {
    const { lines, messages } = await run({ policy: 'balanced,fast', seeds: '1', steps: '20' });
    const { rows } = JSON.parse(lines.join('\n')) as { rows: { policy: string }[] };
    expect(rows.map((row) => row.policy)).toContain('balanced');
    expect(rows.length + messages.length).toBe(2);
  });

  it('names the option that is wrong, its value and what it may be', async () => {
    expect(await errorOf({ ...small, scenario: 'storm' })).toMatch(/--scenario knows no "storm".*dynamic/);
    expect(await errorOf({ ...small, policy: 'haco-c' })).toMatch(/--policy knows no "haco-c".*haco-b/);
    expect(await errorOf({ ...small, seeds: '0' })).toMatch(/--seeds must be/);
    expect(await errorOf({ ...small, seeds: '9-3' })).toMatch(/--seeds must be/);
    expect(await errorOf({ ...small, seeds: '1-3', seedBase: '4' })).toMatch(/--seed-base/);
    expect(await errorOf({ ...small, tau: '1.5' })).toMatch(/--tau must be/);
    expect(await errorOf({ ...small, ablate: 'all' })).toMatch(/--ablate must be some of env/);
    expect(await errorOf({ ...small, policy: 'random', tau: '0.8' })).toMatch(/--tau and --ablate are for haco/);
    expect(await errorOf({ ...small, steps: '1e3' })).toMatch(/--steps must be/);
    expect(await errorOf({ ...small, horizon: '-1' })).toMatch(/--horizon must be/);
    expect(await errorOf({ ...small, format: 'xml' })).toMatch(/--format must be json, jsonl, md/);
  });
});
