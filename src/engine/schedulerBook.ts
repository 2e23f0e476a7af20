// What the balanced and fast scheduler has learned, in memory, kept as one named document that all windows of Belay share: each
// save joins what the others have learned meanwhile. A document that cannot be read is reported, and learning starts afresh.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { Role } from '../core/chat.ts';
import { learnStart, type Pledge } from '../core/scheduler/balanced/calibration.ts';
import { constantsOf, type SchedulerConstants } from '../core/scheduler/balanced/constants.ts';
import { factsOf } from '../core/scheduler/balanced/facts.ts';
import { refillHedges } from '../core/scheduler/balanced/hedgeBucket.ts';
import { learn, learnQuality } from '../core/scheduler/balanced/learn.ts';
import { poolOf, type CandidatePool } from '../core/scheduler/balanced/pool.ts';
import {
  emptyState,
  forgetModel,
  joinStates,
  withoutCandidate,
  withoutOlder,
} from '../core/scheduler/balanced/savedState.ts';
import type { CallTrace, CandidateFacts, QualityEvidence, SchedulerState } from '../core/scheduler/balanced/types.ts';
import type { Settings } from '../core/settings.ts';
import type { ClockPort, StorePort } from './ports.ts';
import {
  readSchedulerDocument,
  SCHEDULER_DOCUMENT,
  schedulerDocument,
  type SchedulerDocument,
} from '../core/scheduler/balanced/schedulerDocument.ts';

/** At most one save in so many ms, and one at the end. */
const SAVE_EVERY_MS = 5000;
/** Routes whose pools are kept ready. */
const MOST_POOLS = 16;

interface ReadyPool {
  readonly candidates: readonly Candidate[];
  readonly constants: SchedulerConstants;
  readonly pool: CandidatePool;
}

export class SchedulerBook {
  private readonly clock: Pick<ClockPort, 'nowMs'>;
  private current: SchedulerState = emptyState;
  private resetAtMs: number | null = null;
  private pools: readonly ReadyPool[] = [];
  private readonly facts = new WeakMap<Candidate, CandidateFacts>();
  /** Of those that something was learned of, by id: saved beside it, so that a plan can be made of the document alone. */
  private known: Readonly<Record<CandidateId, CandidateFacts>> = {};
  private readonly constants = new WeakMap<Settings, SchedulerConstants>();
  private readonly listeners = new Set<() => void>();
  private isChanged = false;
  private isSaving = false;

  constructor(clock: Pick<ClockPort, 'nowMs'>) {
    this.clock = clock;
  }

  get state(): SchedulerState {
    return this.current;
  }

  /** The constants of a mode with the user's own over them; `literal` learns by those of `balanced`. */
  constantsOf(settings: Settings): SchedulerConstants {
    const known = this.constants.get(settings);
    if (known) return known;
    const preset = settings.mode === 'fast' ? 'fast' : 'balanced';
    const made = constantsOf(preset, settings.advanced.scheduler.balanced);
    this.constants.set(settings, made);
    return made;
  }

  /** The candidates made ready for planning, in their order; kept, since a route is asked again and again. */
  pool(candidates: readonly Candidate[], constants: SchedulerConstants): CandidatePool {
    const found = this.pools.find((ready) => ready.constants === constants && isSame(ready.candidates, candidates));
    if (found) return found.pool;
    const pool = poolOf(
      candidates.map((candidate) => this.factsOf(candidate)),
      constants,
    );
    this.pools = [{ candidates, constants, pool }, ...this.pools].slice(0, MOST_POOLS);
    return pool;
  }

  /** One logical call began: the hedge bucket gains its share. */
  beginCall(constants: SchedulerConstants): void {
    this.change(refillHedges(this.current, constants));
  }

  /** One hedge is paid from the bucket. */
  payHedge(): void {
    this.change({ ...this.current, hedgeTokens: Math.max(0, this.current.hedgeTokens - 1) });
  }

  learn(candidate: Candidate, trace: CallTrace, constants: SchedulerConstants): void {
    this.change(learn(this.current, this.factsOf(candidate), trace, this.clock.nowMs(), constants));
  }

