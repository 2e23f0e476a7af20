// The first commit of a repository: git shows no log without a commit, so what was taken back has to be found in the store.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { footprintOf } from '../../src/core/ledger/probes.ts';
import { probeBench } from '../support/probeBench.ts';
import type { ProbeBench } from '../support/probeBench.ts';

let bench: ProbeBench;
const FIRST = 'git add -A && git commit -m first';
beforeEach(() => {
  bench = probeBench();
  bench.git('init', '-q');
  bench.write('f', 'one\n');
});
afterEach(() => {
  bench.remove();
});
const hook = (name: string, text: string): void => {
  writeFileSync(join(bench.workspace, '.git/hooks', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
};

it('says ABSENT where a hook stopped it, and where nothing was done', async () => {
  expect(await bench.says(FIRST, () => undefined)).toBe('ABSENT');
  hook('pre-commit', 'exit 1');
  expect(await bench.says(FIRST)).toBe('ABSENT');
  hook('pre-commit', 'kill -9 $PPID');
  expect(await bench.says(FIRST)).toBe('ABSENT');
});

it.each([
  ['HEAD was taken away', 'git update-ref -d HEAD'],
  ['the branch was taken away', 'git update-ref -d refs/heads/main'],
  ['its logs are gone too', 'git update-ref -d HEAD; rm -rf .git/logs'],
  [
    'it was thrown away for good',
    'git update-ref -d HEAD; git reflog expire --expire=now --all; git gc -q --prune=now',
  ],
])('is UNKNOWN where it was made and %s', async (_, takeBack) => {
  const baseline = await bench.before(FIRST);
  await bench.run(FIRST, { isMarked: true });
  expect((await bench.asked(baseline))?.says).toBe('COMMITTED');
  await bench.run(takeBack);
  expect(await bench.asked(baseline)).toMatchObject({
    says: 'UNKNOWN',
    detail: expect.stringContaining('made and taken back') as string,
  });
});

it('goes by what is new beside older commits, on a branch without history', async () => {
  bench.git('add', '-A');
  bench.git('commit', '-qm', 'old');
  bench.git('checkout', '-q', '--orphan', 'fresh');
  expect(await bench.says('git commit -m first', () => undefined)).toBe('ABSENT');
  expect(await bench.says('git commit -m first', 'git commit -qm first; git update-ref -d HEAD')).toBe('UNKNOWN');
  expect(await bench.says('git commit -m first')).toBe('COMMITTED');
});

it('is UNKNOWN for the first commit of npm version that was taken back', async () => {
  bench.write('package.json', '{"name":"x","version":"1.2.3"}\n');
  const command = 'npm version patch';
  const undo = 'git update-ref -d HEAD; git tag -d v1.2.4; git checkout-index -qf package.json';
  const baseline = await bench.before(command);
  expect((await bench.asked(baseline))?.says).toBe('ABSENT');
  bench.git('add', '-A');
  bench.git('commit', '-qm', '1.2.4');
  await bench.run(undo);
  expect((await bench.asked(baseline))?.says).toBe('UNKNOWN');
});

it('tells that entering a branch runs programs, and a branch alone only with a hook for it', async () => {
  bench.git('add', '-A');
  bench.git('commit', '-qm', 'start');
  const runs = async (command: string): Promise<boolean | undefined> =>
    footprintOf(await bench.before(command))?.runsPrograms;
  expect([await runs('git checkout -b topic'), await runs('git switch -c topic')]).toEqual([true, true]);
  expect([await runs('git branch topic'), await runs('git tag v1')]).toEqual([false, false]);
  hook('reference-transaction', 'exit 0');
  expect([await runs('git branch topic'), await runs('git tag v1')]).toEqual([true, true]);
});
