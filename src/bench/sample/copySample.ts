// Copies the sample library to a folder of its own for the drill: files, the long log, and a git repository where git exists.
// It writes only inside the target, and never runs the sample's code. The target must be empty or absent.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { settlementLog } from './settlementLog.ts';

const run = promisify(execFile);

/** Where the build or a checkout keeps the sample, relative to the file this code runs from; the first that exists is used. */
const SOURCE_CANDIDATES = [
  './price-book',
  './sample/price-book',
  '../sample/price-book',
  '../../sample/price-book',
  '../src/bench/sample/price-book',
] as const;

/** A copied sample and the task that goes with it. */
export interface CopiedSample {
  readonly directory: string;
  /** What an agent is asked to do there. */
  readonly goal: string;
  /** Exits with 0 exactly when the task is done. */
  readonly successCommand: string;
  /** Whether the copy is a git repository of its own (git was found). */
  readonly isRepository: boolean;
}

/** The task, in the words a developer would use. */
const SAMPLE_GOAL = [
  'One test of this library fails: "a refund is split like its charge, without losing a cent".',
  'Find the cause and mend it in src without changing the tests, so that `npm test` passes.',
  'Then add one line about it to CHANGES.md and commit the change if this is a git repository.',
].join(' ');

/**
 * Copies the sample to `targetDirectory` (made if absent; an Error if it holds anything). `sourceDirectory` is the price-book folder;
 * by default it is looked for beside the running file. Rejects with a message that names the missing folder.
 */
export async function copySample(
  targetDirectory: string,
  sourceDirectory: string = findSample(import.meta.url),
): Promise<CopiedSample> {
  await mkdir(targetDirectory, { recursive: true });
  const present = await readdir(targetDirectory);
  if (present.length > 0) {
    throw new Error(
      `the sample needs an empty folder, but ${targetDirectory} holds ${present.length} entries: name another one`,
    );
  }
  await cp(sourceDirectory, targetDirectory, { recursive: true });
  await mkdir(join(targetDirectory, 'docs'), { recursive: true });
  await writeFile(join(targetDirectory, 'docs', 'settlements.txt'), settlementLog());
  return {
    directory: targetDirectory,
    goal: SAMPLE_GOAL,
    successCommand: 'npm test',
    isRepository: await initialise(targetDirectory),
  };
}

function findSample(fromUrl: string): string {
  const here = dirname(fileURLToPath(fromUrl));
  const found = SOURCE_CANDIDATES.map((candidate) => join(here, candidate)).find((path) =>
    existsSync(join(path, 'package.json')),
  );
  if (found === undefined) {
    throw new Error(
      `the sample library is missing: no ${SOURCE_CANDIDATES.join(' or ')} beside ${here}; run the build again`,
    );
  }
  return found;
}

/** Makes the copy a repository with one commit under a local identity; the user's own git settings are not read. */
async function initialise(directory: string): Promise<boolean> {
  const environment = {
    ...process.env,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_AUTHOR_DATE: '2026-10-01T09:00:00Z',
    GIT_COMMITTER_DATE: '2026-10-01T09:00:00Z',
    GIT_DIR: undefined,
    GIT_WORK_TREE: undefined,
    GIT_INDEX_FILE: undefined,
  };
  const git = (...words: readonly string[]) => run('git', words, { cwd: directory, env: environment });
  try {
    await git('init', '--quiet');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  await git('symbolic-ref', 'HEAD', 'refs/heads/main');
  await git('config', 'user.name', 'Sample');
  await git('config', 'user.email', 'sample@localhost');
  await git('config', 'commit.gpgsign', 'false');
  await git('config', 'core.autocrlf', 'false');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'price-book 1.4.0');
  return true;
}
