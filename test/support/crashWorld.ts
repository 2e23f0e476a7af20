// One story of the crash world: an agent asks for something, Belay dies at a drawn point, another Belay (sometimes two at
// once, as two windows) finds out what became of it and the agent asks again, under the same or another tool-use id. The
// ledger is then compared with what really took place. Everything follows from the seed.
import type { EventBody } from '../../src/core/events.ts';
import type { EntryState, LedgerEntry } from '../../src/core/ledger/entry.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import type { RandomPort } from '../../src/engine/ports.ts';
import { actOn, crashDisk, drawAction, drawPlan, pick } from './crashActions.ts';
import type { CrashAction, Facts } from './crashActions.ts';
import { askFor, recoverIn, toolCallOf } from './crashAsk.ts';
import type { Told } from './crashAsk.ts';
import { crashFiles } from './crashFiles.ts';
import type { CrashDisk } from './crashFiles.ts';
import { crashKernel } from './crashKernel.ts';
import type { CrashKernel, Mortal } from './crashKernel.ts';
import { crashMachine } from './crashCommands.ts';
import type { CrashMachine } from './crashCommands.ts';
import { effectCount, isUntold, wrongClaims } from './crashClaims.ts';
import type { WrongClaims } from './crashClaims.ts';
import { must } from './memoryEntries.ts';
import { seededRandom } from './random.ts';
import { virtualStore } from './virtualStore.ts';
import type { VirtualStore } from './virtualStore.ts';

/** What a story came to. */
export interface CrashReport {
  /** Processes that died at a point. */
  readonly deaths: number;
  readonly powerCuts: number;
  readonly lostWrites: number;
  /** Effects beyond those that were asked for. */
  readonly duplicates: readonly string[];
  readonly falseCommitted: readonly string[];
  readonly falseAbsent: readonly string[];
  /** Answers about an unknown effect that do not say so. */
  readonly untold: readonly string[];
  /** Answers that said that an effect may have happened. */
  readonly toldUnknown: number;
  /** New ids that asked for an effect that stood already and that nobody had been told of; DESIGN 4 lets them run. */
  readonly unheard: number;
  /** The last entry of the story's action, in words, for the spread over states. */
  readonly end: string;
}

export interface CrashOptions {
  /** Sabotage, to see that the check can fail: the ledger is empty after every round. */
  readonly forgets?: boolean;
}

interface World {
  readonly random: RandomPort;
  readonly kernel: CrashKernel;
  readonly disk: CrashDisk;
  readonly facts: Facts;
  readonly machine: CrashMachine;
  readonly store: VirtualStore;
  readonly events: EventBody[];
  deaths: number;
  powerCuts: number;
  powerIsOut: boolean;
}

function makeWorld(random: RandomPort): World {
  const disk = crashDisk();
  const facts: Facts = new Map();
  const kernel = crashKernel(random, (process) => onDeath(process));
  const machine = crashMachine({
    kernel,
    random,
    plan: (command) => drawPlan(random, command),
    act: (command, amount) => {
      const done = facts.get(command.key) ?? { whole: 0, part: 0 };
      done[amount]++;
      facts.set(command.key, done);
      actOn(disk, command, amount);
    },
  });
  const store = virtualStore();
  const parts = { random, kernel, disk, facts, machine, store, events: [] };
  const world: World = { ...parts, deaths: 0, powerCuts: 0, powerIsOut: false };
  const onDeath = (process: Mortal): void => {
    world.deaths++;
    const how = pick(random, 10);
    // kill -9 of Belay alone, of its whole group, or a power cut.
    if (how >= 5 && how < 8) machine.killCommands(process);
    else if (how >= 8) world.powerIsOut = true;
  };
  return world;
}

