import { describe, expect, it } from 'vitest';
import type { ChatRequest, ToolCallPart } from '../../../src/core/chat.ts';
import type { RequestContext } from '../../../src/core/context.ts';
import { CHECKPOINT_VERSION, readTaskState, type TaskState } from '../../../src/core/recovery/checkpoint.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { settingsPolicy } from '../../../src/core/guard/settingsPolicy.ts';
import { agentTools } from '../../../src/engine/agentTools.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { CallEvent } from '../../../src/engine/call.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import type { Ports, StorePort } from '../../../src/engine/ports.ts';
import { resumableTask, type ResumeTerms } from '../../../src/engine/resumeTask.ts';
import { loadCheckpoint, saveCheckpoint } from '../../../src/engine/taskCheckpoint.ts';
import { runTask, type TaskDependencies, type TaskSpec } from '../../../src/engine/taskRunner.ts';
import { summaryOf } from '../../support/fakeController.ts';
import { must } from '../../support/memoryEntries.ts';
import { illegalMove, noRoute } from '../../support/taskParts.ts';
import { memoryWorld, WORKSPACE, type MemoryWorld } from '../../support/memoryWorld.ts';

const spec: TaskSpec = {
  id: 'task-a',
  goal: 'mend it',
  model: 'any',
  successCommand: 'true',
  criticality: 'medium',
  deadlineMs: 1e12,
  workspace: WORKSPACE,
  env: {},
};

type Call = readonly [name: string, args: Readonly<Record<string, string>>];

/** What the model does in each of its turns. */
const TURNS: readonly (readonly Call[])[] = [
  [
    ['edit_file', { path: 'a.txt', search: 'one', replace: 'two' }],
    ['run_command', { command: 'echo x >> log.txt' }],
  ],
  [['run_command', { command: 'echo y >> log.txt' }]],
  [['finish', { summary: 'done' }]],
];

const turnOf = ({ messages }: ChatRequest): number => messages.filter(({ role }) => role === 'assistant').length;

function dependenciesOf(world: MemoryWorld, store: StorePort, asked: number[]): TaskDependencies {
  const { settings } = parseSettings({ 'belay.guard.mode': 'autonomous' });
  const ports: Ports = {
    ...world.ports,
    store,
    random: { next: () => 0.5 },
    provider: {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('unused')) }) }),
    },
    events: { emit: () => undefined },
  };
  const complete = async function* (request: ChatRequest, context: RequestContext): AsyncGenerator<CallEvent> {
    await Promise.resolve();
    const turn = turnOf(request);
    asked.push(turn);
    const calls: ToolCallPart[] = (TURNS[turn] ?? []).map(([name, args], i) => ({
      type: 'tool-call',
      id: `call-${context.step}-${i}`,
      name,
      argsText: JSON.stringify(args),
    }));
    yield { type: 'event', event: { parts: calls } };
    yield { type: 'finished', summary: summaryOf({ requestId: `request-${turn}` }) };
  };
  let ids = 0;
  return {
    ports,
    complete,
    route: () => noRoute,
    onIllegalMove: illegalMove,
    budgets: new BudgetBook(store, settings.advanced.retry),
    profiles: new ProfileBook(),
    learnQuality: () => undefined,
    emit: (_, body) => world.events.push(body),
    newId: (prefix) => `${prefix}-${ids++}`,
    settings,
    makeTools: (taskStore) =>
      agentTools({
        ports: { ...ports, store: taskStore },
        workspace: WORKSPACE,
        env: {},
        policy: settingsPolicy(settings),
        timeoutMs: 1000,
        outputLimitBytes: 10_000,
      }),
  };
}

/** A store whose process dies at its `at`-th write, before or after the write is done. */
function dyingStore(store: StorePort, at: number, isWritten: boolean, died: () => void): StorePort {
  let writes = 0;
  return {
    ...store,
    write: async (transaction) => {
      if (++writes < at) return store.write(transaction);
      if (isWritten && writes === at) await store.write(transaction);
      died();
      return new Promise(() => undefined);
    },
  };
}

