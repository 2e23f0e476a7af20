// The probe of `git push`: what the remote has under each pushed ref, asked of the remote itself before and after. A remote
// may take a moment to show a push, so ABSENT is asked for twice; what a server may still be taking is not ABSENT at all. A
// branch that has gone on and holds our commit has it, if what the push was to replace is gone; one that others pushed over,
// or that cannot be compared here, is UNKNOWN. An address is never stored, only its hash.
import * as z from 'zod';
import { sha256Hex } from '../key.ts';
import { commitAt, git, gitSays, gitStep, refAt, repositoryAt, shortId } from './git.ts';
import { presentHooks, stoppedHooks } from './gitHooks.ts';
import { isOver, transportOf } from './gitTransport.ts';
import { defineProbe, restOf } from './probe.ts';
import type { Scope, Verdict } from './probe.ts';
import type { Looking } from './reading.ts';
import type { Step } from './script.ts';

const refSchema = z.object({ ref: z.string(), before: z.string().nullable(), after: z.string().nullable() });
const schema = z.object({
  workspace: z.string(),
  folder: z.string(),
  gitDirectory: z.string(),
  /** The remote's name in the repository's settings. */
  remote: z.string(),
  /** Hash of the address that is pushed to, without what stands before an `@`: another one now means another remote. */
  addressHash: z.string(),
  refs: z.array(refSchema).min(1),
  /** How it gets there. Absent: an older version's baseline. */
  transport: z.enum(['local', 'direct', 'helper']).optional(),
  isAlone: z.boolean(),
});

type PushedRef = z.infer<typeof refSchema>;
type PushBaseline = z.infer<typeof schema>;

interface PushWords {
  readonly folder: string;
  /** Options that decide what is pushed, as written. */
  readonly options: readonly string[];
  /** The remote's name; null: git's own choice. */
  readonly remote: string | null;
  readonly refspecs: readonly string[];
}

const NETWORK_MS = 10_000;
const SETTLE_MS = 3000;
/** More refs than this are no push of one step of work. */
const MAX_REFS = 30;

export const gitPushProbe = defineProbe<PushWords, PushBaseline>({
  kind: 'git-push',
  settleMs: SETTLE_MS,
  schema,
  plan: pushWords,
  before: pushBefore,
  after: pushAfter,
  footprint: ({ workspace, addressHash, refs }) => {
    const named = refs.map(({ ref }) => `${addressHash}:${ref}`);
    return { workspace, paths: [], refs: named, runsPrograms: true };
  },
  absentDoubt: ({ remote, refs, transport = 'helper', isAlone }, end) => {
    // Of several parts it is not known whose exit code it is.
    if (isOver(transport, isAlone ? end : { ...end, exitCode: null }, refs.length)) return null;
    return `the push did not end by being rejected, as far as is known, and the server of ${remote} may still be taking it; look there before it is pushed again`;
  },
});

/** Options that only say how it is done or shown. */
const SILENT =
  /^(?:-[quv]+|--(?:quiet|verbose|set-upstream|progress|no-progress|porcelain|no-verify|verify|thin|no-thin|ipv[46]))$/;
const DECIDING =
  /^(?:-f|-d|--(?:force|force-with-lease(?:=[\w./:-]+)?|force-if-includes|tags|follow-tags|no-follow-tags|all|branches|delete|atomic|no-atomic|prune))$/;
/** A remote of the settings: addresses and paths have other characters. */
const REMOTE = /^[\w][\w-]*$/;
const REFSPEC = /^\+?[\w./~^-]*(?::[\w./-]*)?$/;

function pushWords(step: Step): PushWords | null {
  const words = gitStep(step);
  if (words?.command !== 'push' || step.output) return null;
  const options: string[] = [];
  const names: string[] = [];
  for (const word of words.rest) {
    if (DECIDING.test(word)) options.push(word);
    else if (!word.startsWith('-')) names.push(word);
    else if (!SILENT.test(word)) return null;
  }
  const [remote = null, ...refspecs] = names;
  if (remote !== null && !REMOTE.test(remote)) return null;
  return refspecs.every((one) => REFSPEC.test(one)) ? { folder: words.folder, options, remote, refspecs } : null;
}

