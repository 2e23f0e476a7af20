// How a task ends when its model call has no answer: class of fault x criticality x preset, through the whole controller. The
// end is the decision's word (HFR tables 3 and 9, 4.4), whatever the class is called.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { DecisionEvent } from '../../../src/core/events.ts';
import type { Criticality } from '../../../src/core/context.ts';
import { readTaskState } from '../../../src/core/recovery/checkpoint.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { createController, type TaskOutcome } from '../../../src/engine/controller.ts';
import type { Ports, Question } from '../../../src/engine/ports.ts';
import { memoryCommands } from '../../support/memoryCommands.ts';
import { must } from '../../support/memoryEntries.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';
import { seededRandom } from '../../support/random.ts';
import { fails, scriptedProvider, type ScriptStep } from '../../support/scriptedProvider.ts';

const A = 'a/main/m@default';
const provider = { id: 'a', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/a', keyless: true };
const providers = [{ ...provider, models: [{ name: 'm' }] }];

interface Ended {
  readonly outcome: TaskOutcome;
  readonly events: readonly DecisionEvent[];
  readonly questions: readonly Question[];
  readonly ports: Ports;
}

async function ended(
  script: readonly ScriptStep[],
  criticality: Criticality,
  advanced: Record<string, unknown> = {},
  deadlineMs = 1e9,
): Promise<Ended> {
  const clock = virtualClock();
  const events: DecisionEvent[] = [];
  const questions: Question[] = [];
  const ports: Ports = {
    clock,
    random: seededRandom(3),
    provider: scriptedProvider(clock, { [A]: [script] }),
    store: memoryStore(),
    command: memoryCommands({ act: () => undefined }).asProcess(1),
    files: memoryFiles({}),
    approval: {
      hasPerson: false,
      ask: (question) => {
        questions.push(question);
        return Promise.resolve({ choice: 'deny', note: '', by: 'test' });
      },
    },
    events: { emit: (event) => events.push(event) },
  };
  const breaker = { isEnabled: false };
  const { settings } = parseSettings({ 'belay.providers': providers, 'belay.advanced': { breaker, ...advanced } });
  const controller = await createController(ports, settings);
  const spec = { id: 'task-1', goal: 'g', model: 'm', successCommand: 'true', criticality, deadlineMs };
  const work = controller.runTask({ ...spec, workspace: '/repo', env: {} }, new AbortController().signal);
  return { outcome: await clock.run(work), events, questions, ports };
}

const refusal = fails(400, { body: { error: { code: 'content_policy_violation', message: 'content policy' } } });
const overflow = fails(400, { body: { error: { code: 'context_length_exceeded' } } });

/** F failed, E escalated; low medium high, first for `document`, then for `plus`. */
const TABLE: readonly (readonly [name: string, script: readonly ScriptStep[], ends: string])[] = [
  ['T1', fails(500), 'FFE EEE'],
  ['T2', fails(429), 'FFE EEE'],
  ['T4', fails(529), 'FFE EEE'],
  ['T6', overflow, 'FFE EEE'],
  ['T7 invalid', fails(400, { body: { error: { type: 'invalid_request_error', message: 'bad' } } }), 'FFE EEE'],
  ['T7 permission', fails(403), 'EEE EEE'],
  ['T7 quota', fails(429, { body: { error: { code: 'insufficient_quota' } } }), 'EEE EEE'],
  ['T8', refusal, 'EEE EEE'],
];

const CASES = TABLE.flatMap(([name, script, ends]) =>
  (['document', 'plus'] as const).flatMap((preset, half) =>
    (['low', 'medium', 'high'] as const).map((criticality, at) => {
      const isEscalated = ends.split(' ')[half]?.[at] === 'E';
      return { name, script, preset, criticality, end: isEscalated ? 'escalated' : 'failed' } as const;
    }),
  ),
);

describe('a task whose model call has no answer', () => {
  it.each(CASES)('ends as $end: $name, $criticality, $preset', async ({ script, preset, criticality, end }) => {
    const { outcome, events, ports } = await ended(script, criticality, { recovery: { preset } });
    expect(outcome).toMatchObject({ outcome: end, clean: false });
    const last = events.findLast(({ body }) => body.type === 'decision-made')?.body;
    expect(last).toMatchObject({ action: end === 'failed' ? 'FAIL' : 'ESCALATE' });
    const row = must(await ports.store.checkpoint('task-1'));
    const read = readTaskState(row?.version ?? 0, row?.state ?? '');
    const pack = read.ok ? read.state.escalation : null;
    expect(pack === null).toBe(end === 'failed');
    if (pack && last?.type === 'decision-made') expect(pack.rule).toBe(last.rule);
  });

  it('ends as escalated where the time does not allow another try, whatever the class', async () => {
    const { outcome, events } = await ended(fails(500), 'medium', {}, 1200);
    expect(events.some(({ body }) => body.type === 'decision-made' && body.rule === 'T1/deadline')).toBe(true);
    expect(outcome.outcome).toBe('escalated');
  });

  it('ends by criticality and preset where nobody may serve and nothing was decided', async () => {
    const none = { ...provider, models: [] };
    const endOf = async (criticality: Criticality, preset: string): Promise<string> => {
      const clock = virtualClock();
      const store = memoryStore();
      const ports = { clock, random: seededRandom(1), provider: scriptedProvider(clock, {}), store };
      const rest = { command: memoryCommands({ act: () => undefined }).asProcess(1), files: memoryFiles({}) };
      const approval = { ask: () => Promise.reject(new Error('nobody is asked')) };
      const raw = { 'belay.providers': [none], 'belay.advanced': { recovery: { preset } } };
      const all = { ...ports, ...rest, approval, events: { emit: () => undefined } };
      const controller = await createController(all, parseSettings(raw).settings);
      const spec = { id: 't', goal: 'g', model: 'm', successCommand: 'true', criticality, deadlineMs: 1e9 };
      const work = controller.runTask({ ...spec, workspace: '/repo', env: {} }, new AbortController().signal);
      return (await clock.run(work)).outcome;
    };
    expect(await endOf('medium', 'document')).toBe('failed');
    expect(await endOf('high', 'document')).toBe('escalated');
    expect(await endOf('low', 'plus')).toBe('escalated');
  });
});