async function resume(world: MemoryWorld, asked: number[]): Promise<string> {
  const dependencies = dependenciesOf(world, world.store, asked);
  const ports = { ...dependencies.ports, command: world.commands.asProcess(2) };
  const found = await resumableTask(ports, spec.id, { deadlineMs: 1e12, env: {} }, dependencies.emit);
  if (!found.ok) return found.error;
  const { outcome } = await runTask(
    { ...dependencies, ports },
    found.value.spec,
    new AbortController().signal,
    found.value.state,
  );
  return outcome;
}

describe('a task of the agent loop', () => {
  it('that dies at any of its writes goes on without doing anything twice or asking for a paid answer again', async () => {
    let points = 0;
    for (const isWritten of [false, true]) {
      for (let at = 1; at < 60; at++) {
        const world = memoryWorld({ files: { 'a.txt': 'one\n' } });
        const asked: number[] = [];
        const ended = await new Promise<boolean>((resolve) => {
          const dying = dyingStore(world.store, at, isWritten, () => resolve(false));
          const run = runTask(dependenciesOf(world, dying, asked), spec, new AbortController().signal);
          void run.then(() => resolve(true));
        });
        if (ended) break;
        points++;
        const where = `death ${isWritten ? 'after' : 'before'} write ${at}`;
        const outcome = await resume(world, asked);
        if (at === 1 && !isWritten) {
          expect(outcome, where).toContain('there is no task task-a');
          continue;
        }
        expect(outcome, where).toMatch(/^success$|has ended/);
        // Only the turn in which it died may be asked for again.
        expect(asked.length, where).toBeLessThanOrEqual(TURNS.length + 1);
        expect(world.files.contents.get('a.txt'), where).toBe('two\n');
        expect(world.files.contents.get('log.txt'), where).toBe('x\ny\n');
        const effects = must(await world.store.entries({ task: spec.id }));
        expect(
          effects.filter(({ state }) => state === 'PREPARED' || state === 'UNKNOWN'),
          where,
        ).toEqual([]);
      }
    }
    expect(points).toBeGreaterThan(20);
  });

  it('is not gone on with when it has ended', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'one\n' } });
    await runTask(dependenciesOf(world, world.store, []), spec, new AbortController().signal);
    expect(await resume(world, [])).toContain('has ended');
  });

  it('never saves a secret, and does not make a call again whose arguments lost one', async () => {
    const world = memoryWorld();
    const key = ['sk', 'abcdefghij0123456789'].join('-');
    const call: ToolCallPart = {
      type: 'tool-call',
      id: 'c1',
      name: 'run_command',
      argsText: JSON.stringify({ command: `echo ${key} >> log.txt` }),
    };
    const state: TaskState = {
      status: 'running',
      goal: `use ${key}`,
      model: 'any',
      successCommand: 'true',
      criticality: 'low',
      workspace: WORKSPACE,
      step: 1,
      messages: [
        { role: 'user', content: [{ type: 'text', text: `use ${key}` }] },
        { role: 'assistant', content: [call] },
      ],
      results: [],
      attempts: 1,
      degraded: 0,
      costUsd: 0,
      idleAnswers: 0,
      lastEditor: null,
      lastRejection: null,
      control: 'VERIFY',
      qualityFloor: null,
      deadlineMs: 1e12,
      policyVersion: null,
      settingsVersion: null,
      lowest: { rung: 'L0', candidate: null },
      editRung: 'L0',
      answer: null,
      degradedEdits: [],
      unlabelled: 0,
      avoided: [],
      verifyMs: null,
      escalation: null,
    };
    must(await saveCheckpoint(world.store, spec.id, state));
    expect(must(await world.store.checkpoint(spec.id))?.state).not.toContain(key);
    await resume(world, []);
    expect(JSON.stringify([...world.files.contents.values()])).not.toContain('sk-');
    const after = must(await loadCheckpoint(world.store, spec.id));
    expect(JSON.stringify(after?.messages)).toContain('may have happened');
  });
});

