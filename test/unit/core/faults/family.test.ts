import { describe, expect, it } from 'vitest';
import { familyOf } from '../../../../src/core/faults/family.ts';
import type { Family } from '../../../../src/core/faults/family.ts';
import { kindFacts, presetNames } from '../../../../src/core/providers/kinds.ts';

// What arrives as `provider` is Candidate.family: the preset's name, the kind, or the vendor behind the editor.
const families: Readonly<Record<string, Family>> = {
  openai: 'openai',
  azure: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  vertex: 'google',
  bedrock: 'bedrock',
  vscode: 'github',
  copilot: 'github',
  'openai-compatible': 'openai',
  github: 'github',
  openrouter: 'router',
  litellm: 'router',
  groq: 'groq',
  deepseek: 'eastern',
  ollama: 'local',
  lmstudio: 'local',
  vllm: 'local',
  llamacpp: 'local',
  mistral: 'other',
  xai: 'other',
  together: 'other',
  fireworks: 'other',
  cerebras: 'other',
};

describe('familyOf', () => {
  it.each(Object.entries(families))('%s speaks as %s', (provider, family) => {
    expect(familyOf(provider)).toBe(family);
    expect(familyOf(provider.toUpperCase())).toBe(family);
  });

  it('has an answer for every kind and preset of the settings', () => {
    const names = [...Object.keys(kindFacts), ...Object.values(kindFacts).map(({ vendor }) => vendor), ...presetNames];
    const missing = names.filter(
      (name) => name !== '' && name !== 'aws' && name !== 'google' && families[name] === undefined,
    );
    expect(missing).toEqual([]);
    expect([familyOf('aws'), familyOf('google')]).toEqual(['bedrock', 'google']);
  });

  it('knows nobody by an absent or an endless name', () => {
    expect([familyOf(undefined), familyOf(''), familyOf('groq'.repeat(100))]).toEqual(['other', 'other', 'other']);
  });
});
