// What a person can do about an effect that an undo by files does not reach. Told, never run: each of these changes things
// that the ledger does not own (refs, the index, other machines).
import type { LedgerEntry } from '../entry.ts';

/** By the kind of the entry's probe. The words say what takes the effect back. */
const BY_PROBE: Readonly<Record<string, string>> = {
  'git-commit': 'To take a commit back, make its opposite with "git revert <commit>".',
  'git-ref':
    'A new branch is taken back with "git branch -d <name>", a new tag with "git tag -d <name>"; a deleted one is made again at its old commit with "git branch <name> <commit>" or "git tag <name> <commit>".',
  'git-push': 'A push has reached others: push the opposite commit made with "git revert <commit>".',
  'npm-version':
    'It changed the version in package.json and may have made a commit and a tag: use "git revert" and "git tag -d".',
  append: 'Remove the added lines at the end of the file by hand.',
  'file-create': 'Delete what it made by hand, if nothing in it is wanted.',
  'file-copy': 'Delete the copy by hand, if nothing in it is wanted.',
  'file-move': 'Move it back by hand.',
};

const ANY =
  'What it changed is not in the ledger. Look at what it should have done and take that back by hand, or with the tool that did it.';

/** Kinds of probes whose effect is not in files of the workspace, whatever files are known besides. */
const OUTSIDE_FILES = new Set(['git-commit', 'git-ref', 'git-push', 'npm-version']);

/** A sentence for a person. */
export function adviceFor({ probe }: Pick<LedgerEntry, 'probe'>): string {
  const kind = probe?.kind ?? '';
  return (Object.hasOwn(BY_PROBE, kind) ? BY_PROBE[kind] : undefined) ?? ANY;
}

/** Has the entry an effect that files cannot tell of? */
export function hasEffectOutsideFiles({ probe }: Pick<LedgerEntry, 'probe'>): boolean {
  return OUTSIDE_FILES.has(probe?.kind ?? '');
}
