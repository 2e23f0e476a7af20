// When a result of the agent loop is accepted, tried again, given to another model or put before a person (HFR 4.6, 4.8, 5.2, 5.4).
import { describe, expect, it } from 'vitest';
import type { DecisionEvent, EventBody } from '../../../src/core/events.ts';
import { finalAcceptance } from '../../../src/core/recovery/acceptance.ts';
import { readTaskState, type TaskState } from '../../../src/core/recovery/checkpoint.ts';
import { emptySnapshot, reduceSnapshot, type Snapshot } from '../../../src/core/snapshot.ts';
import type { Answer, ApprovalPort, Question } from '../../../src/engine/ports.ts';
import { ledgerFacts } from '../../../src/engine/taskEnd.ts';
import { candidate } from '../../support/candidates.ts';
import { must } from '../../support/memoryEntries.ts';
import { checksOf, decisionsOf, edit, finish, runScript, type Ran } from '../../support/taskHarness.ts';

const turns = [[edit], [finish]];
const a = candidate('a');
const b = candidate('b');
const levels = (set: object): Record<string, unknown> => ({ 'belay.advanced': { verification: { levels: set } } });
const kindsAsked = ({ world }: Ran): readonly string[] => world.questions.map(({ kind }) => kind);

function person(answer: Partial<Answer>, hasPerson = true): ApprovalPort & { readonly asked: Question[] } {
  const asked: Question[] = [];
  const ask: ApprovalPort['ask'] = (question) => {
    asked.push(question);
    return Promise.resolve({ choice: 'deny', note: '', by: 'Ada', ...answer });
  };
  return { asked, ask, ...(hasPerson ? {} : { hasPerson }) };
}

async function savedState({ world }: Ran): Promise<TaskState> {
  const row = must(await world.store.checkpoint('task-a'));
  const read = readTaskState(row?.version ?? 0, row?.state ?? '');
  if (!read.ok) throw new Error(read.error);
  return read.state;
}

describe('the least check of a result', () => {
  it('is that of the success command where medium criticality has its default V2', async () => {
    const ran = await runScript({ turns });
    expect(ran.outcome.outcome).toBe('success');
    expect(kindsAsked(ran)).toEqual([]);
  });

  it.each([
    ['medium', 'V3'],
    ['low', 'V3'],
    ['low', 'V2'],
  ] as const)('at %s criticality is %s where that is set, and a person is asked', async (criticality, level) => {
    const set = { turns, raw: levels({ [criticality]: level }), spec: { criticality } };
    const yes = await runScript(set);
    expect(yes.outcome).toMatchObject({ outcome: 'success', clean: true });
    expect(kindsAsked(yes)).toEqual(['acceptance']);
    expect(checksOf(yes)).toEqual(['V1 passed', `${level} rejected`, 'V3 passed']);
    const no = await runScript({ ...set, answer: 'deny' });
    expect(no.outcome).toMatchObject({ outcome: 'escalated', clean: false });
    expect(no.outcome.evidence).toContain(`${level} is required`);
  });

  it('is that of a lower rung also where a command made the change, and not where it only looked', async () => {
    const by = (command: string) =>
      runScript({
        turns: [[['run_command', { command }]], [['finish', { summary: 'done' }]]],
        rung: 'L3',
        answer: 'deny',
      });
    expect((await by('echo two >> a.txt')).outcome).toMatchObject({ outcome: 'escalated' });
    expect((await by('cat a.txt')).outcome).toMatchObject({ outcome: 'success' });
  });

  it('is never below V1, whatever is set', async () => {
    const ran = await runScript({ turns, raw: levels({ low: 'V0' }), spec: { criticality: 'low' } });
    expect(checksOf(ran)).toEqual(['V1 passed']);
  });
});

