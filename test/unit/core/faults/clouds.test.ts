// Azure, GitHub's models and its REST API, models of VS Code, and servers and proxies that one runs oneself: one table each.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Observation } from '../../../../src/core/faults/fault.ts';
import { observe, openaiBody, thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const check = (rows: readonly Row[]): void => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
};
const at = (
  provider: string,
  httpStatus: number,
  message: string,
  code: string | null = null,
): Partial<Observation> => ({
  provider,
  httpStatus,
  body: openaiBody(message, null, code),
});

describe('azure', () => {
  check([
    {
      name: 'a token rate',
      seen: at('azure', 429, 'Requests have exceeded the token rate limit of your tier.', '429'),
      is: 'T2',
    },
    {
      name: 'a token limit of API Management',
      seen: { provider: 'azure', httpStatus: 429, body: { statusCode: 429, message: 'The token limit is exceeded.' } },
      is: 'T2',
    },
    { name: 'no capacity under 429', seen: at('azure', 429, 'High demand at the moment', 'NoCapacity'), is: 'T4' },
    {
      name: 'a deployment that is not there',
      seen: at('azure', 404, 'No such deployment', 'DeploymentNotFound'),
      is: 'T7',
      detail: 'fixable',
    },
    {
      name: 'a wrong key',
      seen: at('azure', 401, 'Access denied: wrong subscription key', '401'),
      is: 'T7',
      detail: 'permission',
    },
    {
      name: 'a private endpoint',
      seen: at('azure', 403, 'Public access is disabled.', '403'),
      is: 'T7',
      detail: 'permission',
    },
    { name: 'its filter', seen: at('azure', 400, 'Filtered', 'content_filter'), is: 'T8' },
  ]);

  it('reads a wait from header names in any case', () => {
    const seen = observe({ ...at('azure', 429, 'call rate'), headers: { 'Retry-After': '17' } });
    expect(classify(seen).retryAfterMs).toBe(17_000);
  });
});

describe('github models', () => {
  check([
    {
      name: 'a rate',
      seen: at('github', 429, 'Rate limit of 10 per 60s exceeded. Wait 45 seconds.', 'RateLimitReached'),
      is: 'T2',
    },
    { name: 'a body too large', seen: at('github', 413, 'Request body too large', 'tokens_limit_reached'), is: 'T6' },
    {
      name: 'no access',
      seen: at('github', 403, 'No access to this model', 'no_access'),
      is: 'T7',
      detail: 'permission',
    },
    {
      name: 'an unknown model',
      seen: at('github', 400, 'Unknown model: x', 'unknown_model'),
      is: 'T7',
      detail: 'fixable',
    },
  ]);
});

describe("github's REST API", () => {
  const limited = { message: 'You have hit the API rate limit exceeded for this user: API rate limit exceeded' };
  const used = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '400' };

  it('turns rate limits away with 403, and says in its headers when to come back', () => {
    const fault = classify(
      observe({ provider: 'github', operation: 'tool_read', httpStatus: 403, headers: used, body: limited }),
      0,
    );
    expect([fault.class, fault.retryable, fault.retryAfterMs]).toEqual(['T2', true, 400_000]);
  });

  it('has not done a write that it turned away so', () => {
    const headers = { 'retry-after': '60', 'x-github-request-id': 'A:1' };
    const fault = classify(observe({ operation: 'tool_write', httpStatus: 403, headers, body: limited }), 0);
    expect([fault.class, fault.action, fault.retryAfterMs]).toEqual(['T2', 'RETRY', 60_000]);
  });

  it.each<[string, Partial<Observation>]>([
    ['without the headers', { provider: 'github', body: limited }],
    ['with requests left', { provider: 'github', headers: { ...used, 'x-ratelimit-remaining': '9' }, body: limited }],
    ['from somebody else', { provider: 'openai', headers: used, body: limited }],
    [
      'without the words',
      { provider: 'github', headers: used, body: { message: 'Resource not accessible by integration' } },
    ],
  ])('keeps a 403 %s a matter of permission', (_name, seen) => {
    const fault = classify(observe({ httpStatus: 403, ...seen }), 0);
    expect([fault.class, fault.detail, fault.retryable]).toEqual(['T7', 'permission', false]);
  });
});

describe('models of VS Code', () => {
  const lm = (message: string, code = 'Unknown'): Partial<Observation> => ({
    provider: 'copilot',
    clientError: thrown('LanguageModelError', message, code),
  });
  check([
    {
      name: 'being blocked as an extension',
      seen: lm('The requestor is blocked from this model', 'Blocked'),
      is: 'T7',
      detail: 'permission',
    },
    { name: 'being blocked with any other words', seen: lm('Blocked, please try again later', 'Blocked'), is: 'T8' },
    { name: 'no consent', seen: lm('The user gave no access', 'NoPermissions'), is: 'T7', detail: 'permission' },
    {
      name: "the month's chat messages",
      seen: { clientError: thrown('ChatQuotaExceeded', 'All used') },
      is: 'T7',
      detail: 'quota',
      beside: 'T2',
    },
    { name: 'a premium quota', seen: lm('You have exceeded your premium model quota.'), is: 'T7', detail: 'quota' },
    { name: 'a rate', seen: { clientError: thrown('ChatRateLimited', 'Wait') }, is: 'T2' },
    { name: 'a message over the limit', seen: lm('The message exceeds the token limit.'), is: 'T6' },
    { name: 'too many tools', seen: lm('A request cannot have more than 64 tools.'), is: 'T5', beside: 'T7' },
    {
      name: 'a tool call without its result',
      seen: lm('A tool call part must be followed by its result part.'),
      is: 'T5',
      beside: 'T7',
    },
    { name: 'an answer that was cut', seen: lm('Sorry, the answer reached the length limit.'), is: 'V1' },
    {
      name: 'a model that the organisation switched off',
      seen: lm('This model is not enabled for your organization.'),
      is: 'T7',
      detail: 'permission',
    },
    { name: 'words that say nothing', seen: lm('Unknown error'), is: 'unknown' },
  ]);

  it('is not talked out of a block by the words of a rate limit beside a refusal', () => {
    const sentence = 'The extension has been temporarily blocked due to making too many requests';
    expect(classify(observe(lm(`${sentence}. Please wait.`, 'Blocked'))).class).toBe('T2');
    expect(classify(observe(lm(`Stopped by the responsible AI rules. ${sentence}`, 'Blocked'))).class).toBe('T8');
    expect(classify(observe(lm(`${sentence}. Flagged by the content filter`, 'Blocked'))).class).toBe('T8');
  });
});

