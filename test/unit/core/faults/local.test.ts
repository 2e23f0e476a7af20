// The dialect of servers on the own machine: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'ollama: model not pulled',
    seen: { provider: 'ollama', httpStatus: 404, body: { error: 'model "qwen9" is not here, try pulling it' } },
    is: 'T7',
    detail: 'fixable',
  },
  {
    name: 'ollama: too little memory',
    seen: {
      provider: 'ollama',
      httpStatus: 500,
      body: { error: 'model requires more system memory (22 GiB) than is available (8 GiB)' },
    },
    is: 'T4',
    beside: 'T7',
  },
  {
    name: 'ollama: cannot use tools',
    seen: { provider: 'ollama', httpStatus: 400, body: { error: 'registry/gemma does not support tools' } },
    is: 'T7',
  },
  {
    name: 'ollama: queue full',
    seen: {
      provider: 'ollama',
      httpStatus: 503,
      body: { error: 'server is busy: the queue is full' },
    },
    is: 'T4',
  },
  {
    name: 'vllm: longer than the model',
    seen: {
      provider: 'vllm',
      httpStatus: 400,
      body: {
        object: 'error',
        message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
        type: 'BadRequestError',
        code: 400,
      },
    },
    is: 'T6',
  },
  {
    name: 'vllm: engine dead',
    seen: {
      provider: 'vllm',
      httpStatus: 500,
      body: {
        object: 'error',
        message: 'EngineCore encountered an issue: EngineDeadError',
        type: 'InternalServerError',
        code: 500,
      },
    },
    is: 'T1',
  },
  {
    name: 'llama.cpp: starting',
    seen: {
      provider: 'llama.cpp',
      httpStatus: 503,
      body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    },
    is: 'T1',
    beside: 'T4',
  },
  {
    name: 'llama.cpp: over its context under 400',
    seen: {
      provider: 'llama.cpp',
      httpStatus: 400,
      body: {
        error: {
          code: 400,
          message: 'request (9001 tokens) exceeds the available context size (8192 tokens)',
          type: 'exceed_context_size_error',
        },
      },
    },
    is: 'T6',
  },
  {
    name: 'lm studio: overflow policy',
    seen: {
      provider: 'lmstudio',
      httpStatus: 400,
      body: { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
    },
    is: 'T6',
  },
];

describe('servers on the own machine', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
