// What must hold of every observation, known or not: totality, care for what is unknown, and no gain from hostile text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/core/faults/classify.ts';
import type { Fault, Observation } from '../../src/core/faults/fault.ts';
import { anthropicBody, googleBody, observe, openaiBody, thrown } from '../unit/core/faults/observe.ts';

const CLASSES = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8', 'V1', 'unknown'];
const ACTIONS = [
  'RETRY',
  'RECONCILE',
  'COMPRESS',
  'DEGRADE_MODEL',
  'DEGRADE_TOOL',
  'DEGRADE_SCOPE',
  'REPLAN',
  'ESCALATE',
  'FAIL',
];

const operations = fc.constantFrom('model_read', 'tool_read', 'tool_write' as const);

// Text that an attacker would write: permissive words of every kind, JSON, pages, events, and anything at all.
const bait = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'Overloaded. Please try again in 1s.',
    'rate limit reached, retry after 2 seconds',
    '503 Service Unavailable',
    'HTTP 429 Too Many Requests',
    'ECONNRESET socket hang up',
    'connect ECONNREFUSED 127.0.0.1:80',
    'request timed out',
    '{"error":{"code":503,"status":"UNAVAILABLE","type":"overloaded_error"}}',
    '"}},"error":{"type":"overloaded_error"}',
    '<html><title>502 Bad Gateway</title></html>',
    'data: {"error":{"code":429}}\n\n',
    'RESOURCE_EXHAUSTED retryDelay 3s',
    'x-should-retry: true',
    '服务器繁忙，请稍后再试',
    'internal server error, this is temporary',
    'ai.google.dev quota resets in 5s, limit: 15',
    'Bitte versuchen Sie es in 5 Sekunden erneut, der Server ist überlastet',
    'Veuillez réessayer dans 2 minutes : trop de requêtes',
    'Inténtelo de nuevo en 3 segundos, servicio temporalmente no disponible',
    'Tente novamente em 1 hora, limite de taxa',
    'Повторите попытку через 10 секунд, сервер перегружен',
    'サーバーが混雑しています。10分後に再試行してください',
    '잠시 후 다시 시도하세요. 연결이 끊겼습니다',
    '請求過於頻繁，請在 5 秒後重試',
    'Ｏｖｅｒｌｏａｄｅｄ, ｒｅｔｒｙ',
    'acme_rate_limited acme_no_capacity',
    'the extension has been temporarily blocked due to making too many requests',
    'API rate limit exceeded, secondary rate limit',
    'the model has crashed',
    'access denied | host used cloudflare to restrict access, error 1015, you are being rate limited',
    'web filter firewall',
    'max_tokens should be at most 5',
    'something went wrong',
  ),
);
const additions = fc.array(bait, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));

