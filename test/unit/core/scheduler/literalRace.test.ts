import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault, FaultClass } from '../../../../src/core/faults/fault.ts';
import { newLiteralRace, stepLiteralRace, type LiteralRace } from '../../../../src/core/scheduler/literalRace.ts';
import type { LiteralCallPlan } from '../../../../src/core/scheduler/plan.ts';
import type { RaceAction, RaceMessage } from '../../../../src/core/scheduler/raceWords.ts';
import { candidate } from '../../../support/candidates.ts';

const fault = (faultClass: FaultClass = 'T1'): Fault => ({
  class: faultClass,
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
});

/** A plan whose first `startCount` of `size` candidates are the hedge set. */
function planOf(size: number, startCount: number): LiteralCallPlan {
  const order = Array.from({ length: size }, (_, index) => candidate(String(index)));
  const hedgeSet = order.slice(0, startCount).map(({ id }) => id);
  return { ranking: [], hedgeSet, failureProbability: 0.1, targetReached: true, order, startCount, why: '' };
}

/** A race by hand, with its actions in few words. */
class Bench {
  state: LiteralRace;
  readonly actions: RaceAction[] = [];

  constructor(startCount: number, size = startCount) {
    this.state = newLiteralRace(planOf(size, startCount));
  }

  send(...messages: readonly RaceMessage[]): readonly string[] {
    const from = this.actions.length;
    for (const message of messages) {
      const step = stepLiteralRace(this.state, message);
      this.state = step.state;
      this.actions.push(...step.actions);
    }
    return this.actions.slice(from).map(words);
  }
}

function words(action: RaceAction): string {
  if (action.type === 'launch') return `launch ${action.lane} ${action.reason}`;
  if (action.type === 'give-up') return `give-up ${action.fault?.class ?? 'none'}`;
  return 'lane' in action ? `${action.type} ${action.lane}` : action.type;
}

const start: RaceMessage = { type: 'start' };
const succeeded = (lane: number): RaceMessage => ({ type: 'succeeded', lane });
const failed = (lane: number, faultClass?: FaultClass): RaceMessage => ({
  type: 'failed',
  lane,
  fault: fault(faultClass),
});

