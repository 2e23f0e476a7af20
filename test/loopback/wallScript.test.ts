// The script played by a loop that knows nothing of it: on a healthy wall the sample is really mended, whatever the model's luck.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copySample, type CopiedSample } from '../../src/bench/sample/copySample.ts';
import { makeSchedule } from '../../src/bench/wall/schedule.ts';
import { isEditRight } from '../../src/bench/wall/script/respond.ts';
import { modelsAt } from '../../src/bench/wall/places.ts';
import { MAIN_STEPS } from '../../src/bench/wall/script/steps.ts';
import { command, playAnthropic, playOpenai } from '../unit/bench/wall/naiveLoop.ts';
import { anthropicClient, openaiClient, withWall } from '../unit/bench/wall/support.ts';

async function withSample<T>(work: (sample: CopiedSample) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'belay-sample-'));
  try {
    return await work(await copySample(directory));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The runner itself, without npm around it: quicker, and the same verdict. */
const RUNNER = 'node --test';

/** A run of the task starts a dozen processes; on a busy machine that takes a while. */
const PATIENCE_MS = 120_000;

const none = makeSchedule(1, 'none');

/** The first seed under which a model's first `wrong` edits are wrong and the next is right. */
function seedWith(modelName: string, wrong: number): number {
  const model = [...modelsAt('openai-like', 'local'), ...modelsAt('anthropic-like', 'local')].find(
    ({ name }) => name === modelName,
  )!;
  for (let seed = 1; ; seed++) {
    const draws = Array.from({ length: wrong + 1 }, (_, i) => isEditRight(seed, model, i + 1));
    if (draws.every((isRight, i) => isRight === (i === wrong))) return seed;
  }
}

describe('the script on a healthy wall', () => {
  it(
    'mends the sample over the OpenAI wire when the first edit is right',
    async () => {
      await withSample((sample) =>
        withWall(
          none,
          async (wall) => {
            const played = await playOpenai(openaiClient(wall), 'gpt-wall-large', sample.directory, sample.goal);
            expect(await command(sample.directory, RUNNER)).toMatch(/fail 0[\s\S]*exit code 0/);
            expect(played.turns).toEqual([
              ['list_files'],
              ['read_file README.md', 'read_file package.json'],
              ['read_file test/allocate.test.js'],
              ['read_file src/allocate.js', 'read_file src/money.js'],
              ['run_command npm test'],
              ['read_file docs/settlements.txt'],
              ['search allocate'],
              ['read_file src/invoice.js', 'read_file test/invoice.test.js'],
              ['edit_file src/allocate.js'],
              ['run_command npm test'],
              [expect.stringMatching(/^run_command printf .*>> CHANGES\.md$/)],
              ['run_command git status --short'],
              [expect.stringMatching(/^run_command git add -A && git commit -m /)],
              ['finish'],
            ]);
            expect(await readFile(join(sample.directory, 'CHANGES.md'), 'utf8')).toMatch(/- fixed: .*\n$/);
            expect(await command(sample.directory, 'git status --short')).toBe('\nexit code 0');
            expect(await command(sample.directory, 'git log --format=%s -1')).toMatch(
              /^Split a refund like its charge/,
            );
            const steps = wall.log().map((line) => line.step);
            for (const step of MAIN_STEPS) expect(steps).toContain(step);
          },
          seedWith('gpt-wall-large', 0),
        ),
      );
    },
    PATIENCE_MS,
  );

  it(
    'mends the sample over the Anthropic wire after two wrong edits, each read and replaced',
    async () => {
      await withSample((sample) =>
        withWall(
          none,
          async (wall) => {
            const played = await playAnthropic(
              anthropicClient(wall),
              'claude-wall-haiku',
              sample.directory,
              sample.goal,
            );
            expect(played.turns.flat().filter((call) => call.startsWith('edit_file'))).toHaveLength(3);
            expect(await command(sample.directory, RUNNER)).toMatch(/fail 0[\s\S]*exit code 0/);
            expect(wall.log().map((line) => line.step)).toEqual(
              expect.arrayContaining([
                'edit-1',
                'verify-1',
                'diagnose-1',
                'edit-2',
                'verify-2',
                'diagnose-2',
                'edit-3',
                'verify-3',
              ]),
            );
            expect(wall.faultsServed()).toEqual([]);
            expect(wall.log().every((line) => line.outcome === 'answered')).toBe(true);
          },
          seedWith('claude-wall-haiku', 2),
        ),
      );
    },
    PATIENCE_MS,
  );

  it('has a log long enough for the context to matter', async () => {
    await withSample(async ({ directory }) => {
      const log = await readFile(join(directory, 'docs', 'settlements.txt'));
      expect(log.length).toBeGreaterThan(55_000);
      expect(log.length).toBeLessThan(65_000);
    });
  });
});
