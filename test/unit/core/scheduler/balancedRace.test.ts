import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../src/core/faults/fault.ts';
import { constantsOf, type SchedulerConstants } from '../../../../src/core/scheduler/balanced/constants.ts';
import { factsOf } from '../../../../src/core/scheduler/balanced/facts.ts';
import { learnQuality } from '../../../../src/core/scheduler/balanced/learn.ts';
import { planBalanced } from '../../../../src/core/scheduler/balanced/planBalanced.ts';
import { poolOf } from '../../../../src/core/scheduler/balanced/pool.ts';
import { emptyState } from '../../../../src/core/scheduler/balanced/savedState.ts';
import type { SchedulerState } from '../../../../src/core/scheduler/balanced/types.ts';
import { newBalancedRace, type BalancedRace, type RaceTerms } from '../../../../src/core/scheduler/balancedLanes.ts';
import { stepBalancedRace } from '../../../../src/core/scheduler/balancedRace.ts';
import type { RaceAction, RaceMessage } from '../../../../src/core/scheduler/raceWords.ts';
import type { SpendingRefusal } from '../../../../src/core/scheduler/spending.ts';
import { candidate } from '../../../support/candidates.ts';

const fault = (change: Partial<Fault> = {}): Fault => ({
  class: 'T1',
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
  ...change,
});

interface Setting {
  readonly names?: readonly string[];
  readonly policy?: 'stream' | 'hold';
  readonly order?: 'ranked' | 'listed';
  readonly constants?: Partial<SchedulerConstants>;
  readonly learned?: SchedulerState;
  readonly deadlineMs?: number;
  readonly mayTry?: (id: string) => boolean;
  /** Those that there is no money for, as an extra or as one that is needed. */
  readonly tooDear?: (id: string, isExtra: boolean) => boolean;
}

/** A race by hand: every message at a time, and the actions in few words. */
class Bench {
  state: BalancedRace;
  learned: SchedulerState;
  readonly actions: RaceAction[] = [];
  nowMs = 0;
  private readonly mayTry: (id: string) => boolean;
  private readonly tooDear: (id: string, isExtra: boolean) => boolean;

  constructor(setting: Setting = {}) {
    const { names = ['a', 'b', 'c'], policy = 'hold', order = 'ranked', deadlineMs = 1e9 } = setting;
    const candidates = names.map((name) => candidate(name));
    const constants = constantsOf('balanced', setting.constants ?? {});
    const pool = poolOf(
      candidates.map((each) => factsOf(each)),
      constants,
    );
    this.learned = setting.learned ?? emptyState;
    this.mayTry = setting.mayTry ?? (() => true);
    this.tooDear = setting.tooDear ?? (() => false);
    const plan = planBalanced(this.learned, { pool, role: 'chat', nowMs: 0, order });
    const terms: RaceTerms = { plan, candidates, policy, order, callStartedAtMs: 0, deadlineMs };
    this.state = newBalancedRace(terms);
  }

  send(atMs: number, message: RaceMessage): readonly string[] {
    this.nowMs = atMs;
    const moment = {
      nowMs: atMs,
      learned: this.learned,
      mayTry: ({ id }: { readonly id: string }) => this.mayTry(id),
      refusal: (position: number, isExtra: boolean): SpendingRefusal | null => {
        const id = this.state.terms.candidates[position]?.id ?? '';
        return this.tooDear(id, isExtra) ? { scope: 'task', limitUsd: 1, spentUsd: 1 } : null;
      },
    };
    const step = stepBalancedRace(this.state, message, moment);
    this.state = step.state;
    this.actions.push(...step.actions);
    if (step.actions.some(({ type }) => type === 'pay-hedge'))
      this.learned = { ...this.learned, hedgeTokens: this.learned.hedgeTokens - 1 };
    return step.actions.filter(({ type }) => type !== 'arm').map(worded);
  }

  due(atMs: number, kind: 'look' | 'again', lane: number, chars = 0): readonly string[] {
    return this.send(atMs, { type: 'due', timer: { kind, lane }, received: { chars, lastAtMs: atMs } });
  }

  /** ms after which each timer of a kind is due, counted from its arming. */
  armed(kind: string): readonly number[] {
    return this.actions.flatMap((each) => (each.type === 'arm' && each.timer.kind === kind ? [each.afterMs] : []));
  }
}

