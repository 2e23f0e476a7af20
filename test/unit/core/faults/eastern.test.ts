// The dialect of eastern vendors: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { openaiBody, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'zhipu: sensitive',
    seen: {
      provider: 'zhipu',
      httpStatus: 400,
      body: {
        contentFilter: [{ level: 1, role: 'user' }],
        error: { code: '1301', message: '输入内容可能包含敏感信息' },
      },
    },
    is: 'T8',
  },
  {
    name: 'zhipu: balance',
    seen: { provider: 'zhipu', httpStatus: 429, body: { error: { code: '1113', message: '余额不足，请充值' } } },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'zhipu: five-hour window',
    seen: {
      provider: 'zhipu',
      httpStatus: 429,
      body: { error: { code: '1308', message: '已达到 5 小时的使用上限' } },
    },
    is: 'T2',
  },
  {
    name: 'zhipu: prompt too long',
    seen: { provider: 'zhipu', httpStatus: 400, body: { error: { code: '1261', message: 'Prompt 超长' } } },
    is: 'T6',
  },
  {
    name: 'dashscope: inspection',
    seen: {
      provider: 'dashscope',
      httpStatus: 400,
      body: { code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.' },
    },
    is: 'T8',
  },
  {
    name: 'dashscope: throttling',
    seen: {
      provider: 'dashscope',
      httpStatus: 429,
      body: { code: 'Throttling.RateQuota', message: 'Requests rate limit exceeded, please try again later.' },
    },
    is: 'T2',
  },
  {
    name: 'minimax: balance inside a 200',
    seen: {
      provider: 'minimax',
      httpStatus: 200,
      body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'moonshot: overloaded',
    seen: {
      provider: 'moonshot',
      httpStatus: 429,
      body: openaiBody('The engine is currently overloaded, please try again later', 'engine_overloaded_error'),
    },
    is: 'T4',
  },
  {
    name: 'moonshot: high risk',
    seen: {
      provider: 'moonshot',
      httpStatus: 400,
      body: openaiBody('The request was rejected because it was considered high risk', 'content_filter'),
    },
    is: 'T8',
  },
  {
    name: 'moonshot: token limit',
    seen: {
      provider: 'moonshot',
      httpStatus: 400,
      body: openaiBody('Invalid request: Your request exceeded model token limit: 8192', 'invalid_request_error'),
    },
    is: 'T6',
  },
];

describe('eastern vendors', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});
