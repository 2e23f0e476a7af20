// What the catalogue says of models people know, checked by hand against the vendors' pages: price, window, spelling, traits.
import { describe, expect, it } from 'vitest';
import { catalogueFrom, modelCatalogue } from '../../../../src/core/catalogue/modelCatalogue.ts';

const priceOf = (family: string, model: string): readonly (number | undefined)[] => {
  const { price, contextWindowTokens } = modelCatalogue.find(family, model);
  return [price?.inputUsdPerMTok, price?.outputUsdPerMTok, price?.cachedInputUsdPerMTok, contextWindowTokens];
};

describe('price and window', () => {
  it.each<[string, string, readonly (number | undefined)[]]>([
    // $/M tokens in, out, in from the cache; tokens of the window.
    ['openai', 'gpt-4o', [2.5, 10, 1.25, 128_000]],
    ['openai', 'gpt-4o-2024-08-06', [2.5, 10, 1.25, 128_000]],
    ['openai', 'gpt-4o-mini', [0.15, 0.6, 0.075, 128_000]],
    ['openai', 'gpt-4.1', [2, 8, 0.5, 1_000_000]],
    ['openai', 'gpt-4.1-mini', [0.4, 1.6, 0.1, 1_000_000]],
    ['openai', 'gpt-4.1-nano', [0.1, 0.4, 0.025, 1_000_000]],
    ['openai', 'gpt-5', [1.25, 10, 0.125, 400_000]],
    ['openai', 'gpt-5-mini', [0.25, 2, 0.025, 400_000]],
    ['openai', 'gpt-5-nano', [0.05, 0.4, 0.005, 400_000]],
    ['openai', 'o1', [15, 60, 7.5, 200_000]],
    ['openai', 'o3-mini', [1.1, 4.4, 0.55, 200_000]],
    ['openai', 'gpt-4-turbo', [10, 30, undefined, 128_000]],
    ['openai', 'gpt-4', [30, 60, undefined, 8192]],
    ['azure', 'gpt-4o', [2.5, 10, 1.25, 128_000]],
    ['anthropic', 'claude-opus-4-1-20250805', [15, 75, 1.5, 200_000]],
    ['anthropic', 'claude-opus-4-5-20251101', [5, 25, 0.5, 200_000]],
    ['anthropic', 'claude-sonnet-4-20250514', [3, 15, 0.3, 200_000]],
    ['anthropic', 'claude-sonnet-4-5', [3, 15, 0.3, 200_000]],
    ['anthropic', 'claude-haiku-4-5-20251001', [1, 5, 0.1, 200_000]],
    ['anthropic', 'claude-3-7-sonnet-latest', [3, 15, 0.3, 200_000]],
    ['anthropic', 'claude-3-5-haiku-20241022', [0.8, 4, 0.08, 200_000]],
    ['anthropic', 'claude-3-haiku-20240307', [0.25, 1.25, 0.03, 200_000]],
    ['bedrock', 'anthropic.claude-3-5-sonnet-20241022-v2:0', [3, 15, 0.3, 200_000]],
    ['bedrock', 'amazon.nova-lite-v1:0', [0.06, 0.24, 0.015, 300_000]],
    ['gemini', 'gemini-2.5-pro', [1.25, 10, 0.125, 1_048_576]],
    ['gemini', 'gemini-2.5-flash', [0.3, 2.5, 0.03, 1_048_576]],
    ['gemini', 'gemini-2.5-flash-lite', [0.1, 0.4, 0.01, 1_000_000]],
    ['gemini', 'gemini-2.0-flash', [0.1, 0.4, 0.025, 1_000_000]],
    ['groq', 'llama-3.3-70b-versatile', [0.59, 0.79, undefined, 131_072]],
    ['groq', 'llama-3.1-8b-instant', [0.05, 0.08, undefined, 131_072]],
    ['mistral', 'codestral-latest', [0.3, 0.9, undefined, 256_000]],
    // By day and by night: the dearer one.
    ['deepseek', 'deepseek-chat', [0.27, 1.1, 0.07, 64_000]],
    ['xai', 'grok-4', [3, 15, 0.75, 256_000]],
    ['xai', 'grok-3-mini', [0.3, 0.5, 0.075, 131_072]],
    ['cerebras', 'llama3.1-8b', [0.1, 0.1, undefined, 32_768]],
    ['fireworks', 'accounts/fireworks/models/gpt-oss-120b', [0.15, 0.6, 0.014, 131_072]],
  ])('of %s %s', (family, model, expected) => {
    expect(priceOf(family, model)).toEqual(expected);
  });
});

