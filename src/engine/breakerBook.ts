// The breakers of all targets, in memory and shared with other windows through the store. Deciding is core/recovery/breaker;
// this counts what it is told, merges what others counted, hands out probes and tells every change of state.
// A store that fails costs what others know, never the breaker: it goes on in memory.
import type { EventIds } from '../core/context.ts';
import type { BreakerStatus } from '../core/events.ts';
import {
  breakerFigures,
  mergeBreakers,
  newBreaker,
  readBreaker,
  soberBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerMessage,
  type BreakerState,
  type BreakerView,
} from '../core/recovery/breaker.ts';
import type { BreakerTarget, ClosedOff } from '../core/recovery/breakerTargets.ts';
import type { BreakerLimits, HealthOutcome } from '../core/recovery/breakerWindow.ts';
import type { Emit } from './eventLog.ts';
import type { ClockPort, RandomPort, StorePort } from './ports.ts';

export interface BreakerBookInput {
  readonly ports: { readonly clock: ClockPort; readonly random: RandomPort; readonly store: StorePort };
  readonly emit: Emit;
  /** Names this window of Belay among all that share the store. */
  readonly window: string;
  readonly limits: BreakerLimits;
  readonly shutdown: AbortSignal;
}

/** The right to send one probe; give it back with what came of it. */
export interface ProbePermit {
  readonly target: BreakerTarget;
  /** Deadline of the opening that is tested. */
  readonly probeOfMs: number;
  /** Null: the store did not answer and the probe is counted in memory alone. */
  readonly lease: { readonly key: string; readonly token: number } | null;
}

/** Ids of events that no call caused. */
const OWN_IDS: EventIds = { tenant: 'local', client: 'belay', task: 'health', step: 0 };
/** A probe's lease outlives its timeout by so much. */
const LEASE_MARGIN_MS = 5000;

const WHY: Readonly<Record<string, string>> = {
  'error-rate': 'too many failures',
  'rate-limited': 'too many rate limits (429)',
  slow: 'the first token takes too long',
  'consecutive-failures': 'failures in a row',
  'probe-failed': 'a probe failed',
};

export class BreakerBook {
  private readonly input: BreakerBookInput;
  private limits: BreakerLimits;
  private readonly states = new Map<BreakerTarget, BreakerState>();
  private readonly told = new Map<BreakerTarget, BreakerStatus>();
  private readonly unshared = new Set<BreakerTarget>();
  /** The last text that the store answered, by target: what has not changed need not be read. */
  private readonly seen = new Map<BreakerTarget, string>();
  private readonly localProbes = new Map<BreakerTarget, number>();
  private readonly waiters = new Set<() => void>();
  private sharing: Promise<void> = Promise.resolve();
  private isShareDue = false;
  private sharedAtMs = -Infinity;
  private probes = 0;

  constructor(input: BreakerBookInput) {
    this.input = input;
    this.limits = input.limits;
  }

  reconfigure(limits: BreakerLimits): void {
    this.limits = limits;
    this.wake();
  }

  view(target: BreakerTarget): BreakerView {
    if (!this.limits.isEnabled) return { status: 'closed', isForced: true };
    const forced = this.limits.forced[target] ?? null;
    return viewBreaker(this.states.get(target) ?? newBreaker, this.input.ports.clock.nowMs(), forced);
  }

  /** The first of these that does not let traffic through, the one with the latest deadline; null: all do. */
  closedOff(targets: readonly BreakerTarget[]): ClosedOff | null {
    let worst: ClosedOff | null = null;
    for (const target of targets) {
      const view = this.view(target);
      if (view.status === 'closed') continue;
      this.tell(target, OWN_IDS);
      if (!worst || view.untilMs > worst.untilMs) worst = { target, status: view.status, untilMs: view.untilMs };
    }
    return worst;
  }

  /** Counts an outcome. `permit`: of the probe it is the outcome of. A change of state is shared at once, counts soon. */
  record(
    target: BreakerTarget,
    outcome: HealthOutcome,
    ids: EventIds,
    more: { readonly notBeforeMs?: number; readonly permit?: ProbePermit } = {},
  ): void {
    const { clock, random } = this.input.ports;
    const { notBeforeMs = 0, permit } = more;
    if (outcome.kind === 'neutral' && !permit && notBeforeMs === 0) return;
    const before = this.states.get(target) ?? newBreaker;
    const message: BreakerMessage = { outcome, notBeforeMs, probeOfMs: permit?.probeOfMs ?? null };
    const moment = { window: this.input.window, nowMs: clock.nowMs(), draw: 0.5 };
    const counted = stepBreaker(before, message, this.limits, moment);
    // Chance is drawn only for what needs it: an opening's cooldown.
    const isOpening = counted.trip !== before.trip;
    const after = isOpening ? stepBreaker(before, message, this.limits, { ...moment, draw: random.next() }) : counted;
    if (after === before) return;
    this.states.set(target, after);
    this.unshared.add(target);
    if (this.tell(target, ids)) void this.share();
    else this.shareSoon();
  }

  /** A probe of a half-open target, if one is still free over all windows; null: none, or it is half-open no more. */
  async permit(target: BreakerTarget): Promise<ProbePermit | null> {
    const tested = await this.halfOpenDeadline(target);
    if (tested === null) return null;
    const { clock, store } = this.input.ports;
    const ttlMs = this.limits.probeTimeoutMs + LEASE_MARGIN_MS;
    const holder = `${this.input.window}/${++this.probes}`;
    for (let slot = 0; slot < this.limits.halfOpenProbes; slot++) {
      const key = `breaker/${target}/${slot}`;
      const answer = await store.lease({ key, holder, nowMs: clock.nowMs(), ttlMs });
      if (!answer.ok) return this.localPermit(target, tested);
      if (!answer.value.granted) continue;
      const permit: ProbePermit = { target, probeOfMs: tested, lease: { key, token: answer.value.token } };
      // Another window may have probed and decided while this one asked for the lease.
      if ((await this.halfOpenDeadline(target)) === tested) return permit;
      await this.giveBack(permit);
      return null;
    }
    return null;
  }

