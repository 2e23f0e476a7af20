// Whatever stands in a candidate, and whatever model a caller asks for: a request goes below the address that the settings
// give, or nowhere.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretsInQuery, targetOf } from '../../../../src/adapters/providers/target.ts';
import type { Candidate } from '../../../../src/core/candidate.ts';
import { candidatesOf } from '../../../../src/core/providers/candidates.ts';
import { defaultBaseUrl } from '../../../../src/core/providers/kinds.ts';
import { providerSchema } from '../../../../src/core/settingsProviders.ts';
import { candidate } from '../../../support/candidates.ts';

const AZURE = { kind: 'azure', baseUrl: 'https://h.example', cloud: { apiVersion: '2025-01-01' } } as const;
const CLAUDE = { wire: 'anthropic-messages', path: 'sdk' } as const;
const CASES: readonly (readonly [string, Partial<Candidate>, RegExp])[] = [
  ['azure', AZURE, /^\/openai\/deployments\/[^/]+\/chat\/completions$/],
  [
    'bedrock',
    { kind: 'bedrock', baseUrl: 'https://h.example', ...CLAUDE },
    /^\/model\/[^/]+\/invoke-with-response-stream$/,
  ],
  [
    'vertex',
    { kind: 'vertex', baseUrl: 'https://h.example/v1', cloud: { project: 'p' }, ...CLAUDE },
    /^\/v1\/projects\/p\/locations\/r1\/publishers\/anthropic\/models\/[^/:]+:streamRawPredict$/,
  ],
];
const HOSTILE = ['..', '.', '', 'a/../b', '../../x', 'a?b', 'a#b', 'a b', '%2e%2e', 'a\\b', 'a\nb', 'x:y?', 'ü', '//h'];

describe.each(CASES)('the model in the address: %s', (_name, change, path) => {
  const to = candidate('c', { ...change, model: '{model}' });

  it('cannot leave its place, whatever a caller asks for', () => {
    const asked = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.webPath(), fc.domain());
    fc.assert(
      fc.property(asked, (model) => {
        const target = targetOf(to, model);
        if (!(target instanceof URL)) {
          expect(target.code).toBe('belay_unsupported_candidate');
          return;
        }
        expect(target.origin).toBe('https://h.example');
        expect(target.pathname).toMatch(path);
      }),
      { numRuns: 500 },
    );
  });

  it.each(HOSTILE)('is not %j', (model) => {
    expect(targetOf(to, model)).toMatchObject({ code: 'belay_unsupported_candidate' });
  });

  it('is found under its real name', () => {
    expect(targetOf(to, 'claude-sonnet-4.5_x')).toBeInstanceOf(URL);
  });
});

describe('the region and the project', () => {
  const nameOf = fc.oneof(
    fc.constantFrom(...HOSTILE, 'us-east-1.evil.example/', 'evil.example/x?', 'us-east-1', 'a@evil.example:80/'),
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  );

  it('cannot change the host, whatever they are', () => {
    fc.assert(
      fc.property(
        nameOf,
        nameOf,
        fc.constantFrom('bedrock' as const, 'vertex' as const),
        fc.boolean(),
        (region, project, kind, isClaude) => {
          const wire = isClaude ? 'anthropic-messages' : 'openai-chat';
          const baseUrl = defaultBaseUrl(kind, wire, region, project) ?? '';
          const target = targetOf(candidate('c', { kind, wire, region, baseUrl, cloud: { project }, model: 'm' }), 'm');
          if (!(target instanceof URL)) return;
          const hosts = [`bedrock-runtime.${region}.amazonaws.com`, `${region}-aiplatform.googleapis.com`];
          expect(hosts).toContain(target.host);
          if (kind === 'vertex') expect(target.pathname).toContain(`/projects/${project}/locations/${region}/`);
        },
      ),
      { numRuns: 1000 },
    );
    const good = candidate('c', { kind: 'bedrock', baseUrl: 'https://h', region: 'us-east-1', ...CLAUDE });
    expect(targetOf(good, 'm')).toBeInstanceOf(URL);
  });

  it('are refused before anything is sent, also where the settings were not asked', () => {
    const provider = providerSchema.parse({
      id: 'p',
      kind: 'bedrock',
      regions: [{ name: 'us-east-1.evil.example/' }],
      models: [{ name: 'anthropic.claude-x' }],
    });
    const [made] = candidatesOf({ providers: [provider] });
    expect(made?.baseUrl).toContain('evil.example');
    expect(made && targetOf(made, 'm')).toMatchObject({ code: 'belay_unsupported_candidate' });
  });
});

describe('the base URL', () => {
  it.each(['https://me:pass-word@h/v1', 'http:////me:pass-word@h/v1', 'https://h/v1#x', 'ftp://h', 'h', ''])(
    'is not "%s", and what is said of it does not repeat it',
    (baseUrl) => {
      const target = targetOf(candidate('c', { baseUrl }), 'm');
      expect(target).toMatchObject({ code: 'belay_bad_base_url' });
      expect(JSON.stringify(target)).not.toContain('pass-word');
    },
  );

  it('may hold a key in its query, which is known to be secret', () => {
    expect(secretsInQuery(new URL('https://h/v1?api-key=a1&sig=b2&api-version=2025&tenant=t'))).toEqual(['a1', 'b2']);
  });
});
