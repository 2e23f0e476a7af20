// One recovered call on the virtual clock, with scripted candidates: what it yielded, what was logged, who was asked and when.
import { virtualClock, type VirtualClock } from '../../src/adapters/time/virtualClock.ts';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import type { Candidate } from '../../src/core/candidate.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import type { RequestContext } from '../../src/core/context.ts';
import type { DecisionEvent } from '../../src/core/events.ts';
import { parseSettings, type Settings } from '../../src/core/settings.ts';
import { BudgetBook } from '../../src/engine/budgetBook.ts';
import type { CallEvent, CommitPolicy } from '../../src/engine/call.ts';
import { DisclosureGate } from '../../src/engine/disclosureGate.ts';
import { EventLog } from '../../src/engine/eventLog.ts';
import { ProfileBook } from '../../src/engine/profileBook.ts';
import { Protection } from '../../src/engine/protection.ts';
import type { ApprovalPort } from '../../src/engine/ports.ts';
import { qualityDoor } from '../../src/engine/qualityDoor.ts';
import { recoveredCall } from '../../src/engine/recoveredCall.ts';
import { ReplicaBook } from '../../src/engine/replicaBook.ts';
import { SchedulerBook } from '../../src/engine/schedulerBook.ts';
import { SpendingBook } from '../../src/engine/spendingBook.ts';
import { SummaryBook } from '../../src/engine/summaryBook.ts';
import { TaskFaults } from '../../src/engine/taskFaults.ts';
import { WarmCaches } from '../../src/engine/warmCaches.ts';
import { seededRandom } from './random.ts';
import { scriptedProvider, type ScriptStep } from './scriptedProvider.ts';

/** The request of every test that brings no other. */
export const request: ChatRequest = {
  model: 'any',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  tools: [{ name: 'read_file', parameters: { type: 'object', required: ['path'] } }],
  toolChoice: { type: 'auto' },
};
const denyAll: ApprovalPort = {
  hasPerson: false,
  ask: () => Promise.resolve({ choice: 'deny', note: 'nobody is there', by: 'test' }),
};

const context: RequestContext = {
  tenant: 't',
  client: 'c',
  task: 'k',
  step: 1,
  role: 'chat',
  criticality: 'medium',
  qualityFloor: 0.8,
  deadlineMs: 1e9,
};

export interface Outcome {
  readonly events: readonly CallEvent[];
  readonly text: string;
  readonly log: readonly DecisionEvent[];
  readonly seen: ReturnType<typeof scriptedProvider>['seen'];
  readonly clock: VirtualClock;
  readonly settings: Settings;
}

/** Runs one call to its end (or to `stopAfter` yields, or to the abort). */
export async function call(
  pool: readonly Candidate[],
  scripts: Readonly<Record<string, readonly (readonly ScriptStep[])[]>>,
  options: {
    policy?: CommitPolicy;
    settings?: Partial<Settings>;
    raw?: Record<string, unknown>;
    asked?: ChatRequest;
    context?: Partial<RequestContext>;
    pinned?: boolean;
    /** Candidates outside the route. */
    others?: readonly Candidate[];
    abortAtMs?: number;
    stopAfter?: number;
    /** What earlier calls have learned. */
    profiles?: ProfileBook;
    scheduler?: SchedulerBook;
    /** What earlier calls have cost. */
    spending?: SpendingBook;
    /** What earlier calls of the task have met. */
    faults?: TaskFaults;
    requestId?: string;
    /** What a person says to every question; absent: nobody is there. */
    person?: ApprovalPort['ask'];
  } = {},
): Promise<Outcome> {
  const clock = virtualClock();
  const provider = scriptedProvider(clock, scripts);
  const settings: Settings = { ...parseSettings(options.raw ?? {}).settings, ...options.settings };
  const log: DecisionEvent[] = [];
  const eventLog = new EventLog(clock, { emit: (event) => log.push(event) }, 1000);
  const store = memoryStore();
  let count = 0;
  const abort = new AbortController();
  const newId = (prefix: string): string => `${prefix}-${++count}`;
  const shutdown = new AbortController().signal;
  // The candidates of these tests are on loopback: nobody needs to be asked about them.
  const approval = { ask: () => Promise.reject(new Error('nobody is asked here')) };
  const gate = new DisclosureGate({
    ports: { clock, store, approval },
    settings: () => settings,
    emit: eventLog.emit,
    newId,
    shutdown,
  });
  const profiles = options.profiles ?? new ProfileBook();
  const scheduler = options.scheduler ?? new SchedulerBook(clock);
  const random = seededRandom(7);
  const spending = options.spending ?? new SpendingBook(clock, 'window');
  eventLog.subscribe(spending.hear);
  const protection = new Protection({
    ports: { clock, random: seededRandom(8), store },
    settings: settings.advanced,
    tokens: profiles.tokens,
    emit: eventLog.emit,
    newId,
    shutdown,
  });
  const learnQuality = qualityDoor({ profiles, scheduler, candidates: () => pool, settings: () => settings });
  const replicas = new ReplicaBook(learnQuality);
  eventLog.subscribe((event) => replicas.hear(event));
  const dependencies = {
    gate,
    protection,
    ports: { clock, random, provider, store, approval: options.person ? { ask: options.person } : denyAll },
    summaries: new SummaryBook(),
    profiles,
    scheduler,
    caches: new WarmCaches(),
    learnQuality,
    replicas,
    budgets: new BudgetBook(store, settings.advanced.retry),
    spending,
    faults: options.faults ?? new TaskFaults(),
    emit: eventLog.emit,
    newId,
    shutdown,
  };
  const route = {
    candidates: pool,
    tier: 'large' as const,
    pinned: options.pinned ?? false,
    order: 'ranked' as const,
    name: 'any',
  };
  const events: CallEvent[] = [];
  const read = async (): Promise<void> => {
    const input = {
      request: options.asked ?? request,
      context: { ...context, ...options.context },
      options: {
        policy: options.policy ?? 'stream',
        ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
      },
      settings,
      route,
      others: options.others ?? [],
      signal: abort.signal,
    };
    for await (const event of recoveredCall(dependencies, input)) {
      events.push(event);
      if (events.length === options.stopAfter) break;
    }
  };
  if (options.abortAtMs !== undefined) void clock.sleep(options.abortAtMs).then(() => abort.abort());
  await clock.run(read());
  const text = events
    .flatMap((event) => (event.type === 'event' ? event.event.parts : []))
    .map((part) => (part.type === 'text-delta' ? part.text : ''))
    .join('');
  return { events, text, log, seen: provider.seen, clock, settings };
}
