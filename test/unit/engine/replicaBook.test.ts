import { describe, expect, it } from 'vitest';
import type { ToolCallPart } from '../../../src/core/chat.ts';
import type { DecisionEvent, EventBody } from '../../../src/core/events.ts';
import type { QualityEvidence } from '../../../src/core/scheduler/balanced/types.ts';
import type { ReplicaAnswer } from '../../../src/core/scheduler/redundancy/normalised.ts';
import { ReplicaBook } from '../../../src/engine/replicaBook.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { call, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, type ScriptStep } from '../../support/scriptedProvider.ts';

const [a, b, c] = [candidate('a'), candidate('b'), candidate('c')];
const literal = { settings: { mode: 'literal' } } as const;

const part = (path: string): ToolCallPart => ({
  type: 'tool-call',
  id: `id-of-${path}`,
  name: 'read_file',
  argsText: JSON.stringify({ path }),
});

/** Words and one tool call after `afterMs`. */
const reads = (path: string, afterMs = 100, call_ = part(path)): readonly ScriptStep[] => [
  {
    afterMs,
    parts: [{ type: 'text-delta', text: `I read ${path}.` }, call_, { type: 'finish', reason: 'tool-calls' }],
  },
];

const compared = ({ log }: Outcome): readonly Extract<EventBody, { type: 'replicas-compared' }>[] =>
  log.flatMap(({ body }) => (body.type === 'replicas-compared' ? [body] : []));

describe('answers of several attempts of one call', () => {
  it('are compared once in literal mode when the last loser has ended, after the call itself', async () => {
    const outcome = await call([a, b], { a: [reads('x')], b: [reads('y', 9000)] }, literal);
    expect(outcome.events.at(-1)?.type).toBe('finished');
    expect(compared(outcome)).toEqual([]);
    await outcome.clock.advance(20_000);
    expect(compared(outcome)).toEqual([
      {
        type: 'replicas-compared',
        groups: [['a'], ['b']],
        disagreement: 1,
        outcome: 'review',
        chosen: null,
        reason: 'the replicas differ and none is verified',
      },
    ]);
    const [event] = outcome.log.filter(({ body }) => body.type === 'replicas-compared');
    expect(event?.ids).toMatchObject({ task: 'k', call: outcome.log[0]?.ids.call });
  });

  it('agree where their tool calls do, whatever the words, the ids and the spelling', async () => {
    const spelled = { ...part('x'), id: 'other', argsText: '{ "path" : "x" }' };
    const outcome = await call([a, b], { a: [reads('x')], b: [reads('y', 300, spelled)] }, literal);
    await outcome.clock.advance(20_000);
    expect(compared(outcome)).toMatchObject([{ groups: [['a', 'b']], disagreement: 0, outcome: 'agree', chosen: 'a' }]);
  });

  it('are compared also where two have answered before one is accepted', async () => {
    const scheduler = new SchedulerBook(virtualClock());
    const constants = scheduler.constantsOf((await call([a], { a: [answers('x')] })).settings);
    for (let count = 0; count < 60; count++) {
      scheduler.learnQuality(a, 'chat', { source: 'verifier', q: 1 }, constants);
      scheduler.learnQuality(b, 'chat', { source: 'verifier', q: 0.1 }, constants);
    }
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    const scripts = { a: [reads('x', 2500)], b: [reads('y', 1000)] };
    const outcome = await call([a, b], scripts, { scheduler, policy: 'hold', raw });
    expect(outcome.log.find(({ body }) => body.type === 'call-finished')?.body).toMatchObject({ heldFor: 'a' });
    expect(compared(outcome)).toMatchObject([{ groups: [['b'], ['a']], outcome: 'review' }]);
  });

  it('are not compared where only words came, or where one was cancelled or failed', async () => {
    const words = await call([a, b], { a: [answers('hi')], b: [answers('ho', 900)] }, literal);
    await words.clock.advance(20_000);
    expect(compared(words)).toEqual([]);
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    const cut = await call([a, b], { a: [reads('x')], b: [reads('y', 900)] }, { raw });
    await cut.clock.advance(20_000);
    expect(compared(cut)).toEqual([]);
    const broken = { ...part('y'), argsText: '{"path":' };
    const failed = await call([a, b], { a: [reads('x')], b: [reads('y', 900, broken)] }, literal);
    await failed.clock.advance(20_000);
    expect(compared(failed)).toEqual([]);
    // A loser that runs on is checked like any other answer.
    expect(failed.log.find(({ body }) => body.type === 'attempt-failed')?.body).toMatchObject({
      candidate: 'b',
      fault: { class: 'T5' },
    });
  });

  it('are not kept beyond a bound: one with more tool calls than that is left out', async () => {
    const huge = { ...part('y'), argsText: JSON.stringify({ path: 'y'.repeat(1_100_000) }) };
    const scripts = { a: [reads('x')], b: [reads('y', 900, huge)], c: [reads('x', 1000)] };
    const raw = { 'belay.advanced': { scheduler: { tauMedium: 0.999 } } };
    const outcome = await call([a, b, c], scripts, { ...literal, raw });
    await outcome.clock.advance(20_000);
    expect(outcome.log.filter(({ body }) => body.type === 'attempt-succeeded')).toHaveLength(3);
    expect(compared(outcome)).toMatchObject([{ groups: [['a', 'c']], outcome: 'agree' }]);
  });

  it('leave nothing of themselves in the events', async () => {
    const outcome = await call([a, b], { a: [reads('secret-one')], b: [reads('secret-two', 500)] }, literal);
    await outcome.clock.advance(20_000);
    expect(compared(outcome)).toHaveLength(1);
    expect(JSON.stringify(outcome.log)).not.toContain('secret-');
  });
});