function worded(action: RaceAction): string {
  switch (action.type) {
    case 'launch':
      return `launch ${action.candidate.id} ${action.reason}${action.trigger === null ? '' : ` ${action.trigger}`}`;
    case 'arm':
      return `arm ${action.timer.kind}`;
    case 'pay-hedge':
      return 'pay';
    case 'withhold':
      return `withhold ${action.candidate.id} ${action.refusal.scope}`;
    case 'give-up':
      return `give-up ${action.fault?.class ?? 'none'}`;
    default:
      return `${action.type} ${action.lane}`;
  }
}

/** `a` is judged badly and `b` well, so that `b` is worth waiting for. */
function preferring(good: string, bad: string): SchedulerState {
  const constants = constantsOf('balanced');
  let state = emptyState;
  for (let count = 0; count < 40; count++) {
    const judge = { source: 'verifier', q: 0.05 } as const;
    state = learnQuality(state, factsOf(candidate(bad)), 'chat', judge, 0, constants);
    state = learnQuality(state, factsOf(candidate(good)), 'chat', { ...judge, q: 1 }, 0, constants);
  }
  return state;
}

describe('money in a race', () => {
  it('withholds a hedge that does not fit and takes the next one that does', () => {
    const bench = new Bench({ tooDear: (id, isExtra) => id === 'b' && isExtra });
    bench.send(0, { type: 'start' });
    expect(bench.due(6071, 'look', 0)).toEqual(['withhold b task', 'pay', 'launch c hedge first-token']);
  });

  it('hedges with nobody where none fits, and goes on to the next one on a failure all the same', () => {
    const bench = new Bench({ tooDear: (_id, isExtra) => isExtra });
    bench.send(0, { type: 'start' });
    expect(bench.due(6071, 'look', 0)).toEqual(['withhold b task']);
    expect(bench.send(9000, { type: 'failed', lane: 0, fault: fault() })).toEqual(['launch b failover failure']);
  });

  it('gives no last call that does not fit', () => {
    const bench = new Bench({ names: ['a', 'b'], deadlineMs: 20_000, tooDear: (_id, isExtra) => isExtra });
    bench.send(0, { type: 'start' });
    const last = { type: 'due', timer: { kind: 'last-call' }, receivedChars: 0 } as const;
    expect(bench.send(15_000, last)).toEqual(['withhold b task']);
  });

  it('waits for those that run, and else gives up, where a limit is spent', () => {
    let isSpent = false;
    const bench = new Bench({ tooDear: () => isSpent });
    bench.send(0, { type: 'start' });
    bench.due(6071, 'look', 0);
    isSpent = true;
    expect(bench.send(7000, { type: 'failed', lane: 0, fault: fault() })).toEqual(['withhold c task']);
    expect(bench.send(8000, { type: 'failed', lane: 1, fault: fault() })).toEqual(['withhold c task', 'give-up T1']);
  });
});

