import { describe, expect, it } from 'vitest';
import { candidatesOf, matchesPattern, modelNames, resolveRoute } from '../../../src/core/routes.ts';
import { parseSettings, settingDefinitions } from '../../../src/core/settings.ts';

const provider = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'p',
  kind: 'openai',
  models: [{ name: 'big' }],
  ...change,
});

describe('settings', () => {
  it('has defaults for everything', () => {
    const { settings, problems } = parseSettings({});
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      mode: 'balanced',
      guardMode: 'balanced',
      callDeadlineSeconds: 120,
      gatewayEnabled: false,
    });
    expect(settings.advanced.retry).toMatchObject({
      baseDelayMs: 200,
      maxDelayMs: 2000,
      maxAttemptsPerStep: 4,
      maxRetriesPerTask: 10,
    });
  });

  it('has fewer than 30 visible settings', () => {
    expect(Object.keys(settingDefinitions).length).toBeLessThan(30);
  });

  it('names a bad provider with its path and keeps the good one', () => {
    const { settings, problems } = parseSettings({
      'belay.providers': [provider(), provider({ id: 'q', kind: 'telepathy' })],
    });
    expect(settings.providers.map((each) => each.id)).toEqual(['p']);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.path).toBe('belay.providers.1.kind');
  });

  it('refuses the same id twice and an address that is none', () => {
    const { problems } = parseSettings({
      'belay.providers': [provider(), provider(), provider({ id: 'x', baseUrl: 'localhost:11434' })],
    });
    expect(problems.map((problem) => problem.path).sort()).toEqual([
      'belay.providers.1.id',
      'belay.providers.2.baseUrl',
    ]);
  });

  it('wants an address of an openai-compatible provider', () => {
    const { settings, problems } = parseSettings({ 'belay.providers': [provider({ kind: 'openai-compatible' })] });
    expect(settings.providers).toEqual([]);
    expect(problems[0]).toMatchObject({ path: 'belay.providers.0.baseUrl' });
  });

  it('makes the guard careful when one of its rules cannot be read', () => {
    const { settings, problems } = parseSettings({
      'belay.guard.mode': 'autonomous',
      'belay.guard.rules': [{ match: 'git push', verdict: 'maybe' }],
    });
    expect(settings.guardMode).toBe('careful');
    expect(problems[0]!.path).toBe('belay.guard.rules.0.verdict');
  });

  it('reads one bad constant as a problem and the rest of the settings as they are', () => {
    const { settings, problems } = parseSettings({
      'belay.mode': 'literal',
      'belay.advanced': { retry: { baseDelayMs: 'soon' } },
    });
    expect(settings.mode).toBe('literal');
    expect(settings.advanced.retry.baseDelayMs).toBe(200);
    expect(problems[0]!.path).toBe('belay.advanced.retry.baseDelayMs');
  });
});

describe('a route under a name that every object has', () => {
  it('is a route like any other', () => {
    const raw: unknown = JSON.parse('{"__proto__": {"candidates": ["a"]}, "constructor": {"candidates": ["b"]}}');
    const { settings, problems } = parseSettings({ 'belay.routes': raw });
    expect(problems).toEqual([]);
    expect(Object.keys(settings.routes).sort()).toEqual(['__proto__', 'constructor']);
    expect(resolveRoute(settings, [], 'toString').name).toBe('*');
  });
});

describe('routes', () => {
  const { settings } = parseSettings({
    'belay.providers': [
      provider({
        regions: [
          { name: 'eu', environment: 'regional' },
          { name: 'us', environment: 'global', backbone: 'atlantic' },
        ],
        models: [{ name: 'big' }, { name: 'small', tier: 'small' }],
      }),
      { id: 'claude', kind: 'anthropic', models: [{ name: 'sonnet' }] },
    ],
    'belay.routes': {
      main: { candidates: ['claude/*', 'p/main/big@*'] },
      'gpt-*': { candidates: ['p/*'] },
      'gpt-4*': { candidates: ['claude/*'], pinned: true },
    },
  });
  const candidates = candidatesOf(settings);

  it('makes a candidate of every provider, region and model, with its failure domains', () => {
    expect(candidates.map((each) => each.id)).toEqual([
      'p/main/big@eu',
      'p/main/small@eu',
      'p/main/big@us',
      'p/main/small@us',
      'claude/main/sonnet@default',
    ]);
    expect(candidates[2]!.domains).toEqual({
      own: 'p/main/big@us',
      region: 'openai:us',
      vendor: 'openai',
      backbone: 'atlantic',
    });
  });

  it('keeps the order of preference a route gives', () => {
    expect(resolveRoute(settings, candidates, 'main')).toMatchObject({
      tier: 'large',
      pinned: false,
      candidates: [{ id: 'claude/main/sonnet@default' }, { id: 'p/main/big@eu' }, { id: 'p/main/big@us' }],
    });
  });

  it('takes the longest matching pattern', () => {
    expect(resolveRoute(settings, candidates, 'gpt-4o').name).toBe('gpt-4*');
    expect(resolveRoute(settings, candidates, 'gpt-3').candidates).toHaveLength(4);
  });

  it('serves a model by its own name, and an unknown name by everybody', () => {
    expect(resolveRoute(settings, candidates, 'sonnet').candidates).toHaveLength(1);
    expect(resolveRoute(settings, candidates, 'whatever').candidates).toHaveLength(5);
  });

  it('treats everything but * in a pattern as it stands', () => {
    expect(matchesPattern('a.c*', 'a.cde')).toBe(true);
    expect(matchesPattern('a.c*', 'abcde')).toBe(false);
  });

  it('lists routes without patterns and the models', () => {
    expect(modelNames(settings, candidates)).toEqual(['main', 'big', 'small', 'sonnet']);
  });
});
