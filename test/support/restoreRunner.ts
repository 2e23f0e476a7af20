// A process that runs a share of the restore test: argv is the first seed, the number of seeds and the step between two.
// Prints one JSON line for each case.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreCase } from './restoreCase.ts';
import { seededRandom } from './random.ts';
import { makeTemplate } from './restoreTemplates.ts';

export type { CaseResult } from './restoreCase.ts';

const TEMPLATES = 4;

/** A folder in memory where there is one: nothing of the test needs to outlive it. */
function scratch(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'belay-restore-'));
}

async function main([first = 0, count = 1, step = 1]: readonly number[]): Promise<void> {
  const folder = scratch();
  try {
    for (let i = 0; i < TEMPLATES; i++) {
      const random = seededRandom(i);
      const has = (): boolean => random.next() < 0.6;
      makeTemplate(join(folder, `template-${i}`), {
        hasSubmodule: has(),
        hasWorktree: has(),
        hasNested: has(),
        hasLinks: has(),
        hasStash: has(),
        hasStaged: has(),
        isAutoCrlf: has(),
      });
    }
    for (let i = 0; i < count; i++) {
      const seed = first + i * step;
      const template = join(folder, `template-${seed % TEMPLATES}`);
      console.log(JSON.stringify(await restoreCase(seed, template, join(folder, `case-${seed}`))));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [, entry, ...numbers] = process.argv;
if (entry === import.meta.filename) await main(numbers.map(Number));
