// The front door of the engine: everything outside calls Belay through this one object.
// It is thin: it wires settings, ports and state together; decisions are core's, doing is its siblings'.
import type { Candidate } from '../core/candidate.ts';
import { emptyCatalogue, type Catalogue } from '../core/catalogue.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { DecisionEvent } from '../core/events.ts';
import { settingsPolicy } from '../core/guard/settingsPolicy.ts';
import { askedName, plainName } from '../core/modelNames.ts';
import { candidatesOf, modelNames, resolveRoute, type ResolvedRoute } from '../core/routes.ts';
import type { Settings } from '../core/settings.ts';
import type { TaskState } from '../core/recovery/checkpoint.ts';
import type { TextSize } from '../core/textSize.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { admittedCommands } from './admittedCommands.ts';
import { agentTools } from './agentTools.ts';
import { BudgetBook } from './budgetBook.ts';
import type { CallEvent, CallOptions } from './call.ts';
import type { LearnQuality } from './callParts.ts';
import { constraintWatch } from './constraintWatch.ts';
import { SUMMARY_ROLE } from './contextCompressor.ts';
import { DisclosureGate } from './disclosureGate.ts';
import { permittedProvider } from './disclosureProvider.ts';
import { Outgoing } from './disclosureOutgoing.ts';
import type { EffectPorts } from './effectEntry.ts';
import { EventLog } from './eventLog.ts';
import { ledgerDoor, type LedgerDoor } from './ledgerDoor.ts';
import { lightModelOpinion, OPINION_ROLE } from './faultOpinion.ts';
import { idFactory } from './ids.ts';
import type { OpinionPort, Ports, Result } from './ports.ts';
import { ProfileBook } from './profileBook.ts';
import { qualityDoor } from './qualityDoor.ts';
import { Protection } from './protection.ts';
import { recoveredCall } from './recoveredCall.ts';
import { notBegun, resumableTask, whileOwned, type ResumeTerms } from './resumeTask.ts';
import { qualityWatch } from './qualityWatch.ts';
import { ReplicaBook } from './replicaBook.ts';
import { SchedulerBook } from './schedulerBook.ts';
import { SpendingBook } from './spendingBook.ts';
import { SuspectPings } from './suspectPings.ts';
import { withStoreNotices } from './storeNotices.ts';
import { SummaryBook } from './summaryBook.ts';
import { TaskFaults } from './taskFaults.ts';
import { runTask, type TaskDependencies, type TaskOutcome, type TaskSpec } from './taskRunner.ts';
import { WarmCaches } from './warmCaches.ts';

export type { CallEvent, CallFailure, CallOptions, CallSummary, CommitPolicy } from './call.ts';
export { runGuardedCommand, type CommandOutcome } from './guardedCommand.ts';
export { decideEntry } from './decideEntry.ts';
export { recoverOpen, type RecoveredEntry } from './recoverLedger.ts';
export { undoEffects, type UndoOutcome, type UndoRequest } from './undoEffects.ts';
export { tidyLedger, withTidyLedger } from './ledgerTidy.ts';
export { keptContracts, testToolContract, type ContractReport, type ContractTarget } from './toolContract.ts';
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
  /** All that the settings and the catalogue make, in the order of the settings. */
  candidates(): readonly Candidate[];
  models(): readonly ModelListing[];
  /**
   * Tokens of so much text, estimated as that candidate of a model's route counts that counts most: who answers is not known
   * before the race. Never 0 for text.
   */
  countTokens(model: string, size: TextSize): number;
  /** One hedged, recovered model call. See CallEvent for the order of what it yields. */
  complete(
    request: ChatRequest,
    context: RequestContext,
    options: CallOptions,
    signal: AbortSignal,
  ): AsyncIterable<CallEvent>;
  /** Belay's own agent loop over a goal: plan, act, observe, verify. */
  runTask(spec: TaskSpec, signal: AbortSignal): Promise<TaskOutcome>;
  /**
   * Goes on with a task that was interrupted: its open effects are reconciled first, then its last turn is finished without
   * doing anything twice. The error says why that cannot be.
   */
  resumeTask(id: string, more: ResumeTerms, signal: AbortSignal): Promise<Result<TaskOutcome, string>>;
  /** What happened to effects that were left open, what a person says of them, and what is taken back; all of it is emitted. */
  readonly ledger: LedgerDoor;
  /** Takes a judgement of an answer: who gave it, in which role, how good it is and where that comes from. */
  learnQuality: LearnQuality;
  snapshot(): Snapshot;
  /** The last `count` decision events, oldest first. */
  recentEvents(count: number): readonly DecisionEvent[];
  /** Calls `listener` after each event was folded into the snapshot. */
  onDidEmit(listener: (event: DecisionEvent) => void): Disposable;
  /** Takes new settings for calls that start from now on; what disclosure allows holds for the next attempt of any call. */
  reconfigure(settings: Settings): void;
  /** Forgets who was allowed or denied code when the person was asked. `trouble`: why the store still knows it. */
  forgetDisclosure(): Promise<{ readonly count: number; readonly trouble: string | null }>;
  /** Cancels running calls, saves profiles, closes the store. */
  dispose(): Promise<void>;
}