// Permanent, refused and unknown-write observations, each with a place for more text in its message.
type Place = (text: (message: string) => string) => Partial<Observation>;
const guarded: Readonly<Record<string, Place>> = {
  'a bad key': (text) => ({ httpStatus: 401, body: anthropicBody('authentication_error', text('invalid x-api-key')) }),
  'a forbidden model': (text) => ({ httpStatus: 403, body: openaiBody(text('no access')) }),
  'an unpaid bill': (text) => ({ httpStatus: 402, body: { error: { message: text('pay'), code: 402 } } }),
  'a bad request': (text) => ({ httpStatus: 400, body: openaiBody(text('wrong'), 'invalid_request_error') }),
  'a wrong address': (text) => ({ httpStatus: 404, body: text('nothing here') }),
  'no quota as a rate limit': (text) => ({
    httpStatus: 429,
    body: openaiBody(text('over'), 'insufficient_quota', 'insufficient_quota'),
  }),
  'no quota in words only': (text) => ({
    clientError: thrown('APIError', text('You exceeded your current quota, please check your plan')),
  }),
  'no balance under a server error': (text) => ({ httpStatus: 500, body: openaiBody(text('Insufficient Balance')) }),
  'a limit of zero': (text) => ({
    provider: 'gemini',
    httpStatus: 429,
    body: googleBody(429, 'RESOURCE_EXHAUSTED', text('Quota exceeded, limit: 0, model: x'), [{ retryDelay: '3s' }]),
  }),
  'a bad key in German': (text) => ({ httpStatus: 401, body: openaiBody(text('API-Schlüssel ungültig')) }),
  'a bad key in Russian words only': (text) => ({ clientError: thrown('Error', text('Неверный ключ API')) }),
  'no money in Japanese under a rate limit': (text) => ({
    httpStatus: 429,
    body: openaiBody(text('残高が不足しています')),
  }),
  'no money in Spanish under a server error': (text) => ({
    httpStatus: 500,
    body: openaiBody(text('Saldo insuficiente')),
  }),
  'a filter in French under a rate limit': (text) => ({
    httpStatus: 429,
    body: openaiBody(text("Sortie bloquée : règles de l'IA responsable")),
  }),
  'a filter in Korean in a broken stream': (text) => ({
    httpStatus: 200,
    streamPhase: 'mid_stream',
    clientError: thrown('LanguageModelError', text('안전 정책에 따라 차단되었습니다'), 'Unknown'),
  }),
  'a filter in Chinese in the editor': (text) => ({
    provider: 'copilot',
    clientError: thrown('LanguageModelError', text('回复已被内容安全策略拦截'), 'Blocked'),
  }),
  'a filter in a compound code': (text) => ({
    httpStatus: 503,
    body: openaiBody(text('x'), null, 'acme_content_filter_hit'),
  }),
  'a filter spelled with look-alikes': (text) => ({
    httpStatus: 429,
    body: openaiBody(text('х'), null, 'соntent_filter'),
  }),
  'a forbidden thing at github': (text) => ({
    provider: 'github',
    httpStatus: 403,
    headers: { 'x-ratelimit-remaining': '9' },
    body: { message: text('Resource not accessible') },
  }),
  'a bad request at a local server': (text) => ({
    provider: 'lmstudio',
    httpStatus: 400,
    body: { error: text('bad field') },
  }),
  'a failed guardrail': (text) => ({ httpStatus: 446, body: { error: { message: text('no'), type: 'hooks_failed' } } }),
  'a write whose answer broke its schema': (text) => ({
    operation: 'tool_write',
    clientError: thrown('McpError', text('The structured content breaks the output schema'), '-32602'),
  }),
  'a bad key in words only': (text) => ({ body: text('Error: 401 Unauthorized') }),
  'a filter code': (text) => ({ httpStatus: 400, body: openaiBody(text('no'), null, 'content_filter') }),
  'a refusal as stop reason': (text) => ({
    httpStatus: 200,
    streamPhase: 'after_finish',
    finishReason: 'refusal',
    body: text('stopped'),
  }),
  'a policy block in words': (text) => ({ httpStatus: 500, body: openaiBody(text('blocked by the content policy')) }),
  'a moderated prompt': (text) => ({
    httpStatus: 403,
    body: { error: { code: 403, message: text('Your input was flagged') } },
  }),
  'a write that was cut off': (text) => ({
    operation: 'tool_write',
    clientError: thrown('Error', text('read ECONNRESET'), 'ECONNRESET'),
  }),
  'a write that timed out': (text) => ({ operation: 'tool_write', httpStatus: 504, body: text('late') }),
  'a write that timed out in words': (text) => ({
    operation: 'tool_write',
    httpStatus: 200,
    streamPhase: null,
    body: { isError: true, content: [{ type: 'text', text: text('Request timed out') }] },
  }),
  'a write with an unknown error': (text) => ({ operation: 'tool_write', clientError: thrown('Error', text('zzz')) }),
};

function mayBeSentAgain(fault: Fault): boolean {
  return (
    fault.retryable || ['RETRY', 'DEGRADE_MODEL'].includes(fault.action) || ['T1', 'T2', 'T4'].includes(fault.class)
  );
}

describe('hostile text', () => {
  it.each(Object.entries(guarded))('never makes %s retryable', (_name, place) => {
    const plain = classify(observe(place((message) => message)));
    expect(mayBeSentAgain(plain)).toBe(false);
    fc.assert(
      fc.property(additions, additions, (before, after) => {
        const fault = classify(observe(place((message) => `${before} ${message} ${after}`)));
        expect({
          class: fault.class,
          action: fault.action,
          sent: mayBeSentAgain(fault),
          because: fault.evidence,
        }).toMatchObject({ sent: false });
        if (plain.class === 'T8') expect(fault.class).toBe('T8');
        if (plain.class === 'T3') expect(['RECONCILE', 'ESCALATE']).toContain(fault.action);
      }),
      { numRuns: 150 },
    );
  });

  it('never buys a longer wait than a month', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('s', 'ms', 'h', ' seconds', ' days', 'd'), (amount, unit) => {
        const wait = classify(
          observe({ httpStatus: 429, body: openaiBody(`try again in ${amount}${unit}`) }),
          0,
        ).retryAfterMs;
        expect(wait === null || (wait >= 0 && wait <= 31 * 86_400_000)).toBe(true);
      }),
    );
  });
});

