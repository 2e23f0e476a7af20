// Acceptance in the agent loop: what the checks say when the model is done, and when a substitute has made an edit.
import { describe, expect, it } from 'vitest';
import { workspaceVerifiers } from '../../../src/adapters/verifiers/workspaceVerifiers.ts';
import type { ChatRequest, ToolCallPart } from '../../../src/core/chat.ts';
import type { EventBody, Rung } from '../../../src/core/events.ts';
import { settingsPolicy } from '../../../src/core/guard/settingsPolicy.ts';
import { readTaskState } from '../../../src/core/recovery/checkpoint.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { agentTools } from '../../../src/engine/agentTools.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { CallEvent } from '../../../src/engine/call.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import type { PlannedCheck, Ports } from '../../../src/engine/ports.ts';
import { runTask, type TaskDependencies, type TaskOutcome, type TaskSpec } from '../../../src/engine/taskRunner.ts';
import { summaryOf } from '../../support/fakeController.ts';
import { must } from '../../support/memoryEntries.ts';
import { memoryWorld, WORKSPACE, type MemoryWorld } from '../../support/memoryWorld.ts';

type Call = readonly [name: string, args: Readonly<Record<string, string>>];

const spec: TaskSpec = {
  id: 'task-a',
  goal: 'mend it',
  model: 'any',
  successCommand: 'npm test',
  criticality: 'medium',
  deadlineMs: 1e12,
  workspace: WORKSPACE,
  env: {},
};
const edit: Call = ['edit_file', { path: 'a.txt', search: 'one', replace: 'two' }];
const finish: Call = ['finish', { summary: 'done' }];
const types: PlannedCheck = {
  kind: 'types',
  verifier: 'types: tsc',
  version: '',
  command: 'npx tsc --noEmit',
  why: 'test',
};

interface Script {
  readonly turns: readonly (readonly Call[])[];
  readonly rung?: Rung;
  readonly checks?: readonly PlannedCheck[];
  /** How a command ends: exit codes one after the other, the last one again and again. */
  readonly exits?: Readonly<Record<string, readonly number[]>>;
  readonly answer?: 'allow' | 'deny';
  readonly raw?: Readonly<Record<string, unknown>>;
  readonly spec?: Partial<TaskSpec>;
}

interface Ran {
  readonly outcome: TaskOutcome;
  readonly world: MemoryWorld;
  readonly events: readonly EventBody[];
  readonly told: readonly string[];
}

async function run({
  turns,
  rung = 'L0',
  checks = [],
  exits = {},
  answer = 'allow',
  raw = {},
  spec: change = {},
}: Script): Promise<Ran> {
  const counts = new Map<string, number>();
  const world = memoryWorld({
    files: { 'a.txt': 'one\n' },
    answer,
    // The world hands the command over, too.
    fate: (...given: readonly unknown[]) => {
      const [gated] = given as readonly [{ readonly command: string }?];
      const text = gated?.command ?? '';
      const codes = exits[text] ?? [0];
      const nth = counts.get(text) ?? 0;
      counts.set(text, nth + 1);
      return {
        acts: true,
        exit: { kind: 'exited', exitCode: codes[Math.min(nth, codes.length - 1)] ?? 0, signal: null },
      };
    },
  });
  const { settings } = parseSettings({ 'belay.guard.mode': 'autonomous', ...raw });
  const ports: Ports = {
    ...world.ports,
    random: { next: () => 0.5 },
    provider: {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('unused')) }) }),
    },
    events: { emit: () => undefined },
    verifier: { ...workspaceVerifiers(() => true), plan: () => Promise.resolve({ checks, lacking: [] }) },
  };
  const told: string[] = [];
  const complete = async function* (request: ChatRequest): AsyncGenerator<CallEvent> {
    await Promise.resolve();
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const last = request.messages.at(-1);
    told.push(JSON.stringify(last?.content));
    const calls: ToolCallPart[] = (turns[turn] ?? turns.at(-1) ?? []).map(([name, args], i) => ({
      type: 'tool-call',
      id: `call-${turn}-${i}`,
      name,
      argsText: JSON.stringify(args),
    }));
    yield { type: 'event', event: { parts: calls } };
    yield { type: 'finished', summary: summaryOf({ requestId: `request-${turn}`, rung }) };
  };
  let ids = 0;
  const dependencies: TaskDependencies = {
    ports,
    complete,
    budgets: new BudgetBook(world.store, settings.advanced.retry),
    profiles: new ProfileBook(),
    emit: (_, body) => world.events.push(body),
    newId: (prefix) => `${prefix}-${ids++}`,
    settings,
    makeTools: (store) =>
      agentTools({
        ports: { ...ports, store },
        workspace: WORKSPACE,
        env: {},
        policy: settingsPolicy(settings),
        timeoutMs: 1000,
        outputLimitBytes: 10_000,
      }),
  };
  const outcome = await runTask(dependencies, { ...spec, ...change }, new AbortController().signal);
  return { outcome, world, events: world.events, told };
}

const checksOf = ({ events }: Ran): readonly string[] =>
  events.flatMap((body) =>
    body.type === 'verification-finished' ? [`${body.check} ${body.passed ? 'passed' : 'rejected'}`] : [],
  );
const decisionsOf = ({ events }: Ran): readonly string[] =>
  events.flatMap((body) => (body.type === 'decision-made' ? [`${body.action} ${body.rule}`] : []));

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
    expect(ran.outcome.evidence).toMatch(/^rejected twice for the same reason: npm test: exit code 1/);
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