  learnQuality(candidate: Candidate, role: Role, evidence: QualityEvidence, constants: SchedulerConstants): void {
    const facts = this.factsOf(candidate);
    this.change(learnQuality(this.current, facts, role, evidence, this.clock.nowMs(), constants));
  }

  /** Whether a start set kept its promise. */
  learnStart(pledge: Pledge, constants: SchedulerConstants): void {
    this.change(learnStart(this.current, pledge, constants));
  }

  /** Another model answers behind the candidate's name. */
  forgetModel(candidate: Candidate, constants: SchedulerConstants): void {
    this.change(forgetModel(this.current, this.factsOf(candidate), this.clock.nowMs(), constants));
  }

  /** Forgets one candidate, or everything: also what other windows have learned up to now. */
  reset(id: CandidateId | null): void {
    if (id === null) this.resetAtMs = this.clock.nowMs();
    this.change(id === null ? emptyState : withoutCandidate(this.current, id));
  }

  /** Called after each change. */
  onDidLearn(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Reads what was learned before and elsewhere; a message when it could not be used. */
  async load(store: StorePort): Promise<string | null> {
    const document = await store.document(SCHEDULER_DOCUMENT);
    if (!document.ok) return document.error.message;
    if (document.value === null) return null;
    const saved = readSchedulerDocument(document.value);
    if (!saved) return 'what the scheduler had learned could not be read; Belay learns it anew';
    this.join(saved);
    return null;
  }

  /** Saves within a few seconds; a save that is already planned covers this change too. */
  saveSoon(store: StorePort, clock: ClockPort, shutdown: AbortSignal): void {
    if (this.isSaving || !this.isChanged) return;
    this.isSaving = true;
    const saved = clock.sleep(SAVE_EVERY_MS, shutdown).then(() => this.save(store));
    // Aborted by the shutdown, which saves itself; a store that fails costs what was learned, nothing else.
    saved
      .catch(() => undefined)
      .finally(() => {
        this.isSaving = false;
      });
  }

  /** Joins what other windows have saved and saves the whole. */
  async save(store: StorePort): Promise<void> {
    if (!this.isChanged) return;
    this.isChanged = false;
    const document = await store.document(SCHEDULER_DOCUMENT);
    const saved = document.ok && document.value !== null ? readSchedulerDocument(document.value) : null;
    if (saved) this.join(saved);
    const facts = Object.values(this.known).filter(({ id }) => Object.hasOwn(this.current.candidates, id));
    await store.saveDocument(
      SCHEDULER_DOCUMENT,
      schedulerDocument({ state: this.current, resetAtMs: this.resetAtMs, facts }),
    );
  }

  private join(saved: SchedulerDocument): void {
    this.known = { ...Object.fromEntries(saved.facts.map((facts) => [facts.id, facts])), ...this.known };
    const resetAtMs = Math.max(this.resetAtMs ?? -Infinity, saved.resetAtMs ?? -Infinity);
    const kept = (state: SchedulerState, ownReset: number | null): SchedulerState =>
      resetAtMs > (ownReset ?? -Infinity) ? withoutOlder(state, resetAtMs) : state;
    this.current = joinStates(kept(this.current, this.resetAtMs), kept(saved.state, saved.resetAtMs));
    this.resetAtMs = Number.isFinite(resetAtMs) ? resetAtMs : null;
  }

  private factsOf(candidate: Candidate): CandidateFacts {
    const known = this.facts.get(candidate);
    if (known) return known;
    const made = factsOf(candidate);
    this.facts.set(candidate, made);
    this.known = { ...this.known, [candidate.id]: made };
    return made;
  }

  private change(next: SchedulerState): void {
    if (next === this.current) return;
    this.current = next;
    this.isChanged = true;
    for (const listener of this.listeners) listener();
  }
}

function isSame(some: readonly Candidate[], others: readonly Candidate[]): boolean {
  return some.length === others.length && some.every((candidate, index) => candidate === others[index]);
}
