// Undo and restore in generated repositories on a real disk: 0 foreign files changed. Every byte, mode and time stamp of
// the tree outside the ledger, HEAD, index, refs and stash among it, is compared, and what becomes of the ledger's own files
// is compared with a model that has never heard of Belay (test/support/restoreModel.ts).
// `npm test` takes the first quarter of the seeds; `npm run test:proof` runs them all.
// One seed again: node test/support/restoreRunner.ts SEED 1 1
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CaseResult } from '../support/restoreRunner.ts';

const RUNNER = join(import.meta.dirname, '../support/restoreRunner.ts');
const CASES = Number(process.env.BELAY_RESTORE_CASES ?? 250);
const FIRST_SEED = Number(process.env.BELAY_RESTORE_SEED ?? 1);
const SHARDS = Math.min(8, Math.max(2, availableParallelism()));

/** The results of one process's share of the seeds. */
function share(first: number, count: number): Promise<readonly CaseResult[]> {
  const words = [RUNNER, first, count, SHARDS].map(String);
  const child = spawn(process.execPath, ['--no-warnings', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let trouble = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (trouble += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const lines = printed.split('\n').filter((line) => line !== '');
      // The runner prints results of this shape and nothing else.
      if (code === 0) resolve(lines.map((line) => JSON.parse(line) as CaseResult));
      else
        reject(
          new Error(`the share from seed ${first} ended with ${String(code)} after ${lines.length} cases: ${trouble}`),
        );
    });
  });
}

describe('undo and restore in generated repositories', () => {
  it(`changes 0 foreign files in ${CASES} repositories`, { timeout: 900_000 }, async () => {
    const shares = Array.from({ length: SHARDS }, (_, i) => share(FIRST_SEED + i, Math.ceil((CASES - i) / SHARDS)));
    const results = (await Promise.all(shares)).flat();
    expect(results).toHaveLength(CASES);
    const faulty = results.filter(({ faults }) => faults.length > 0);
    expect(faulty.map(({ seed, faults }) => `seed ${seed}: ${faults.join('; ')}`)).toEqual([]);
    // The cases are worth something: most write, many merge, some must leave a file.
    const total = (of: (one: CaseResult) => number): number => results.reduce((sum, one) => sum + of(one), 0);
    expect(total(({ written }) => written)).toBeGreaterThan(CASES);
    expect(total(({ merged }) => merged)).toBeGreaterThan(CASES / 10);
    expect(total(({ left }) => left)).toBeGreaterThan(CASES / 20);
  });
});
