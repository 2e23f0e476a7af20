// The generated price list: made from the installed package, small, and read as the package itself would read it.
import { readFileSync } from 'node:fs';
import { calcPrice, findProvider, type MatchLogic } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { catalogueData, catalogueText, figuresOf, matcherText } from '../../../../src/catalogueSource.ts';
import data from '../../../../src/core/catalogue/catalogueData.json' with { type: 'json' };
import { modelCatalogue } from '../../../../src/core/catalogue/modelCatalogue.ts';
import { parseMatcher, parseRow } from '../../../../src/core/catalogue/rows.ts';

const FILE = new URL('../../../../src/core/catalogue/catalogueData.json', import.meta.url);

describe('the generated catalogue', () => {
  it('is what the installed package says (else run: node build.mjs catalogue)', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(catalogueText(data.asOf));
    expect(data.source).toMatch(/^@pydantic\/genai-prices \d+\.\d+\.\d+$/);
    expect(data.asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('is at most 60 kB', () => {
    expect(readFileSync(FILE).length).toBeLessThanOrEqual(60_000);
  });

  it('holds no row that cannot be read', () => {
    for (const rows of Object.values(data.families)) {
      for (const row of rows) {
        const { facts } = parseRow(row);
        expect({ row, isEmpty: facts.price === undefined && facts.contextWindowTokens === undefined }).toEqual({
          row,
          isEmpty: false,
        });
      }
    }
  });

  it('takes of prices that change the ones that are valid on its day', () => {
    const flashOn = (day: string): string | undefined =>
      catalogueData(day).families.gemini?.find((row) => row.endsWith(' ^gemini-3.6-flash'));
    expect(flashOn('2026-12-31')).toBe('1000000 0.75 3.75 0.075 ^gemini-3.6-flash');
    expect(flashOn('2027-01-01')).toBe('1000000 1.5 7.5 0.15 ^gemini-3.6-flash');
  });

  it('takes of prices by the time of day the highest, and of tiers the base', () => {
    const off = { input_mtok: 1, output_mtok: 2 };
    const peak = { input_mtok: 3, output_mtok: 1.5 };
    const model = {
      id: 'm',
      match: { equals: 'm' },
      prices: [
        { prices: { input_mtok: 9, output_mtok: 9 } },
        { constraint: { type: 'start_date' as const, start_date: '2026-01-01' }, prices: off },
        { constraint: { type: 'time_of_date' as const, start_time: '00:30:00Z', end_time: '16:30:00Z' }, prices: peak },
      ],
    };
    expect(figuresOf(model, '2026-06-01')).toEqual({ input: 3, output: 2, cached: undefined });
    expect(figuresOf(model, '2025-06-01')).toEqual({ input: 9, output: 9, cached: undefined });
    const tiered = { input_mtok: { base: 2, tiers: [{ start: 200_000, price: 4 }] }, output_mtok: 5 };
    expect(figuresOf({ id: 't', match: { equals: 't' }, prices: tiered }, '2026-06-01')).toMatchObject({ input: 2 });
  });
});

describe('a matcher', () => {
  it.each<[MatchLogic, string, string[], string[]]>([
    [{ equals: 'GPT' }, '=gpt', ['gpt'], ['gpt-4', 'xgpt']],
    [{ starts_with: 'a' }, '^a', ['a', 'ab'], ['ba']],
    [{ ends_with: 'a' }, '$a', ['a', 'ba'], ['ab']],
    [{ contains: 'b' }, '*b', ['abc'], ['ac']],
    [{ regex: '^a-\\d{8}$' }, '~^a-\\d{8}$', ['a-20250101'], ['a-2025']],
    [{ or: [{ equals: 'a' }, { equals: 'b' }] }, '=a | =b', ['a', 'b'], ['c']],
    [{ and: [{ starts_with: 'a' }, { ends_with: 'z' }] }, '^a & $z', ['az'], ['ab', 'bz']],
    [
      { or: [{ equals: 'x' }, { and: [{ starts_with: 'a' }, { regex: '^(?!.*-tts)' }] }] },
      '=x | ^a & ~^(?!.*-tts)',
      ['x', 'ab'],
      ['a-tts', 'b'],
    ],
  ])('%j is written as %s and means the same', (match, text, yes, no) => {
    expect(matcherText(match)).toBe(text);
    const matches = parseMatcher(text);
    expect(yes.map(matches)).toEqual(yes.map(() => true));
    expect(no.map(matches)).toEqual(no.map(() => false));
  });

  it('that cannot be read matches nothing', () => {
    expect(['', '=', '!x', '=a | '].map((text) => parseMatcher(text)(''))).toEqual([false, false, false, false]);
  });

  it('that the rows cannot hold stops the generator', () => {
    expect(() => matcherText({ equals: 'a | b' })).toThrow('cannot hold');
    expect(() => matcherText({ and: [{ or: [{ equals: 'a' }] }] })).toThrow('deeper');
  });
});

/** Names that a condition is about, as far as it spells them out. */
function namesIn(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(namesIn);
  if ('and' in match) return match.and.flatMap(namesIn);
  if ('equals' in match) return [match.equals];
  return 'regex' in match ? [] : Object.values(match).map(String);
}

describe('every name of the package', () => {
  const families: readonly (readonly [string, string])[] = [
    ['openai', 'openai'],
    ['anthropic', 'anthropic'],
    ['bedrock', 'aws'],
    ['gemini', 'google'],
    ['vertex', 'google'],
    ['groq', 'groq'],
    ['mistral', 'mistral'],
    ['deepseek', 'deepseek'],
    ['xai', 'x-ai'],
    ['together', 'together'],
    ['fireworks', 'fireworks'],
    ['cerebras', 'cerebras'],
    ['copilot', 'github-copilot'],
  ];

  it.each(families)(
    'of %s costs what the package itself calculates, or more where it depends on the hour',
    (family, source) => {
      const models = findProvider({ providerId: source })?.models ?? [];
      expect(models.length).toBeGreaterThan(5);
      const wrong: unknown[] = [];
      for (const name of models.flatMap(({ match }) => namesIn(match))) {
        const figures = modelCatalogue.find(family, name).price;
        const own = calculated(name, source);
        const dependsOnHour = own?.hasHours ?? false;
        const isSame = (ours: number | undefined, theirs: number | undefined): boolean =>
          ours === theirs ||
          Math.abs((ours ?? -1) - (theirs ?? -1)) < 1e-9 ||
          (dependsOnHour && (ours ?? -1) > (theirs ?? 0));
        if (!isSame(figures?.inputUsdPerMTok, own?.input) || !isSame(figures?.outputUsdPerMTok, own?.output))
          wrong.push({ name, figures, own });
      }
      expect(wrong).toEqual([]);
    },
  );
});

/** The package's own answer for a short prompt on the day of the data, dollars per million; undefined: no text model. */
function calculated(
  name: string,
  providerId: string,
): { readonly input: number; readonly output: number; readonly hasHours: boolean } | undefined {
  // eslint-disable-next-line no-restricted-globals -- the package takes a Date; this one is fixed
  const timestamp = new Date(`${data.asOf}T20:00:00Z`);
  const found = calcPrice({ input_tokens: 1000, output_tokens: 1000 }, name, { providerId, timestamp });
  const { input_mtok: input, output_mtok: output } = found?.model_price ?? {};
  if (!found || input === undefined || output === undefined) return undefined;
  const { prices } = found.model;
  const hasHours = Array.isArray(prices) && prices.some(({ constraint }) => constraint && 'start_time' in constraint);
  return { input: found.input_price * 1000, output: found.output_price * 1000, hasHours };
}
