// The probe of `git commit`, also in worktrees, submodules, on a detached HEAD and with every ref format, since git itself is
// asked. HEAD and its log as before is ABSENT. COMMITTED needs a new commit with this command's own mark that still stands: a
// commit of the same message by anybody else has no such mark. Everything else (no mark, taken back, log rewritten) is UNKNOWN.
import * as z from 'zod';
import { gitStep, repositoryAt, shortId } from './git.ts';
import { headNews, headSchema, headState, ownCommit, standingOf } from './gitLog.ts';
import { presentHooks, stoppedHooks } from './gitHooks.ts';
import { defineProbe, restOf } from './probe.ts';
import type { Verdict } from './probe.ts';
import type { Looking } from './reading.ts';
import type { Step } from './script.ts';

const schema = z.object({
  workspace: z.string(),
  /** Where git is asked; absolute. */
  folder: z.string(),
  gitDirectory: z.string(),
  before: headSchema,
  /** What git's log calls this command's own commits; null: it will not tell them from others. */
  mark: z.string().nullable(),
  /** Hooks that git runs after such a commit, and what the words say of their folder. Absent: an older version's baseline. */
  hooks: z.array(z.string()).optional(),
  hooksPath: z.string().nullable().optional(),
  isAlone: z.boolean(),
});

type CommitBaseline = z.infer<typeof schema>;

interface CommitWords {
  readonly folder: string;
  readonly hooks: readonly string[];
  readonly hooksPath: string | null;
}

export const gitCommitProbe = defineProbe<CommitWords, CommitBaseline>({
  kind: 'git-commit',
  isMarked: true,
  schema,
  plan: commitWords,
  *before({ hooks, hooksPath }, { workspace, folder, isAlone, mark }) {
    const repository = yield* repositoryAt(folder);
    const before = repository && (yield* headState(folder));
    if (!before) return null;
    const { gitDirectory } = repository;
    return { workspace, folder, gitDirectory, before, mark, hooks: [...hooks], hooksPath, isAlone };
  },
  after: afterCommit,
  footprint: ({ workspace }) => ({ workspace, paths: [], refs: [], runsPrograms: true }),
  needsRivals: () => false,
});

/** Options with a value of their own, and those without; an editor may come up. Not `--dry-run` and what else makes none. */
const WITH_VALUE =
  /^(?:-[aioqnsve]*[mFCct]|--(?:message|file|author|date|reuse-message|reedit-message|template|cleanup|trailer|fixup|squash))$/;
const HELD_VALUE =
  /^--(?:message|file|author|date|reuse-message|reedit-message|template|cleanup|trailer|fixup|squash|gpg-sign)=|^-[aioqnsve]*[mFCctS]./;
const PLAIN =
  /^(?:-[aqnsveS]+|--(?:all|quiet|no-verify|verify|signoff|no-signoff|verbose|edit|no-edit|allow-empty|allow-empty-message|amend|reset-author|no-gpg-sign|gpg-sign|no-post-rewrite|only|include|no-status|status))$/;

/** A `git commit` that makes one new commit and nothing else, or takes the place of the last one. */
function commitWords(step: Step): CommitWords | null {
  const words = gitStep(step);
  if (words?.command !== 'commit' || step.output) return null;
  const { rest } = words;
  let isAmended = false;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    // What follows are paths.
    if (word === '--') break;
    isAmended ||= word === '--amend';
    if (!word.startsWith('-') || PLAIN.test(word)) continue;
    if (WITH_VALUE.test(word)) {
      if (rest[++i] === undefined) return null;
    } else if (!HELD_VALUE.test(word)) {
      return null;
    }
  }
  const hooks = ['reference-transaction', 'post-commit', ...(isAmended ? ['post-rewrite'] : [])];
  return { folder: words.folder, hooks, hooksPath: words.hooksPath };
}

function* afterCommit(data: CommitBaseline): Looking<Verdict> {
  const { folder, before, mark, hooks = ['post-commit'], hooksPath = null, isAlone } = data;
  const unknown = (detail: string): Verdict => ({ says: 'UNKNOWN', detail });
  const repository = yield* repositoryAt(folder);
  if (repository?.gitDirectory !== data.gitDirectory) return unknown('the repository is gone or is another one');
  const news = yield* headNews(folder, before);
  if (news.kind === 'unclear') return unknown(news.detail);
  if (news.kind === 'still') return { says: 'ABSENT', detail: `HEAD is still ${shortId(before.head)}` };
  const own = ownCommit(news.added, mark);
  const way = `from ${shortId(before.head)} to ${shortId(news.head)}`;
  if (own === null) return unknown(`HEAD moved ${way} in a way this command alone does not explain`);
  const standing = yield* standingOf(folder, own);
  const made = `commit ${shortId(own)} is marked as made by this command`;
  if (standing === undefined) return unknown(`${made}, but git cannot say whether it still stands`);
  if (standing === null) return unknown(`${made}, but no branch has it any longer: it was taken back or replaced`);
  const ifStopped = stoppedHooks(yield* presentHooks(folder, hooks, hooksPath));
  return { says: 'COMMITTED', detail: `${made} and ${standing}${restOf(isAlone)}`, ifStopped };
}