/** The ports of a process: every call is two points. */
function portsOf({ kernel, disk, machine, store, random }: World, process: Mortal): EffectPorts {
  const { port } = store;
  return {
    clock: { nowMs: () => kernel.nowMs(), sleep: (ms, signal) => abortable(kernel.point(process, ms), signal) },
    store: {
      ...port,
      write: (transaction) => kernel.call(process, () => port.write(transaction)),
      lease: (request) => kernel.call(process, () => port.lease(request)),
      releaseLease: (key, token) => kernel.call(process, () => port.releaseLease(key, token)),
      entry: (key) => kernel.call(process, () => port.entry(key)),
      entries: (filter) => kernel.call(process, () => port.entries(filter)),
      history: (key) => kernel.call(process, () => port.history(key)),
    },
    command: machine.portOf(process),
    files: crashFiles(kernel, disk, process),
    approval: {
      ask: () =>
        kernel.call(process, () => ({ choice: random.next() < 0.5 ? 'allow' : 'deny', note: '', by: 'Ada' }) as const),
    },
  };
}

/** Rejects when the signal is aborted first, as a clock's sleep does. */
function abortable(sleep: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return sleep;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    void sleep.then(resolve);
  });
}

/** Points of one request, roughly: deaths are drawn up to here, so that the late ones are met as well. */
const MAX_POINT = 36;

interface Asking {
  readonly process: Mortal;
  told: Told | null;
  isOver: boolean;
  /** A rejection: nothing of Belay may reject. */
  bug: Error | null;
}

/** One process that recovers what is open (or not) and then asks. */
function begin(story: Story, id: number, dies: boolean, recovers: boolean, isAlone: boolean): Asking {
  const { world, action } = story;
  const { kernel, random, events } = world;
  const process = kernel.spawn(dies ? 1 + pick(random, recovers ? 2 * MAX_POINT : MAX_POINT) : null);
  const asking: Asking = { process, told: null, isOver: false, bug: null };
  const ports = portsOf(world, process);
  const work = async (): Promise<void> => {
    if (recovers) {
      for (const key of await recoverIn(ports, (body) => events.push(body))) story.heard.add(key);
    }
    await allow(story, id, isAlone);
    asking.told = await askFor(ports, action, id, (body) => events.push(body));
    story.heard.add(asking.told.key);
  };
  const finish = (): void => {
    asking.isOver = true;
  };
  work().then(finish, (error: unknown) => {
    asking.bug = error instanceof Error ? error : new Error(String(error));
    finish();
  });
  return asking;
}

function isEnded({ isOver, process }: Asking): boolean {
  return isOver || !process.isAlive;
}

async function settle(world: World, asking: readonly Asking[]): Promise<void> {
  await world.kernel.runUntil(() => world.powerIsOut || asking.every(isEnded));
  if (!world.powerIsOut) return;
  for (const { process } of asking) process.isAlive = false;
  world.machine.killCommands(null);
  await world.store.powerCut(world.random);
  world.powerIsOut = false;
  world.powerCuts++;
}

/** The state of a story while it is told. */
interface Story {
  readonly world: World;
  readonly action: CrashAction;
  readonly told: Told[];
  /** Tool-use ids that may have an effect of their own. */
  readonly allowed: Set<number>;
  /** Keys whose outcome somebody was told. */
  readonly heard: Set<string>;
  /** New ids that asked after an effect which nobody was told of. */
  unheard: number;
  latestId: number;
  /** Effects that were asked for: an id that is new asks for one more, unless the same is open (DESIGN 4). */
  allowance: number;
  readonly forgets: boolean;
}

async function entriesOf({ store }: World): Promise<readonly LedgerEntry[]> {
  return must(await store.port.entries({}));
}

/**
 * What an id that is new asks for: one more effect, unless one of the same words is open: that one answers for it (DESIGN 4).
 * Of an effect that is settled and that nobody was told of, a new id cannot know: that is counted apart.
 */
async function allow(story: Story, id: number, isAlone: boolean): Promise<void> {
  const { allowed, heard, world } = story;
  const entries = await entriesOf(world);
  if (allowed.has(id) || entries.some(({ ids }) => ids.toolCall === toolCallOf(id))) return;
  const leaders = entries.filter(({ probe }) => probe?.kind !== SAME_EFFECT);
  if (isAlone && leaders.some(isOpen)) return;
  allowed.add(id);
  story.allowance++;
  if (leaders.some(({ key, state }) => COMMITTED.has(state) && !heard.has(key))) story.unheard++;
}

