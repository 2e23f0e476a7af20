// The ending of an attempt that has none of its own: its adapter threw, or it was not made at all. Nothing was sent or received.
import { classify } from '../core/faults/classify.ts';
import type { AttemptMessage } from './attempt.ts';
import type { AttemptFigures } from './attemptTally.ts';

/** An adapter that threw has a bug; the call treats it as an internal failure of that candidate and goes on. */
export function brokenAdapter(cause: unknown, nowMs: number): Extract<AttemptMessage, { type: 'failed' }> {
  const name = cause instanceof Error ? cause.name : 'Error';
  const fault = classify(
    {
      httpStatus: null,
      headers: {},
      body: null,
      clientError: { name, code: 'belay_adapter_error', message: 'the provider adapter failed' },
      streamPhase: null,
      finishReason: null,
      operation: 'model_read',
    },
    nowMs,
  );
  const figures: AttemptFigures = {
    elapsedMs: 0,
    firstTokenMs: null,
    sentChars: 0,
    receivedChars: 0,
    usage: null,
    costUsd: 0,
    billedTokens: 0,
    askedModel: '',
    servedModel: null,
    fingerprint: null,
    basis: null,
    rttMs: null,
    link: null,
  };
  return { type: 'failed', figures, fault, httpStatus: null };
}
