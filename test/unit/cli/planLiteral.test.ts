import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { planCommand } from '../../../src/cli/plan.ts';
import { memoryIo } from './memoryIo.ts';

const answer = z.strictObject({
  ranking: z.array(
    z.strictObject({
      id: z.string(),
      mu: z.number(),
      sigma: z.number(),
      rho: z.number(),
      latencyMs: z.number(),
      cost: z.number(),
      decay: z.number(),
      utility: z.number(),
      lowerBound: z.number(),
    }),
  ),
  hedgeSet: z.array(z.string()),
  failureProbability: z.number(),
  targetReached: z.boolean(),
});

const params = {
  ...{ lambda: 1, gamma: 0.7, eta: 0.23, kappa: 1, epsB: 50, epsR: 0.05, rhoCap: 0.98, tau: 0.9, t0Ms: null },
};
const row = (id: string, change: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ id, alpha: 8, beta: 2, fInt: 0.02, lossNet: 0.01, procMs: 100, bytes: 5000, bandwidth: 1000, jitter: 100 },
  ...change,
});

async function told(document: unknown): Promise<{ code: number; lines: string[]; messages: string[] }> {
  const { io, lines, messages } = memoryIo([JSON.stringify(document)]);
  return { code: await planCommand(io), lines, messages };
}

async function planned(candidates: readonly unknown[], change: object = {}): Promise<z.output<typeof answer>> {
  const { code, lines } = await told({ mode: 'literal', params: { ...params, ...change }, candidates });
  expect(code).toBe(0);
  expect(lines).toHaveLength(1);
  return answer.parse(JSON.parse(lines[0]!));
}

describe('belay plan in mode literal', () => {
  it('answers with exactly the fields of the contract', async () => {
    const plan = await planned([row('a'), row('b', { procMs: 50 }), row('c', { alpha: 2 })]);
    expect(plan.ranking.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    expect(plan.hedgeSet).toEqual(['b', 'a']);
    const [b, a] = plan.ranking;
    expect(plan.failureProbability).toBeCloseTo((1 - b!.lowerBound) * (1 - a!.lowerBound), 12);
    expect(plan.targetReached).toBe(true);
  });

  it('keeps the order of the input where utilities are equal', async () => {
    expect((await planned(['z', 'a', 'm'].map((id) => row(id)))).ranking.map(({ id }) => id)).toEqual(['z', 'a', 'm']);
  });

  it('takes the median of the pool’s T for T0 where none is given, and T0 where one is', async () => {
    const pool = [row('a', { procMs: 100, bytes: 0 }), row('b', { procMs: 300, bytes: 0 })];
    expect((await planned(pool)).ranking[0]!.cost).toBeCloseTo(Math.log(1.5), 12);
    expect((await planned(pool, { t0Ms: 50 })).ranking[0]!.cost).toBeCloseTo(Math.log(3), 12);
  });

  it('has numbers for the greatest and least input it takes', async () => {
    const extremes = [1e-100, 1, 1e100].flatMap((alpha) => [row(`x${alpha}`, { alpha, beta: 1e100, bytes: 1e100 })]);
    const plan = await planned(extremes, { epsB: 1e-100, lambda: 1e100, eta: 1e100, kappa: 1e100 });
    expect(plan.ranking.every(({ utility }) => Number.isFinite(utility))).toBe(true);
  });

  it('plans for nobody where there is nobody', async () => {
    expect(await planned([])).toEqual({ ranking: [], hedgeSet: [], failureProbability: 1, targetReached: false });
  });

  it('names what is wrong', async () => {
    const bad = await told({
      mode: 'literal',
      params: { ...params, tau: 2, epsB: 0 },
      candidates: [row('a', { alpha: 0, fInt: -1 })],
    });
    expect(bad.code).toBe(2);
    expect(bad.lines).toEqual([]);
    for (const place of ['params.tau', 'params.epsB', 'candidates.0.alpha', 'candidates.0.fInt'])
      expect(bad.messages.some((message) => message.includes(place))).toBe(true);
    expect((await told({ mode: 'other' })).code).toBe(2);
  });
});
