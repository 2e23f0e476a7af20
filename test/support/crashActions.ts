// What an agent asks for in the crash world, and what that does there. The world itself counts what took place, by ledger
// key, so that the ledger's claims are checked against facts and not against its own words.
import type { EffectLevel } from '../../src/core/ledger/entry.ts';
import type { GatedCommand, RandomPort } from '../../src/engine/ports.ts';
import type { CrashDisk } from './crashFiles.ts';
import type { RunPlan } from './crashCommands.ts';

/** One logical action. */
export type CrashAction =
  | { readonly kind: 'command'; readonly level: EffectLevel; readonly command: string }
  | { readonly kind: 'edit'; readonly level: EffectLevel; readonly paths: readonly string[] };

/** What took place for a ledger key. */
export interface Done {
  whole: number;
  part: number;
}

/** Facts about commands, by ledger key. Facts about edits are the files themselves. */
export type Facts = Map<string, Done>;

/** The line that an edit puts after the first line of each of its files. */
export const EDIT_LINE = 'edited\n';
export const FIRST_LINE = 'first\n';

const APPEND = /echo (\S+) >> (\S+)/;
const MAKE = /^mkdir -p (\S+)$/;
const COMMIT = /git commit -q --allow-empty -m (\S+)/;

/** Files before anything was asked for: a log, five sources and a repository. */
export function crashDisk(): CrashDisk {
  const sources = ['a', 'b', 'c', 'd', 'e'].map((name): [string, string] => [`src/${name}.ts`, `${FIRST_LINE}last\n`]);
  const head = 'a'.repeat(40);
  const line = `${'0'.repeat(40)} ${head} Ada <ada@example.org> 1 +0000\tcommit (initial): start\n`;
  const contents = new Map([
    ['log.txt', 'start\n'],
    ...sources,
    ['.git/HEAD', 'ref: refs/heads/main\n'],
    ['.git/refs/heads/main', `${head}\n`],
    ['.git/logs/HEAD', line],
  ]);
  return { contents, images: new Map() };
}

/** Draws an action: R0 to R3, with and without a probe, edits of one to five files. */
export function drawAction(random: RandomPort): CrashAction {
  const kinds: readonly (() => CrashAction)[] = [
    () => ({ kind: 'command', level: 'R2', command: 'echo line >> log.txt' }),
    () => ({ kind: 'command', level: 'R2', command: 'sleep 1 && echo line >> log.txt' }),
    () => ({ kind: 'command', level: 'R2', command: 'git commit -q --allow-empty -m same' }),
    () => ({ kind: 'command', level: 'R2', command: 'deploy --now' }),
    () => ({ kind: 'command', level: 'R3', command: 'send --mail' }),
    () => ({ kind: 'command', level: 'R3', command: 'echo bye >> log.txt' }),
    () => ({ kind: 'command', level: 'R1', command: 'mkdir -p out' }),
    () => ({ kind: 'command', level: 'R0', command: 'cat log.txt' }),
    () => edit('R2', 1 + pick(random, 5)),
    () => edit('R2', 1),
    () => edit('R2', 2 + pick(random, 4)),
    () => edit('R3', 1 + pick(random, 3)),
  ];
  const make = kinds[pick(random, kinds.length)];
  if (!make) throw new Error('no such action');
  return make();
}

function edit(level: EffectLevel, count: number): CrashAction {
  return { kind: 'edit', level, paths: ['a', 'b', 'c', 'd', 'e'].slice(0, count).map((name) => `src/${name}.ts`) };
}

/** A whole number from 0 below `count`. */
export function pick(random: RandomPort, count: number): number {
  return Math.floor(random.next() * count);
}

/** Draws how a run goes. A command that ends with 0 did its work; one that fails may have done all, a part or nothing. */
export function drawPlan(random: RandomPort, { command }: GatedCommand): RunPlan {
  const ends = (['zero', 'zero', 'zero', 'zero', 'two', 'killed', 'hangs'] as const)[pick(random, 7)] ?? 'zero';
  const amounts = amountsOf(String(command));
  const acts = ends === 'zero' ? 'whole' : (amounts[pick(random, amounts.length)] ?? 'none');
  const [startMs, actMs, endMs] = [random.next() * 15, random.next() * 25, random.next() * 25];
  return { acts, ends, startMs, actMs, endMs };
}

/** How much a command that does not end with 0 may have done. A folder and a ref are there or not; a line may be half. */
function amountsOf(command: string): readonly RunPlan['acts'][] {
  return MAKE.test(command) || COMMIT.test(command) ? ['none', 'whole'] : ['none', 'part', 'whole'];
}

/** What a command does to the disk; the caller keeps the count. */
export function actOn({ contents }: CrashDisk, { command, env }: GatedCommand, amount: 'whole' | 'part'): void {
  const text = String(command);
  const [, word = '', file] = APPEND.exec(text) ?? [];
  const line = amount === 'whole' ? `${word}\n` : word.slice(0, 2);
  if (file !== undefined) contents.set(file, `${contents.get(file) ?? ''}${line}`);
  const [, folder] = MAKE.exec(text) ?? [];
  if (folder !== undefined) contents.set(`${folder}/.keep`, '');
  const [, message] = COMMIT.exec(text) ?? [];
  if (message === undefined || amount === 'part') return;
  const before = (contents.get('.git/refs/heads/main') ?? '').trim();
  const after = String(Number.parseInt(before.slice(0, 8), 16) + 1)
    .padStart(40, '0')
    .slice(0, 40);
  contents.set('.git/refs/heads/main', `${after}\n`);
  const action = env.GIT_REFLOG_ACTION ?? 'commit';
  const log = contents.get('.git/logs/HEAD') ?? '';
  contents.set('.git/logs/HEAD', `${log}${before} ${after} Ada <ada@example.org> 2 +0000\t${action}: ${message}\n`);
}