describe('a literal race', () => {
  it('launches the whole hedge set at once and nobody else', () => {
    expect(new Bench(3, 5).send(start)).toEqual(['launch 0 first', 'launch 1 parallel', 'launch 2 parallel']);
  });

  it('accepts the best-ranked at once, and lets the others run on', () => {
    const race = new Bench(3);
    race.send(start);
    expect(race.send(succeeded(0))).toEqual(['accept 0']);
    expect(race.state.lanes.map(({ status }) => status)).toEqual(['succeeded', 'running', 'running']);
  });

  it('keeps a success until every better-ranked attempt has ended, whichever way', () => {
    const race = new Bench(3);
    race.send(start);
    expect(race.send(succeeded(2))).toEqual([]);
    expect(race.send(failed(0))).toEqual([]);
    expect(race.send(failed(1))).toEqual(['accept 2']);
  });

  it('prefers the better-ranked of two successes, however late it comes', () => {
    const race = new Bench(3);
    race.send(start);
    expect(race.send(succeeded(1), succeeded(2))).toEqual([]);
    expect(race.send(succeeded(0))).toEqual(['accept 0']);
  });

  it('does not wait for a worse-ranked attempt', () => {
    const race = new Bench(2);
    race.send(start);
    expect(race.send(failed(0))).toEqual([]);
    expect(race.send(succeeded(1))).toEqual(['accept 1']);
  });

  it('ends with a refusal at once and cancels whoever runs, also where an answer is kept', () => {
    const race = new Bench(4);
    race.send(start);
    expect(race.send(succeeded(1))).toEqual([]);
    expect(race.send(failed(2, 'T8'))).toEqual(['refuse 2', 'cancel 0', 'cancel 3']);
    expect(race.state.lanes.map(({ status }) => status)).toEqual(['cancelled', 'succeeded', 'failed', 'cancelled']);
  });

  it('gives up when all have failed, with the fault whose remedy makes progress', () => {
    const race = new Bench(3);
    race.send(start);
    expect(race.send(failed(0, 'T7'), failed(1, 'T6'))).toEqual([]);
    expect(race.send(failed(2, 'T1'))).toEqual(['give-up T6']);
  });

  it('gives up without a fault where nobody may be asked', () => {
    expect(new Bench(0).send(start)).toEqual(['give-up none']);
  });

  it('ignores a second end of a lane, lanes that are not in it, timers and pieces of an answer', () => {
    const race = new Bench(2);
    race.send(start, failed(0));
    const { state } = race;
    const other: readonly RaceMessage[] = [
      failed(0, 'T8'),
      succeeded(0),
      succeeded(7),
      { type: 'first-token', lane: 1 },
      { type: 'content', lane: 1 },
      { type: 'due', timer: { kind: 'look', lane: 1 } },
    ];
    for (const message of other) expect(race.send(message)).toEqual([]);
    expect(race.state).toEqual(state);
  });

  it('ignores everything after its end', () => {
    const race = new Bench(2);
    race.send(start, succeeded(0));
    expect(race.send(start, succeeded(1), failed(1), failed(1, 'T8'))).toEqual([]);
  });

  it('has exactly one end, and accepts nobody while a better-ranked one runs, whatever comes in whatever order', () => {
    const ending = fc.constantFrom<'ok' | FaultClass>('ok', 'ok', 'T1', 'T3', 'T6', 'T7', 'V1', 'T8');
    const lanes = fc.array(ending, { minLength: 1, maxLength: 8 });
    const scenario = lanes.chain((endings) =>
      fc.record({
        endings: fc.constant(endings),
        order: fc.shuffledSubarray(
          endings.map((_, lane) => lane),
          { minLength: endings.length },
        ),
        noise: fc.array(fc.record({ at: fc.nat(8), lane: fc.nat(9) }), { maxLength: 6 }),
      }),
    );
    fc.assert(
      fc.property(scenario, ({ endings, order, noise }) => {
        const race = new Bench(endings.length);
        race.send(start);
        const ended = new Set<number>();
        order.forEach((lane, at) => {
          ended.add(lane);
          const end = endings[lane]!;
          const told = race.send(end === 'ok' ? succeeded(lane) : failed(lane, end));
          // What comes twice or from nowhere changes nothing.
          for (const each of noise)
            if (each.at === at && (ended.has(each.lane) || each.lane >= endings.length))
              expect(race.send(succeeded(each.lane), failed(each.lane))).toEqual([]);
          const accepted = told.find((word) => word.startsWith('accept'));
          const first = endings.findIndex((end, place) => end === 'ok' && ended.has(place));
          const isFree = first >= 0 && endings.slice(0, first).every((_, place) => ended.has(place));
          // At the earliest moment: nothing is left to wait for.
          if (isFree) expect(race.state.isOver).toBe(true);
          if (accepted === undefined) return;
          const winner = Number(accepted.split(' ')[1]);
          expect(endings[winner]).toBe('ok');
          for (let better = 0; better < winner; better++) {
            expect(ended.has(better)).toBe(true);
            expect(endings[better]).not.toBe('ok');
          }
        });
        const ends = race.actions.filter(({ type }) => type === 'accept' || type === 'give-up' || type === 'refuse');
        expect(ends).toHaveLength(1);
        expect(race.state.isOver).toBe(true);
        // Losers run on: only a refusal cancels.
        expect(race.actions.some(({ type }) => type === 'cancel') && ends[0]!.type !== 'refuse').toBe(false);
        // The document's winner, read off the whole history: without a refusal the best-ranked success.
        if (endings.includes('T8')) return;
        const best = endings.indexOf('ok');
        expect(
          words(ends[0]!)
            .split(' ')
            .slice(0, best < 0 ? 1 : 2),
        ).toEqual(best < 0 ? ['give-up'] : ['accept', String(best)]);
      }),
      { numRuns: 500 },
    );
  });
});
