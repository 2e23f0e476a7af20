import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseRfc3339 } from '../../../../src/core/faults/dates.ts';
import { LONGEST_DELAY_MS, parseDurationMs, readRetryAfterMs } from '../../../../src/core/faults/retryAfter.ts';
import type { DelaySources } from '../../../../src/core/faults/retryAfter.ts';
import { classify } from '../../../../src/core/faults/classify.ts';
import { googleBody, observe, openaiBody } from './observe.ts';

const FEB_17_NOON_MS = 1_771_329_600_000;

function wait(given: Partial<DelaySources>): number | null {
  return readRetryAfterMs({ headers: {}, bodyDelays: [], text: '', nowMs: FEB_17_NOON_MS, ...given });
}

describe('readRetryAfterMs', () => {
  it.each<[string, Partial<DelaySources>, number | null]>([
    ['seconds', { headers: { 'retry-after': '42' } }, 42_000],
    ['fractions of seconds', { headers: { 'retry-after': '0.5' } }, 500],
    ['milliseconds before seconds', { headers: { 'retry-after-ms': '125', 'retry-after': '42' } }, 125],
    ['an HTTP date', { headers: { 'retry-after': 'Tue, 17 Feb 2026 12:01:30 GMT' } }, 90_000],
    ['an HTTP date that has passed as now', { headers: { 'retry-after': 'Tue, 17 Feb 2026 11:00:00 GMT' } }, 0],
    [
      'nothing from a date without a clock',
      { headers: { 'retry-after': 'Tue, 17 Feb 2026 12:01:30 GMT' }, nowMs: null },
      null,
    ],
    [
      "a date against the answer's own date",
      {
        headers: { 'retry-after': 'Tue, 17 Feb 2026 12:01:30 GMT', date: 'Tue, 17 Feb 2026 12:01:00 GMT' },
        nowMs: null,
      },
      30_000,
    ],
    ['nothing from a negative delay', { headers: { 'retry-after': '-1', 'retry-after-ms': '-5' } }, null],
    ['nothing from words', { headers: { 'retry-after': 'soon' } }, null],
    ['a delay of years as a month', { headers: { 'retry-after': '99999999999' } }, LONGEST_DELAY_MS],
    ['a delay field of the body', { bodyDelays: [['retrydelay', '34s']] }, 34_000],
    [
      'the longest of several',
      {
        bodyDelays: [
          ['quotaresetdelay', '1h2m3s'],
          ['retrydelay', '1s'],
        ],
      },
      3_723_000,
    ],
    ['a moment in the body', { bodyDelays: [['resetsat', FEB_17_NOON_MS / 1000 + 60]] }, 60_000],
    ['seconds in words', { text: 'please try again in 9.5s.' }, 9500],
    ['minutes and seconds', { text: 'try again in 9m38.016s. need more?' }, 578_016],
    ['long words', { text: 'please retry after 90 seconds' }, 90_000],
    ['minutes in words', { text: 'limit resets in 2 minutes' }, 120_000],
    ['chinese words', { text: '请在 30 秒后重试' }, 30_000],
    [
      'an openai window that is used up',
      {
        headers: {
          'x-ratelimit-remaining-requests': '5',
          'x-ratelimit-reset-requests': '8s',
          'x-ratelimit-remaining-tokens': '0',
          'x-ratelimit-reset-tokens': '1m2s',
        },
      },
      62_000,
    ],
    [
      'a short used-up window before a long open one',
      {
        headers: {
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': '250ms',
          'x-ratelimit-remaining-tokens': '9',
          'x-ratelimit-reset-tokens': '6m0s',
        },
      },
      250,
    ],
    [
      'an anthropic window',
      {
        headers: {
          'anthropic-ratelimit-input-tokens-remaining': '0',
          'anthropic-ratelimit-input-tokens-reset': '2026-02-17T12:00:10Z',
        },
      },
      10_000,
    ],
    ['a moment in milliseconds', { headers: { 'x-ratelimit-reset': String(FEB_17_NOON_MS + 5000) } }, 5000],
    ['nothing where nothing is said', {}, null],
  ])('reads %s', (_name, given, expectedMs) => {
    expect(wait(given)).toBe(expectedMs);
  });

  it('takes more than a month for a month, never for nothing', () => {
    const later = String(LONGEST_DELAY_MS + 1);
    expect(wait({ headers: { 'retry-after-ms': later } })).toBe(LONGEST_DELAY_MS);
    expect(wait({ headers: { 'retry-after': '99999999999999999999' } })).toBe(LONGEST_DELAY_MS);
  });
});

describe('parseDurationMs', () => {
  it.each([
    ['6m0s', 360_000],
    ['20ms', 20],
    ['5h59m59.96s', 21_599_960],
    ['1d', 86_400_000],
    ['', null],
    ['6 apples', null],
    ['5s later', null],
  ])('reads %j as %j', (text, expectedMs) => {
    expect(parseDurationMs(text)).toBe(expectedMs);
  });
});

describe('dates', () => {
  it.each([
    ['Tue, 17 Feb 2026 12:00:00 GMT', FEB_17_NOON_MS],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Thu, 29 Feb 2024 23:59:59 GMT', 1_709_251_199_000],
    ['Tue, 17 Feb 2026 12:00:00', null],
    ['17/02/2026', null],
    ['Tue, 17 Foo 2026 12:00:00 GMT', null],
  ])('reads the HTTP date %j as %j', (text, expectedMs) => {
    expect(parseHttpDate(text)).toBe(expectedMs);
  });

  it.each([
    ['2026-02-17T12:00:00Z', FEB_17_NOON_MS],
    ['2026-02-17T13:30:00.5+01:30', FEB_17_NOON_MS + 500],
    ['2026-02-17 10:00:00-02:00', FEB_17_NOON_MS],
    ['2026-02-17T12:00:00', null],
    ['2026-13-17T12:00:00Z', null],
  ])('reads the RFC 3339 time %j as %j', (text, expectedMs) => {
    expect(parseRfc3339(text)).toBe(expectedMs);
  });
});

describe('waits of faults', () => {
  it('finds a delay three levels down in a relayed body', () => {
    const body = {
      error: {
        message: 'busy',
        upstreamResponse: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '21s' }] } },
      },
    };
    expect(classify(observe({ provider: 'gemini', httpStatus: 429, body })).retryAfterMs).toBe(21_000);
  });

  it('reports no wait where waiting cures nothing', () => {
    const body = googleBody(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded, limit: 0. Please retry in 9s.', [
      { retryDelay: '9s' },
    ]);
    expect(classify(observe({ provider: 'gemini', httpStatus: 429, body })).retryAfterMs).toBeNull();
    expect(
      classify(observe({ httpStatus: 400, headers: { 'retry-after': '5' }, body: openaiBody('prompt is too long') }))
        .retryAfterMs,
    ).toBeNull();
  });
});
