// `belay plan --export` and `--reset`: what the scheduler has learned, out of the store that all windows share, as a document that
// `belay plan` takes; and forgetting it, all of it or one candidate. Windows that run hear of a reset at their next save.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { calibrationReport } from '../core/scheduler/balanced/calibration.ts';
import { emptyState, withoutCandidate } from '../core/scheduler/balanced/savedState.ts';
import type { StorePort } from '../engine/ports.ts';
import {
  readSchedulerDocument,
  SCHEDULER_DOCUMENT,
  schedulerDocument,
  type SchedulerDocument,
} from '../core/scheduler/balanced/schedulerDocument.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';
import { sqliteStore } from '../adapters/stores/sqliteStore.ts';
import { ledgerPlace } from './ports.ts';

export interface PlanStoreOptions {
  readonly export?: boolean;
  /** `all`, or a candidate's id. */
  readonly reset?: string;
  readonly db?: string;
}

const NOTHING: SchedulerDocument = { state: emptyState, resetAtMs: null, facts: [] };

/** Opens the store, does what was asked for and closes it; 2 where there is no such store or document. */
export async function planStoreCommand(
  options: PlanStoreOptions,
  { cwd, env, nowMs }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly nowMs: number },
  io: CommandIo,
): Promise<ExitCode> {
  const { db } = ledgerPlace(env, options.db === undefined ? null : resolve(cwd, options.db));
  if (!existsSync(db)) {
    if (options.db !== undefined) return refuse(io, `there is no store at ${db}; check what --db names`);
    if (options.export === true) io.out(exported(NOTHING));
    return EXIT_CODES.done;
  }
  const isReading = options.reset === undefined;
  const store = sqliteStore({ file: db, readOnly: isReading });
  try {
    return await onStore(store, options, nowMs, io);
  } finally {
    await store.close();
  }
}

/** The same on a store that is open. */
export async function onStore(
  store: Pick<StorePort, 'document' | 'saveDocument'>,
  { export: isExport, reset }: PlanStoreOptions,
  nowMs: number,
  io: Pick<CommandIo, 'out' | 'err'>,
): Promise<ExitCode> {
  const document = await store.document(SCHEDULER_DOCUMENT);
  if (!document.ok) return refuse(io, document.error.message);
  const saved = document.value === null ? NOTHING : readSchedulerDocument(document.value);
  if (isExport === true) {
    if (!saved)
      return refuse(io, 'what the scheduler has learned cannot be read; "belay plan --reset all" starts afresh');
    io.out(exported(saved));
  }
  if (reset === undefined) return EXIT_CODES.done;
  const isAll = reset === 'all';
  const isKnown = saved !== null && Object.hasOwn(saved.state.candidates, reset);
  if (!isAll && !isKnown)
    return refuse(io, `nothing was learned of "${reset}"; "belay plan --export" names the candidates`);
  const next = isAll || !saved ? { ...NOTHING, resetAtMs: nowMs } : withoutOne(saved, reset);
  const done = await store.saveDocument(SCHEDULER_DOCUMENT, schedulerDocument(next));
  return done.ok ? EXIT_CODES.done : refuse(io, done.error.message);
}

function withoutOne({ state, resetAtMs, facts }: SchedulerDocument, id: string): SchedulerDocument {
  return { state: withoutCandidate(state, id), resetAtMs, facts: facts.filter((each) => each.id !== id) };
}

function exported({ state, facts }: SchedulerDocument): string {
  const { attempts, starts, ...gaps } = calibrationReport(state);
  return JSON.stringify({
    mode: 'balanced',
    params: {},
    sources: state.sources,
    candidates: facts.map((each) => ({ ...each, belief: state.candidates[each.id] ?? null })),
    hedgeTokens: state.hedgeTokens,
    calibration: { ...gaps, attempts: attempts.filter(({ n }) => n > 0), starts: starts.filter(({ n }) => n > 0) },
  });
}

function refuse(io: Pick<CommandIo, 'err'>, message: string): ExitCode {
  io.err(`plan: ${message}`);
  return EXIT_CODES.badInput;
}