describe('a balanced race', () => {
  it('starts the best one alone and looks at it when its first token is due', () => {
    const bench = new Bench();
    expect(bench.send(0, { type: 'start' })).toEqual(['launch a first']);
    expect(bench.armed('look')).toEqual([6071]);
    expect(bench.armed('last-call')).toHaveLength(1);
  });

  it('surfaces what may be a refusal, and asks nobody else', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    expect(bench.send(50, { type: 'failed', lane: 0, fault: fault({ secondary: 'T8' }) })).toEqual(['refuse 0']);
  });

  it('hedges one that has no first token, once, from the bucket', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    expect(bench.due(3000, 'look', 0)).toEqual([]); // out of date
    expect(bench.due(6071, 'look', 0)).toEqual(['pay', 'launch b hedge first-token']);
    expect(bench.due(7000, 'look', 0)).toEqual([]);
    expect(bench.learned.hedgeTokens).toBe(9);
  });

  it('does not hedge one that has begun to answer until it should have ended', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    bench.send(1000, { type: 'first-token', lane: 0 });
    expect(bench.due(6071, 'look', 0)).toEqual([]);
    const [, totalMs = 0] = bench.armed('look');
    expect(bench.due(1000 + totalMs, 'look', 0)).toEqual(['pay', 'launch b hedge total']);
  });

  it('waits with an empty bucket for twice the time, then hedges for nothing', () => {
    const bench = new Bench({ learned: { ...emptyState, hedgeTokens: 0.5 } });
    bench.send(0, { type: 'start' });
    expect(bench.due(6071, 'look', 0)).toEqual([]);
    const [afterMs = 0] = bench.armed('again');
    expect(afterMs).toBeGreaterThan(6000);
    expect(bench.due(6071 + afterMs, 'again', 0)).toEqual(['launch b hedge first-token']);
    expect(bench.learned.hedgeTokens).toBe(0.5);
  });

  it('takes the next at once on failure, over the whole pool, and gives up when all have failed', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    expect(bench.send(50, { type: 'failed', lane: 0, fault: fault() })).toEqual(['launch b failover failure']);
    expect(bench.send(60, { type: 'failed', lane: 1, fault: fault({ class: 'T2' }) })).toEqual([
      'launch c failover failure',
    ]);
    expect(bench.send(70, { type: 'failed', lane: 2, fault: fault({ class: 'T7', detail: 'quota' }) })).toEqual([
      'give-up T1',
    ]);
    expect(bench.send(80, { type: 'succeeded', lane: 0 })).toEqual([]);
  });

  it('starts nobody who may not be asked now, and nobody after 120 s', () => {
    const bench = new Bench({ mayTry: (id) => id !== 'b' });
    bench.send(0, { type: 'start' });
    expect(bench.send(50, { type: 'failed', lane: 0, fault: fault() })).toEqual(['launch c failover failure']);
    const late = new Bench();
    late.send(0, { type: 'start' });
    expect(late.send(120_000, { type: 'failed', lane: 0, fault: fault() })).toEqual(['give-up T1']);
  });

  it('keeps a listed order for the first, the hedge and the next', () => {
    const bench = new Bench({ order: 'listed', learned: preferring('c', 'a') });
    expect(bench.send(0, { type: 'start' })).toEqual(['launch a first']);
    expect(bench.send(50, { type: 'failed', lane: 0, fault: fault() })).toEqual(['launch b failover failure']);
  });

  it('ends at the first content where the answer is streamed, and cancels the others', () => {
    const bench = new Bench({ policy: 'stream' });
    bench.send(0, { type: 'start' });
    bench.due(6071, 'look', 0);
    expect(bench.send(7000, { type: 'content', lane: 1 })).toEqual(['commit 1', 'cancel 0']);
    expect(bench.send(7001, { type: 'content', lane: 0 })).toEqual([]);
    expect(bench.due(40_000, 'look', 1)).toEqual([]);
    expect(bench.send(41_000, { type: 'succeeded', lane: 1 })).toEqual(['accept 1']);
    const broken = new Bench({ policy: 'stream' });
    broken.send(0, { type: 'start' });
    broken.send(100, { type: 'content', lane: 0 });
    expect(broken.send(200, { type: 'failed', lane: 0, fault: fault() })).toEqual(['break 0']);
  });

  it('does not commit a held answer at its first content', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    expect(bench.send(100, { type: 'content', lane: 0 })).toEqual([]);
    expect(bench.send(200, { type: 'succeeded', lane: 0 })).toEqual(['accept 0']);
  });

  it('holds a worse answer for a better one for a bounded while, then takes it', () => {
    const bench = new Bench({ names: ['a', 'b'], learned: preferring('b', 'a'), constants: { minStart: 2 } });
    expect(bench.send(0, { type: 'start' })).toEqual(['launch b first', 'launch a parallel']);
    expect(bench.send(1500, { type: 'succeeded', lane: 1 })).toEqual([]);
    const [waitMs = 0] = bench.armed('accept');
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(8000);
    expect(bench.due(6071, 'look', 0)).toEqual([]); // no hedge while an answer is there
    const ended = bench.send(1500 + waitMs, { type: 'due', timer: { kind: 'accept' } });
    expect(ended).toEqual(['accept 1', 'cancel 0']);
    expect(bench.actions.find((each) => each.type === 'accept')).toMatchObject({
      held: { heldMs: waitMs, waitedFor: 'b' },
    });
  });

  it('does not wait for one that is late and silent', () => {
    const bench = new Bench({ learned: preferring('b', 'a') });
    bench.send(0, { type: 'start' });
    expect(bench.due(6071, 'look', 0)).toEqual(['pay', expect.stringContaining('hedge first-token')]);
    expect(bench.send(6500, { type: 'succeeded', lane: 1 })).toEqual(['accept 1', 'cancel 0']);
  });

  it('takes the better answer when it comes while another is held, the held one when the better one fails, and neither when it refuses', () => {
    const begin = (): Bench => {
      const bench = new Bench({ names: ['a', 'b'], learned: preferring('b', 'a'), constants: { minStart: 2 } });
      bench.send(0, { type: 'start' });
      bench.send(1500, { type: 'succeeded', lane: 1 });
      return bench;
    };
    expect(begin().send(2000, { type: 'succeeded', lane: 0 })).toEqual(['accept 0']);
    expect(begin().send(2000, { type: 'failed', lane: 0, fault: fault() })).toEqual(['accept 1']);
    expect(begin().send(2000, { type: 'failed', lane: 0, fault: fault({ class: 'T8' }) })).toEqual(['refuse 0']);
  });

  it('surfaces a refusal and asks nobody else', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    bench.due(6071, 'look', 0);
    expect(bench.send(6100, { type: 'failed', lane: 0, fault: fault({ class: 'T8' }) })).toEqual([
      'refuse 0',
      'cancel 1',
    ]);
  });

  it('goes to larger windows only after an overflow', () => {
    const bench = new Bench();
    bench.send(0, { type: 'start' });
    expect(bench.send(50, { type: 'failed', lane: 0, fault: fault({ class: 'T6' }) })).toEqual(['give-up T6']);
  });

  it('makes a last call near the deadline, and a final one', () => {
    const bench = new Bench({ deadlineMs: 20_000 });
    bench.send(0, { type: 'start' });
    bench.send(100, { type: 'first-token', lane: 0 });
    const [lastMs = 0] = bench.armed('last-call');
    const [finalMs = 0] = bench.armed('final-call');
    expect(lastMs).toBeGreaterThanOrEqual(6000);
    expect(finalMs).toBeGreaterThanOrEqual(lastMs);
    expect(bench.send(lastMs, { type: 'due', timer: { kind: 'last-call' } })).toEqual(['launch b hedge deadline']);
    expect(bench.send(finalMs, { type: 'due', timer: { kind: 'final-call' } })).toEqual(['launch c hedge deadline']);
  });

  it('runs at most three that are on time and five in all', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const bench = new Bench({ names });
    bench.send(0, { type: 'start' });
    let atMs = 0;
    for (let lane = 0; lane < 7; lane++) {
      atMs += 31_000;
      bench.due(atMs, 'look', lane);
    }
    const launched = bench.state.lanes.filter(({ status }) => status === 'running').length;
    expect(launched).toBe(5);
  });

  it('keeps its promises whatever happens in whatever order', () => {
    const message = fc.record({
      kind: fc.constantFrom('look', 'again', 'accept', 'last', 'first-token', 'content', 'succeeded', 'failed'),
      lane: fc.nat(5),
      afterMs: fc.constantFrom(0, 1, 500, 6100, 20_000),
      fault: fc.constantFrom<Fault['class']>('T1', 'T2', 'T5', 'T6', 'T7', 'T8', 'V1'),
    });
    fc.assert(
      fc.property(fc.constantFrom('stream', 'hold'), fc.array(message, { maxLength: 40 }), (policy, messages) => {
        const bench = new Bench({ names: ['a', 'b', 'c', 'd'], policy: policy });
        bench.send(0, { type: 'start' });
        for (const { kind, lane, afterMs, fault: faultClass } of messages) {
          const at = bench.nowMs + afterMs;
          if (kind === 'look' || kind === 'again') bench.due(at, kind, lane);
          else if (kind === 'accept') bench.send(at, { type: 'due', timer: { kind } });
          else if (kind === 'last') bench.send(at, { type: 'due', timer: { kind: 'last-call' } });
          else if (kind === 'failed')
            bench.send(at, { type: 'failed', lane, fault: fault({ class: faultClass, detail: 'quota' }) });
          else bench.send(at, { type: kind as 'content', lane });
        }
        // Whatever still runs ends now.
        while (!bench.state.isOver) {
          const lane = bench.state.lanes.findIndex(({ status }) => status === 'running');
          if (lane >= 0) bench.send(bench.nowMs + 1, { type: 'failed', lane, fault: fault() });
          else bench.send(bench.nowMs + 8001, { type: 'due', timer: { kind: 'accept' } });
        }
        const launched = bench.actions.flatMap((each) => (each.type === 'launch' ? [each.candidate.id] : []));
        expect(new Set(launched).size).toBe(launched.length);
        const ends = bench.actions.filter(({ type }) => ['accept', 'break', 'give-up', 'refuse'].includes(type));
        expect(ends).toHaveLength(1);
        expect(bench.actions.filter(({ type }) => type === 'commit').length).toBeLessThanOrEqual(1);
        const cancelled = bench.actions.flatMap((each) => (each.type === 'cancel' ? [each.lane] : []));
        expect(new Set(cancelled).size).toBe(cancelled.length);
        expect(bench.state.lanes.every(({ status }) => status !== 'running')).toBe(true);
        const [end] = ends;
        if (end?.type === 'accept') expect(bench.state.lanes[end.lane]?.status).toBe('succeeded');
      }),
      { numRuns: 400 },
    );
  });
});
