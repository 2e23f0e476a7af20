// Code words that nobody put in a table: a vendor's own compound of known words.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { FaultClass } from '../../../../src/core/faults/fault.ts';
import { indexRules, matchRules } from '../../../../src/core/faults/rule.ts';
import { readSignals } from '../../../../src/core/faults/signals.ts';
import { observe, openaiBody } from './observe.ts';

describe('a compound code word', () => {
  it.each<[string, FaultClass]>([
    ['ACME_STATUS_CONTENT_FILTER', 'T8'],
    ['AcmeProhibitedContentError', 'T8'],
    ['acme.guardrail.tripped', 'T8'],
    ['output_moderation_hit', 'T8'],
    ['acme_insufficient_user_quota', 'T7'],
    ['AcmeSubscriptionExpired', 'T7'],
    ['acme_invalid_api_key_format', 'T7'],
    ['acme_prompt_too_long', 'T6'],
    ['AcmeContextWindowExceeded', 'T6'],
    ['acme_no_capacity_left', 'T4'],
    ['AcmeRateLimitedError', 'T2'],
    ['acme_tpm_exceeded', 'T2'],
    ['acme_malformed_tool_call', 'T5'],
  ])('%s under 429 is %s', (code, is) => {
    const fault = classify(observe({ httpStatus: 429, body: openaiBody('x', null, code) }));
    expect([fault.class, fault.evidence]).toEqual([is, fault.evidence]);
    expect(fault.evidence.join()).not.toContain(code.toLowerCase());
  });

  it('as a stop reason is a refusal where it says so', () => {
    const seen = observe({
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'ACME_CONTENT_FILTERED',
      body: 'x',
    });
    expect(classify(seen).class).toBe('T8');
  });

  it.each([
    'content_block_start',
    'input_json_delta',
    'connection_refused',
    'refused_stream',
    'server_tool_use',
    'message_stop',
  ])('%s is an everyday word and no refusal', (type) => {
    expect(classify(observe({ httpStatus: 503, body: { type, error: { type } } })).class).not.toBe('T8');
  });

  it('buys nothing against a status that is final', () => {
    for (const httpStatus of [400, 401, 402, 403, 404]) {
      const fault = classify(observe({ httpStatus, body: openaiBody('x', null, 'acme_rate_limited') }));
      expect([httpStatus, fault.retryable]).toEqual([httpStatus, false]);
    }
  });

  it('is remembered by the index that judged it and by no other', () => {
    const one = indexRules([{ id: 'a', class: 'T8', confidence: 1, stem: /acme/ }]);
    const two = indexRules([{ id: 'b', class: 'T2', confidence: 1, stem: /other/ }]);
    const signals = readSignals(observe({ httpStatus: 429, body: openaiBody('x', null, 'acme_code') }));
    expect(matchRules(one, signals).map(({ rule }) => rule.id)).toEqual(['a']);
    expect(matchRules(one, signals).map(({ rule }) => rule.id)).toEqual(['a']);
    expect(matchRules(two, signals)).toEqual([]);
  });
});