describe('one more try after a rejection', () => {
  const rejected = { turns, exits: { 'npm test': [1, 0] }, commandMs: 5000 };

  it('is made where answer and check still end before the deadline', async () => {
    const ran = await runScript({ ...rejected, spec: { deadlineMs: 1_000_000 + 12_000 } });
    expect(decisionsOf(ran)).toEqual(['RETRY V1/new-evidence', 'ACCEPT V1/accepted']);
  });

  it('is not made where the check alone would end after it', async () => {
    const ran = await runScript({ ...rejected, spec: { deadlineMs: 1_000_000 + 9_000 } });
    expect(decisionsOf(ran)).toEqual(['ESCALATE V1/deadline']);
    expect(ran.outcome.evidence).toMatch(
      /^rejected, and one more try would end after the deadline: npm test: exit code 1/,
    );
  });

  it('tells each model call how long the last check really took', async () => {
    const ran = await runScript(rejected);
    expect(ran.asked.map(({ verifyMs }) => verifyMs)).toEqual([1000, 1000, 5000]);
    expect((await savedState(ran)).verifyMs).toBe(5000);
  });

  it('is not made for a check that could not be run: that says nothing of the result', async () => {
    const ran = await runScript({ turns, killed: ['npm test'] });
    expect(decisionsOf(ran)).toEqual(['ESCALATE V1/no-new-evidence']);
  });
});

describe('a result that is rejected again', () => {
  const same = { turns, exits: { 'npm test': [1] } };

  it('is given to another model of the route, once each, and says so when nobody is left', async () => {
    const ran = await runScript({ ...same, candidates: [a, b] });
    expect(decisionsOf(ran)).toEqual([
      'RETRY V1/new-evidence',
      'DEGRADE_MODEL V1/other-model',
      'ESCALATE V1/same-rejection',
    ]);
    expect(ran.asked.map((each) => each.candidate)).toEqual(['a', 'a', 'a', 'b']);
    expect(ran.outcome.evidence).toContain('rejected twice for the same reason, and no other model is left');
    const told = ran.events.find((body) => body.type === 'decision-made' && body.action === 'DEGRADE_MODEL');
    expect(told).toMatchObject({ degradation: { substitute: 'b', quality: null, check: 'V1' } });
    expect((await savedState(ran)).avoided).toEqual(['a']);
  });

  it('is a success where the other model mends it', async () => {
    const ran = await runScript({ ...same, exits: { 'npm test': [1, 1, 0] }, candidates: [a, b] });
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: true });
  });

  it('is not given to a lower tier that needs a person', async () => {
    const small = candidate('small', { tier: 'small' });
    const high = await runScript({ ...same, candidates: [a, small], spec: { criticality: 'high' } });
    expect(high.asked.map((each) => each.candidate)).not.toContain('small');
    const medium = await runScript({ ...same, candidates: [a, small] });
    expect(medium.asked.map((each) => each.candidate)).toContain('small');
  });

  it('is not given to anybody where the budget is used up', async () => {
    const raw = { 'belay.advanced': { retry: { maxRetriesPerTask: 1, lastStepReserve: 0 } } };
    const ran = await runScript({ ...same, candidates: [a, b], raw });
    expect(ran.asked.map((each) => each.candidate)).not.toContain('b');
    expect(ran.outcome.evidence).toContain('the retries of this task are used up');
  });
});

describe('a spot check', () => {
  const drawn = { turns, draw: 0.049 };

  it('is drawn for the printed share of accepted tasks, and its yes is told', async () => {
    expect(kindsAsked(await runScript({ turns, draw: 0.05 }))).toEqual([]);
    const ran = await runScript(drawn);
    expect(kindsAsked(ran)).toEqual(['spot-check']);
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: true });
    expect(ran.outcome.evidence).toContain('a person agrees');
    const never = await runScript({ ...drawn, raw: { 'belay.advanced': { verification: { humanSpotCheckRate: 0 } } } });
    expect(kindsAsked(never)).toEqual([]);
  });

  it('is never drawn where nobody can be asked', async () => {
    const nobody = person({}, false);
    const ran = await runScript({ ...drawn, approval: nobody });
    expect(nobody.asked).toEqual([]);
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: true });
  });

  it('that nobody answers leaves the result accepted but not clean', async () => {
    const ran = await runScript({ ...drawn, approval: person({ isUnanswered: true }) });
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: false });
    expect(ran.outcome.evidence).toContain('1 results wait for a person');
  });

  it('lets a person overrule V1, and what is written is new evidence', async () => {
    const no = await runScript({ ...drawn, approval: person({}) });
    expect(no.outcome).toMatchObject({ outcome: 'escalated', clean: false });
    expect(decisionsOf(no)).toEqual(['ESCALATE V1/overruled']);
    const noted = await runScript({ ...drawn, approval: person({ note: 'the amount is wrong' }) });
    expect(noted.told.at(-1)).toContain('the amount is wrong');
    expect(decisionsOf(noted)[0]).toBe('RETRY V1/new-evidence');
  });

  it('is counted, so that the drift of the checks can be seen', async () => {
    const snapshotOf = (bodies: readonly EventBody[]): Snapshot =>
      bodies.reduce<Snapshot>((now, body, seq) => {
        const ids = { tenant: 't', client: 'c', task: 'k', step: 1 };
        return reduceSnapshot(now, { seq, atMs: 0, ids, body } satisfies DecisionEvent);
      }, emptySnapshot);
    expect(snapshotOf((await runScript(drawn)).events).reviews).toEqual({ judged: 1, overruled: 0 });
    expect(snapshotOf((await runScript({ ...drawn, approval: person({}) })).events).reviews).toEqual({
      judged: 1,
      overruled: 1,
    });
    const silent = await runScript({ ...drawn, approval: person({ isUnanswered: true }) });
    expect(snapshotOf(silent.events).reviews).toEqual({ judged: 0, overruled: 0 });
  });
});