function* pushBefore({ options, remote: named, refspecs }: PushWords, scope: Scope): Looking<PushBaseline | null> {
  const { workspace, folder, isAlone } = scope;
  const repository = yield* repositoryAt(folder);
  const remote = repository && (named ?? (yield* chosenRemote(folder)));
  const address = remote === null ? null : yield* addressOf(folder, remote);
  if (!repository || remote === null || address === null) return null;
  const pushed = yield* plannedRefs(folder, [...options, remote, ...refspecs]);
  if (!pushed) return null;
  const now = yield* remoteRefs(
    folder,
    address,
    pushed.map(({ ref }) => ref),
  );
  if (!now) return null;
  const refs = pushed.map(({ ref, after }) => ({ ref, before: now.get(ref) ?? null, after }));
  const transport = yield* transportOf(folder, remote, address);
  const { gitDirectory } = repository;
  return { workspace, folder, gitDirectory, remote, addressHash: hashOf(address), refs, transport, isAlone };
}

/** The remote that `git push` takes by itself. */
function* chosenRemote(folder: string): Looking<string | null> {
  const branch = ((yield* git(folder, ['symbolic-ref', '-q', 'HEAD'])) ?? '').trim();
  const text = branch === '' ? null : yield* git(folder, ['for-each-ref', '--format=%(push:remotename)', '--', branch]);
  const remote = (text ?? '').split('\n')[0] ?? '';
  return REMOTE.test(remote) ? remote : null;
}

/** The one address that is pushed to; null for several. It may hold credentials: it is only handed to git and hashed. */
function* addressOf(folder: string, remote: string): Looking<string | null> {
  const text = yield* git(folder, ['remote', 'get-url', '--push', '--all', '--', remote]);
  const [address, ...more] = (text ?? '').split('\n').filter((line) => line !== '');
  if (address === undefined || more.length > 0 || address.startsWith('-')) return null;
  // Git rewrites addresses by its settings: once rewritten, this one has to stay as it is.
  const asked = yield* git(folder, ['ls-remote', '--get-url', '--', address]);
  return asked?.trim() === address ? address : null;
}

