// A provider port that plays scripts on a clock port: what each candidate does on its first, second, ... attempt.
// For engine tests on the virtual clock; wires and sockets are tested elsewhere with the real adapters.
import type { Candidate } from '../../src/core/candidate.ts';
import type { ChatRequest, StreamPart } from '../../src/core/chat.ts';
import type { Observation } from '../../src/core/faults/fault.ts';
import type { ClockPort, ProviderEvent, ProviderPort } from '../../src/engine/ports.ts';

/** One thing a scripted attempt does, after waiting `afterMs`. */
export type ScriptStep =
  | { readonly afterMs: number; readonly parts: readonly StreamPart[] }
  | { readonly afterMs: number; readonly failed: Partial<Observation> }
  /** The request has left over a new connection whose handshake took so long. */
  | { readonly afterMs: number; readonly sentRttMs: number }
  /** Says nothing until it is aborted. */
  | { readonly hang: true };

export interface ScriptedProvider extends ProviderPort {
  /** Every attempt, in order of its start. */
  readonly seen: {
    readonly candidate: string;
    readonly atMs: number;
    readonly request: ChatRequest;
    isAborted: boolean;
  }[];
}

/** Scripts per candidate id; the last script of a candidate is used for all later attempts. */
export function scriptedProvider(
  clock: ClockPort,
  scripts: Readonly<Record<string, readonly (readonly ScriptStep[])[]>>,
): ScriptedProvider {
  const seen: ScriptedProvider['seen'] = [];
  return {
    seen,
    async *stream(
      request: ChatRequest,
      candidate: Candidate,
      signal: AbortSignal,
      _attemptId?: string,
      tellSent?: (isSent: boolean, rttMs?: number) => void,
    ): AsyncGenerator<ProviderEvent> {
      const record = { candidate: candidate.id, atMs: clock.nowMs(), request, isAborted: false };
      const earlier = seen.filter((other) => other.candidate === candidate.id).length;
      seen.push(record);
      signal.addEventListener('abort', () => (record.isAborted = true), { once: true });
      const own = scripts[candidate.id] ?? [];
      for (const step of own[Math.min(earlier, own.length - 1)] ?? []) {
        const waitMs = 'hang' in step ? Number.MAX_SAFE_INTEGER : step.afterMs;
        try {
          if (waitMs > 0) await clock.sleep(waitMs, signal);
        } catch {
          return;
        }
        if (signal.aborted) return;
        if ('parts' in step) yield { parts: step.parts };
        else if ('sentRttMs' in step) tellSent?.(true, step.sentRttMs);
        else if ('failed' in step) yield { failed: observation(step.failed) };
      }
    },
  };
}

/** An observation of a model call with only what matters spelled out. */
export function observation(change: Partial<Observation>): Observation {
  return {
    httpStatus: null,
    headers: {},
    body: null,
    clientError: null,
    streamPhase: 'before_headers',
    finishReason: null,
    operation: 'model_read',
    ...change,
  };
}

/** A complete good answer: text in two pieces, usage, finish. */
export function answers(text: string, firstTokenMs = 100, restMs = 100): readonly ScriptStep[] {
  const half = Math.ceil(text.length / 2);
  return [
    { afterMs: 0, parts: [{ type: 'response-start' }] },
    { afterMs: firstTokenMs, parts: [{ type: 'text-delta', text: text.slice(0, half) }] },
    {
      afterMs: restMs,
      parts: [
        { type: 'text-delta', text: text.slice(half) },
        { type: 'usage', usage: { inputTokens: 1000, outputTokens: 100 } },
        { type: 'finish', reason: 'stop' },
      ],
    },
  ];
}

/** Fails with an HTTP status. */
export function fails(httpStatus: number, change: Partial<Observation> = {}, afterMs = 50): readonly ScriptStep[] {
  return [{ afterMs, failed: { httpStatus, ...change } }];
}
