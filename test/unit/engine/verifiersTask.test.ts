// Acceptance in the agent loop: what the checks say when the model is done, and when a substitute has made an edit.
import { describe, expect, it } from 'vitest';
import { readTaskState } from '../../../src/core/recovery/checkpoint.ts';
import { must } from '../../support/memoryEntries.ts';
import { checksOf, decisionsOf, edit, finish, runScript as run, types } from '../../support/taskHarness.ts';

describe('a task whose model says that it is done', () => {
  it("is a success when its own command and the workspace's checks have really passed", async () => {
    const ran = await run({ turns: [[edit], [finish]], checks: [types] });
    expect(ran.outcome).toMatchObject({ outcome: 'success', clean: true });
    expect(ran.outcome.evidence).toBe('npm test: exit code 0; npx tsc --noEmit: exit code 0');
    expect(checksOf(ran)).toEqual(['V1 passed']);
    expect(decisionsOf(ran)).toEqual(['ACCEPT V1/accepted']);
  });

  it('goes on with the reasons as evidence, and ends when the same ones come again', async () => {
    const ran = await run({ turns: [[edit], [finish]], exits: { 'npm test': [1] } });
    expect(ran.outcome).toMatchObject({ outcome: 'escalated', clean: false });
    expect(ran.outcome.evidence).toMatch(
      /^rejected twice for the same reason, and no other model is left that may try it: npm test: exit code 1/,
    );
    expect(ran.told.at(-1)).toContain('- exit npm test: exit code 1');
    expect(decisionsOf(ran)).toEqual(['RETRY V1/new-evidence', 'ESCALATE V1/same-rejection']);
  });

  it('is a success where a later try mends it', async () => {
    const ran = await run({ turns: [[edit], [finish]], exits: { 'npm test': [1, 0] } });
    expect(ran.outcome.outcome).toBe('success');
    expect(checksOf(ran)).toEqual(['V1 rejected', 'V1 passed']);
  });

  it('is no success where only the type checker rejects', async () => {
    const ran = await run({ turns: [[finish]], checks: [types], exits: { 'npx tsc --noEmit': [2] } });
    expect(ran.outcome.outcome).toBe('escalated');
  });

  it('takes a retry from the budget for each new try, and ends when there is none', async () => {
    const ran = await run({
      turns: [[edit], [finish]],
      exits: { 'npm test': [1, 2, 3, 4, 5] },
      raw: { 'belay.advanced': { retry: { maxRetriesPerTask: 2 } } },
    });
    expect(decisionsOf(ran)).toEqual(['RETRY V1/new-evidence', 'RETRY V1/new-evidence', 'ESCALATE V1/budget']);
    expect(ran.outcome).toMatchObject({ outcome: 'escalated' });
  });

  it('is put before a person at high criticality, since V2 is required and not built in', async () => {
    const yes = await run({ turns: [[edit], [finish]], spec: { criticality: 'high' } });
    expect(yes.outcome).toMatchObject({ outcome: 'success' });
    expect(checksOf(yes)).toEqual(['V1 passed', 'V2 rejected', 'V3 passed']);
    expect(yes.world.questions).toMatchObject([{ kind: 'acceptance', targets: ['a.txt'] }]);
    const no = await run({ turns: [[edit], [finish]], spec: { criticality: 'high' }, answer: 'deny' });
    expect(no.outcome).toMatchObject({ outcome: 'escalated', clean: false });
    expect(no.outcome.evidence).toContain('V2 is required and cannot be checked here');
    expect(decisionsOf(no)).toEqual(['ESCALATE V1/check-missing']);
  });

  it('is put before a person where the task has rewritten what its own command does', async () => {
    const rewrite = ['write_file', { path: 'package.json', content: '{"scripts":{"test":"true"}}' }] as const;
    const no = await run({ turns: [[rewrite], [finish]], answer: 'deny' });
    expect(no.outcome).toMatchObject({ outcome: 'escalated', clean: false });
    expect(no.outcome.evidence).toContain('the task changed package.json, which says what npm test does');
    expect(no.world.questions).toMatchObject([{ kind: 'acceptance', targets: ['package.json'] }]);
    expect(checksOf(no)).toEqual(['V1 passed', 'V3 rejected', 'V3 rejected']);
    const yes = await run({ turns: [[rewrite], [finish]] });
    expect(yes.outcome.outcome).toBe('success');
  });

  it('shows no key of its own command in what is told of it, passed or not', async () => {
    const successCommand = 'API_TOKEN=hunter2hunter2 npm test';
    for (const exits of [{}, { [successCommand]: [1] }]) {
      const ran = await run({ turns: [[edit], [finish]], exits, spec: { successCommand } });
      const told = ran.events.filter(({ type }) => !type.startsWith('effect-'));
      expect(JSON.stringify([ran.outcome, told])).not.toContain('hunter2');
      expect(ran.outcome.evidence).toContain('API_TOKEN=[secret] npm test: exit code');
    }
  });

  it('saves what was rejected, so that a resumed task knows it', async () => {
    const ran = await run({ turns: [[finish]], exits: { 'npm test': [1] } });
    const row = must(await ran.world.store.checkpoint('task-a'));
    const state = readTaskState(row?.version ?? 0, row?.state ?? '');
    expect(state.ok && state.state.lastRejection).toContain('exit code 1');
  });
});

describe('an edit made at a lower rung', () => {
  it('is checked right away from L2 on, and the model learns the result', async () => {
    const ran = await run({
      turns: [[edit], [finish]],
      rung: 'L2',
      checks: [types],
      exits: { 'npx tsc --noEmit': [0, 2, 0] },
    });
    // The first run is the look at what was wrong before.
    expect(ran.told[1]).toContain('This edit was made at rung L2 and does not pass its checks');
    expect(checksOf(ran).slice(0, 2)).toEqual(['V1 rejected', 'V2 rejected']);
  });

  it('makes the whole task one for a person at L3, whatever its tests say', async () => {
    const no = await run({ turns: [[edit], [finish]], rung: 'L3', checks: [types], answer: 'deny' });
    expect(no.outcome).toMatchObject({ outcome: 'escalated' });
    const yes = await run({ turns: [[edit], [finish]], rung: 'L3', checks: [types] });
    expect(yes.outcome).toMatchObject({ outcome: 'success' });
    expect(checksOf(yes).at(-1)).toBe('V3 passed');
  });

  it('is not checked before the end at L0 and L1', async () => {
    for (const rung of ['L0', 'L1'] as const) {
      const ran = await run({ turns: [[edit], [finish]], rung, checks: [types] });
      expect(checksOf(ran)).toEqual(['V1 passed']);
      expect(ran.outcome.outcome).toBe('success');
    }
  });
});

describe('a call that does not fit its tool', () => {
  it('is not made, and the model is told why', async () => {
    const ran = await run({ turns: [[['edit_file', { search: 'one' }]], [finish]] });
    expect(ran.told[1]).toContain('Not made: field edit_file: path is missing');
    expect(ran.world.files.contents.get('a.txt')).toBe('one\n');
  });
});
