// Git as the probes ask it: one repository in memory, the questions that git knows, and nothing else. A word that git would
// not take there ends the question (128), as git does, so that one that is put wrongly gets no answer. What a question would
// do besides answering (locks, monitors, hooks, sending) is written down in `touched`.
import type { ProbeBaseline } from '../../src/core/ledger/entry.ts';
import { probePlan } from '../../src/core/ledger/probePlan.ts';
import { commitTag, probeOf } from '../../src/core/ledger/probes.ts';
import type { Answer, Ask, Looking, Queried } from '../../src/core/ledger/probes/reading.ts';

export interface ModelGit {
  /** Top of the working tree; git is asked there or below. */
  readonly top: string;
  /** A full ref name, or a commit when detached. */
  head: string;
  /** What each full ref name points to. */
  refs: Readonly<Record<string, string>>;
  /** The annotated tags by their own id. */
  tagObjects: Readonly<Record<string, { readonly target: string; readonly message: string }>>;
  /** The commits that are known here, each with its parents. */
  parents: Readonly<Record<string, readonly string[]>>;
  /** Newest first; null: none is kept. */
  log: readonly (readonly [commit: string, action: string])[] | null;
  /** Every file that a question may read, by absolute path. */
  files: readonly string[];
  settings: Readonly<Record<string, string>>;
  /** The push addresses of each remote. */
  remotes: Readonly<Record<string, readonly string[]>>;
  /** Beginnings of addresses that the settings replace. */
  rewrites: Readonly<Record<string, string>>;
  /** What stands under each ref at an address; an address that is not named cannot be reached. */
  servers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The remote that each branch is pushed to by itself. */
  pushRemotes: Readonly<Record<string, string>>;
  /** Other repositories, whose hooks stand in a folder of their own. */
  others: Readonly<Record<string, string>>;
  /** Questions with these words fail: 'end' ends git by 128, 'late' gives no answer at all. */
  failing: Readonly<Record<string, 'end' | 'late'>>;
  /** What questions did besides answering. */
  readonly touched: Set<string>;
}

export const id = (digit: string): string => digit.repeat(40);

/** A repository at /w whose main is at commit b, after a; its one remote has main at a. */
export function modelGit(parts: Partial<ModelGit> = {}): ModelGit {
  return {
    top: '/w',
    head: 'refs/heads/main',
    refs: { 'refs/heads/main': id('b') },
    tagObjects: {},
    parents: { [id('a')]: [], [id('b')]: [id('a')] },
    log: [
      [id('b'), 'commit: next'],
      [id('a'), 'commit (initial): start'],
    ],
    files: [],
    settings: {},
    remotes: { origin: ['/srv/remote'] },
    rewrites: {},
    servers: { '/srv/remote': { 'refs/heads/main': id('a') } },
    pushRemotes: { 'refs/heads/main': 'origin' },
    others: {},
    failing: {},
    touched: new Set(),
    ...parts,
  };
}

/** Answers everything that a probe asks from the model as it is now. */
export function playGit<T>(looking: Looking<T> | null, model: ModelGit): T {
  if (!looking) throw new Error('the probe does not know this data');
  let turn = looking.next();
  while (turn.done !== true) turn = looking.next(answerOf(turn.value, model));
  return turn.value;
}

/** How git marks the commits of the command in these stories. */
export const MARK = commitTag('0123456789abcdef0123');

/** The baseline of a command; null where there is none, or no probe. */
export function baselineOf(command: string, model: ModelGit, isAlone = true): ProbeBaseline | null {
  const plan = probePlan({ shell: 'bash', command, env: {} });
  if (!plan) return null;
  const folder = plan.folder === '' ? model.top : `${model.top}/${plan.folder}`;
  return playGit(plan.before({ workspace: '/w', folder, isAlone, mark: MARK }), model);
}

/** What the probe says of a baseline in a model, as one text. */
export function saidOf(baseline: ProbeBaseline | null, model: ModelGit): string {
  const { says, detail, ifStopped = '' } = playGit(probeOf(baseline)?.after(baseline?.data) ?? null, model);
  return `${says}: ${detail}${ifStopped}`;
}

