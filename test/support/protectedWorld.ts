// Whole controllers on one virtual clock and one store, as windows of Belay have them, in front of providers that a test
// plays: many calls, one after the other or at the same time.
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock, type VirtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { RequestContext } from '../../src/core/context.ts';
import type { DecisionEvent, EventBody } from '../../src/core/events.ts';
import { parseSettings } from '../../src/core/settings.ts';
import type { CallEvent } from '../../src/engine/call.ts';
import { createController, type Controller } from '../../src/engine/controller.ts';
import type { Ports, ProviderPort, StorePort } from '../../src/engine/ports.ts';
import { memoryCommands } from './memoryCommands.ts';
import { memoryFiles } from './memoryFiles.ts';
import { seededRandom } from './random.ts';

/** How a call ended for its caller. */
export interface CallEnd {
  readonly isAnswered: boolean;
  readonly candidate: string | null;
  readonly attempts: number;
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  readonly message: string;
}

export interface Window {
  readonly controller: Controller;
  readonly events: readonly DecisionEvent[];
  /** One call; `task` names its task. */
  call(task: string, change?: Partial<RequestContext>, signal?: AbortSignal): Promise<CallEnd>;
  /** Bodies of one type of event, in order. */
  told<T extends EventBody['type']>(type: T): readonly Extract<EventBody, { type: T }>[];
}

export interface ProtectedWorld {
  readonly clock: VirtualClock;
  readonly store: StorePort;
  readonly open: (seed?: number) => Promise<Window>;
}

/** Providers by name; a candidate's id is `NAME/main/m@default`. `advanced` is belay.advanced. */
export function protectedWorld(
  names: readonly string[],
  makeProvider: (clock: VirtualClock) => ProviderPort,
  advanced: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): ProtectedWorld {
  const clock = virtualClock();
  const store = memoryStore();
  const provider = makeProvider(clock);
  const providers = names.map((id) => ({
    id,
    kind: 'openai-compatible',
    baseUrl: `http://127.0.0.1:1/${id}`,
    keyless: true,
    models: [{ name: 'm', tier: 'large' }],
  }));
  const { settings } = parseSettings({ 'belay.providers': providers, 'belay.advanced': advanced, ...more });
  return {
    clock,
    store,
    open: async (seed = 3) => {
      const events: DecisionEvent[] = [];
      const ports: Ports = {
        clock,
        random: seededRandom(seed),
        provider,
        store,
        command: memoryCommands({ act: () => undefined }).asProcess(1),
        files: memoryFiles({}),
        approval: { ask: () => Promise.reject(new Error('nobody is asked here')) },
        events: { emit: (event) => events.push(event) },
      };
      const controller = await createController(ports, settings);
      return {
        controller,
        events,
        call: (task, change = {}, signal = new AbortController().signal) =>
          oneCall(controller, clock, context(task, clock.nowMs() + 120_000, change), signal),
        told: <T extends EventBody['type']>(type: T) =>
          events.flatMap(({ body }) =>
            // The type was just compared.
            body.type === type ? [body as Extract<EventBody, { type: T }>] : [],
          ),
      };
    },
  };
}

function context(task: string, deadlineMs: number, change: Partial<RequestContext>): RequestContext {
  return {
    tenant: 't',
    client: 'c',
    task,
    step: 1,
    role: 'chat',
    criticality: 'medium',
    qualityFloor: 0.5,
    deadlineMs,
    ...change,
  };
}

async function oneCall(
  controller: Controller,
  clock: VirtualClock,
  asked: RequestContext,
  signal: AbortSignal,
): Promise<CallEnd> {
  const startedAtMs = clock.nowMs();
  let last: CallEvent | null = null;
  const request = {
    model: 'any',
    system: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }],
    tools: [],
    toolChoice: { type: 'auto' as const },
  };
  for await (const event of controller.complete(request, asked, { policy: 'stream' }, signal)) last = event;
  const summary = last?.type === 'finished' ? last.summary : last?.type === 'failed' ? last.failure.summary : null;
  return {
    isAnswered: last?.type === 'finished',
    candidate: summary?.candidate ?? null,
    attempts: summary?.attempts ?? 0,
    startedAtMs,
    elapsedMs: clock.nowMs() - startedAtMs,
    message: last?.type === 'failed' ? last.failure.message : '',
  };
}
