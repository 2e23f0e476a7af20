// Situations that no vendor owns: tools.
import { describe, expect, it } from 'vitest';
import { thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'unknown tool',
    seen: { operation: 'tool_read', body: 'Tool "frobnicate" not found. Choose one of: read, write.' },
    is: 'T5',
    action: 'DEGRADE_TOOL',
  },
  {
    name: 'JSON-RPC method not found',
    seen: {
      operation: 'tool_read',
      httpStatus: 200,
      body: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
    },
    is: 'T5',
  },
  {
    name: 'JSON-RPC timeout of a write',
    seen: {
      operation: 'tool_write',
      httpStatus: 200,
      body: { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'late' } },
    },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'server of the tool gone during a write',
    seen: {
      operation: 'tool_write',
      clientError: thrown('McpError', 'MCP error -32000: Connection closed', '-32000'),
    },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'tests failed',
    seen: { operation: 'tool_read', body: { exit_code: 1, stdout: 'Tests: 2 failed, 40 passed' } },
    is: 'V1',
    action: 'REPLAN',
  },
  {
    name: 'a write that ended with an error code',
    seen: { operation: 'tool_write', body: { exitCode: 3, stderr: 'partial' } },
    is: 'V1',
    beside: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'a command that does not exist',
    seen: { operation: 'tool_read', body: { exit_code: 127, stderr: 'sh: frob: command not found' } },
    is: 'T5',
  },
  {
    name: 'a command stopped by its time limit',
    seen: { operation: 'tool_write', body: { exit_code: 124, stderr: '' } },
    is: 'T3',
    action: 'RECONCILE',
  },
  {
    name: 'no right to write',
    seen: {
      operation: 'tool_write',
      body: { isError: true, content: [{ type: 'text', text: 'EACCES: permission denied, open /etc/x' }] },
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'text to replace is gone',
    seen: {
      operation: 'tool_read',
      body: { isError: true, content: [{ type: 'text', text: 'old_string not found in file' }] },
    },
    is: 'V1',
  },
  {
    name: 'service of the tool is down',
    seen: { operation: 'tool_read', httpStatus: 503, body: 'down' },
    is: 'T5',
    action: 'DEGRADE_TOOL',
  },
  {
    name: 'arguments rejected',
    seen: {
      operation: 'tool_read',
      httpStatus: 422,
      body: { detail: [{ loc: ['body', 'path'], msg: 'field required', type: 'value_error.missing' }] },
    },
    is: 'T5',
  },
];

describe('tools', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