/** Builds a controller; what an earlier session learned is loaded first. `catalogue` fills in what the settings leave open. */
export async function createController(
  given: Ports,
  initialSettings: Settings,
  catalogue: Catalogue = emptyCatalogue,
): Promise<Controller> {
  let settings = initialSettings;
  let candidates: readonly Candidate[] = candidatesOf(settings, catalogue);
  const log = new EventLog(given.clock, given.events, settings.advanced.limits.eventWindow);
  const { emit } = log;
  const ports: Ports = { ...given, store: withStoreNotices(given.store, emit) };
  const profiles = new ProfileBook();
  const scheduler = new SchedulerBook(ports.clock);
  const caches = new WarmCaches();
  const learnQuality = qualityDoor({
    profiles,
    scheduler,
    candidates: () => candidates,
    settings: () => settings,
  });
  const budgets = new BudgetBook(ports.store, settings.advanced.retry);
  const shutdown = new AbortController();
  const newId = idFactory(ports.random);
  const gate = new DisclosureGate({ ports, settings: () => settings, emit, newId, shutdown: shutdown.signal });
  const outgoing = new Outgoing(ports, emit);
  const summaries = new SummaryBook();
  const shared = {
    ports,
    settings: settings.advanced,
    tokens: profiles.tokens,
    emit,
    newId,
    shutdown: shutdown.signal,
  };
  const protection: Protection = new Protection({
    ...shared,
    onPinged: (candidate, result) => pings.learned(candidate, result),
  });
  const spending = new SpendingBook(ports.clock, newId('spending'));
  log.subscribe((event) => {
    spending.hear(event);
    spending.saveSoon(ports.store, shutdown.signal);
  });
  const pings = new SuspectPings({
    ...shared,
    clock: ports.clock,
    random: ports.random,
    scheduler,
    protection,
    cancels: protection.cancels,
    constants: () => scheduler.constantsOf(settings),
    mayBePinged: (candidate) => settings.mode !== 'literal' && candidates.includes(candidate),
    isDaySpent: () => spending.isDaySpent(settings.advanced.spending.perDayUsd),
  });
  const faults = new TaskFaults();
  const replicas = new ReplicaBook(learnQuality);
  const learning = { profiles, scheduler, caches, learnQuality, replicas, pings };
  const books = { budgets, spending, faults };
  const dependencies = { ...learning, ...books, protection, gate, emit, newId, shutdown: shutdown.signal };

  log.subscribe(
    constraintWatch(
      () => log.snapshot,
      () => settings.advanced.constraints,
      emit,
    ),
  );
  log.subscribe(qualityWatch(learnQuality));
  log.subscribe((event) => replicas.hear(event));
  const commands = admittedCommands(ports.command, protection, ports.clock, shutdown.signal);

  const timed: Ports & Pick<EffectPorts, 'reconcileTimeoutMs'> = {
    ...ports,
    get reconcileTimeoutMs() {
      return settings.advanced.limits.reconcileTimeoutMs;
    },
  };

  const warn = (message: string | null, remedy: string): void => {
    const ids = { tenant: 'local', client: 'belay', task: 'start', step: 0 };
    if (message !== null) emit(ids, { type: 'notice', severity: 'warning', message, remedy });
  };
  warn(await profiles.load(ports.store), 'Nothing to do; rankings start fresh.');
  warn(await scheduler.load(ports.store), 'Nothing to do; rankings start fresh.');
  await spending.load(ports.store);
  await protection.breakers.share();
  warn(await gate.load(), 'You are asked again who may get code.');

  const complete: Controller['complete'] = async function* (request, context, options, signal) {
    const route = withoutAvoided(resolveRoute(settings, candidates, request.model), options);
    const either = AbortSignal.any([signal, shutdown.signal]);
    const provider = permittedProvider(ports.provider, (candidate) => gate.permission(candidate, context.role));
    try {
      const { sent, restored } = await outgoing.prepare(request, context, options, settings);
      // An opinion and a summary are those of the model that was named for them, and of no other.
      const isByName = context.role === OPINION_ROLE || context.role === SUMMARY_ROLE;
      const used = new Set([...route.candidates.map(({ id }) => id), ...(options.avoid ?? [])]);
      const others = isByName ? [] : candidates.filter(({ id }) => !used.has(id));
      const input = { request: sent, context, options, settings, route, others, signal: either };
      const opinion = opinionFor(context);
      yield* restored(
        recoveredCall({ ...dependencies, opinion, complete, summaries, ports: { ...ports, provider } }, input),
      );
    } finally {
      profiles.saveSoon(ports.store, ports.clock, shutdown.signal);
      scheduler.saveSoon(ports.store, ports.clock, shutdown.signal);
    }
  };

  /** An opinion is never itself a matter of opinion. */
  const opinionFor = ({ role }: RequestContext): OpinionPort | undefined => {
    const model = settings.advanced.faults.opinionModel;
    if (role === OPINION_ROLE) return undefined;
    return ports.opinion ?? (model === '' ? undefined : lightModelOpinion(complete, model, ports.clock));
  };

  const taskDependencies = ({ workspace, env }: TaskSpec): TaskDependencies => {
    const { commandTimeoutMs: timeoutMs, promptQuietMs, outputLimitBytes } = settings.advanced.limits;
    const makeTools: TaskDependencies['makeTools'] = (store) =>
      agentTools({
        ports: { ...timed, store, command: commands },
        workspace,
        env,
        policy: settingsPolicy(settings),
        timeoutMs,
        promptQuietMs,
        outputLimitBytes,
        recovery: { budgets, faults, settings: settings.advanced, random: ports.random },
      });
    const route = (model: string): ResolvedRoute => resolveRoute(settings, candidates, model);
    return { ports, complete, route, budgets, profiles, learnQuality, emit: log.emit, newId, settings, makeTools };
  };

  const work = async (spec: TaskSpec, signal: AbortSignal, from?: TaskState): Promise<Result<TaskOutcome, string>> => {
    if (from) spending.resume(spec.id, from.costUsd);
    return { ok: true, value: await runTask(taskDependencies(spec), spec, signal, from) };
  };

  return {
    get settings() {
      return settings;
    },
    candidates: () => candidates,
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
    countTokens: (model, size) => {
      const asked = resolveRoute(settings, candidates, model).candidates.map((each) => askedName(each.model, model));
      const names = asked.length > 0 ? asked : [model];
      return Math.max(...names.map((name) => profiles.tokens.estimate(plainName(name), size)));
    },
    complete,
    runTask: async (spec, signal) => {
      const done = await whileOwned(ports, spec.id, signal, (owned) => work(spec, owned));
      return done.ok ? done.value : notBegun(spec.id, done.error);
    },
    resumeTask: (id, more, signal) =>
      whileOwned(ports, id, signal, async (owned) => {
        const found = await resumableTask(timed, id, more, emit);
        return found.ok ? work(found.value.spec, owned, found.value.state) : found;
      }),
    ledger: ledgerDoor(timed, emit),
    learnQuality,
    snapshot: () => ({ ...log.snapshot, spending: spendingOf(spending, settings) }),
    recentEvents: (count) => log.recent(count),
    onDidEmit: (listener) => {
      const dispose = log.subscribe(listener);
      return { dispose };
    },
    reconfigure: (next) => {
      settings = next;
      candidates = candidatesOf(next, catalogue);
      budgets.reconfigure(next.advanced.retry);
      protection.reconfigure(next.advanced);
      gate.changed();
    },
    forgetDisclosure: () => gate.forget(),
    dispose: async () => {
      shutdown.abort();
      await profiles.save(ports.store);
      await scheduler.save(ports.store);
      await protection.breakers.share();
      await spending.saveLast(ports.store);
      await ports.store.close();
    },
  };
}

function spendingOf({ today }: SpendingBook, { advanced }: Settings): Snapshot['spending'] {
  const { perDayUsd } = advanced.spending;
  return { ...today, limitUsd: perDayUsd > 0 ? perDayUsd : null };
}

/** Without those whose answer was rejected, as long as another one is left; a pinned route is used as it is (DESIGN 1). */
function withoutAvoided(route: ResolvedRoute, { avoid = [] }: CallOptions): ResolvedRoute {
  const left = route.candidates.filter(({ id }) => !avoid.includes(id));
  return route.pinned || left.length === 0 ? route : { ...route, candidates: left };
}
