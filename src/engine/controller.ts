// The front door of the engine: everything outside calls Belay through this one object.
// It is thin: it wires settings, ports and state together; decisions are core's, doing is its siblings'.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { DecisionEvent } from '../core/events.ts';
import { settingsPolicy } from '../core/guard/settingsPolicy.ts';
import { candidatesOf, modelNames, resolveRoute } from '../core/routes.ts';
import type { Settings } from '../core/settings.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { agentTools } from './agentTools.ts';
import { BudgetBook } from './budgetBook.ts';
import type { CallEvent, CallOptions } from './call.ts';
import { EventLog } from './eventLog.ts';
import { idFactory } from './ids.ts';
import type { Ports } from './ports.ts';
import { ProfileBook } from './profileBook.ts';
import { recoveredCall } from './recoveredCall.ts';
import { runTask, type TaskOutcome, type TaskSpec } from './taskRunner.ts';

export type { CallEvent, CallFailure, CallOptions, CallSummary, CommitPolicy } from './call.ts';
export { runGuardedCommand, type CommandOutcome } from './guardedCommand.ts';
export type { TaskOutcome, TaskSpec } from './taskRunner.ts';

/** A name that clients may ask for. `contextWindowTokens` is the smallest window the route can serve. */
export interface ModelListing {
  readonly name: string;
  readonly contextWindowTokens: number;
  readonly candidates: number;
}

export interface Disposable {
  dispose(): void;
}

/** Belay's controller. */
export interface Controller {
  readonly settings: Settings;
  models(): readonly ModelListing[];
  /** One hedged, recovered model call. See CallEvent for the order of what it yields. */
  complete(
    request: ChatRequest,
    context: RequestContext,
    options: CallOptions,
    signal: AbortSignal,
  ): AsyncIterable<CallEvent>;
  /** Belay's own agent loop over a goal: plan, act, observe, verify. */
  runTask(spec: TaskSpec, signal: AbortSignal): Promise<TaskOutcome>;
  snapshot(): Snapshot;
  /** The last `count` decision events, oldest first. */
  recentEvents(count: number): readonly DecisionEvent[];
  /** Calls `listener` after each event was folded into the snapshot. */
  onDidEmit(listener: (event: DecisionEvent) => void): Disposable;
  /** Takes new settings for calls that start from now on. */
  reconfigure(settings: Settings): void;
  /** Cancels running calls, saves profiles, closes the store. */
  dispose(): Promise<void>;
}

/** Builds a controller; what an earlier session learned is loaded first. */
export async function createController(ports: Ports, initialSettings: Settings): Promise<Controller> {
  let settings = initialSettings;
  let candidates: readonly Candidate[] = candidatesOf(settings);
  const log = new EventLog(ports.clock, ports.events, settings.advanced.limits.eventWindow);
  const profiles = new ProfileBook();
  const budgets = new BudgetBook(ports.store, settings.advanced.retry);
  const shutdown = new AbortController();
  const newId = idFactory(ports.random);
  const dependencies = { ports, profiles, budgets, emit: log.emit, newId, shutdown: shutdown.signal };

  const trouble = await profiles.load(ports.store);
  if (trouble) {
    const ids = { tenant: 'local', client: 'belay', task: 'start', step: 0 };
    log.emit(ids, {
      type: 'notice',
      severity: 'warning',
      message: trouble,
      remedy: 'Nothing to do; rankings start fresh.',
    });
  }

  const complete: Controller['complete'] = async function* (request, context, options, signal) {
    const route = resolveRoute(settings, candidates, request.model);
    const either = AbortSignal.any([signal, shutdown.signal]);
    try {
      yield* recoveredCall(dependencies, { request, context, options, settings, route, signal: either });
    } finally {
      profiles.saveSoon(ports.store, ports.clock, shutdown.signal);
    }
  };

  return {
    get settings() {
      return settings;
    },
    models: () =>
      modelNames(settings, candidates).map((name) => {
        const route = resolveRoute(settings, candidates, name);
        const windows = route.candidates.map((candidate) => candidate.contextWindowTokens);
        return {
          name,
          contextWindowTokens: windows.length > 0 ? Math.min(...windows) : 0,
          candidates: route.candidates.length,
        };
      }),
    complete,
    runTask: (spec, signal) => {
      const { commandTimeoutMs: timeoutMs, outputLimitBytes } = settings.advanced.limits;
      const { workspace, env } = spec;
      const tools = agentTools({
        ports,
        workspace,
        env,
        policy: settingsPolicy(settings),
        timeoutMs,
        outputLimitBytes,
      });
      return runTask({ ports, complete, budgets, profiles, emit: log.emit, newId, settings, tools }, spec, signal);
    },
    snapshot: () => log.snapshot,
    recentEvents: (count) => log.recent(count),
    onDidEmit: (listener) => {
      const dispose = log.subscribe(listener);
      return { dispose };
    },
    reconfigure: (next) => {
      settings = next;
      candidates = candidatesOf(next);
      budgets.reconfigure(next.advanced.retry);
    },
    dispose: async () => {
      shutdown.abort();
      await profiles.save(ports.store);
      await ports.store.close();
    },
  };
}
