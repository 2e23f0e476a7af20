// Probes candidates whose breaker is half-open with a question of one token, so that nobody's own request has to find out
// (DESIGN 10). A probe is sent only when a call would have used the candidate; it holds a counted permit of every breaker it
// tests, and nothing of the caller's is in it. What it costs is told.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import { attemptOutcomes, modelTarget, providerTarget } from '../core/recovery/breakerTargets.ts';
import type { BreakerLimits, HealthOutcome } from '../core/recovery/breakerWindow.ts';
import { Tally, type TokenEstimates } from './attemptTally.ts';
import type { BreakerBook, ProbePermit } from './breakerBook.ts';
import { untilCancelled, type CancelTimeouts } from './cancelTimeout.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import type { Emit } from './eventLog.ts';
import type { ClockPort, ProviderPort } from './ports.ts';

export interface BreakerProbeInput {
  readonly book: BreakerBook;
  readonly clock: ClockPort;
  readonly tokens: TokenEstimates;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly limits: () => BreakerLimits;
  readonly cancels: CancelTimeouts;
  readonly shutdown: AbortSignal;
}

/** What came of a probe. `outcome` null: it said nothing of the candidate. */
interface ProbeResult {
  readonly outcome: { readonly provider: HealthOutcome; readonly model: HealthOutcome } | null;
  readonly notBeforeMs: number;
  readonly elapsedMs: number;
  readonly costUsd: number;
}

const OVER = new Error('the probe is over');

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
    const { clock, tokens, shutdown, cancels, emit } = this.input;
    const { probeTimeoutMs } = this.input.limits();
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, shutdown]);
    const request = question(model);
    const tally = new Tally(clock.nowMs(), request, candidate, tokens);
    const timer = clock.sleep(probeTimeoutMs, signal).then(
      () => over.abort(OVER),
      () => undefined,
    );
    const id = this.input.newId('probe');
    const onStuck = (): void => cancels.tell(candidate, ids, emit);
    let failed: Observation | null = null;
    let isAnswered = false;
    try {
      const source = provider.stream(request, candidate, signal, id, (isSent) => tally.tellSent(isSent, clock.nowMs()));
      for await (const item of untilCancelled({ source, signal, clock, onStuck })) {
        if ('failed' in item) {
          failed = item.failed;
          tally.failed(failed, clock.nowMs());
          break;
        }
        tally.take(item, clock.nowMs());
        // Whoever begins to answer is there; what it would say is of no interest.
        if (!isStartOnly(item.parts)) isAnswered = true;
        if (isAnswered) break;
      }
    } finally {
      over.abort(OVER);
      await timer;
    }
    const { elapsedMs, costUsd } = tally.figures(clock.nowMs(), isAnswered);
    const fault = isAnswered ? null : classify(failed ?? tally.observation(null), clock.nowMs());
    return { ...this.judged(fault, failed?.httpStatus ?? null, elapsedMs), elapsedMs, costUsd };
  }

  private judged(
    fault: Fault | null,
    httpStatus: number | null,
    elapsedMs: number,
  ): Pick<ProbeResult, 'outcome' | 'notBeforeMs'> {
    const { clock, limits } = this.input;
    if (fault && isDisclosureDenial(fault)) return { outcome: null, notBeforeMs: 0 };
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

function isStartOnly(parts: readonly { readonly type: string }[]): boolean {
  return parts.every((part) => part.type === 'response-start');
}

/** The shortest question there is. */
function question(model: string): ChatRequest {
  return {
    model,
    system: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'ping' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    maxOutputTokens: 1,
  };
}
