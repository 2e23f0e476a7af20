// What a call reaches beside what its rows say: code of the project that it loads, files and settings outside the workspace,
// a repository elsewhere, and text nobody knows that would go to the network. Only adds; every doubt is R3.
import { note } from './effects.ts';
import { locate } from './paths.ts';
import { LOADING_TOOLS } from './programs.ts';
import type { Call } from './rules/match.ts';
import type { Rule } from './rules/rule.ts';
import { noteRun, type Stdin, type Walk } from './walk.ts';
import { literalWord, type ShellWord } from './word.ts';

/** One call with the rows that gave its level. */
export interface Reached {
  readonly call: Call;
  readonly level: readonly Rule[];
  readonly title: string;
  readonly stdin: Stdin;
}

const RUNS: ReadonlySet<string> = new Set(['run-project-task', 'run-script', 'install-packages']);
const NETWORK: ReadonlySet<string> = new Set([
  'network-read',
  'network-write',
  'read-service',
  'install-packages',
  'publish',
]);
const GIT_NETWORK: ReadonlySet<string> = new Set([
  'fetch',
  'pull',
  'push',
  'clone',
  'ls-remote',
  'archive',
  'remote',
  'submodule',
]);
// Programs that look only at this machine although their rows are of a network kind.
const CLIENTS_WITHOUT_INPUT: ReadonlySet<string> = new Set([
  'ping',
  'ping6',
  'dig',
  'nslookup',
  'host',
  'whois',
  'getent',
]);

/** Notes what a call reaches. */
export function noteReach(reached: Reached, walk: Walk): void {
  const { call, level } = reached;
  const kinds = level.map(({ kind }) => kind);
  const loads = kinds.some((kind) => RUNS.has(kind)) || LOADING_TOOLS.has(call.program);
  if (loads && call.program !== 'git') {
    noteRun(walk);
    noteOutside(reached, walk);
  }
  if (call.program === 'git') noteRepository(reached, walk);
  noteUnknownText(reached, walk);
}

/** Settings, plugins and inputs of a tool that runs code must lie in the workspace, wherever they are named. */
function noteOutside({ call, title }: Reached, walk: Walk): void {
  const words = [...call.words, ...call.parsed.options.flatMap(({ value }) => value ?? [])];
  for (const word of words.flatMap((one) => one.choices ?? [one])) {
    const reason =
      word.kind === 'opaque'
        ? 'is given something that is known only when it runs'
        : piecesOutside(word, walk)
          ? `is given ${word.known}, which is outside the workspace or guarded`
          : undefined;
    if (reason === undefined) continue;
    note(walk.findings, { level: 'R3', reason: `${title} ${reason}`, kind: 'outside-workspace' });
    return;
  }
}

/** True where some piece of a word (`--a=b,c:d`) is a path that leads out. */
function piecesOutside(word: ShellWord, walk: Walk): boolean {
  return word.known.split(/[=,;:]/).some((one) => {
    const piece = one.replace(/^-\w/, '');
    if (!/^[/~\\]|(^|[/\\])\.\.([/\\]|$)/.test(piece)) return false;
    const { place } = locate({ ...literalWord(piece), kind: word.kind }, walk);
    return place !== 'inside' && place !== 'discard';
  });
}

/** Whatever changes a repository must change the workspace's own. */
function noteRepository({ level, title }: Reached, walk: Walk): void {
  if (level.every((rule) => rule.level === 'R0' && rule.kind !== 'change-repository')) return;
  const { place } = locate(literalWord('.'), walk);
  if (place !== 'inside')
    note(walk.findings, {
      level: 'R3',
      reason: `${title} works on a repository outside the workspace, or its directory is not known`,
      kind: 'outside-workspace',
    });
}

function noteUnknownText({ call, level, title, stdin }: Reached, walk: Walk): void {
  const kinds = level.map(({ kind }) => kind);
  const isNetwork =
    kinds.some((kind) => NETWORK.has(kind)) ||
    (call.program === 'git' && GIT_NETWORK.has(call.parsed.operands[0]?.known ?? ''));
  if (!isNetwork) return;
  // A home directory stands here as ~; what it is called is not known.
  const isUnknown = (word: ShellWord) =>
    (word.kind === 'opaque' && word.choices === undefined) || (word.expanded && word.known.includes('~'));
  if (call.words.some(isUnknown))
    note(walk.findings, {
      level: 'R3',
      reason: `${title} sends text to the network that is known only when it runs`,
      kind: 'network-write',
    });
  const reads = kinds.some((kind) => kind === 'network-read' || kind === 'network-write');
  if (reads && stdin.from !== 'caller' && !CLIENTS_WITHOUT_INPUT.has(call.program))
    note(walk.findings, {
      level: 'R3',
      reason: `${title} is given input that it may send to the network`,
      kind: 'network-write',
    });
}
