// A write is repeated only where it is proven that nothing was done; a body proves nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Observation } from '../../../../src/core/faults/fault.ts';
import { observe, openaiBody, thrown } from './observe.ts';

const write = (seen: Partial<Observation>): Observation => observe({ operation: 'tool_write', ...seen });

const bodies: Readonly<Record<string, unknown>> = {
  'a rate-limit code': { error: { code: 'rate_limit_exceeded' } },
  'a rate-limit status': { error: { code: 429, message: 'slow down' } },
  'a rate-limit type': { type: 'error', error: { type: 'rate_limit_error', message: 'too many requests' } },
  'an AWS throttle': { __type: 'ThrottlingException' },
  'a transient code': { error: { code: 'internal_error', message: 'try again' } },
  'a refused connection': { error: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' } },
  'an unavailable upstream': { error: { status: 'UNAVAILABLE', code: 503 } },
  'an overload': { error: { type: 'overloaded_error' } },
  'a size': { error: { code: 'context_length_exceeded', message: 'maximum context length' } },
  'an internal JSON-RPC error': { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
  'JSON in a message': openaiBody('{"error":{"code":"rate_limit_exceeded"}}'),
  'an event': 'data: {"error":{"code":429,"type":"rate_limit_error"}}\n\n',
  'a marked tool error': { isError: true, code: 'rate_limit_exceeded', content: [{ type: 'text', text: 'HTTP 429' }] },
};

describe('the body of a failed write', () => {
  it.each(Object.entries(bodies))('that tells of %s never makes it repeatable', (_name, body) => {
    for (const httpStatus of [null, 200, 204, 301, 500, 502, 503, 504, 529]) {
      for (const streamPhase of [null, 'before_headers', 'before_first_token', 'mid_stream', 'after_finish'] as const) {
        const fault = classify(write({ httpStatus, streamPhase, body, headers: { 'retry-after': '1' } }), 0);
        expect(fault.retryable, `${httpStatus} ${streamPhase}`).toBe(false);
        expect(['RETRY', 'COMPRESS', 'DEGRADE_MODEL', 'DEGRADE_TOOL'], fault.evidence.join()).not.toContain(
          fault.action,
        );
      }
    }
    for (const httpStatus of [400, 401, 403, 404, 409, 413, 422]) {
      const fault = classify(write({ httpStatus, body }), 0);
      expect([fault.retryable, fault.action === 'RETRY'], `${httpStatus}`).toEqual([false, false]);
    }
  });

  it('is looked into by reconciling when the status says nothing of the effect', () => {
    for (const httpStatus of [null, 200, 500, 503]) {
      const fault = classify(write({ httpStatus, body: { error: { code: 'rate_limit_exceeded' } } }), 0);
      expect([httpStatus, fault.action]).toEqual([httpStatus, 'RECONCILE']);
    }
  });

  it('never matters, whatever it holds', () => {
    const status = fc.constantFrom(null, 200, 500, 502, 503, 504);
    const body = fc.oneof(fc.constantFrom(...Object.values(bodies)), fc.json(), fc.string());
    fc.assert(
      fc.property(status, body, fc.option(fc.constantFrom('EPIPE', 'ECONNRESET', 'X')), (httpStatus, told, code) => {
        const clientError = code === null ? null : thrown('Error', String(told), code);
        const fault = classify(write({ httpStatus, body: told, clientError }), 0);
        expect([fault.retryable, fault.action === 'RETRY']).toEqual([false, false]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a failed write', () => {
  const proof = (seen: Partial<Observation>): readonly unknown[] => {
    const fault = classify(write(seen), 0);
    return [fault.class, fault.retryable, fault.action];
  };
  it('may be repeated after a status line 429 and after a connection that never came to be', () => {
    expect(proof({ httpStatus: 429, body: { error: { code: 'rate_limit_exceeded' } } })).toEqual(['T2', true, 'RETRY']);
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']) {
      expect(proof({ clientError: thrown('Error', 'x', code) })).toEqual(['T1', true, 'RETRY']);
    }
  });
  it('is reconciled when a 429 came after the answer had begun, or its body tells of another status', () => {
    for (const streamPhase of ['mid_stream', 'after_finish'] as const) {
      expect(proof({ httpStatus: 429, streamPhase, body: {} }).slice(1)).toEqual([false, 'RECONCILE']);
    }
    expect(proof({ httpStatus: 429, body: { error: { status: 500 } } }).slice(1)).toEqual([false, 'RECONCILE']);
  });
  it('is reconciled when somebody answered all the same', () => {
    const clientError = thrown('Error', 'x', 'ECONNREFUSED');
    expect(proof({ clientError, body: { result: 'half done' } }).slice(1)).toEqual([false, 'RECONCILE']);
  });
  it('is not repeated by another tool unless the call was not understood', () => {
    const rpc = (code: number): Partial<Observation> => ({
      httpStatus: 200,
      body: { jsonrpc: '2.0', error: { code } },
    });
    expect(proof(rpc(-32601))[2]).toBe('DEGRADE_TOOL');
    expect(proof(rpc(-32603))[2]).toBe('RECONCILE');
  });
});
