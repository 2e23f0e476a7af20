// What the shape of a tool's result says, and what is known of a write whose answer broke its own contract.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Observation } from '../../../../src/core/faults/fault.ts';
import { observe, thrown } from './observe.ts';

const tool = (operation: 'tool_read' | 'tool_write', seen: Partial<Observation>): ReturnType<typeof classify> =>
  classify(observe({ operation, httpStatus: 200, streamPhase: 'after_finish', ...seen }), 0);

describe('the result of a tool', () => {
  it.each<[string, unknown]>([
    ['says that it is not verified', { ok: true, verified: false }],
    ['holds an expected and another actual value', { hash_expected: 'a1', hash_actual: 'b2' }],
    ['holds them in camel case', { expectedVersion: 3, actualVersion: 4 }],
    ['is a judge that rejects', { verdict: 'reject', score: 0.2 }],
  ])('that %s is V1', (_name, body) => {
    expect(tool('tool_read', { body })).toMatchObject({ class: 'V1', action: 'REPLAN' });
    expect(tool('tool_write', { body })).toMatchObject({ class: 'V1', secondary: 'T3', action: 'RECONCILE' });
  });

  it('that has nothing in it is V1 for a read', () => {
    expect(tool('tool_read', { body: { jsonrpc: '2.0', id: 1, result: { content: [], isError: false } } }).class).toBe(
      'V1',
    );
  });

  it.each<[string, unknown]>([
    ['equal values', { hash_expected: 'a1', hash_actual: 'a1' }],
    ['something structured', { result: { content: [], structuredContent: { a: 1 } } }],
  ])('with %s is not', (_name, body) => {
    expect(tool('tool_read', { body }).class).not.toBe('V1');
  });

  it.each(['VerificationError', 'JudgeReject'])('that a check turned down (%s) is V1', (name) => {
    expect(tool('tool_read', { body: { a: 1 }, clientError: thrown(name, 'no') }).class).toBe('V1');
  });

  it('that lacks a field of its contract is T5', () => {
    const clientError = thrown('Error', 'the result does not match the schema: a is missing');
    expect(tool('tool_read', { body: {}, clientError }).class).toBe('T5');
  });
});

describe('a write', () => {
  it('whose answer broke the output schema ran, and is looked up first', () => {
    const message = 'Structured content does not match the output schema: id is missing';
    const fault = tool('tool_write', {
      httpStatus: null,
      streamPhase: null,
      clientError: thrown('McpError', message, '-32602'),
    });
    expect([fault.class, fault.secondary, fault.action, fault.retryable]).toEqual(['T3', 'T5', 'RECONCILE', false]);
  });

  it.each([502, 520])('whose answer a gateway lost (%s) is of unknown outcome', (httpStatus) => {
    expect(tool('tool_write', { httpStatus, body: 'No change was made, safe to retry' })).toMatchObject({
      class: 'T3',
      action: 'RECONCILE',
    });
  });

  it('behind a proxy that says how the connection ended is of unknown outcome', () => {
    const body = 'upstream error: reset before headers, connection termination';
    expect(tool('tool_write', { httpStatus: 503, body })).toMatchObject({ class: 'T3', action: 'RECONCILE' });
  });

  it('by a command whose connection broke is of unknown outcome', () => {
    const body = { exit_code: 128, stdout: '', stderr: 'fatal: the far end hung up' };
    expect(tool('tool_write', { httpStatus: null, streamPhase: null, body })).toMatchObject({
      class: 'T3',
      action: 'RECONCILE',
    });
  });

  it('to a protected branch is a matter of permission', () => {
    const body = { exit_code: 1, stdout: '', stderr: '! [remote rejected] (protected branch)' };
    expect(tool('tool_write', { httpStatus: null, streamPhase: null, body })).toMatchObject({
      class: 'T7',
      detail: 'permission',
    });
  });
});

describe('a read by a command', () => {
  const shell = (exit_code: number, stderr: string): ReturnType<typeof classify> =>
    tool('tool_read', { httpStatus: null, streamPhase: null, body: { exit_code, stdout: '', stderr } });
  it.each<[number, string, string]>([
    [128, 'could not resolve host: example.org', 'T1'],
    [124, '', 'T3'],
    [1, '3 tests failed', 'V1'],
    [2, 'something else', 'V1'],
    [1, 'cat: a.txt: No such file or directory', 'T7'],
    [1, 'cat: a.txt: Datei oder Verzeichnis nicht gefunden', 'T7'],
    [1, 'rg : befehl nicht gefunden', 'T5'],
  ])('that ends with %s and says %j is %s', (code, stderr, is) => {
    expect(shell(code, stderr).class).toBe(is);
  });
});

describe('pages', () => {
  const page = (text: string, httpStatus = 200): ReturnType<typeof classify> =>
    classify(observe({ httpStatus, body: `<!DOCTYPE html><html><body>${text}</body></html>` }));
  it('of a web filter are a matter of permission, whatever words of policy they use', () => {
    expect(page('This website is blocked by the usage policy of your company: Web Filter', 403)).toMatchObject({
      class: 'T7',
      detail: 'permission',
    });
  });
  it('of a limit at the edge are a rate limit, whatever their title', () => {
    expect(page('<title>Access denied</title> error 1015: you are being rate limited', 429).class).toBe('T2');
    expect(page('<title>Access denied</title> error 1020', 403)).toMatchObject({ class: 'T7', detail: 'permission' });
  });
  it('do not count where a message only quotes one', () => {
    const body = { error: { message: '<html>firewall</html> flagged by the content filter' } };
    expect(classify(observe({ httpStatus: 400, body })).class).toBe('T8');
  });
});

describe('silence', () => {
  const silent = (elapsedMs: number): ReturnType<typeof classify> =>
    classify(observe({ httpStatus: 200, streamPhase: 'before_first_token', body: '', elapsedMs }));
  it('of two minutes that ends in an empty 200 is a timeout, a short one a broken connection', () => {
    expect([silent(120_000).class, silent(120_000).secondary, silent(900).class]).toEqual(['T3', 'V1', 'T1']);
  });
});
