// 200 real `belay exec` processes are killed at random moments, alone or with their whole group, and the same task and step is
// asked for again: no effect takes place twice, COMMITTED is never false, and what nobody knows is told with exit code 1. The
// effects are counted from files and commits. The moments follow from a seed (`BELAY_SEED`), but not what a process had
// reached by then: that is the machine's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleCommandLine } from '../support/execBundle.ts';
import { EXEC_KINDS, execLane } from '../support/execLane.ts';
import type { ExecAnswer, ExecKind, ExecLane, KillMode } from '../support/execLane.ts';
import { seededRandom } from '../support/random.ts';

const KILLS = 200;
/** Lanes wait most of the time: for a command, for a lease of the dead. */
const LANES = 6;
const SEED = Number(process.env.BELAY_SEED ?? 20_261_130);
const MODES: readonly KillMode[] = ['group', 'belay', 'group', 'command', 'group', 'term', 'group', 'belay'];
/** What a command of the kinds takes at least, ms. */
const COMMAND_MS = 160;
/** Of the second requests one in so many is a process of its own; the others go to one that lives on, which is faster. */
const REAL_REPEAT_EVERY = 10;

const SAYS_UNKNOWN = /may have happened|not known|not over yet|whether/i;

/** How long a run takes that nobody kills, ms. */
interface Pace {
  usualMs: number;
}

interface Tally {
  kills: number;
  unknown: number;
  readonly states: Map<string, number>;
  readonly wrongs: string[];
  /** Counts every effect again when all is over: a command may have gone on after the last answer. */
  readonly recounts: (() => void)[];
}

/** An answer against the number of effects there are now. */
function checkAnswer(tally: Tally, name: string, answer: ExecAnswer, effects: number): void {
  const { state, exitCode, reason } = answer;
  const isDone = state === 'COMMITTED' || state === 'RECONCILED_COMMITTED';
  if (isDone && effects === 0) tally.wrongs.push(`${name}: false ${state}: ${reason}`);
  // One that was killed after it had answered has no exit code.
  if (exitCode !== null && isDone !== (exitCode === 0))
    tally.wrongs.push(`${name}: ${String(state)} with exit code ${String(exitCode)}`);
  if ((state === 'FAILED' || state === 'RECONCILED_ABSENT') && effects > 0)
    tally.wrongs.push(`${name}: false ${state}: ${reason}`);
  if (state !== 'UNKNOWN' && state !== 'PREPARED') return;
  tally.unknown++;
  if (!SAYS_UNKNOWN.test(reason) || /no changes/i.test(reason))
    tally.wrongs.push(`${name}: untold ${state}: ${reason}`);
}

/**
 * When a process is killed. Most moments count from its start, and where it is mostly starting few of them fall into its
 * command; so the moments of half of the commands that note their beginning count from there.
 */
function killOrder(lane: ExecLane, kind: ExecKind, step: number, draws: () => number, pace: Pace) {
  const share = draws();
  const { hasBegun } = kind;
  if (hasBegun && draws() < 0.5) return { afterMs: COMMAND_MS * share, from: () => hasBegun(lane.folder, step) };
  return { afterMs: pace.usualMs * (0.15 + 0.8 * share) };
}

describe('belay exec that is killed', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'belay-exec-kill-'));
    program = await bundleCommandLine(join(folder, 'program'));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

  /** One action: killed, asked again (killed again now and then), and asked a last time. */
  const story = async (lane: ExecLane, kind: ExecKind, step: number, draws: () => number, pace: Pace, tally: Tally) => {
    const command = kind.command(step);
    const name = `seed ${SEED}, ${lane.folder}, step ${step} (${kind.name})`;
    const attempts = draws() < 0.2 ? 2 : 1;
    for (let i = 0; i < attempts && tally.kills < KILLS; i++) {
      const mode = MODES[Math.floor(draws() * MODES.length)] ?? 'group';
      const order = killOrder(lane, kind, step, draws, pace);
      const { answer, isStruck } = await lane.spawn(step, command, { mode, ...order });
      if (isStruck) tally.kills++;
      // It was over before: the machine is faster than was thought.
      else if (!order.from) pace.usualMs *= 0.9;
      if (answer) checkAnswer(tally, `${name}, first answer after ${mode}`, answer, kind.count(lane.folder, step));
    }
    lane.unlock();
    const isReal = step % REAL_REPEAT_EVERY === 0;
    const last = isReal ? (await lane.spawn(step, command, null)).answer : await lane.ask(step, command);
    const effects = kind.count(lane.folder, step);
    tally.recounts.push(() => {
      const inTheEnd = kind.count(lane.folder, step);
      if (inTheEnd > 1) tally.wrongs.push(`${name}: ${inTheEnd} effects`);
      if (last) checkAnswer(tally, `${name}, in the end`, last, inTheEnd);
    });
    if (!last) {
      tally.wrongs.push(`${name}: no answer to the last request`);
      return;
    }
    checkAnswer(tally, `${name}, last answer`, last, effects);
    const state = `${kind.name}: ${String(last.state)}`;
    tally.states.set(state, (tally.states.get(state) ?? 0) + 1);
  };

  it(
    `makes nothing twice, claims nothing false and tells every unknown in ${KILLS} kills (seed ${SEED})`,
    { timeout: 1_800_000 },
    async () => {
      const tally: Tally = { kills: 0, unknown: 0, states: new Map(), wrongs: [], recounts: [] };
      const work = async (number: number): Promise<void> => {
        const random = seededRandom(SEED * 31 + number * 7919);
        const draws = (): number => random.next();
        for (let i = 0; i < 20; i++) draws();
        const lane = execLane(join(folder, `lane-${number}`), program);
        const startedAt = performance.now();
        await lane.spawn(0, 'echo line-0 >> log.txt; sleep 0.16', null);
        // The usual time of a run beside the others, so that the kills fall between its beginning and its end.
        const pace = { usualMs: performance.now() - startedAt };
        for (let step = 1; tally.kills < KILLS; step++) {
          const kind = EXEC_KINDS[step % EXEC_KINDS.length] ?? EXEC_KINDS[0]!;
          await story(lane, kind, step, draws, pace, tally);
        }
        lane.close();
      };
      await Promise.all(Array.from({ length: LANES }, (_, number) => work(number)));
      const { unknown } = tally;
      for (const recount of tally.recounts) recount();
      console.log(JSON.stringify({ kills: tally.kills, unknown, ends: Object.fromEntries(tally.states) }));
      expect(tally.wrongs).toEqual([]);
      expect(unknown).toBeGreaterThan(0);
      // Nearly all effects were really asked for and made in the end: refusals would prove nothing.
      const ended = [...tally.states].filter(([state]) => state.endsWith('COMMITTED')).map(([, count]) => count);
      expect(ended.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(KILLS / 2);
    },
  );
});
