// One class in many words: sentences of the kinds that providers, clients and proxies write, mostly without any code.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { FaultClass } from '../../../../src/core/faults/fault.ts';
import { observe, openaiBody, thrown } from './observe.ts';

const told: readonly (readonly [FaultClass, number | null, string])[] = [
  ['T2', 429, 'Slow down: you may send 60 requests per minute.'],
  ['T2', null, 'You were rate-limited, wait a little.'],
  ['T2', null, 'Session limit reached, resets at 4pm'],
  ['T2', 429, 'Quota exceeded for today; it resets in 3h.'],
  ['T2', 429, 'Concurrency limit reached for this deployment'],
  ['T4', 503, 'We are seeing unusually high traffic.'],
  ['T4', 500, 'Not enough GPU memory: CUDA out of memory'],
  ['T4', 429, 'The service is at capacity'],
  ['T4', null, 'Model busy, retry later: the system is too busy'],
  ['T4', 503, 'No instances available'],
  ['T6', 400, 'Your conversation is too long for this model.'],
  ['T6', 400, 'Please shorten the prompt.'],
  ['T6', 500, 'Context size has been exceeded'],
  ['T7', 400, 'The image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes'],
  ['T6', 422, 'Prompt contains 50000 tokens, more than the maximum of 32000'],
  ['T6', null, 'Conversation too large: over the maximum context window'],
  ['T7', 400, 'Unknown parameter: reasoning'],
  ['T7', 403, 'The account has been suspended.'],
  ['T7', null, 'Please sign in to use this model'],
  ['T7', 400, 'This model does not support image input'],
  ['T7', 404, 'The deployment was not found in this region'],
  ['T7', null, 'Out of credits'],
  ['T7', 429, 'Spending limit reached for this workspace'],
  ['T5', 400, "tools.0.name: must match '^[a-z]+$'"],
  ['T5', 500, 'Failed to parse tool call: unexpected end'],
  ['T5', 400, 'The model tried to call an unknown tool'],
  ['T8', 400, 'The prompt was flagged as unsafe content.'],
  ['T8', 403, 'This request is prohibited: violation of the Terms of Service'],
  ['T8', 500, 'The response was blocked by our safety filters'],
  ['T8', null, 'Generation stopped due to recitation'],
  ['T8', null, 'I am unable to respond to this request'],
  ['T8', 400, 'Guardrail intervened'],
  ['T3', null, 'Request timed out while waiting for the model'],
  ['T3', 500, 'Deadline exceeded'],
  ['T1', null, 'Connection error.'],
  ['T1', null, 'net::ERR_CONNECTION_CLOSED'],
  ['T1', null, 'upstream connect error or disconnect/reset before headers'],
  ['T1', 500, 'An unexpected error occurred'],
  ['V1', null, 'The model returned an empty response'],
];

describe('a sentence', () => {
  it.each(told)('is %s (status %s): %s', (expected, httpStatus, message) => {
    const asBody = classify(observe({ httpStatus, body: httpStatus === null ? message : openaiBody(message) }));
    expect([asBody.class, asBody.evidence]).toEqual([expected, asBody.evidence]);
    const asError = classify(observe({ httpStatus, clientError: thrown('Error', message) }));
    expect([asError.class, asError.evidence]).toEqual([expected, asError.evidence]);
  });

  it('counts a status that the message tells where no other is known', () => {
    const classOf = (message: string): FaultClass => classify(observe({ clientError: thrown('Error', message) })).class;
    expect(classOf('Error code: 429 - slow')).toBe('T2');
    expect(classOf('HTTP 401 from upstream')).toBe('T7');
    expect(classOf('502 Bad Gateway')).toBe('T1');
    expect(classOf('answered in 500 ms with 429 tokens')).toBe('unknown');
  });
});