const COMMITTED: ReadonlySet<EntryState> = new Set<EntryState>(['COMMITTED', 'RECONCILED_COMMITTED']);

function isOpen({ state }: LedgerEntry): boolean {
  return state === 'PREPARED' || state === 'UNKNOWN';
}

/** One or two processes at once; in the last round one that lives. */
async function playRound(story: Story, round: number, isLast: boolean): Promise<void> {
  const { world } = story;
  const { random, kernel } = world;
  const windows = !isLast && random.next() < 0.25 ? 2 : 1;
  const asking: Asking[] = [];
  for (let window = 0; window < windows; window++) {
    if (random.next() < 0.3) story.latestId++;
    const dies = !isLast && (round === 0 || random.next() < 0.6);
    asking.push(begin(story, story.latestId, dies, round > 0 && random.next() < 0.7, windows === 1));
    if (window + 1 < windows) await kernel.runUntil(() => random.next() < 0.3 || asking.every(isEnded));
  }
  await settle(world, asking);
  if (story.forgets) await world.store.forget();
  for (const one of asking) {
    // A command line ends with its answer.
    one.process.isAlive = false;
    if (one.bug) throw one.bug;
    if (one.told) story.told.push(one.told);
  }
}

/** Neighbouring seeds begin with nearly the same draws; their mixtures do not. */
function mixed(seed: number): number {
  const once = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

/** Plays the story of a seed. */
export async function playCrash(seed: number, { forgets = false }: CrashOptions = {}): Promise<CrashReport> {
  const random = seededRandom(mixed(seed));
  const world = makeWorld(random);
  const story: Story = {
    world,
    action: drawAction(random),
    told: [],
    allowed: new Set(),
    heard: new Set(),
    unheard: 0,
    latestId: 0,
    allowance: 0,
    forgets,
  };
  const rounds = 2 + pick(random, 3);
  const early = { falseCommitted: new Array<string>(), falseAbsent: new Array<string>() };
  for (let round = 0; round <= rounds; round++) {
    await playRound(story, round, round === rounds);
    // A claim must hold when it is made, not only in the end.
    const claims = wrongClaims(await entriesOf(world), story.action, world.facts, world.disk);
    early.falseCommitted.push(...claims.falseCommitted);
    early.falseAbsent.push(...claims.falseAbsent);
  }
  // Commands that are still on their way come to their end before the last look.
  await world.kernel.runUntil(() => !world.machine.isBusy());
  return reportOf(story, await entriesOf(world), early);
}

function reportOf(story: Story, entries: readonly LedgerEntry[], early: WrongClaims): CrashReport {
  const { world, action, told, allowance } = story;
  const { facts, disk, deaths, powerCuts, store } = world;
  const claims = wrongClaims(entries, action, facts, disk);
  const count = effectCount(action, facts, disk);
  // An edit and an R1 make a state: twice is no more than once.
  const isState = action.kind === 'edit' || action.level === 'R1';
  const allowed = isState ? 1 : allowance;
  return {
    deaths,
    powerCuts,
    lostWrites: store.lostCount(),
    duplicates: count > allowed ? [`${count} effects, ${allowed} asked for`] : [],
    falseCommitted: [...new Set([...early.falseCommitted, ...claims.falseCommitted])],
    falseAbsent: [...new Set([...early.falseAbsent, ...claims.falseAbsent])],
    unheard: story.unheard,
    untold: told.filter(isUntold).map(({ state, text }) => `${state ?? ''}: ${text}`),
    toldUnknown: told.filter(({ result }) => result === 'unknown').length,
    end: `${wordsOf(action)}: ${entries.at(-1)?.state ?? 'no entry'}`,
  };
}

function wordsOf(action: CrashAction): string {
  return `${action.level} ${action.kind === 'edit' ? `edit of ${action.paths.length}` : action.command}`;
}
