import { describe, expect, it } from 'vitest';
import { askedName, isChooser, plainMismatch, plainName, sameModel } from '../../../src/core/modelNames.ts';

describe('the plain name of a model', () => {
  it.each([
    ['GPT-4o', 'gpt-4o'],
    ['openai/gpt-4.1-mini', 'gpt-4.1-mini'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['publishers/google/models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3-5-sonnet@20240620', 'claude-3-5-sonnet-20240620'],
    ['anthropic/claude-3.7-sonnet:thinking', 'claude-3.7-sonnet'],
    ['qwen2.5-coder:7b', 'qwen2.5-coder:7b'],
    ['accounts/fireworks/models/llama-v3p1-8b-instruct', 'llama-v3p1-8b-instruct'],
  ])('of %s is %s', (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });

  it('is asked for with the name of the caller where a candidate stands for all', () => {
    expect(askedName('google/{model}', 'gemini-2.5-pro')).toBe('google/gemini-2.5-pro');
    expect(askedName('m-{model}', '$&')).toBe('m-$&');
  });
});

describe('two names of one model', () => {
  it.each([
    ['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-2024-08-06'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022-v2:0'],
    ['mistral-large-latest', 'mistral-large-2411', 'mistral-large-2411'],
    ['gemini-1.5-pro', 'gemini-1.5-pro-002', 'gemini-1.5-pro-002'],
    ['gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06'],
    ['grok-4', 'grok-4-0709', 'grok-4-0709'],
  ])('%s and %s: the one that says more is kept', (a, b, kept) => {
    expect(sameModel(a, b)).toBe(kept);
    expect(sameModel(b, a)).toBe(kept);
  });

  it.each([
    ['gpt-4o', 'gpt-4o-mini'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'],
    ['gpt-5', 'gpt-5.1'],
    ['claude-sonnet-4', 'claude-sonnet-4-5'],
    ['llama-3', 'llama-3-8b'],
    ['o1', 'o1-pro'],
    ['', 'gpt-4'],
  ])('%s and %s are two', (a, b) => {
    expect(sameModel(a, b)).toBeNull();
    expect(sameModel(b, a)).toBeNull();
  });

  it('of which some stand for a choice', () => {
    expect(['auto', 'router', ''].every((name) => isChooser(name))).toBe(true);
    expect(isChooser('gpt-4o')).toBe(false);
  });
});

describe('a served model that is plainly not the asked one', () => {
  it.each([
    ['gpt-4o', 'gpt-4o-mini-2024-07-18', 'mini'],
    ['claude-sonnet-4-5', 'claude-haiku-4-5-20251001', 'haiku'],
    ['gemini-2.5-pro', 'models/gemini-2.5-flash', 'flash'],
    ['gemini-2.5-flash', 'gemini-2.5-flash-lite', 'lite'],
    ['openai/gpt-4.1', 'deepseek-chat', 'deepseek, not gpt'],
    ['claude-opus-4-1', 'qwen3-coder-480b', 'qwen, not claude'],
    ['o3', 'gpt-4o', 'gpt, not o-series'],
  ])('asked %s, served %s', (asked, served, words) => {
    expect(plainMismatch(asked, served)).toContain(words);
  });

  it.each([
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['my-production-deployment', 'gpt-4o-mini'],
    ['gpt-4o', 'deployment-7'],
    ['openrouter/auto', 'anthropic/claude-haiku-4-5'],
    ['deepseek-r1-distill-llama-70b', 'llama-3.3-70b'],
    ['llama3', 'meta-llama/Meta-Llama-3-8B-Instruct'],
    ['minimax-m2', 'MiniMax-M2'],
    ['gpt-4o', ''],
  ])('nothing is said where %s was asked and %s served', (asked, served) => {
    expect(plainMismatch(asked, served)).toBeNull();
  });
});