function answerOf(ask: Ask, model: ModelGit): Answer {
  if (ask.ask !== 'query') throw new Error(`git is not asked by ${ask.ask}`);
  const text = ask.words.join(' ');
  const [, failure] = Object.entries(model.failing).find(([part]) => text.includes(part)) ?? [];
  if (failure === 'late') return { ask: 'query', seen: { ok: false, error: 'no answer in time' } };
  return { ask: 'query', seen: { ok: true, value: failure === 'end' ? END : answered(ask.words, ask.cwd, model) } };
}

const END: Queried = { exitCode: 128, stdout: '' };
const NO: Queried = { exitCode: 1, stdout: '' };
const text = (...lines: readonly string[]): Queried => ({
  exitCode: 0,
  stdout: lines.map((line) => `${line}\n`).join(''),
});

interface Asked extends ModelGit {
  readonly own: ReadonlyMap<string, string>;
  /** The repository of `-C`; null: that of the folder. */
  readonly at: string | null;
}

function answered([name, ...words]: readonly string[], cwd: string, model: ModelGit): Queried {
  if (name !== 'git' || words.includes('') || !`${cwd}/`.startsWith(`${model.top}/`)) return END;
  const own = new Map<string, string>();
  let at: string | null = null;
  let isWithoutLocks = false;
  while (words[0]?.startsWith('-')) {
    const option = words.shift();
    if (option === '--no-optional-locks') isWithoutLocks = true;
    else if (option === '-C') at = words.shift() ?? '';
    else if (option === '-c') {
      const [key = '', value = ''] = /^([\w.]+)=(.*)$/.exec(words.shift() ?? '')?.slice(1) ?? [];
      own.set(key, value);
    } else return END;
  }
  if (!isWithoutLocks) model.touched.add('a lock');
  if (own.get('core.fsmonitor') !== 'false') model.touched.add('a monitor');
  if (at !== null && model.others[at] === undefined) return END;
  const [command = '', ...rest] = words;
  return (COMMANDS[command] ?? (() => END))(rest, { ...model, own, at });
}

const COMMANDS: Readonly<Record<string, (words: readonly string[], git: Asked) => Queried>> = {
  'rev-parse': revParse,
  'for-each-ref': forEachRef,
  'symbolic-ref': (words, { head }) => {
    if (words.join(' ') !== '-q HEAD') return END;
    return head.startsWith('refs/') ? text(head) : NO;
  },
  'merge-base': ([flag, part = '', whole = '', ...more], git) => {
    const [from, to] = [commitOf(git, part), commitOf(git, whole)];
    if (flag !== '--is-ancestor' || more.length > 0 || !from || !to) return END;
    return historyOf(git, to).has(from) ? text() : NO;
  },
  log: (words, git) => {
    const [, , count = ''] = words;
    if (words.join(' ') !== `-g -n ${count} --date=raw --format=%H%x09%gd%x09%gs HEAD --`) return END;
    if (commitOf(git, 'HEAD') === null) return END;
    const { length } = git.log ?? [];
    const lines = (git.log ?? []).map(([commit, action], i) => `${commit}\tHEAD@{${length - i} +0000}\t${action}`);
    return text(...lines.slice(0, Number(count)));
  },
  reflog: (words, { log }) => (words.join(' ') === 'exists HEAD' ? (log ? text() : NO) : END),
  'cat-file': (words, { parents, tagObjects, touched }) => {
    const options = ['--batch-check=%(objecttype) %(objectname)', '--batch-all-objects', '--unordered'];
    if (!options.every((option) => words.includes(option)) || words.length !== options.length) return END;
    const all = [
      ...Object.keys(parents).map((one) => `commit ${one}`),
      ...Object.keys(tagObjects).map((t) => `tag ${t}`),
    ];
    // In any order, and so in another one each time.
    const isTurned = !touched.delete('the order of objects');
    if (isTurned) touched.add('the order of objects');
    return text(...(isTurned ? all.reverse() : all));
  },
  'hash-object': ([filters, end, path = ''], { files }) =>
    filters === '--no-filters' && end === '--' && files.includes(path) ? text(id('e')) : END,
  remote: ([verb, kind, all, end, name = ''], { remotes }) => {
    const addresses = remotes[name];
    if (verb !== 'get-url' || kind !== '--push' || end !== '--' || !addresses) return END;
    return text(...(all === '--all' ? addresses : addresses.slice(0, 1)));
  },
  config: ([verb, pattern = '', ...more], { settings }) => {
    if (verb !== '--get-regexp' || more.length > 0) return END;
    const found = Object.entries(settings).filter(([key]) => new RegExp(pattern).test(key));
    return found.length === 0 ? NO : text(...found.map(([key, value]) => `${key} ${value}`));
  },
  'ls-remote': lsRemote,
  push,
};