function hashOf(address: string): string {
  return sha256Hex(address.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1'));
}

/** What git would push, by its own rules and settings: asked with `--dry-run`, which sends nothing. */
function* plannedRefs(
  folder: string,
  words: readonly string[],
): Looking<readonly { readonly ref: string; readonly after: string | null }[] | null> {
  const flags = ['push', '--dry-run', '--porcelain', '--no-verify', '--no-progress', '--recurse-submodules=no'];
  // 1: some refs would be rejected. What is said of them holds all the same.
  const text = yield* git(folder, [...flags, ...words], { timeoutMs: NETWORK_MS, maxExitCode: 1 });
  const lines = (text ?? '').split('\n').filter((line) => /^[ +\-*!=]\t/.test(line));
  if (lines.length === 0 || lines.length > MAX_REFS) return null;
  const planned: { readonly ref: string; readonly after: string | null }[] = [];
  for (const line of lines) {
    const [, names = ''] = line.split('\t');
    const colon = names.indexOf(':');
    const [from, ref] = [names.slice(0, colon), names.slice(colon + 1)];
    if (colon < 0 || !ref.startsWith('refs/')) return null;
    const after = from === '' ? null : yield* objectAt(folder, from);
    if (after === undefined) return null;
    planned.push({ ref, after });
  }
  return planned;
}

/** The object that is pushed from a local name: of an annotated tag the tag itself. */
function* objectAt(folder: string, name: string): Looking<string | undefined> {
  const object = name.startsWith('refs/') ? yield* refAt(folder, name) : yield* commitAt(folder, name);
  return object ?? undefined;
}

/** What the remote has under some refs; null where it cannot be asked. */
function* remoteRefs(
  folder: string,
  address: string,
  refs: readonly string[],
): Looking<ReadonlyMap<string, string> | null> {
  const text = yield* git(folder, ['ls-remote', '--', address, ...refs], { timeoutMs: NETWORK_MS });
  if (text === null) return null;
  const lines = text.split('\n').map((line) => line.split('\t'));
  return new Map(lines.flatMap(([id = '', ref = '']) => (refs.includes(ref) ? [[ref, id] as const] : [])));
}

function* pushAfter(data: PushBaseline): Looking<Verdict> {
  const { folder, remote, refs, isAlone } = data;
  const unknown = (detail: string): Verdict => ({ says: 'UNKNOWN', detail });
  const repository = yield* repositoryAt(folder);
  if (repository?.gitDirectory !== data.gitDirectory) return unknown('the repository is gone or is another one');
  const address = yield* addressOf(folder, remote);
  if (address === null || hashOf(address) !== data.addressHash) {
    return unknown(`the remote ${remote} has another address than before, or none`);
  }
  const now = yield* remoteRefs(
    folder,
    address,
    refs.map(({ ref }) => ref),
  );
  if (!now) return unknown(`the remote ${remote} cannot be asked; look when it can be reached`);
  if (refs.every((one) => (now.get(one.ref) ?? null) === one.before)) {
    return { says: 'ABSENT', detail: `${remote} has ${refs.map(({ ref }) => ref).join(', ')} as before the push` };
  }
  const told: string[] = [];
  let isAfter = true;
  for (const one of refs) {
    const { isThere, words } = yield* pushedState(folder, one, now.get(one.ref) ?? null);
    isAfter &&= isThere;
    told.push(`${one.ref} ${words}`);
  }
  const detail = `${remote}: ${told.join('; ')}`;
  if (!isAfter) return unknown(detail);
  const ifStopped = data.transport === 'local' ? yield* remoteHooks(folder, address) : undefined;
  return { says: 'COMMITTED', detail: `${detail}${restOf(isAlone)}`, ifStopped };
}

/** What a stopped push may have left undone in a repository on this machine; a server goes on by itself. */
function* remoteHooks(folder: string, address: string): Looking<string | undefined> {
  // Git takes a relative address from the top of the working tree.
  const top = (yield* git(folder, ['rev-parse', '--show-toplevel']))?.trimEnd() ?? folder;
  const path = address.replace(/^file:\/\//, '');
  const at = ['-C', path.startsWith('/') ? path : `${top}/${path}`];
  return stoppedHooks(yield* presentHooks(folder, ['post-receive', 'post-update'], null, at), 'the remote');
}

function* pushedState(
  folder: string,
  { ref, before, after }: PushedRef,
  now: string | null,
): Looking<{ readonly isThere: boolean; readonly words: string }> {
  if (now === after) return { isThere: true, words: after === null ? 'is deleted' : `is at ${shortId(after)}` };
  if (now === before) return { isThere: false, words: 'is as before the push' };
  if (now === null) return { isThere: false, words: 'is gone' };
  const is = `is at ${shortId(now)}`;
  // Only a branch goes on: a tag that is elsewhere is another tag.
  if (after === null || !ref.startsWith('refs/heads/')) return { isThere: false, words: is };
  const isPart = yield* isHeld(folder, after, now);
  if (isPart === null) return { isThere: false, words: `${is}, which is not known here (git fetch, then ask again)` };
  if (!isPart) return { isThere: false, words: `${is}, which does not hold ${shortId(after)}` };
  const words = `${is}, which holds ${shortId(after)}`;
  // A push that was to take commits back is seen by their being gone: who goes on from them may hold ours as well.
  const isForward = before === null || (yield* isHeld(folder, before, after)) === true;
  if (isForward || (yield* isHeld(folder, before, now)) === false) return { isThere: true, words };
  return { isThere: false, words: `${words}, but may hold ${shortId(before)} too, which the push was to replace` };
}

/** Whether a commit is part of another one's history; null where git cannot say. */
function isHeld(folder: string, commit: string, by: string): Looking<boolean | null> {
  return gitSays(folder, ['merge-base', '--is-ancestor', commit, by]);
}