type Learned = readonly [candidate: string, role: string, evidence: QualityEvidence];

function book(): {
  readonly replicas: ReplicaBook;
  readonly learned: Learned[];
  readonly hear: (body: EventBody, id?: string) => void;
} {
  const learned: Learned[] = [];
  const replicas = new ReplicaBook((...each) => learned.push(each));
  const hear = (body: EventBody, id = 'call'): void => {
    const event: DecisionEvent = {
      seq: 1,
      atMs: 0,
      ids: { tenant: 't', client: 'c', task: 'k', step: 1, call: id },
      body,
    };
    replicas.hear(event);
  };
  return { replicas, learned, hear };
}

const started = { type: 'call-started', model: 'm', role: 'coder', policy: 'hold' } as const;
const committed = { type: 'call-committed', candidate: 'a', rung: 'L0' } as const;
const check = (passed: boolean, level: 'V0' | 'V1' = 'V1'): EventBody => ({
  type: 'verification-finished',
  check: level,
  passed,
  evidence: 'tests',
});
const answer = (path: string): ReplicaAnswer => ({ kind: 'model-answer', text: '', toolCalls: [part(path)] });
const three = [
  { candidate: 'a', answer: answer('x') },
  { candidate: 'b', answer: answer('y') },
  { candidate: 'c', answer: answer('x') },
];
const minority: Learned = ['b', 'coder', { source: 'semantic-fault', q: 0, weight: 0.5 }];

describe('what a check of the answer that was used says of the others', () => {
  it('teaches that the minority was wrong, whether the check or the last answer comes first', () => {
    const late = book();
    for (const body of [started, committed]) late.hear(body);
    expect(late.replicas.compare('call', three)).toMatchObject({ outcome: 'review', chosen: null });
    expect(late.learned).toEqual([]);
    late.hear(check(true));
    late.hear(check(true));
    expect(late.learned).toEqual([minority]);

    const early = book();
    for (const body of [started, committed, check(true)]) early.hear(body);
    expect(early.replicas.compare('call', three)).toMatchObject({ outcome: 'best-verified', chosen: 'a' });
    expect(early.learned).toEqual([minority]);
  });

  it('teaches nothing where the check failed, looked at transport only, or where no majority stands behind it', () => {
    for (const said of [check(false), check(true, 'V0')]) {
      const { replicas, learned, hear } = book();
      for (const body of [started, committed]) hear(body);
      replicas.compare('call', three);
      hear(said);
      expect(learned).toEqual([]);
    }
    const { replicas, learned, hear } = book();
    for (const body of [started, committed, check(true)]) hear(body);
    replicas.compare('call', three.slice(0, 2));
    expect(learned).toEqual([]);
  });

  it('compares a call once, and none that it has not heard of', () => {
    const { replicas, hear } = book();
    expect(replicas.compare('call', three)).toBeNull();
    hear(started);
    expect(replicas.compare('call', three)).not.toBeNull();
    expect(replicas.compare('call', three)).toBeNull();
  });

  it('remembers no more than a bounded number of calls', () => {
    const { replicas, hear } = book();
    for (let count = 0; count < 2000; count++) hear(started, `call-${count}`);
    expect(replicas.size).toBe(500);
    expect(replicas.compare('call-0', three)).toBeNull();
    expect(replicas.compare('call-1999', three)).not.toBeNull();
  });
});