function revParse(words: readonly string[], git: Asked): Queried {
  const [first, second, third, name = ''] = words;
  if (first === '-q' && second === '--verify' && third === '--end-of-options' && words.length === 4) {
    const commit = name.endsWith('^{commit}') ? commitOf(git, name.slice(0, -'^{commit}'.length)) : null;
    return commit ? text(commit) : NO;
  }
  const lines: string[] = [];
  const directory = git.at === null ? `${git.top}/.git` : (git.others[git.at] ?? '');
  const isAbsolute = first === '--path-format=absolute';
  const rest = words.slice(isAbsolute ? 1 : 0);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--show-toplevel') lines.push(git.top);
    else if (word === '--git-dir' || word === '--git-common-dir') lines.push(isAbsolute ? directory : '.git');
    else if (word === '--git-path' && rest.shift() === 'hooks') {
      const path = git.own.get('core.hooksPath') ?? `${directory}/hooks`;
      lines.push(!isAbsolute ? '.git/hooks' : path.startsWith('/') ? path : `${git.top}/${path}`);
    } else return END;
  }
  return text(...lines);
}

function forEachRef(words: readonly string[], git: Asked): Queried {
  let [format, within, count, isOpen] = ['', '', Infinity, true];
  const patterns: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!isOpen || !word.startsWith('-')) patterns.push(word);
    else if (word === '--') isOpen = false;
    else if (word === '--contains') within = rest.shift() ?? '';
    else if (word.startsWith('--format=')) format = word.slice('--format='.length);
    else if (word.startsWith('--count=')) count = Number(word.slice('--count='.length));
    else return END;
  }
  const refs = Object.keys(git.refs).filter((ref) => {
    const isNamed = patterns.some((pattern) => ref === pattern || ref.startsWith(`${pattern}/`));
    return isNamed && (within === '' || historyOf(git, commitOf(git, ref) ?? '').has(within));
  });
  return text(
    ...refs
      .sort()
      .slice(0, count)
      .map((ref) => shown(git, ref, format)),
  );
}

function shown(git: Asked, ref: string, format: string): string {
  const object = git.refs[ref] ?? '';
  const tag = git.tagObjects[object];
  const atoms: Readonly<Record<string, string | undefined>> = {
    objectname: object,
    refname: ref,
    'refname:short': ref.replace(/^refs\/(?:heads|tags|remotes)\//, ''),
    objecttype: tag ? 'tag' : 'commit',
    '*objectname': tag?.target ?? '',
    contents: tag ? `${tag.message}\n` : 'the commit itself\n',
    'push:remotename': git.pushRemotes[ref] ?? '',
  };
  return format.replace(/%\(([^)]*)\)|%0a/g, (all, atom?: string) =>
    atom === undefined ? '\n' : (atoms[atom] ?? all),
  );
}

function objectOf(git: ModelGit, name: string): string | null {
  if (name in git.parents || name in git.tagObjects) return name;
  if (name === 'HEAD') return git.head.startsWith('refs/') ? (git.refs[git.head] ?? null) : git.head;
  const full = [name, `refs/tags/${name}`, `refs/heads/${name}`, `refs/remotes/${name}`].find((one) => one in git.refs);
  return full === undefined ? null : (git.refs[full] ?? null);
}

