import { describe, expect, it } from 'vitest';
import { classifyCommand } from '../../../src/cli/classify.ts';
import { memoryIo } from './memoryIo.ts';

async function run(lines: readonly object[], nowMs?: number): Promise<{ code: number; answers: unknown[] }> {
  const { io, lines: written } = memoryIo([lines.map((line) => JSON.stringify(line)).join('\n')]);
  const code = await classifyCommand(io, nowMs);
  return { code, answers: written.map((line) => JSON.parse(line) as unknown) }; // the command wrote them
}

const whole = {
  id: 'a-1',
  provider: 'anthropic',
  http_status: 429,
  headers: { 'Retry-After': '7', 'X-Should-Retry': 'true' },
  body: { type: 'error', error: { type: 'rate_limit_error', message: 'slower' } },
  client_error: null,
  stream_phase: 'before_headers',
  finish_reason: null,
  operation: 'model_read',
};

describe('belay classify', () => {
  it('prints every field of the contract under its name', async () => {
    expect(await run([whole])).toEqual({
      code: 0,
      answers: [
        {
          id: 'a-1',
          class: 'T2',
          confidence: 0.93,
          secondary: null,
          detail: null,
          retryable: true,
          explicit: true,
          action: 'RETRY',
          retry_after_ms: 7000,
          evidence: ['load.rate-code: code rate_limit_error', 'http.rate-limit: status 429'],
        },
      ],
    });
  });

  it('reads header names in any case and values that are numbers or lists', async () => {
    const { answers } = await run([
      { ...whole, headers: { 'RETRY-AFTER': 3 } },
      { ...whole, headers: { 'retry-after': ['4'], via: null } },
    ]);
    expect(answers).toMatchObject([{ retry_after_ms: 3000 }, { retry_after_ms: 4000 }]);
  });

  it('measures a date against the given time', async () => {
    const dated = { ...whole, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:01:30 GMT' } };
    expect((await run([dated], 60_000)).answers).toMatchObject([{ retry_after_ms: 30_000 }]);
    expect((await run([dated])).answers).toMatchObject([{ retry_after_ms: null }]);
  });

  it('takes what may be absent as absent and ignores unknown fields', async () => {
    const { code, answers } = await run([
      {
        id: 5,
        http_status: null,
        client_error: { name: null, code: -32000, message: 'MCP error -32000: Connection closed' },
        operation: 'tool_write',
        extra: 1,
      },
      {
        ...whole,
        http_status: 500,
        body: null,
        headers: {},
        elapsed_ms: 12,
        recent: { requests: 10, errors: 10, rate_limited: 0, p95_ms: 4 },
      },
    ]);
    expect(code).toBe(0);
    expect(answers).toMatchObject([
      { id: 5, class: 'T3', action: 'RECONCILE' },
      { class: 'T4', secondary: 'T1' },
    ]);
  });

  it('names the field of a bad line and classifies the others', async () => {
    const { code, answers } = await run([
      { ...whole, http_status: '429' },
      whole,
      { ...whole, operation: 'launch' },
      { ...whole, id: undefined },
    ]);
    expect(code).toBe(2);
    expect(answers).toMatchObject([{ line: 1 }, { id: 'a-1' }, { line: 3 }, { line: 4 }]);
    expect(JSON.stringify(answers[0])).toContain('http_status: Invalid input: expected number, received string');
    expect(JSON.stringify(answers[2])).toContain('model_read');
    expect(JSON.stringify(answers[3])).toContain('id: ');
  });
});