describe('lm studio', () => {
  const says = (error: string): Partial<Observation> => ({ provider: 'lmstudio', httpStatus: 400, body: { error } });
  check([
    { name: 'a crash under 400', seen: says('The model has crashed. (Exit code: 11)'), is: 'T1' },
    { name: 'a model that was put away', seen: says('Model unloaded.'), is: 'T1' },
    {
      name: 'no room for the model',
      seen: says('Failed to load model "x": insufficient system resources'),
      is: 'T4',
      beside: 'T7',
    },
    { name: 'the same words after others', seen: says('Bad field "The model has crashed"'), is: 'T7' },
    {
      name: 'a window that is too small',
      seen: says('The prompt is greater than the context length, which is exceeded'),
      is: 'T6',
    },
  ]);

  it('is believed only where it speaks for itself', () => {
    expect(classify(observe({ httpStatus: 400, body: { error: 'The model has crashed.' } })).class).toBe('T7');
    expect(classify(observe({ ...says('The model has crashed.'), httpStatus: 401 })).class).toBe('T7');
  });
});

describe('llama.cpp, vllm and ollama', () => {
  check([
    {
      name: 'llama.cpp: no slot',
      seen: {
        provider: 'llamacpp',
        httpStatus: 503,
        body: { error: { code: 503, message: 'no slot: slots unavailable', type: 'unavailable_error' } },
      },
      is: 'T4',
    },
    {
      name: 'llama.cpp: started without templates',
      seen: {
        provider: 'llamacpp',
        httpStatus: 500,
        body: { error: { code: 500, message: 'tools need it: requires --jinja', type: 'server_error' } },
      },
      is: 'T7',
      detail: 'fixable',
    },
    {
      name: 'vllm: output that does not fit beside the prompt',
      seen: {
        provider: 'vllm',
        httpStatus: 400,
        body: {
          error: {
            message:
              "'max_tokens' is too large: 9000. The maximum context length is 8192 and there are 10 input tokens",
            type: 'BadRequestError',
            param: 'max_tokens',
          },
        },
      },
      is: 'T6',
    },
    {
      name: 'vllm: no such model',
      seen: {
        provider: 'vllm',
        httpStatus: 404,
        body: { message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 },
      },
      is: 'T7',
      detail: 'fixable',
    },
    {
      name: 'ollama: its runner gone',
      seen: { provider: 'ollama', httpStatus: 500, body: { error: 'the llama runner process was terminated' } },
      is: 'T1',
    },
  ]);
});

describe('litellm', () => {
  check([
    {
      name: 'a budget',
      seen: at('litellm', 429, 'Budget has been exceeded! Max budget: 1.0', '400'),
      is: 'T7',
      detail: 'quota',
    },
    {
      name: 'a key that may not use the model',
      seen: at('litellm', 403, 'This key is not allowed to access the model', '403'),
      is: 'T7',
      detail: 'permission',
    },
    {
      name: 'a refusal in its wrapper',
      seen: at('litellm', 400, 'litellm.ContentPolicyViolationError: blocked', '400'),
      is: 'T8',
    },
    { name: 'a timeout', seen: at('litellm', 408, 'litellm.Timeout: it timed out', '408'), is: 'T3' },
    { name: 'parallel requests', seen: at('litellm', 429, 'Max parallel request limit reached', '429'), is: 'T2' },
  ]);
});

describe('openrouter and portkey', () => {
  const inFlight = {
    error: { code: 402, message: 'Too much is running', metadata: { limit_source: 'openrouter_in_flight_budget' } },
  };
  check([
    {
      name: 'a budget that running requests fill',
      seen: { provider: 'openrouter', httpStatus: 402, headers: { 'retry-after': '4' }, body: inFlight },
      is: 'T2',
      beside: 'T7',
    },
    {
      name: 'the same without a time to come back',
      seen: { provider: 'openrouter', httpStatus: 402, body: inFlight },
      is: 'T7',
      detail: 'quota',
    },
    {
      name: 'the same from somebody else',
      seen: { provider: 'acme', httpStatus: 402, headers: { 'retry-after': '4' }, body: inFlight },
      is: 'T7',
      detail: 'quota',
    },
    {
      name: "a guardrail's budget",
      seen: {
        provider: 'openrouter',
        httpStatus: 403,
        body: { error: { message: 'spent', metadata: { limit_source: 'openrouter_guardrail_budget' } } },
      },
      is: 'T7',
      detail: 'quota',
    },
    {
      name: 'nobody who could take it',
      seen: at('openrouter', 503, 'There are no available providers for this route'),
      is: 'T4',
    },
    {
      name: "portkey's guardrail",
      seen: {
        provider: 'portkey',
        httpStatus: 446,
        body: { error: { message: 'The checks failed', type: 'hooks_failed' } },
      },
      is: 'T8',
    },
  ]);
});