function commitOf(git: ModelGit, name: string): string | null {
  const [, base = name, steps = '0'] = /^(.*)~(\d+)$/.exec(name) ?? [];
  const object = objectOf(git, base);
  let commit = object === null ? null : (git.tagObjects[object]?.target ?? object);
  for (let i = 0; i < Number(steps); i++) commit = git.parents[commit ?? '']?.[0] ?? null;
  return commit !== null && commit in git.parents ? commit : null;
}

function historyOf(git: ModelGit, commit: string): ReadonlySet<string> {
  const found = new Set([commit]);
  for (const one of found) for (const parent of git.parents[one] ?? []) found.add(parent);
  return found;
}

function rewritten(git: ModelGit, address: string): string {
  const [from, to = ''] = Object.entries(git.rewrites).find(([start]) => address.startsWith(start)) ?? [];
  return from === undefined ? address : to + address.slice(from.length);
}

function lsRemote([first = '', second = '', ...more]: readonly string[], git: Asked): Queried {
  if (first === '--get-url') return second === '--' && more.length === 1 ? text(rewritten(git, more[0] ?? '')) : END;
  const server = first === '--' ? git.servers[rewritten(git, second)] : undefined;
  if (!server) return END;
  const isAsked = (ref: string): boolean => more.some((pattern) => ref === pattern || ref.endsWith(`/${pattern}`));
  return text(...Object.entries(server).flatMap(([ref, object]) => (isAsked(ref) ? [`${object}\t${ref}`] : [])));
}

const PUSH_FLAGS = new Set('--dry-run --porcelain --no-verify --no-progress --recurse-submodules=no'.split(' '));

function push(words: readonly string[], git: Asked): Queried {
  const options = new Set(words.filter((word) => word.startsWith('-')));
  const [remote = '', ...specs] = words.filter((word) => !word.startsWith('-'));
  const server = git.servers[git.remotes[remote]?.[0] ?? ''];
  if (![...PUSH_FLAGS].every((flag) => options.has(flag)) || !server) return END;
  const isDeletion = options.has('-d') || options.has('--delete');
  const isForced = options.has('-f') || options.has('--force');
  const more = options.has('--tags') ? Object.keys(git.refs).filter((ref) => ref.startsWith('refs/tags/')) : [];
  const named = specs.length === 0 && more.length === 0 ? [git.head] : specs;
  const all = [...named.map((one) => (isDeletion ? `:${one}` : one)), ...more].map((spec) => {
    const [from = '', to = from] = spec.replace(/^\+/, '').split(':');
    return { from, to, isForced: isForced || spec.startsWith('+') };
  });
  // A name that is nothing ends all of it, with nothing told of the others.
  if (all.some(({ from }) => from !== '' && commitOf(git, from) === null)) return NO;
  const lines = all.map((one) => plannedLine(git, server, one));
  const told = text('To the remote', ...lines, 'Done');
  return lines.some((line) => line.startsWith('!')) ? { ...told, exitCode: 1 } : told;
}

function plannedLine(
  git: Asked,
  server: Readonly<Record<string, string>>,
  { from, to, isForced }: { readonly from: string; readonly to: string; readonly isForced: boolean },
): string {
  const full = [from, `refs/heads/${from}`, `refs/tags/${from}`].find((one) => one in git.refs) ?? from;
  const there = [`refs/heads/${to}`, `refs/tags/${to}`].find((one) => one in git.refs || one in server);
  const target = to.startsWith('refs/') ? to : to === from && full !== from ? full : (there ?? `refs/heads/${to}`);
  const [old, object] = [server[target], from === '' ? null : commitOf(git, from)];
  if (object === null) return `-\t:${target}\t[deleted]`;
  if (old === undefined) return `*\t${full}:${target}\t[new branch]`;
  return `${historyOf(git, object).has(old) ? ' ' : isForced ? '+' : '!'}\t${full}:${target}\t[shown]`;
}
