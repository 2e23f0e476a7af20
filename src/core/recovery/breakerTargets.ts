// Which breakers stand between a call and a candidate, and what one outcome says of each of them. A failure is counted where
// it comes from: the way to a provider and its rate limits are the provider's, an overloaded model is the model's alone.
import type { Candidate } from '../candidate.ts';
import type { BreakerStatus } from '../events.ts';
import type { Fault, FaultClass } from '../faults/fault.ts';
import type { LoadSignal } from './adaptivePlaces.ts';
import type { BreakerLimits, HealthOutcome } from './breakerWindow.ts';
import { endsInTime } from './deadline.ts';

/** `provider:NAME/ACCOUNT`, `model:CANDIDATE`, `tool:NAME` or `tenant:NAME`. */
export type BreakerTarget = `${'provider' | 'model' | 'tool' | 'tenant'}:${string}`;

/** The account at a provider, which fails and is limited as one. */
export function providerTarget({ providerId, account }: Candidate): `provider:${string}` {
  return `provider:${providerId}/${account}`;
}

export function modelTarget({ id }: Candidate): `model:${string}` {
  return `model:${id}`;
}

/** What is closed off, by which breaker. `untilMs`: when it may be tried again; Infinity: not before a person says so. */
export interface ClosedOff {
  readonly target: BreakerTarget;
  readonly status: Exclude<BreakerStatus, 'closed'>;
  readonly untilMs: number;
}

/** How an attempt went, as far as its target's health goes. */
export interface AttemptHealth {
  /** Null: it was answered. */
  readonly fault: Fault | null;
  /** Null: no headers came. */
  readonly httpStatus: number | null;
  /** Until the first content; null: none came. */
  readonly firstTokenMs: number | null;
  readonly elapsedMs: number;
  /** It was given up because the caller's own deadline had come, not for a silence of the provider's. */
  readonly isOwnDeadline: boolean;
}

const silent: HealthOutcome = { kind: 'neutral', weight: 0, latencyMs: null };

/** Faults that say nothing of the upstream's health: our own request, a refusal, an answer that is wrong (DESIGN 20). */
const NEUTRAL: ReadonlySet<FaultClass> = new Set(['T5', 'T6', 'T7', 'T8', 'V1']);

/** What an attempt says of the provider and of the model. */
export function attemptOutcomes(
  health: AttemptHealth,
  limits: BreakerLimits,
): { readonly provider: HealthOutcome; readonly model: HealthOutcome } {
  const { fault, httpStatus, firstTokenMs, elapsedMs, isOwnDeadline } = health;
  if (!fault) {
    const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: firstTokenMs ?? elapsedMs };
    return { provider: success, model: success };
  }
  if (NEUTRAL.has(fault.class) || isOwnDeadline) return { provider: silent, model: silent };
  if (fault.class === 'T2') {
    const limited: HealthOutcome = { kind: 'rate-limited', weight: 1, latencyMs: null };
    return { provider: limited, model: limited };
  }
  const weight = firstTokenMs === null ? 1 : limits.brokenStreamWeight;
  const latencyMs = firstTokenMs ?? (fault.class === 'T3' ? elapsedMs : null);
  const failure: HealthOutcome = { kind: 'failure', weight, latencyMs };
  const isWay = httpStatus === null && fault.class !== 'T4';
  const sharedWeight = fault.class === 'T4' ? 0 : limits.sharedCauseWeight;
  const provider = isWay ? failure : sharedWeight > 0 ? { ...failure, weight: weight * sharedWeight } : silent;
  return { provider, model: failure };
}

/** What an attempt says of the load at its provider and its model; null: nothing. A rate limit is the account's. */
export function loadSignals({ fault, httpStatus, isOwnDeadline }: AttemptHealth): {
  readonly provider: LoadSignal | null;
  readonly model: LoadSignal | null;
} {
  if (!fault) return { provider: 'served', model: 'served' };
  if (isOwnDeadline) return { provider: null, model: null };
  const isOfProvider = fault.class === 'T2' || (fault.class === 'T3' && httpStatus === null);
  const isOfModel = fault.class === 'T3' || fault.class === 'T4';
  return { provider: isOfProvider ? 'overloaded' : null, model: isOfModel ? 'overloaded' : null };
}

/** What a call knows when it has ended without an answer. */
export interface CallHealth {
  /** Upstreams (provider accounts, tools) that failed in it. */
  readonly failedUpstreams: number;
  /** Its caller's own deadline had come. */
  readonly isOwnDeadline: boolean;
}

/**
 * What a whole call says of its tenant: `fault` null: it was answered. Where only one upstream failed that is the upstream's
 * own failure, counted there; a tenant whose calls fail wherever they go is held off itself.
 */
export function callOutcome(fault: Fault | null, { failedUpstreams, isOwnDeadline }: CallHealth): HealthOutcome {
  if (!fault) return { kind: 'success', weight: 1, latencyMs: null };
  if (NEUTRAL.has(fault.class) || isOwnDeadline || failedUpstreams < 2) return silent;
  return { kind: fault.class === 'T2' ? 'rate-limited' : 'failure', weight: 1, latencyMs: null };
}

/**
 * Whether a call whose candidates are all closed off waits for the first of them: one that has not tried anything yet, if that
 * and one try end in time. A retry never waits for a breaker: it degrades, or fails and says why (HFR 4.3, 4.7).
 */
export function mayWaitForReopening(input: {
  readonly hasTried: boolean;
  /** When the first of them may be probed. */
  readonly earliestMs: number;
  readonly nowMs: number;
  /** The call waits no longer than this. */
  readonly waitEndMs: number;
  readonly stepMs: number;
  readonly deadlineMs: number;
}): boolean {
  const { hasTried, earliestMs, nowMs, waitEndMs, stepMs, deadlineMs } = input;
  const waitMs = Math.max(0, earliestMs - nowMs);
  if (hasTried || nowMs >= waitEndMs || nowMs + waitMs > waitEndMs) return false;
  return endsInTime(nowMs, waitMs, stepMs, 0, deadlineMs);
}
