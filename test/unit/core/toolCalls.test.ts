import { describe, expect, it } from 'vitest';
import { schemaProblem } from '../../../src/core/argumentSchema.ts';
import { believableUsage, costUsd } from '../../../src/core/cost.ts';
import { toolCallProblem } from '../../../src/core/toolCalls.ts';

const tools = [
  {
    name: 'run',
    parameters: {
      type: 'object',
      properties: {
        cmd: { type: 'string' },
        tries: { type: ['integer', 'null'] },
        env: { type: 'array', items: { type: 'string' } },
        mode: { enum: ['a', 'b'] },
      },
      required: ['cmd'],
    },
  },
];
const problem = (args: unknown, name = 'run'): string | null =>
  toolCallProblem(
    [{ type: 'tool-call', id: '1', name, argsText: typeof args === 'string' ? args : JSON.stringify(args) }],
    tools,
  );

describe('a tool call', () => {
  it('is fit when its name was offered and its arguments fit the schema', () => {
    expect(problem({ cmd: 'ls', tries: null, env: ['A=1'], mode: 'b', extra: { any: 'thing' } })).toBeNull();
  });

  it.each([
    ['{"cmd":"rm', 'not a JSON object'],
    ['[1]', 'not a JSON object'],
    [{}, 'cmd is missing'],
    [{ cmd: { evil: 1 } }, 'cmd must be string'],
    [{ cmd: 'ls', tries: 1.5 }, 'tries must be integer or null'],
    [{ cmd: 'ls', env: ['A', 2] }, 'env[1] must be string'],
    [{ cmd: 'ls', mode: 'c' }, 'mode is not one of the allowed values'],
  ])('is not fit with %j', (args, words) => {
    expect(problem(args)).toContain(words);
  });

  it('is not fit under a name that was not offered, not even one that every object has', () => {
    expect(problem({ cmd: 'x' }, 'constructor')).toContain('was not offered');
  });

  it('is not refused for keywords that are not known here, nor for a schema that is none', () => {
    expect(
      schemaProblem({ a: 1 }, { type: 'object', properties: { a: { type: 'imaginary', $ref: '#/x', format: 'odd' } } }),
    ).toBeNull();
    expect(schemaProblem({ a: 1 }, 'nonsense')).toBeNull();
  });
});

describe('usage from outside', () => {
  it.each([-1000, Infinity, NaN, 1.5, 1e308])('is not believed with %d tokens', (tokens) => {
    expect(believableUsage({ inputTokens: tokens, outputTokens: 1 })).toBeNull();
  });

  it('costs what the price says: 1000 in at $3 and 100 out at $15 a million are $0.0045', () => {
    expect(costUsd({ inputTokens: 1000, outputTokens: 100 }, { inputUsdPerMTok: 3, outputUsdPerMTok: 15 })).toBeCloseTo(
      0.0045,
      12,
    );
    expect(
      costUsd(
        { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 900 },
        { inputUsdPerMTok: 3, outputUsdPerMTok: 15, cachedInputUsdPerMTok: 0.3 },
      ),
    ).toBeCloseTo(0.00057, 12);
  });
});
