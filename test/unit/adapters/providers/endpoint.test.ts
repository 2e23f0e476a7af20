import { describe, expect, it } from 'vitest';
import { endpointOf, upstreamModel } from '../../../../src/adapters/providers/endpoint.ts';
import type { Candidate } from '../../../../src/core/candidate.ts';

type Given = Parameters<typeof endpointOf>[0];

const at = (kind: Candidate['kind'], wire: Candidate['wire'], baseUrl: string, more: Partial<Given> = {}): string =>
  endpointOf({ kind, wire, baseUrl, cloud: {}, model: 'm', region: 'r', ...more }, 'asked')?.href ?? 'none';

describe('where requests go', () => {
  it.each([
    ['openai', 'openai-chat', 'https://h/v1/', 'https://h/v1/chat/completions'],
    ['openai-compatible', 'openai-chat', ' https://h/v1?tenant=a ', 'https://h/v1/chat/completions?tenant=a'],
    ['gemini', 'openai-chat', 'https://h/v1beta/openai', 'https://h/v1beta/openai/chat/completions'],
    ['anthropic', 'anthropic-messages', 'https://h', 'https://h/v1/messages'],
    ['anthropic', 'anthropic-messages', 'https://h/v1/', 'https://h/v1/messages'],
    ['azure', 'openai-chat', 'https://n.openai.azure.com', 'https://n.openai.azure.com/openai/v1/chat/completions'],
    ['azure', 'openai-chat', 'https://g/apim/openai/v1', 'https://g/apim/openai/v1/chat/completions'],
    ['bedrock', 'openai-chat', 'https://h/openai/v1', 'https://h/openai/v1/chat/completions'],
    ['bedrock', 'anthropic-messages', 'https://h/', 'https://h/model/m/invoke-with-response-stream'],
    ['openai-compatible', 'openai-chat', 'https://h/v1?a=b?c&d=e', 'https://h/v1/chat/completions?a=b%3Fc&d=e'],
  ] as const)('%s, %s: %s', (kind, wire, baseUrl, expected) => {
    expect(at(kind, wire, baseUrl)).toBe(expected);
  });

  it('with an api-version the deployment stands in the path, and so do the names of Claude in a cloud', () => {
    const more = { cloud: { apiVersion: '2025-04-01-preview' }, model: 'my-{model}' };
    expect(at('azure', 'openai-chat', 'https://n.openai.azure.com/openai/v1', more)).toBe(
      'https://n.openai.azure.com/openai/deployments/my-asked/chat/completions?api-version=2025-04-01-preview',
    );
    const claude = { cloud: { project: 'p' }, model: 'claude-9@20260101' };
    expect(at('vertex', 'anthropic-messages', 'https://h/v1', claude)).toBe(
      'https://h/v1/projects/p/locations/r/publishers/anthropic/models/claude-9@20260101:streamRawPredict',
    );
    expect(at('bedrock', 'anthropic-messages', 'https://h', { model: 'arn:aws:bedrock:r:1:x/eu.claude-v1:0' })).toBe(
      'https://h/model/arn:aws:bedrock:r:1:x%2Feu.claude-v1:0/invoke-with-response-stream',
    );
  });

  it.each(['', 'ftp://h', 'h/v1', 'vscode://language-models'])('nowhere, for "%s"', (baseUrl) => {
    expect(at('openai', 'openai-chat', baseUrl)).toBe('none');
  });
});

describe('the name of the model upstream', () => {
  it.each([
    ['openai', '{model}', 'asked'],
    ['openai', 'models/x', 'models/x'],
    ['gemini', 'models/gemini-9', 'gemini-9'],
    ['gemini', 'gemini-9', 'gemini-9'],
    ['vertex', 'gemini-9', 'google/gemini-9'],
    ['vertex', 'google/gemini-9', 'google/gemini-9'],
    ['vertex', 'claude-9', 'claude-9'],
  ] as const)('%s knows %s as %s', (kind, model, expected) => {
    expect(upstreamModel({ kind, model }, 'asked')).toBe(expected);
  });
});