describe('the final acceptance', () => {
  const good = { isAccepted: true, openEffects: 0, duplicates: 0, unlabelled: 0, openReviews: 0 };

  it.each([
    [{}, true],
    [{ isAccepted: false }, false],
    [{ openEffects: 1 }, false],
    [{ openEffects: null }, false],
    [{ duplicates: 1 }, false],
    [{ duplicates: null }, false],
    [{ unlabelled: 1 }, false],
    [{ openReviews: 1 }, false],
    [{ openEffects: Number.NaN }, false],
  ] as const)('of %j is clean: %s', (change, isClean) => {
    const verdict = finalAcceptance({ ...good, ...change });
    expect(verdict.isClean).toBe(isClean);
    expect(verdict.reasons.length === 0).toBe(isClean || 'isAccepted' in change);
  });

  it('finds an effect that was committed twice, unless it was taken back in between', async () => {
    const { world } = await runScript({ turns });
    const row = (to: 'COMMITTED' | 'COMPENSATED'): object => ({ atMs: 0, from: null, to, evidence: null });
    const factsOf = (history: readonly object[]): ReturnType<typeof ledgerFacts> =>
      ledgerFacts({ ...world.store, history: () => Promise.resolve({ ok: true, value: history as never }) }, 'task-a');
    const count = must(await world.store.entries({ task: 'task-a' })).length;
    expect(await factsOf([row('COMMITTED')])).toEqual({ openEffects: 0, duplicates: 0 });
    expect(await factsOf([row('COMMITTED'), row('COMMITTED')])).toEqual({ openEffects: 0, duplicates: count });
    expect((await factsOf([row('COMMITTED'), row('COMPENSATED'), row('COMMITTED')])).duplicates).toBe(0);
  });

  it('labels every degraded edit with its rung and who made it', async () => {
    const ran = await runScript({ turns, rung: 'L2', candidates: [a] });
    const { degradedEdits, lowest, editRung } = await savedState(ran);
    expect(degradedEdits).toEqual([{ toolCall: 'call-0-0', rung: 'L2', substitute: 'a', isChecked: false }]);
    expect([lowest, editRung]).toEqual([{ rung: 'L2', candidate: 'a' }, 'L2']);
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: true });
  });

  it('is not clean where a degraded edit has no label', async () => {
    const ran = await runScript({ turns, rung: 'L2' });
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: false });
    expect(ran.outcome.evidence).toContain('1 degraded answers are not labelled');
  });
});

describe('an escalation', () => {
  it('saves the evidence, the effects and what could be done before it is told', async () => {
    const ran = await runScript({ turns, exits: { 'npm test': [1] } });
    const { escalation, status, control } = await savedState(ran);
    expect([status, control]).toEqual(['finished', 'DONE']);
    expect(escalation).toMatchObject({ step: 3, rule: 'V1/same-rejection', open: [] });
    expect(escalation?.evidence).toContain('npm test: exit code 1');
    expect(escalation?.committed).toContainEqual(expect.stringContaining('a.txt'));
    expect(escalation?.proposal).not.toBe('');
  });
});
