// Probes candidates whose breaker is half-open with a question of one token, so that nobody's own request has to find out
// (DESIGN 10). A probe is sent only when a call would have used the candidate; it holds a counted permit of every breaker it
// tests, and nothing of the caller's is in it. What it costs is told.
import type { Candidate } from '../core/candidate.ts';
import type { EventIds } from '../core/context.ts';
import type { Fault } from '../core/faults/fault.ts';
import { attemptOutcomes, modelTarget, providerTarget } from '../core/recovery/breakerTargets.ts';
import type { BreakerLimits, HealthOutcome } from '../core/recovery/breakerWindow.ts';
import type { BreakerBook, ProbePermit } from './breakerBook.ts';
import { isMute, ping, type PingInput, type PingResult } from './ping.ts';
import type { ProviderPort } from './ports.ts';

export interface BreakerProbeInput extends PingInput {
  readonly book: BreakerBook;
  readonly limits: () => BreakerLimits;
  /** What a probe finds out is the scheduler's to learn too. */
  readonly onPinged?: (candidate: Candidate, result: PingResult) => void;
}

/** What came of a probe. `outcome` null: it said nothing of the candidate. */
interface ProbeResult {
  readonly outcome: { readonly provider: HealthOutcome; readonly model: HealthOutcome } | null;
  readonly notBeforeMs: number;
  readonly elapsedMs: number;
  readonly costUsd: number;
}

export class BreakerProbe {
  private readonly input: BreakerProbeInput;
  private readonly running = new Set<string>();

  constructor(input: BreakerProbeInput) {
    this.input = input;
  }

  /** Probes the candidate in the background unless that is being done; `model` is the name the caller asked for. */
  start(candidate: Candidate, model: string, provider: ProviderPort, ids: EventIds): void {
    if (this.running.has(candidate.id) || this.input.shutdown.aborted) return;
    this.running.add(candidate.id);
    void this.probe(candidate, model, provider, ids)
      // A bug of an adapter: the permits run out by themselves.
      .catch(() => undefined)
      .finally(() => this.running.delete(candidate.id));
  }

  private async probe(candidate: Candidate, model: string, provider: ProviderPort, ids: EventIds): Promise<void> {
    const { book } = this.input;
    const permits: ProbePermit[] = [];
    try {
      for (const target of [providerTarget(candidate), modelTarget(candidate)]) {
        const { status } = book.view(target);
        if (status === 'closed') continue;
        const permit = status === 'half-open' ? await book.permit(target) : null;
        if (!permit) return;
        permits.push(permit);
      }
      if (permits.length === 0) return;
      const result = await this.ask(candidate, model, provider, ids);
      for (const permit of permits) this.record(permit, candidate, result, ids);
      await book.share();
    } finally {
      for (const permit of permits) await book.giveBack(permit);
    }
  }

  private record(permit: ProbePermit, candidate: Candidate, result: ProbeResult, ids: EventIds): void {
    const { outcome, notBeforeMs, elapsedMs, costUsd } = result;
    const isProvider = permit.target === providerTarget(candidate);
    const own = outcome && (isProvider ? outcome.provider : outcome.model);
    const isHealthy = own === null || own.kind === 'neutral' ? null : own.kind === 'success';
    // Of two breakers that one probe tested the cost is told once.
    const shownUsd = isProvider || this.input.book.view(providerTarget(candidate)).status === 'closed' ? costUsd : 0;
    this.input.emit(ids, { type: 'breaker-probed', target: permit.target, isHealthy, elapsedMs, costUsd: shownUsd });
    if (own) this.input.book.record(permit.target, own, ids, { notBeforeMs, permit });
  }

  private async ask(candidate: Candidate, model: string, provider: ProviderPort, ids: EventIds): Promise<ProbeResult> {
    const timeoutMs = this.input.limits().probeTimeoutMs;
    const result = await ping(this.input, { candidate, model, provider, ids, timeoutMs });
    this.input.onPinged?.(candidate, result);
    const { fault, httpStatus, elapsedMs, costUsd } = result;
    return { ...this.judged(fault, httpStatus, elapsedMs), elapsedMs, costUsd };
  }

  private judged(
    fault: Fault | null,
    httpStatus: number | null,
    elapsedMs: number,
  ): Pick<ProbeResult, 'outcome' | 'notBeforeMs'> {
    const { clock, limits, shutdown } = this.input;
    if (isMute({ fault }, shutdown)) return { outcome: null, notBeforeMs: 0 };
    const notBeforeMs = fault?.retryAfterMs == null ? 0 : clock.nowMs() + fault.retryAfterMs;
    const health = { fault, httpStatus, firstTokenMs: fault ? null : elapsedMs, elapsedMs, isOwnDeadline: false };
    const said = attemptOutcomes(health, limits());
    // An answer that blames the request, the key or the policy comes from an upstream that is well; an overloaded model or a
    // server error is a failed probe of its provider too, since that is what was asked.
    const answered = attemptOutcomes({ ...health, fault: null }, limits());
    if (said.model.kind === 'neutral') return { outcome: answered, notBeforeMs };
    return { outcome: { provider: said.model, model: said.model }, notBeforeMs };
  }
}
