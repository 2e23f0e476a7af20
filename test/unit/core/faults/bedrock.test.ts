// The dialect of bedrock: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'throttled under 400 by header',
    seen: {
      provider: 'bedrock',
      httpStatus: 400,
      headers: { 'x-amzn-errortype': 'ThrottlingException' },
      body: { message: 'Too many requests, please wait before trying again.' },
    },
    is: 'T2',
  },
  {
    name: 'throttled by namespaced type',
    seen: {
      provider: 'bedrock',
      httpStatus: 429,
      body: { __type: 'com.amazon.coral.service#ThrottlingException', message: 'Rate exceeded' },
    },
    is: 'T2',
  },
  {
    name: 'model not ready',
    seen: {
      provider: 'bedrock',
      httpStatus: 429,
      clientError: thrown('ModelNotReadyException', 'The model is not ready for inference.'),
    },
    is: 'T4',
  },
  {
    name: 'expired credentials',
    seen: {
      provider: 'bedrock',
      httpStatus: 403,
      clientError: thrown('ExpiredTokenException', 'The security token included in the request is expired'),
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'no credentials at all',
    seen: {
      provider: 'bedrock',
      clientError: thrown('CredentialsProviderError', 'Could not load credentials from any providers'),
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'guardrail stepped in',
    seen: {
      provider: 'bedrock',
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'guardrail_intervened',
      body: { output: { message: { content: [{ text: 'Sorry.' }] } }, stopReason: 'guardrail_intervened' },
    },
    is: 'T8',
  },
  {
    name: 'model timeout',
    seen: {
      provider: 'bedrock',
      httpStatus: 408,
      clientError: thrown('ModelTimeoutException', 'The request took too long to process.'),
    },
    is: 'T3',
  },
  {
    name: 'throttled frame inside a 200',
    seen: {
      provider: 'bedrock',
      httpStatus: 200,
      streamPhase: 'mid_stream',
      body: { ':exception-type': 'throttlingException', message: 'Rate exceeded' },
    },
    is: 'T2',
  },
  {
    name: 'too long for the model',
    seen: {
      provider: 'bedrock',
      httpStatus: 400,
      clientError: thrown('ValidationException', 'The input text is too long for this model.'),
    },
    is: 'T6',
  },
];

describe('bedrock', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