describe('a spelling', () => {
  it.each<[string, string, string, string]>([
    ['openrouter', 'anthropic/claude-opus-4.1', 'anthropic', 'claude-opus-4-1'],
    ['openrouter', 'openai/gpt-4o-mini', 'openai', 'gpt-4o-mini'],
    ['openrouter', 'anthropic/claude-3.7-sonnet:thinking', 'openrouter', 'anthropic/claude-3.7-sonnet'],
    ['vertex', 'claude-sonnet-4@20250514', 'anthropic', 'claude-sonnet-4-20250514'],
    ['vertex', 'claude-opus-4-5@20251101', 'anthropic', 'claude-opus-4-5'],
    ['vertex', 'google/gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
    ['vertex', 'publishers/google/models/gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['gemini', 'models/gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
    ['azure', 'gpt-35-turbo', 'openai', 'gpt-3.5-turbo'],
    ['azure', 'claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    ['litellm', 'anthropic/claude-opus-4-5', 'anthropic', 'claude-opus-4-5'],
    ['litellm', 'gemini/gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
    ['openai', ' GPT-4o ', 'openai', 'gpt-4o'],
  ])('of %s %s is that of %s %s', (family, model, twin, plain) => {
    expect(priceOf(family, model)[0]).toBeTypeOf('number');
    expect(priceOf(family, model)).toEqual(priceOf(twin, plain));
  });

  it('of a region of Bedrock has the price of the region, which is higher', () => {
    expect(priceOf('bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0')).toEqual([3.3, 16.5, 0.33, 200_000]);
    expect(priceOf('bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0')).toEqual([3, 15, 0.3, 200_000]);
    expect(
      priceOf(
        'bedrock',
        'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      ),
    ).toEqual([3.3, 16.5, 0.33, 200_000]);
  });

  it('with :free costs nothing at OpenRouter, and with :nitro an unknown price', () => {
    expect(priceOf('openrouter', 'deepseek/deepseek-r1:free')).toEqual([0, 0, undefined, 64_000]);
    expect(priceOf('openrouter', 'openai/gpt-4o:nitro')).toEqual([undefined, undefined, undefined, 128_000]);
    expect(priceOf('openai', 'gpt-4o:free')[0]).toBeUndefined();
  });
});

describe('what is not known', () => {
  it.each([
    ['openai', 'my-own-model'],
    ['some-server', 'gpt-unknown'],
    ['some-server', 'gpt-4o'],
    ['github', 'openai/gpt-4o'],
    ['__proto__', 'toString'],
    ['openai', '{model}'],
    ['openai', ''],
    ['openrouter', 'constructor/x'],
  ])('%s %s has neither price nor window', (family, model) => {
    expect(priceOf(family, model)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('stays unknown where a row is broken', () => {
    const catalogue = catalogueFrom({ source: 's', asOf: 'd', families: { openai: ['x y', '1 2 -3 4 =a', ''] } });
    expect(catalogue.find('openai', 'a').price).toBeUndefined();
  });
});

describe('a tier', () => {
  it.each([
    'gpt-4o-mini',
    'gpt-4.1-nano',
    'gpt-5-mini-2025-08-07',
    'claude-3-5-haiku-20241022',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'gemini-2.5-flash-lite',
    'amazon.nova-micro-v1:0',
    'llama-3.1-8b-instant',
    'accounts/fireworks/models/llama-v3p1-8b-instruct',
    'qwen2.5-coder:7b',
    'qwen2.5:0.5b',
    'phi-3-mini-128k-instruct',
  ])('of %s is small', (model) => {
    expect(modelCatalogue.find('any', model).tier).toBe('small');
  });

  it.each([
    'gpt-4o',
    'gemini-2.5-flash',
    'gemini-2.5-pro',
    'minimax-m2',
    'claude-sonnet-4-5',
    'o3-mini',
    'o4-mini-2025-04-16',
    'codex-mini-latest',
    'gpt-5.1-codex-mini',
    'mixtral-8x7b-instruct',
    'qwen3-30b-a3b',
    'llama-3.3-70b-versatile',
    'meta-llama/Meta-Llama-3-70B-Instruct-Lite',
    'mistral-small-latest',
    'mistral-medium-latest',
    'solar-10.7b-instruct',
    'gpt-oss-120b',
  ])('of %s is not said', (model) => {
    expect(modelCatalogue.find('any', model).tier).toBeUndefined();
  });
});

describe('prefill', () => {
  it.each([
    ['anthropic', 'claude-3-opus-latest', true],
    ['anthropic', 'claude-opus-4-20250514', true],
    ['anthropic', 'claude-opus-4-1', true],
    ['anthropic', 'claude-sonnet-4-5-20250929', true],
    ['anthropic', 'claude-haiku-4-5', true],
    ['anthropic', 'claude-opus-4-6', false],
    ['anthropic', 'claude-sonnet-4-6', false],
    ['anthropic', 'claude-opus-4-7-20260101', false],
    ['anthropic', 'claude-sonnet-5', false],
    ['anthropic', 'claude-fable-5-1', false],
    ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', true],
    ['bedrock', 'global.anthropic.claude-opus-4-6-v1:0', false],
    ['vertex', 'claude-opus-4-1@20250805', true],
    ['vertex', 'claude-sonnet-4-6@default', false],
    // Another wire: not known to be continued.
    ['openrouter', 'anthropic/claude-opus-4.1', undefined],
    ['copilot', 'claude-haiku-4.5', undefined],
    ['openai', 'gpt-4o', false],
    ['azure', 'my-deployment', false],
    ['mistral', 'mistral-large-latest', true],
    ['deepseek', 'deepseek-chat', false],
    ['gemini', 'gemini-2.5-pro', undefined],
    ['vllm', 'anything', undefined],
  ])('of %s %s is %s', (family, model, expected) => {
    expect(modelCatalogue.find(family, model).capabilities?.prefill).toBe(expected);
  });
});

describe('abilities', () => {
  it.each([
    ['openai', 'o1-mini', { tools: false, images: false }],
    ['openai', 'o3-mini', { tools: true, images: false }],
    ['openai', 'o4-mini', { tools: true, images: true }],
    ['openai', 'gpt-4-0613', { tools: true, images: false }],
    ['openai', 'gpt-5.1-codex', { tools: true, images: true }],
    ['anthropic', 'claude-2.1', { tools: false, images: false }],
    ['anthropic', 'claude-3-haiku-20240307', { tools: true, images: true }],
    ['deepseek', 'deepseek-chat', { images: false }],
    ['groq', 'llama-3.3-70b-versatile', { images: false }],
    ['mistral', 'codestral-latest', { images: false }],
    ['xai', 'grok-3', { tools: true, images: false }],
    ['gemini', 'gemini-2.5-flash', { tools: true, images: true, thinking: true }],
  ])('of %s %s hold what its vendor says', (family, model, expected) => {
    expect(modelCatalogue.find(family, model).capabilities).toMatchObject(expected);
  });

  it.each(['llama-3.2-90b-vision-preview', 'qwen2.5-vl-72b-instruct', 'pixtral-large-latest', 'my-model', 'llava:13b'])(
    'of %s are never a no',
    (model) => {
      const known = modelCatalogue.find('vllm', model).capabilities ?? {};
      expect(Object.values(known)).not.toContain(false);
    },
  );
});
