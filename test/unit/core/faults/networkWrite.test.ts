// Situations that no vendor owns: connections of a write.
import { describe, expect, it } from 'vitest';
import { thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'reset after sending',
    seen: { operation: 'tool_write', clientError: thrown('Error', 'read ECONNRESET', 'ECONNRESET') },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'reset in the middle of the answer',
    seen: {
      operation: 'tool_write',
      httpStatus: 200,
      streamPhase: 'mid_stream',
      clientError: thrown('Error', 'aborted', 'ECONNRESET'),
    },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'timeout',
    seen: { operation: 'tool_write', clientError: thrown('Error', 'x', 'ETIMEDOUT') },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'refused before sending',
    seen: {
      operation: 'tool_write',
      clientError: thrown('Error', 'connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED'),
    },
    is: 'T1',
    action: 'RETRY',
  },
  {
    name: 'refused, but an answer had begun',
    seen: {
      operation: 'tool_write',
      streamPhase: 'mid_stream',
      clientError: thrown('Error', 'connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED'),
    },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'refused according to the message alone',
    seen: {
      operation: 'tool_write',
      clientError: thrown('Error', 'connect ECONNREFUSED 127.0.0.1:9'),
    },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'fetch failed without a code',
    seen: { operation: 'tool_write', clientError: thrown('TypeError', 'fetch failed') },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'an error nobody knows',
    seen: { operation: 'tool_write', clientError: thrown('Error', 'zzz') },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'gateway timeout',
    seen: { operation: 'tool_write', httpStatus: 504, body: '' },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'server error',
    seen: { operation: 'tool_write', httpStatus: 500, body: {} },
    is: 'T5',
    beside: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'turned away by a rate limit',
    seen: { operation: 'tool_write', httpStatus: 429, body: {} },
    is: 'T2',
    action: 'RETRY',
  },
  {
    name: 'forbidden',
    seen: { operation: 'tool_write', httpStatus: 403, body: {} },
    is: 'T7',
    detail: 'permission',
    action: 'ESCALATE',
  },
];

describe('connections of a write', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
