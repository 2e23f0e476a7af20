// `belay ledger contract` with real shell calls: a tool that keeps its key passes, one that does not is found out, and what
// was found is shown later.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toolContractFromOptions } from '../../src/cli/toolContract.ts';
import type { ToolContractOptions } from '../../src/cli/toolContract.ts';

describe.skipIf(process.platform === 'win32')('belay ledger contract', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-contract-'));
    mkdirSync(join(folder, 'paid'));
    writeFileSync(join(folder, 'log.txt'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (options: ToolContractOptions) => {
    const [out, err]: [string[], string[]] = [[], []];
    const io = {
      stdin: Readable.from([]),
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
    };
    const asked = { db: join(folder, 'ledger.db'), settleMs: '20', ...options };
    const exitCode = await toolContractFromOptions(asked, folder, process.env, io);
    return { exitCode, out: out.join('\n'), err: err.join('\n') };
  };
  const faithful = { tool: 'pay', call: 'touch paid/$BELAY_KEY', count: 'ls paid | wc -l | tr -d " "' };
  const faithless = { tool: 'mail', call: 'echo $BELAY_KEY >> log.txt', count: 'wc -l < log.txt | tr -d " "' };

  it('is passed by a tool that acts once for a key, and is remembered', { timeout: 120_000 }, async () => {
    const tested = await run(faithful);
    expect(tested.out).toContain('pay (definition ');
    expect(tested.out).toContain('): passed');
    expect(tested.out).toContain('not tried: other-arguments');
    expect(tested.out).toContain('A claim of R1 counts as R1.');
    expect(tested.exitCode).toBe(0);
    expect(readdirSync(join(folder, 'paid')).length).toBeGreaterThan(5);
    const shown = await run({ tool: 'pay' });
    expect(shown).toMatchObject({ exitCode: 0 });
    expect(shown.out).toMatch(/^pay \(definition [0-9a-f]{12}\): passed \d{4}-/);
  });

  it(
    'is not passed by a tool that ignores its key, and says what the claim is worth then',
    { timeout: 120_000 },
    async () => {
      const tested = await run({ ...faithless, definition: 'mail 2.0' });
      expect(tested.exitCode).toBe(1);
      expect(tested.out).toContain('wrong repeated: the same key again acts again');
      expect(tested.out).toContain('A claim of R1 counts as R2 where a probe exists, else R3.');
      expect((await run({})).out).toContain('mail (definition ');
    },
  );

  it(
    'proves nothing by a count that is no number, and shows nothing before anything was tested',
    { timeout: 120_000 },
    async () => {
      expect(await run({})).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining('No tool was tested yet') as string,
      });
      const tested = await run({ ...faithful, count: 'echo many' });
      expect(tested.exitCode).toBe(1);
      expect(tested.out).toContain('printed "many" instead of a whole number');
    },
  );

  it.each<[ToolContractOptions, string]>([
    [{ call: 'x $BELAY_KEY', count: 'y' }, '--tool is missing'],
    [{ tool: 'a', count: 'y' }, '--call is missing'],
    [{ tool: 'a', call: 'x $BELAY_KEY' }, '--count is missing'],
    [{ tool: 'a', call: 'x', count: 'y' }, 'does not use $BELAY_KEY'],
    [{ tool: 'a', call: 'x $BELAY_KEY', count: 'y', level: 'R9' }, '--level must be one of R0, R1, R2, R3'],
    [{ tool: 'a', call: 'x $BELAY_KEY', count: 'y', settleMs: 'soon' }, '--settle-ms must be a whole number from 0'],
  ])('names what is wrong with %j', async (options, words) => {
    const ended = await run(options);
    expect(ended.exitCode).toBe(2);
    expect(ended.err).toContain(words);
  });
});
