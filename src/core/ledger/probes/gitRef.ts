// The probe of commands that make or delete branches and tags: `git branch`, `git checkout -b`, `git switch -c`, `git tag`.
// What each ref points to, before and after; for an annotated tag also its message. Another who makes the same ref at the
// same commit looks the same: that is weighed in ../rivals.ts.
import * as z from 'zod';
import { sha256Hex } from '../key.ts';
import { commitAt, git, gitStep, refAt, repositoryAt, shortId } from './git.ts';
import { presentHooks, stoppedHooks } from './gitHooks.ts';
import { defineProbe, restOf } from './probe.ts';
import type { Scope, Verdict } from './probe.ts';
import { refWords } from './gitRefWords.ts';
import type { RefWords } from './gitRefWords.ts';
import type { Looking } from './reading.ts';

const refSchema = z.object({
  /** Full name; `HEAD` for the branch that is checked out, whose value is a ref name. */
  ref: z.string(),
  before: z.string().nullable(),
  /** Null: it is deleted. Of an annotated tag the commit it names. */
  after: z.string().nullable(),
  isAnnotated: z.boolean(),
  /** Hash of an annotated tag's message; null: not known from the words. */
  messageHash: z.string().nullable(),
});
const schema = z.object({
  workspace: z.string(),
  folder: z.string(),
  commonDirectory: z.string(),
  refs: z.array(refSchema).min(1),
  /** Hooks that git runs with it and that are there. Absent: an older version's baseline. */
  hooks: z.array(z.string()).optional(),
  isAlone: z.boolean(),
});

type RefChange = z.infer<typeof refSchema>;
type RefBaseline = z.infer<typeof schema>;

interface Hooked {
  readonly hooksPath: string | null;
}

export const gitRefProbe = defineProbe<RefWords & Hooked, RefBaseline>({
  kind: 'git-ref',
  schema,
  plan: (step) => {
    const words = gitStep(step);
    const named = words && !step.output ? refWords(words) : null;
    return named && { ...named, hooksPath: words?.hooksPath ?? null };
  },
  before: refsBefore,
  after: refsAfter,
  footprint: ({ workspace, commonDirectory, refs, hooks = [] }) => {
    const named = refs.map(({ ref }) => `${commonDirectory}:${ref}`);
    return { workspace, paths: [], refs: named, runsPrograms: hooks.length > 0 || refs.some(isEntering) };
  },
});

/** A branch that is entered: post-checkout runs there, and may come to the repository at any time. */
function isEntering({ ref }: RefChange): boolean {
  return ref === 'HEAD';
}

function* refsBefore(
  { changes, enters, start, hooksPath }: RefWords & Hooked,
  scope: Scope,
): Looking<RefBaseline | null> {
  const { workspace, folder, isAlone } = scope;
  const repository = yield* repositoryAt(folder);
  const target = repository && (yield* commitAt(folder, start));
  if (!repository || target === undefined) return null;
  const refs: RefChange[] = [];
  for (const { ref, isDeleted, isAnnotated, message } of changes) {
    const before = yield* refAt(folder, ref);
    // Without a commit there is nothing to point to, and git makes the branch in its own way.
    if (before === undefined || (!isDeleted && target === null)) return null;
    const messageHash = message === null ? null : sha256Hex(message.trim());
    refs.push({ ref, before, after: isDeleted ? null : target, isAnnotated, messageHash });
  }
  if (enters !== null) {
    const before = yield* checkedOut(folder);
    refs.push({ ref: 'HEAD', before, after: enters, isAnnotated: false, messageHash: null });
  }
  const names = ['reference-transaction', ...(enters === null ? [] : ['post-checkout'])];
  const hooks = [...(yield* presentHooks(folder, names, hooksPath))];
  return { workspace, folder, commonDirectory: repository.commonDirectory, refs, hooks, isAlone };
}

/** The branch that HEAD names; null when it is detached. */
function* checkedOut(folder: string): Looking<string | null> {
  const text = yield* git(folder, ['symbolic-ref', '-q', 'HEAD']);
  return text === null ? null : text.trim();
}

function* refsAfter({ folder, commonDirectory, refs, hooks = [], isAlone }: RefBaseline): Looking<Verdict> {
  const unknown = (detail: string): Verdict => ({ says: 'UNKNOWN', detail });
  const repository = yield* repositoryAt(folder);
  if (repository?.commonDirectory !== commonDirectory) return unknown('the repository is gone or is another one');
  const told: string[] = [];
  let isBefore = true;
  let isAfter = true;
  for (const change of refs) {
    const now = change.ref === 'HEAD' ? yield* checkedOut(folder) : yield* refAt(folder, change.ref);
    if (now === undefined) return unknown('the repository cannot be read');
    const is = now === change.before ? 'before' : (yield* isMade(folder, change, now)) ? 'after' : 'else';
    isBefore &&= is === 'before';
    isAfter &&= is === 'after' || (is === 'before' && change.before === change.after);
    const none = change.ref === 'HEAD' ? 'is on no branch' : 'does not exist';
    told.push(`${change.ref} ${now === null ? none : `is at ${shortName(now)}`}`);
  }
  const detail = told.join('; ');
  if (isBefore) return { says: 'ABSENT', detail: `${detail}, as before the command` };
  if (isAfter) {
    const words = `${detail}, as this command leaves it${restOf(isAlone)}`;
    return { says: 'COMMITTED', detail: words, ifStopped: stoppedHooks(hooks) };
  }
  return unknown(`${detail}, which this command alone does not explain`);
}

function shortName(value: string): string {
  return value.startsWith('refs/') ? value : shortId(value);
}

/** Whether a ref is as the command leaves it. */
function* isMade(
  folder: string,
  { ref, after, isAnnotated, messageHash }: RefChange,
  now: string | null,
): Looking<boolean> {
  if (!isAnnotated || now === null) return now === after;
  const text = yield* git(folder, ['for-each-ref', '--format=%(objecttype) %(*objectname)%0a%(contents)', '--', ref]);
  const [first = '', ...message] = (text ?? '').split('\n');
  if (first !== `tag ${after ?? ''}`) return false;
  return messageHash === null || sha256Hex(message.join('\n').trim()) === messageHash;
}