  private localPermit(target: BreakerTarget, probeOfMs: number): ProbePermit | null {
    const running = this.localProbes.get(target) ?? 0;
    if (running >= this.limits.halfOpenProbes) return null;
    this.localProbes.set(target, running + 1);
    return { target, probeOfMs, lease: null };
  }

  /** After the outcome was recorded and shared: frees the probe's place. */
  async giveBack({ target, lease }: ProbePermit): Promise<void> {
    if (lease) await this.input.ports.store.releaseLease(lease.key, lease.token);
    else this.localProbes.set(target, Math.max(0, (this.localProbes.get(target) ?? 0) - 1));
  }

  /** The deadline that half-open probes test, after the newest of all windows was read; null: it is not half-open. */
  private async halfOpenDeadline(target: BreakerTarget): Promise<number | null> {
    await this.share();
    const view = this.view(target);
    return view.status === 'half-open' ? view.untilMs : null;
  }

  /** Resolves at `untilMs`, or earlier when a breaker has changed or a probe has ended. Rejects when aborted. */
  async changed(untilMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.input.ports;
    const over = new AbortController();
    let wake = (): void => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.waiters.add(wake);
    const timer = clock.sleep(Math.max(0, untilMs - clock.nowMs()), AbortSignal.any([signal, over.signal]));
    try {
      await Promise.race([woken, timer]);
    } finally {
      this.waiters.delete(wake);
      over.abort(new Error('a breaker has changed'));
      timer.catch(() => undefined);
    }
  }

  /** Reads what other windows have counted, unless that was done a moment ago. */
  refresh(): void {
    if (this.input.ports.clock.nowMs() - this.sharedAtMs >= this.limits.shareEveryMs) void this.share();
  }

  /** Merges with all other windows through the store. One after the other; never rejects. */
  share(): Promise<void> {
    this.sharing = this.sharing.then(() => this.shareNow()).catch(() => undefined);
    return this.sharing;
  }

  private async shareNow(): Promise<void> {
    const { clock, store } = this.input.ports;
    this.sharedAtMs = clock.nowMs();
    const targets = [...this.unshared];
    this.unshared.clear();
    const rows = targets.map((target) => ({ target, state: JSON.stringify(this.states.get(target) ?? newBreaker) }));
    const answer = await store.shareBreakers(rows);
    if (!answer.ok) {
      // Tried again with the next change; until then it holds here.
      for (const target of targets) this.unshared.add(target);
      return;
    }
    for (const { target, state } of answer.value) {
      if (!isTarget(target) || this.seen.get(target) === state) continue;
      this.seen.set(target, state);
      const theirs = readBreaker(state);
      if (!theirs) continue;
      const own = this.states.get(target);
      const moment = { window: this.input.window, nowMs: clock.nowMs() };
      this.states.set(target, soberBreaker(own ? mergeBreakers(own, theirs) : theirs, this.limits, moment));
      this.tell(target, OWN_IDS);
    }
  }

  private shareSoon(): void {
    if (this.isShareDue) return;
    this.isShareDue = true;
    const { clock } = this.input.ports;
    const due = clock.sleep(this.limits.shareEveryMs, this.input.shutdown).then(() => {
      this.isShareDue = false;
      return this.share();
    });
    // Aborted by the end of the session, which shares itself.
    due.catch(() => undefined);
  }

  /** Tells a change of state since it was told last; true when there was one. */
  private tell(target: BreakerTarget, ids: EventIds): boolean {
    const view = this.view(target);
    const from = this.told.get(target) ?? 'closed';
    if (view.status === from) return false;
    this.told.set(target, view.status);
    const state = this.states.get(target) ?? newBreaker;
    const figures = state.trip && view.status !== 'closed' ? state.trip.figures : this.figures(state);
    const untilMs = view.status === 'closed' || !Number.isFinite(view.untilMs) ? null : view.untilMs;
    const strikes = view.status === 'closed' ? 0 : (state.trip?.strikes ?? 0);
    const body = { target, from, to: view.status, why: why(view, state), untilMs, strikes, figures };
    this.input.emit(ids, { type: 'breaker-changed', ...body });
    this.wake();
    return true;
  }

  private figures(state: BreakerState): ReturnType<typeof breakerFigures> {
    return breakerFigures(state, this.input.ports.clock.nowMs(), this.limits);
  }

  private wake(): void {
    for (const wake of this.waiters) wake();
  }
}

function why(view: BreakerView, { trip }: BreakerState): string {
  if (view.isForced) return 'a setting says so';
  if (view.status === 'closed') return 'a probe succeeded';
  if (view.status === 'half-open') return 'the cooldown is over';
  if (!trip) return '';
  const { errorRate, rateLimitedRate, p95Ms, consecutiveFailures } = trip.figures;
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const slow = p95Ms === null ? '' : `, p95 ${Math.round(p95Ms)} ms`;
  return `${WHY[trip.why] ?? trip.why}: ${percent(errorRate)} failures, ${percent(rateLimitedRate)} rate limits, ${consecutiveFailures} in a row${slow}`;
}

function isTarget(target: string): target is BreakerTarget {
  return /^(provider|model|tool|tenant):/.test(target);
}
