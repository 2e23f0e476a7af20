// The sample library: a copy of its own, one real bug, and wrong fixes that do not pass for right ones.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copySample, type CopiedSample } from '../../../src/bench/sample/copySample.ts';
import { settlementLog } from '../../../src/bench/sample/settlementLog.ts';
import { blockIn, BUGGY_FILE, ORIGINAL_BLOCK, RIGHT_BLOCK, WRONG_FIXES } from '../../../src/bench/wall/script/fixes.ts';
import { command } from './wall/naiveLoop.ts';

const PATIENCE_MS = 120_000;

async function withCopy<T>(work: (sample: CopiedSample) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'belay-sample-'));
  try {
    return await work(await copySample(directory));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Puts a block where the bug is and runs the allocation tests. */
async function runWith(sample: CopiedSample, block: string): Promise<string> {
  const path = join(sample.directory, BUGGY_FILE);
  const text = await readFile(path, 'utf8');
  const present = blockIn(text);
  if (present === null) throw new Error('the sample lost its block');
  await writeFile(path, text.replace(present, block));
  return command(sample.directory, 'node --test test/allocate.test.js');
}

describe('the sample', () => {
  it(
    'has fifteen tests, exactly one of which fails',
    async () => {
      const output = await withCopy((sample) => command(sample.directory, sample.successCommand));
      expect(output).toMatch(/pass 14/);
      expect(output).toMatch(/fail 1\b/);
      expect(output).toContain('a refund is split like its charge, without losing a cent');
      expect(output).toMatch(/exit code 1$/);
    },
    PATIENCE_MS,
  );

  it('holds the block that the script replaces, exactly once', async () => {
    await withCopy(async ({ directory }) => {
      const text = await readFile(join(directory, BUGGY_FILE), 'utf8');
      expect(text.split(ORIGINAL_BLOCK)).toHaveLength(2);
      expect(blockIn(text)).toBe(ORIGINAL_BLOCK);
    });
  });

  it(
    'passes with the right fix and fails with each wrong one',
    async () => {
      await withCopy(async (sample) => {
        for (const { block } of WRONG_FIXES)
          expect(await runWith(sample, block)).toMatch(/fail 1\b[\s\S]*exit code 1$/);
        expect(await runWith(sample, RIGHT_BLOCK)).toMatch(/fail 0\b[\s\S]*exit code 0$/);
      });
    },
    PATIENCE_MS,
  );

  it('is a clean repository of its own with one commit', async () => {
    await withCopy(async ({ directory, isRepository }) => {
      expect(isRepository).toBe(true);
      expect(await command(directory, 'git rev-parse --show-toplevel')).toContain(directory);
      expect(await command(directory, 'git status --short')).toBe('\nexit code 0');
      expect(await command(directory, 'git rev-list --count HEAD')).toBe('1\n\nexit code 0');
    });
  });

  it('is the same in every copy, log included', async () => {
    expect(settlementLog()).toBe(settlementLog());
    const heads = [1, 2].map(() => withCopy(({ directory }) => command(directory, 'git rev-parse HEAD')));
    const [one, two] = await Promise.all(heads);
    expect(one).toBe(two);
  });

  it('is not copied over anything', async () => {
    await withCopy(async ({ directory }) => {
      const before = await readdir(directory);
      await expect(copySample(directory)).rejects.toThrow(`needs an empty folder, but ${directory} holds`);
      expect(await readdir(directory)).toEqual(before);
    });
  });

  it('shows the bug in its log: only refunds drift', () => {
    const lines = settlementLog()
      .split('\n')
      .filter((line) => line.startsWith('2026-'));
    const drifting = lines.filter((line) => !line.endsWith('drift 0'));
    expect(drifting.length).toBeGreaterThan(10);
    expect(drifting.every((line) => line.includes(' refund '))).toBe(true);
  });
});
