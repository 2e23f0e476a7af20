// The options of `belay exec`: what is no number or no task is named before anything is opened.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { execFromOptions } from '../../../src/cli/execOptions.ts';
import { wholeNumber } from '../../../src/cli/wholeNumber.ts';
import { memoryIo } from './memoryIo.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-options-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const refusal = async (options: Readonly<Record<string, string>>): Promise<string> => {
  const { io, lines, messages } = memoryIo([]);
  const db = join(folder, 'l.db');
  const exitCode = await execFromOptions(['ls'], { task: 't', step: '1', db, ...options }, folder, io);
  expect([exitCode, lines, messages.length, existsSync(db)]).toEqual([2, [], 1, false]);
  return messages[0] ?? '';
};

describe('belay exec', () => {
  it.each(['', ' ', '0x10', ' 0x10 ', ' 1', '1e3', '-1', '1.0', '+1', '1234567890', '١'])(
    'refuses --step "%s"',
    async (step) => {
      expect(await refusal({ step })).toContain(`--step must be a whole number from 0 to 999999999, not "${step}"`);
    },
  );

  it.each(['', ' \t'])('refuses --task "%s"', async (task) => {
    expect(await refusal({ task })).toContain('--task must name the task');
  });

  it.each(['', '0', '0x10', '1e3', '-5'])('refuses --timeout-ms "%s"', async (timeoutMs) => {
    expect(await refusal({ timeoutMs })).toContain('--timeout-ms must be a whole number');
  });
});

it('reads digits alone as a whole number', () => {
  expect(['0', '007', '999999999'].map((text) => wholeNumber(text))).toEqual([0, 7, 999_999_999]);
  expect(['', ' ', '1 ', '0b1', '1_0', '1234567890'].map((text) => wholeNumber(text))).toEqual(Array(6).fill(null));
});