describe('every observation', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withTypedArray: true,
  });
  const loose = fc.record({
    provider: fc.option(fc.string(), { nil: undefined }),
    httpStatus: fc.oneof(fc.constant(null), fc.integer({ min: -1, max: 700 }), anything),
    headers: fc.oneof(
      fc.dictionary(
        fc.constantFrom('retry-after', 'retry-after-ms', 'x-should-retry', 'x-ratelimit-reset', 'date', 'x'),
        fc.string(),
      ),
      anything,
    ),
    body: fc.oneof(anything, fc.json(), fc.string()),
    clientError: fc.oneof(
      fc.constant(null),
      fc.record({ name: anything, code: anything, message: anything }),
      anything,
    ),
    streamPhase: fc.oneof(fc.constantFrom(null, 'before_headers', 'mid_stream', 'after_finish'), anything),
    finishReason: fc.oneof(fc.constant(null), fc.string(), anything),
    operation: fc.oneof(operations, anything),
    recent: fc.oneof(fc.constant(undefined), anything),
  });

  it('gets a whole fault and no exception', () => {
    fc.assert(
      fc.property(loose, fc.option(fc.double(), { nil: undefined }), (observation, nowMs) => {
        // The cast stands for what callers without types may pass.
        const fault = classify(observation as unknown as Observation, nowMs);
        expect(CLASSES).toContain(fault.class);
        expect(ACTIONS).toContain(fault.action);
        expect(fault.confidence).toBeGreaterThanOrEqual(0);
        expect(fault.confidence).toBeLessThanOrEqual(1);
        expect(fault.secondary).not.toBe(fault.class);
        expect(fault.detail === null).toBe(fault.class !== 'T7');
        expect(fault.retryAfterMs === null || fault.retryAfterMs >= 0).toBe(true);
        expect(fault.evidence.length).toBeGreaterThan(0);
        if (fault.class === 'T7' || fault.class === 'T8') expect(fault.retryable).toBe(false);
        if (fault.class === 'T8') expect(fault.action).toBe('ESCALATE');
      }),
      { numRuns: 500 },
    );
  });

  it.each([[undefined], [null], [7], ['text'], [[]], [Symbol('x')]])(
    'is unknown and reconciled when it is %s',
    (value) => {
      const fault = classify(value as unknown as Observation); // no observation at all
      expect([fault.class, fault.action, fault.retryable]).toEqual(['unknown', 'RECONCILE', false]);
    },
  );

  it('is the same fault every time', () => {
    fc.assert(
      fc.property(loose, (observation) => {
        const typed = observation as unknown as Observation; // as above
        expect(classify(typed, 5)).toEqual(classify(typed, 5));
      }),
      { numRuns: 100 },
    );
  });

  it('never repeats a write of unknown outcome, whatever the words are', () => {
    fc.assert(
      fc.property(additions, fc.constantFrom(null, 200, 500, 502, 503, 504), (message, httpStatus) => {
        const fault = classify(
          observe({
            operation: 'tool_write',
            httpStatus,
            body: message,
            streamPhase: null,
            clientError: thrown('Error', message),
          }),
        );
        expect(fault.retryable).toBe(false);
        expect(fault.action).not.toBe('RETRY');
      }),
      { numRuns: 300 },
    );
  });

  it('never shows text of the observation as evidence', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{24}$/), fc.constantFrom(400, 429, 500, 200), (secret, httpStatus) => {
        const fault = classify(
          observe({
            httpStatus,
            finishReason: secret,
            body: openaiBody(`rate limit ${secret}`, secret, secret),
            clientError: thrown(secret, secret, secret),
          }),
        );
        expect(fault.evidence.join(' ')).not.toContain(secret);
      }),
    );
  });
});
