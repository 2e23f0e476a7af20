// A controller that yields what a script says, with waits on the clock port, and remembers what it was asked.
// For tests of whatever stands in front of the engine; it decides nothing.
import type { StreamPart, Wire } from '../../src/core/chat.ts';
import type { EventIds, RequestContext } from '../../src/core/context.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import type { DecisionEvent, EventBody } from '../../src/core/events.ts';
import { candidatesOf } from '../../src/core/routes.ts';
import { parseSettings, type Settings } from '../../src/core/settings.ts';
import { carefulEstimator, estimateTokens } from '../../src/core/tokens.ts';
import { emptySnapshot, reduceSnapshot, type Snapshot } from '../../src/core/snapshot.ts';
import type {
  CallEvent,
  CallFailure,
  CallOptions,
  CallSummary,
  Controller,
  ModelListing,
} from '../../src/engine/controller.ts';
import type { ClockPort } from '../../src/engine/ports.ts';

/** One line of a script. */
export type ScriptStep =
  | CallEvent
  | { readonly type: 'wait'; readonly ms: number }
  /** Waits until the signal is aborted. */
  | { readonly type: 'hang' }
  | { readonly type: 'throw'; readonly error: Error };

export interface FakeCall {
  readonly request: ChatRequest;
  readonly context: RequestContext;
  readonly options: CallOptions;
  readonly signal: AbortSignal;
  /** Steps that were taken from the script so far. */
  taken: number;
  /** The iterator has ended, however it did. */
  hasEnded: boolean;
}

export type Script = Iterable<ScriptStep> | ((call: FakeCall) => Iterable<ScriptStep>);

export interface FakeController extends Controller {
  readonly calls: readonly FakeCall[];
  /** What later calls yield. */
  readonly play: (script: Script) => void;
  readonly emit: (ids: Partial<EventIds>, body: EventBody) => void;
  readonly isDisposed: () => boolean;
  readonly listenerCount: () => number;
}

export interface FakeOptions {
  readonly clock: ClockPort;
  readonly script?: Script;
  /** Raw settings by full name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly models?: readonly ModelListing[];
}

/** A controller for one test. */
export function fakeController(options: FakeOptions): FakeController {
  const { clock } = options;
  let script: Script = options.script ?? [];
  let settings: Settings = parseSettings(options.settings ?? {}).settings;
  let snapshot: Snapshot = emptySnapshot;
  let isDisposed = false;
  const calls: FakeCall[] = [];
  const events: DecisionEvent[] = [];
  const listeners = new Set<(event: DecisionEvent) => void>();

  async function* run(call: FakeCall): AsyncGenerator<CallEvent> {
    try {
      for (const step of typeof script === 'function' ? script(call) : script) {
        if (call.signal.aborted) return;
        if (step.type === 'wait' || step.type === 'hang') {
          const ms = step.type === 'wait' ? step.ms : 1e9;
          const isAborted = await clock.sleep(ms, call.signal).then(
            () => false,
            () => true,
          );
          if (isAborted) return;
        } else if (step.type === 'throw') throw step.error;
        else {
          call.taken++;
          yield step;
        }
      }
    } finally {
      call.hasEnded = true;
    }
  }

  return {
    calls,
    play: (next) => {
      script = next;
    },
    emit: (ids, body) => {
      const all = { tenant: 'local', client: 'test', task: 't', step: 1, ...ids };
      const event: DecisionEvent = { seq: events.length + 1, atMs: clock.nowMs(), ids: all, body };
      events.push(event);
      snapshot = reduceSnapshot(snapshot, event);
      for (const listener of listeners) listener(event);
    },
    isDisposed: () => isDisposed,
    listenerCount: () => listeners.size,
    get settings() {
      return settings;
    },
    candidates: () => candidatesOf(settings),
    models: () => options.models ?? [],
    countTokens: (_model, size) => estimateTokens(carefulEstimator, size),
    complete: (request, context, callOptions, signal) => {
      const call: FakeCall = { request, context, options: callOptions, signal, taken: 0, hasEnded: false };
      calls.push(call);
      return run(call);
    },
    runTask: () => Promise.reject(new Error('the fake controller runs no tasks')),
    resumeTask: () => Promise.reject(new Error('the fake controller runs no tasks')),
    ledger: {
      recover: () => Promise.reject(new Error('the fake controller has no ledger')),
      watch: () => Promise.resolve(),
      decide: () => Promise.reject(new Error('the fake controller has no ledger')),
      undo: () => Promise.reject(new Error('the fake controller has no ledger')),
    },
    learnQuality: () => undefined,
    snapshot: () => snapshot,
    recentEvents: (count) => (count <= 0 ? [] : events.slice(-count)),
    onDidEmit: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    forgetDisclosure: () => Promise.resolve({ count: 0, trouble: null }),
    reconfigure: (next) => {
      settings = next;
    },
    dispose: () => {
      isDisposed = true;
      return Promise.resolve();
    },
  };
}

/** A summary of an answered call, with changes. */
export function summaryOf(change: Partial<CallSummary> = {}): CallSummary {
  return {
    requestId: 'unset',
    outcome: 'answered',
    candidate: 'a/main/m@eu',
    attempt: 'att-1',
    servedModel: 'm-2026',
    rung: 'L0',
    attempts: 2,
    costUsd: 0.0125,
    usage: { inputTokens: 10, outputTokens: 5 },
    elapsedMs: 12,
    ...change,
  };
}

export const committed = (change: Partial<Extract<CallEvent, { type: 'committed' }>> = {}): CallEvent => ({
  type: 'committed',
  requestId: 'unset',
  candidate: 'a/main/m@eu',
  rung: 'L0',
  attempts: 1,
  ...change,
});

/** One event a part. */
export const partEvents = (...parts: readonly StreamPart[]): readonly CallEvent[] =>
  parts.map((part) => ({ type: 'event', event: { parts: [part] } }));

/** One event with the bytes it came as. */
export const rawEvent = (wire: Wire, text: string, ...parts: readonly StreamPart[]): CallEvent => ({
  type: 'event',
  event: { parts, raw: { wire, bytes: new TextEncoder().encode(text) } },
});

export const finished = (change: Partial<CallSummary> = {}): CallEvent => ({
  type: 'finished',
  summary: summaryOf(change),
});

export const failed = (change: Partial<CallFailure> = {}): CallEvent => ({
  type: 'failed',
  failure: {
    fault: null,
    message: 'all candidates failed',
    status: 503,
    retryAfterMs: null,
    afterCommit: false,
    summary: summaryOf({ outcome: 'failed', candidate: null }),
    ...change,
  },
});

/** A whole answer of parts. */
export const answer = (...parts: readonly StreamPart[]): readonly CallEvent[] => [
  committed(),
  ...partEvents(...parts),
  finished(),
];