describe('what a task goes on with', () => {
  /** A task that is interrupted before its first answer, and what `terms` make of it. */
  async function gone(
    change: Partial<TaskSpec>,
    terms: Partial<ResumeTerms> = {},
    alter: (state: TaskState) => TaskState = (state) => state,
  ): Promise<{ readonly world: MemoryWorld; readonly found: Awaited<ReturnType<typeof resumableTask>> }> {
    const world = memoryWorld({ files: { 'a.txt': 'one\n' } });
    const dependencies = dependenciesOf(world, world.store, []);
    const stop = new AbortController();
    const complete: TaskDependencies['complete'] = () => {
      stop.abort();
      return noEvents();
    };
    await runTask({ ...dependencies, complete }, { ...spec, ...change }, stop.signal);
    const saved = must(await loadCheckpoint(world.store, spec.id));
    if (!saved) throw new Error('nothing was saved');
    must(await saveCheckpoint(world.store, spec.id, alter(saved)));
    const found = await resumableTask(dependencies.ports, spec.id, { env: {}, ...terms }, dependencies.emit);
    return { world, found };
  }

  it('is its own quality floor and deadline: neither is counted anew', async () => {
    const { found } = await gone({ qualityFloor: 0.97, deadlineMs: 5_000_000 });
    expect(found).toMatchObject({ ok: true, value: { spec: { qualityFloor: 0.97, deadlineMs: 5_000_000 } } });
  });

  it('is what a person gives it anew, at the saved criticality', async () => {
    const terms = { qualityFloor: 0.5, deadlineMs: 9_000_000 };
    const { found } = await gone({ qualityFloor: 0.97, criticality: 'high' }, terms);
    expect(found).toMatchObject({ ok: true, value: { spec: { ...terms, criticality: 'high' } } });
  });

  it('is nothing after its deadline, until it gets a new one', async () => {
    const past = (state: TaskState): TaskState => ({ ...state, deadlineMs: 999_999 });
    const { found } = await gone({}, {}, past);
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining('--deadline-s') as string });
    expect((await gone({}, { deadlineMs: 9_000_000 }, past)).found.ok).toBe(true);
  });

  it('is told where policy or settings are others than it was saved with', async () => {
    const noticesOf = async (alter: (state: TaskState) => TaskState): Promise<readonly string[]> => {
      const { world, found } = await gone({}, {}, alter);
      if (!found.ok) throw new Error(found.error);
      const { spec: again, state } = found.value;
      await runTask(dependenciesOf(world, world.store, []), again, new AbortController().signal, state);
      return world.events.flatMap((body) => (body.type === 'notice' ? [body.message] : []));
    };
    expect(await noticesOf((state) => state)).toEqual([]);
    const drifted = await noticesOf((state) => ({ ...state, settingsVersion: '00000000' }));
    expect(drifted).toEqual([expect.stringContaining('Configuration drift: since task task-a was saved')]);
  });

  it('keeps the rung of the answer whose calls a crash has left, so that its edits are labelled', async () => {
    const call: ToolCallPart = {
      type: 'tool-call',
      id: 'c1',
      name: 'edit_file',
      argsText: JSON.stringify({ path: 'a.txt', search: 'one', replace: 'two' }),
    };
    const left = (answer: TaskState['answer'], degraded: number) => (state: TaskState) => ({
      ...state,
      answer,
      degraded,
      step: 1,
      messages: [...state.messages, { role: 'assistant' as const, content: [call] }],
    });
    const resumedState = async (alter: (state: TaskState) => TaskState): Promise<TaskState | null> => {
      const { world, found } = await gone({}, {}, alter);
      if (!found.ok) throw new Error(found.error);
      const { spec: again, state } = found.value;
      await runTask(dependenciesOf(world, world.store, []), again, new AbortController().signal, state);
      return must(await loadCheckpoint(world.store, spec.id));
    };
    const known = await resumedState(left({ rung: 'L2', candidate: 'b' }, 1));
    expect(known?.degradedEdits).toMatchObject([{ toolCall: 'c1', rung: 'L2', substitute: 'b' }]);
    expect(known?.unlabelled).toBe(0);
    expect((await resumedState(left(null, 1)))?.unlabelled).toBe(1);
  });
});

async function* noEvents(): AsyncGenerator<CallEvent> {
  // A call that was cancelled yields nothing.
}

describe('a checkpoint', () => {
  it('of another version or damaged is refused with what to do', () => {
    const errorOf = (version: number, text: string): string => {
      const read = readTaskState(version, text);
      return read.ok ? 'read' : read.error;
    };
    expect(errorOf(CHECKPOINT_VERSION + 1, '{}')).toContain('version');
    expect(errorOf(CHECKPOINT_VERSION, '{')).toContain('damaged');
    expect(errorOf(CHECKPOINT_VERSION, '{"status":"running"}')).toContain('damaged');
  });
});
