import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { POLICY_NAMES } from '../../../src/bench/simulator/names.ts';
import { PARAMETER_SETS } from '../../../src/bench/simulator/parameterSets.ts';
import { simFromOptions, type SimOptions } from '../../../src/cli/sim.ts';
import { simHelp } from '../../../src/cli/simHelp.ts';
import { memoryIo } from './memoryIo.ts';

interface Output {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly tasksPerSecond: number | null;
}

const small = { seeds: '2', tasks: '200' };

function run(options: SimOptions, cwd = tmpdir()): { code: number; text: string; messages: readonly string[] } {
  const { io, lines, messages } = memoryIo([]);
  const code = simFromOptions(options, cwd, io);
  return { code, text: lines.join('\n'), messages };
}

function json(options: SimOptions): Output {
  const { code, text } = run(options);
  expect(code).toBe(0);
  return JSON.parse(text) as Output;
}

const errorOf = (options: SimOptions, cwd?: string): string => {
  const { code, text, messages } = run(options, cwd);
  expect(text).toBe('');
  expect(code).toBe(2);
  expect(messages).toHaveLength(1);
  return messages[0]!;
};

describe('belay sim', () => {
  it('prints one row a policy with every contracted figure, and how fast it was', () => {
    const { rows, tasksPerSecond } = json(small);
    expect(rows.map((row) => row.policy)).toEqual([...POLICY_NAMES]);
    const figures = ['sr', 'csr', 'scr', 'cps', 'dup1000', 'esc', 'deg', 'cost', 'p95', 'p95NonEscalated', 'attempts'];
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['policy', ...figures, 'sd']);
      expect(Object.keys(row.sd as object)).toEqual(figures);
      for (const figure of figures) expect(Number.isFinite(row[figure])).toBe(true);
    }
    expect(tasksPerSecond).toBeGreaterThan(0);
  });

  it('runs the policies that are named, in that order', () => {
    expect(json({ ...small, policy: 'hfr-plus,hfr' }).rows.map((row) => row.policy)).toEqual(['hfr-plus', 'hfr']);
  });

  it('adds the fault rate in a sweep and the incident rate under incidents', () => {
    const sweep = json({ ...small, policy: 'hfr', sweep: true }).rows;
    expect(sweep.map((row) => row.faultRate)).toEqual([0.05, 0.1, 0.16, 0.24, 0.32]);
    const incidents = json({ ...small, incidents: true }).rows;
    expect(incidents.map((row) => [row.incidentRate, row.policy])).toEqual(
      [0.1, 0.25, 0.4].flatMap((rate) => ['hfr', 'hfr-no-budget', 'hfr-plus'].map((policy) => [rate, policy])),
    );
    expect(json({ ...small, policy: 'hfr', sweep: true, incidents: true }).rows).toHaveLength(8);
  });

  it('gives exact expectations where they exist and says what is left out', () => {
    const { text, messages } = run({ exact: true });
    const output = JSON.parse(text) as Output;
    expect(output.rows).toHaveLength(8);
    expect(output.tasksPerSecond).toBeNull();
    expect(output.rows[4]).toMatchObject({ policy: 'hfr', p95: null, p95NonEscalated: null, sd: {} });
    expect(output.rows[4]!.sr).toBeCloseTo(86.26, 2);
    expect(messages).toEqual([expect.stringContaining('hfr-plus is left out')]);
  });

  it('lets T7 be split for hfr-plus and says so in the row', () => {
    const [row] = json({ ...small, policy: 'hfr-plus', fixableShare: '0.5' }).rows;
    expect(row).toMatchObject({ policy: 'hfr-plus', fixableShare: 0.5 });
  });

  it('writes the tables with published figure, ours, difference, bars, assumptions and what does not reproduce', () => {
    const { text } = run({ seeds: '1', tasks: '2000', format: 'md', sweep: true, incidents: true });
    for (const head of ['Table 12', 'Table 13', 'Table 14', 'Table 15', 'Table C1', 'Assumptions'])
      expect(text).toContain(`## ${head}`);
    expect(text).toContain('## Claims of the document that do not reproduce');
    expect(text).toContain('reproduce with fitted parameters');
    expect(text).toMatch(/\| hfr \| 86\.25 ± 0\.32 \/ 8\d\.\d\d \/ [+-]?\d\.\d\d \|/);
    expect(text).toMatch(/pass \(0\.\d\d, bar 1\.20\)/);
    expect(text).toContain('Belay’s own recovery');
  });

  it('says that the published figures are for another fault rate where they are', () => {
    expect(run({ ...small, policy: 'hfr', format: 'md', faultRate: '0.3' }).text).toContain(
      'The published figures of Tables 12 to 14 are for fault rate 0.14',
    );
  });

  it('takes its parameters from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-sim-'));
    try {
      writeFileSync(join(folder, 'mine.json'), JSON.stringify(PARAMETER_SETS.A));
      const exact = { policy: 'hfr', exact: true };
      const fromFile = run({ ...exact, params: 'mine.json' }, folder);
      expect(fromFile.code).toBe(0);
      expect(fromFile.text).toBe(run({ ...exact, params: 'A' }).text);
      expect(fromFile.text).not.toBe(run({ ...exact, params: 'J' }).text);

      writeFileSync(join(folder, 'wrong.json'), JSON.stringify({ ...PARAMETER_SETS.A, sticky: 2 }));
      expect(errorOf({ params: 'wrong.json' }, folder)).toMatch(/wrong\.json: field "sticky": /);
      writeFileSync(join(folder, 'torn.json'), '{');
      expect(errorOf({ params: 'torn.json' }, folder)).toMatch(/--params must be J, A or a JSON file; .*torn\.json/);
      expect(errorOf({ params: 'none.json' }, folder)).toMatch(/none\.json cannot be read/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each<[SimOptions, string]>([
    [{ policy: 'hfr,best' }, '--policy knows no "best"; it takes all, or some of no-retry'],
    [{ policy: '' }, '--policy knows no ""'],
    [{ seeds: '0' }, '--seeds must be a whole number from 1 to 1000, not "0"'],
    [{ tasks: '1.5' }, '--tasks must be a whole number from 1 to 1000000, not "1.5"'],
    [{ faultRate: '1.4' }, '--fault-rate must be a probability from 0 to 0.97, not "1.4"'],
    [{ faultRate: '' }, '--fault-rate must be'],
    [{ faultRate: '0.2', sweep: true }, '--sweep runs the fault rates of Table 15'],
    [{ fixableShare: '2' }, '--fixable-share must be a probability from 0 to 1'],
    [{ fixableShare: '1', policy: 'hfr' }, '--fixable-share is for hfr-plus'],
    [{ format: 'html' }, '--format must be json or md, not "html"'],
    [{ exact: true, policy: 'hfr-plus' }, '--exact has no expectation for hfr-plus'],
  ])('answers %o with one clear message', (options, message) => {
    expect(errorOf(options)).toContain(message);
  });

  it('names every policy in its help', () => {
    for (const name of POLICY_NAMES) expect(simHelp).toContain(name);
  });
});
