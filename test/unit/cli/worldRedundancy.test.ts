import { describe, expect, it } from 'vitest';
import { worldFromOptions, type WorldOptions } from '../../../src/cli/world.ts';
import { memoryIo } from './memoryIo.ts';

async function run(options: WorldOptions) {
  const { io, lines, messages } = memoryIo([]);
  // What commander passes where nothing is given.
  const defaults = { scenario: 'static', policy: 'all', seeds: '1', format: 'json', redundancy: true };
  return { code: await worldFromOptions({ ...defaults, ...options }, io), lines, messages };
}

interface Document {
  readonly rows: readonly { version: string; seed: number; n: number; success: number; interval: object }[];
  readonly exact: readonly { version: string }[];
  readonly claims: readonly { claim: string; verdict: string }[];
}

describe('belay world --redundancy', () => {
  it('prints one JSON document: a row for each version, size and seed, with intervals, and the claims', async () => {
    const { code, lines } = await run({ seeds: '2001-2002' });
    expect([code, lines.length]).toEqual([0, 1]);
    const { rows, exact, claims } = JSON.parse(lines[0]!) as Document;
    const versions = ['single', 'first-wins', 'as-printed', 'serial-retry'];
    expect(rows.map(({ version, seed, n }) => [seed, n, version])).toEqual(
      [2001, 2002].flatMap((seed) => [50, 50_000].flatMap((n) => versions.map((version) => [seed, n, version]))),
    );
    expect(exact.map(({ version }) => version)).toEqual(versions);
    expect(Object.keys(rows[0]!.interval)).toContain('p99S');
    const known = ['holds', 'does not hold', 'only with the luck of n = 50'];
    for (const { verdict } of claims) expect(known).toContain(verdict);
  });

  it('prints the same for the same seed, and something else for another', async () => {
    const [one, again, other] = [await run({}), await run({}), await run({ seeds: '1', seedBase: '2' })];
    expect(again.lines).toEqual(one.lines);
    expect(other.lines).not.toEqual(one.lines);
  });

  it('prints Markdown with the printed table beside ours', async () => {
    const { code, lines } = await run({ format: 'md' });
    const text = lines.join('\n');
    expect(code).toBe(0);
    expect(text).toContain(
      '| as-printed, exact | 96.0 | 1.835 | 6.90 | 6.90 | 19.8 | 19.0 | 2.00 | 2.250 | -66.7 / -66.7 |',
    );
    expect(text).toContain('| redundant, printed (n = 50) | 86.0 | 6.100 | 6.50 | – | – | 4.0 | – | – | – |');
    expect(text).toMatch(/\| single, P99: 12\.30 s \| 6\.84 s exactly; .* \| 0 \| does not hold \|/);
    // Every line of a table has as many cells as its head.
    for (const table of text.split('\n\n').filter((part) => part.startsWith('|')))
      expect(new Set(table.split('\n').map((line) => line.split(' | ').length)).size).toBe(1);
  });

  it.each([
    [{ policy: 'balanced' }, /--policy is for the study's world/],
    [{ scenario: 'hot' }, /--scenario is for the study's world/],
    [{ steps: '10' }, /--steps is for the study's world/],
    [{ claims: true }, /--claims is for the study's world/],
    [{ format: 'jsonl' }, /--redundancy prints json or md, not "jsonl"/],
    [{ seeds: 'x' }, /--seeds must be/],
  ] as const)('says no to %j', async (options, message) => {
    const { code, lines, messages } = await run(options);
    expect([code, lines.length, messages.length]).toEqual([2, 0, 1]);
    expect(messages[0]).toMatch(message);
  });
});
