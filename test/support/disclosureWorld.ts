// A whole controller on the virtual clock with candidates elsewhere than on this machine, and a person who is asked about
// them and answers as told, when told.
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock, type VirtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import type { RequestContext } from '../../src/core/context.ts';
import type { DecisionEvent } from '../../src/core/events.ts';
import { parseSettings, type Settings } from '../../src/core/settings.ts';
import { createController, type CallEvent, type Controller } from '../../src/engine/controller.ts';
import type { Answer, Ports, Question, StorePort } from '../../src/engine/ports.ts';
import { memoryCommands } from './memoryCommands.ts';
import { memoryFiles } from './memoryFiles.ts';
import { seededRandom } from './random.ts';
import { scriptedProvider, type ScriptStep, type ScriptedProvider } from './scriptedProvider.ts';

/** A provider of the settings, far away: vendor `acme-<id>`, one model `m`. */
export function farProvider(id: string, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id,
    kind: 'openai-compatible',
    baseUrl: `https://${id}.test/v1`,
    keyless: true,
    vendor: `acme-${id}`,
    regions: [{ name: 'eu-west-1' }],
    models: [{ name: 'm' }],
    ...change,
  };
}

/** Id of the candidate that `farProvider` makes. */
export const farId = (id: string, model = 'm', region = 'eu-west-1'): string => `${id}/main/${model}@${region}`;

export interface DisclosureWorld {
  readonly controller: Controller;
  readonly clock: VirtualClock;
  readonly provider: ScriptedProvider;
  readonly events: DecisionEvent[];
  readonly questions: Question[];
  /** Takes new raw settings. */
  readonly reconfigure: (raw: Readonly<Record<string, unknown>>) => void;
  readonly settings: (raw: Readonly<Record<string, unknown>>) => Settings;
}

export interface DisclosureOptions {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly scripts: Readonly<Record<string, readonly (readonly ScriptStep[])[]>>;
  /** What the person says; null: nothing, until the end. Default: denies. */
  readonly answer?: (question: Question) => Answer['choice'] | 'workspace' | null;
  readonly answerAfterMs?: number;
  readonly store?: StorePort;
  readonly ports?: Partial<Ports>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Builds it. */
export async function disclosureWorld(options: DisclosureOptions): Promise<DisclosureWorld> {
  const clock = virtualClock();
  const provider = scriptedProvider(clock, options.scripts);
  const events: DecisionEvent[] = [];
  const questions: Question[] = [];
  const settings = (raw: Readonly<Record<string, unknown>>): Settings =>
    parseSettings({ ...options.raw, ...raw }).settings;
  const ask: Ports['approval']['ask'] = async (question, signal) => {
    questions.push(question);
    await clock.sleep(options.answerAfterMs ?? 0, signal);
    const said = options.answer?.(question) ?? (options.answer ? null : 'deny');
    if (said === null) return new Promise<Answer>(() => undefined);
    const choice = said === 'deny' ? 'deny' : 'allow';
    return { choice, isForWorkspace: said === 'workspace', note: '', by: 'Ada' };
  };
  const ports: Ports = {
    clock,
    random: seededRandom(5),
    provider,
    store: options.store ?? memoryStore(),
    command: memoryCommands({ act: () => undefined }).asProcess(1),
    files: memoryFiles(options.files ?? {}),
    approval: { ask },
    events: { emit: (event) => events.push(event) },
    workspace: { key: 'file:///repo', name: 'repo' },
    ...options.ports,
  };
  const controller = await createController(ports, settings({}));
  return {
    controller,
    clock,
    provider,
    events,
    questions,
    settings,
    reconfigure: (raw) => controller.reconfigure(settings(raw)),
  };
}

/** One call's events, text and end. */
export interface Told {
  readonly events: readonly CallEvent[];
  readonly text: string;
  /** The failure's message, or null. */
  readonly failure: string | null;
  readonly status: number | null;
}

/** Asks once; the promise is settled by running the clock. */
export async function ask(
  { controller }: DisclosureWorld,
  change: Partial<RequestContext> = {},
  request: Partial<ChatRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Told> {
  const asked: ChatRequest = {
    model: 'm',
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    ...request,
  };
  const context: RequestContext = {
    tenant: 't',
    client: 'c',
    task: 'k',
    step: 1,
    role: 'chat',
    criticality: 'medium',
    qualityFloor: 0,
    deadlineMs: 1e9,
    ...change,
  };
  const events: CallEvent[] = [];
  for await (const event of controller.complete(asked, context, { policy: 'stream' }, signal)) events.push(event);
  const text = events
    .flatMap((event) => (event.type === 'event' ? event.event.parts : []))
    .map((part) => (part.type === 'text-delta' ? part.text : ''))
    .join('');
  const last = events.at(-1);
  const failure = last?.type === 'failed' ? last.failure : null;
  return { events, text, failure: failure?.message ?? null, status: failure?.status ?? null };
}
