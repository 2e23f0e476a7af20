import { describe, expect, it } from 'vitest';
import { foldText } from '../../../../src/core/faults/foldText.ts';
import { waitInTextMs } from '../../../../src/core/faults/waitInText.ts';

describe('waitInTextMs', () => {
  it.each<[string, number | null]>([
    ['Please wait 2 hours 5 minutes before trying again.', 7_500_000],
    ['Try again in 1 day, 3 hours and 20 minutes', 98_400_000],
    ['Retry in 6m0.5s', 360_500],
    ['Please retry after 1,500 ms', 1500],
    ['Bitte warten Sie 1,5 Sekunden', 1500],
    ['available again in about 90 secs', 90_000],
    ['Retry-After: 12', 12_000],
    ['{"retry_after_ms": 250}', 250],
    ['try again in an hour', 3_600_000],
    ['Your limit resets in a week', 604_800_000],
    ['resets at 1970-01-01T00:01:00Z', 60_000],
    ['30 秒后重试', 30_000],
    ['5分後に再試行してください', 300_000],
    ['2시간 10분 후 다시 시도하세요', 7_800_000],
    ['Повторите через 3 минуты', 180_000],
    ['Réessayez dans 2 minutes et 30 secondes', 150_000],
    ['Inténtelo de nuevo en 4 horas', 14_400_000],
    ['40 saniye sonra tekrar deneyin', 40_000],
    ['Reset in 10s; the week starts in 5 days', 10_000],
    // No waits: sizes, limits, what was lost, versions
    ['The request timed out after 30 seconds', null],
    ['Limit 5000 tokens per 1 minute', null],
    ['server v2.5s retry', null],
    ['took 3s', null],
    ['try again later', null],
    ['', null],
  ])('%j asks for %j', (text, expectedMs) => {
    expect(waitInTextMs(foldText(text), 0)).toBe(expectedMs);
  });

  it('passes over moments without a clock', () => {
    expect(waitInTextMs('resets at 1970-01-01t00:01:00z', null)).toBeNull();
  });
});
