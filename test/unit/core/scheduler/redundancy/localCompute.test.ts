import { describe, expect, it } from 'vitest';
import { emptyCatalogue } from '../../../../../src/core/catalogue.ts';
import { candidatesOf } from '../../../../../src/core/providers/candidates.ts';
import { factsOf } from '../../../../../src/core/scheduler/balanced/facts.ts';
import { candidateFactsSchema } from '../../../../../src/core/scheduler/balanced/savedFacts.ts';
import type { CandidateFacts } from '../../../../../src/core/scheduler/balanced/types.ts';
import { parseSettings } from '../../../../../src/core/settings.ts';

/** What the scheduler is told of a provider as a person configures it. */
function factsFor(provider: Readonly<Record<string, unknown>>): CandidateFacts {
  const raw = { id: 'x', kind: 'openai-compatible', models: [{ name: 'm' }], keyless: true, ...provider };
  const [made] = candidatesOf(parseSettings({ 'belay.providers': [raw] }).settings, emptyCatalogue);
  if (!made) throw new Error('no candidate was made');
  return factsOf(made);
}

describe('a model that computes on this machine', () => {
  it.each(['ollama', 'lmstudio', 'vllm', 'llamacpp'])('is one of the preset %s', (preset) => {
    expect(factsFor({ preset }).isLocalCompute).toBe(true);
  });

  it('is one behind the usual address of such a server, whatever this machine is called', () => {
    for (const baseUrl of ['http://localhost:11434/v1', 'http://127.0.0.1:1234/v1', 'http://[::1]:8080/v1'])
      expect(factsFor({ baseUrl }).isLocalCompute).toBe(true);
  });

  it('is none that passes requests on, runs elsewhere, or listens at an address that says nothing', () => {
    for (const provider of [
      { preset: 'litellm' },
      { preset: 'ollama', baseUrl: 'http://192.168.1.7:11434/v1' },
      { baseUrl: 'http://127.0.0.1:9/v1' },
      { baseUrl: 'http://127.0.0.1:11434/v1', regions: [{ name: 'r', residency: 'eu' }] },
      { baseUrl: 'https://127.0.0.1.example.com:11434/v1' },
    ])
      expect(factsFor(provider)).not.toHaveProperty('isLocalCompute');
  });

  it('is known again from a saved document, and no other is', () => {
    const local = factsFor({ preset: 'ollama' });
    expect(candidateFactsSchema.parse(JSON.parse(JSON.stringify(local)))).toEqual(local);
    const cloud = factsFor({ baseUrl: 'https://example.com/v1' });
    expect(candidateFactsSchema.parse(JSON.parse(JSON.stringify(cloud)))).toEqual(cloud);
  });
});
