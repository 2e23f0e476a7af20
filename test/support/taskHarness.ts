// One task of the agent loop over a world in memory: the model, the commands and the person do as the script says, and all else
// is real: guard, ledger, checks, budgets, checkpoints. Every move of its state that table 9 does not have is an error.
import { workspaceVerifiers } from '../../src/adapters/verifiers/workspaceVerifiers.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { ToolCallPart } from '../../src/core/chat.ts';
import type { EventBody, Rung } from '../../src/core/events.ts';
import { settingsPolicy } from '../../src/core/guard/settingsPolicy.ts';
import type { TaskState } from '../../src/core/recovery/checkpoint.ts';
import { parseSettings } from '../../src/core/settings.ts';
import { agentTools } from '../../src/engine/agentTools.ts';
import { BudgetBook } from '../../src/engine/budgetBook.ts';
import { ProfileBook } from '../../src/engine/profileBook.ts';
import type { ApprovalPort, PlannedCheck, Ports } from '../../src/engine/ports.ts';
import { runTask, type TaskDependencies, type TaskOutcome, type TaskSpec } from '../../src/engine/taskRunner.ts';
import { illegalMove, noRoute } from './taskParts.ts';
import { summaryOf } from './fakeController.ts';
import { memoryWorld, WORKSPACE, type MemoryWorld } from './memoryWorld.ts';

export type Call = readonly [name: string, args: Readonly<Record<string, string>>];

export const taskSpec: TaskSpec = {
  id: 'task-a',
  goal: 'mend it',
  model: 'any',
  successCommand: 'npm test',
  criticality: 'medium',
  deadlineMs: 1e12,
  workspace: WORKSPACE,
  env: {},
};
export const edit: Call = ['edit_file', { path: 'a.txt', search: 'one', replace: 'two' }];
export const finish: Call = ['finish', { summary: 'done' }];
export const types: PlannedCheck = {
  kind: 'types',
  verifier: 'types: tsc',
  version: '',
  command: 'npx tsc --noEmit',
  why: 'test',
};

export interface Script {
  readonly turns: readonly (readonly Call[])[];
  readonly rung?: Rung;
  readonly checks?: readonly PlannedCheck[];
  /** How a command ends: exit codes one after the other, the last one again and again. */
  readonly exits?: Readonly<Record<string, readonly number[]>>;
  readonly answer?: 'allow' | 'deny';
  readonly raw?: Readonly<Record<string, unknown>>;
  readonly spec?: Partial<TaskSpec>;
  /** Candidates of the route; the first that is not avoided answers. */
  readonly candidates?: readonly Candidate[];
  /** What the person does; default: answers `answer`. */
  readonly approval?: ApprovalPort;
  /** How long each command takes, ms. */
  readonly commandMs?: number;
  /** Commands that never end by themselves. */
  readonly killed?: readonly string[];
  /** Where an earlier run stood. */
  readonly from?: TaskState;
  readonly draw?: number;
}

export interface Ran {
  readonly outcome: TaskOutcome;
  readonly world: MemoryWorld;
  readonly events: readonly EventBody[];
  readonly told: readonly string[];
  readonly asked: readonly AskedCall[];
}

interface AskedCall {
  readonly candidate: string | null;
  readonly verifyMs: number | undefined;
  readonly qualityFloor: number;
}

/** Runs it to its end. */
export async function runScript({
  turns,
  rung = 'L0',
  checks = [],
  exits = {},
  answer = 'allow',
  raw = {},
  spec: change = {},
  candidates = [],
  approval,
  commandMs = 0,
  killed = [],
  from,
  draw = 0.5,
}: Script): Promise<Ran> {
  const counts = new Map<string, number>();
  let lateMs = 0;
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
      lateMs += commandMs;
      if (killed.includes(text)) return { acts: true, exit: { kind: 'killed', because: 'timeout' } };
      return {
        acts: true,
        exit: { kind: 'exited', exitCode: codes[Math.min(nth, codes.length - 1)] ?? 0, signal: null },
      };
    },
  });
  const { settings } = parseSettings({ 'belay.guard.mode': 'autonomous', ...raw });
  const ports: Ports = {
    ...world.ports,
    clock: { ...world.clock, nowMs: () => world.clock.nowMs() + lateMs },
    ...(approval ? { approval } : {}),
    random: { next: () => draw },
    provider: {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('unused')) }) }),
    },
    events: { emit: () => undefined },
    verifier: { ...workspaceVerifiers(() => true), plan: () => Promise.resolve({ checks, lacking: [] }) },
  };
  const told: string[] = [];
  const asked: AskedCall[] = [];
  const complete: TaskDependencies['complete'] = async function* (request, context, { avoid = [] }) {
    await Promise.resolve();
    const candidate = candidates.find(({ id }) => !avoid.includes(id))?.id ?? null;
    asked.push({ candidate, verifyMs: context.verifyMs, qualityFloor: context.qualityFloor });
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
    yield { type: 'finished', summary: summaryOf({ requestId: `request-${turn}`, rung, candidate, elapsedMs: 100 }) };
  };
  let ids = 0;
  const dependencies: TaskDependencies = {
    ports,
    complete,
    route: () => ({ ...noRoute, candidates }),
    onIllegalMove: illegalMove,
    budgets: new BudgetBook(world.store, settings.advanced.retry),
    profiles: new ProfileBook(),
    learnQuality: () => undefined,
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
  const outcome = await runTask(dependencies, { ...taskSpec, ...change }, new AbortController().signal, from ?? null);
  return { outcome, world, events: world.events, told, asked };
}

export const checksOf = ({ events }: Ran): readonly string[] =>
  events.flatMap((body) =>
    body.type === 'verification-finished' ? [`${body.check} ${body.passed ? 'passed' : 'rejected'}`] : [],
  );
export const decisionsOf = ({ events }: Ran): readonly string[] =>
  events.flatMap((body) => (body.type === 'decision-made' ? [`${body.action} ${body.rule}`] : []));
