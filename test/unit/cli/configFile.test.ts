// The configuration file of `belay gateway`: every spelling of a setting, the shorthand, and one named line for each problem.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfigFile, type ConfigFile } from '../../../src/cli/configFile.ts';
import { candidatesOf, resolveRoute } from '../../../src/core/routes.ts';

const A = "{ id: a, kind: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', model: '{model}', keyEnv: A_KEY }";
const withA = (more: string): string => `candidates: [${A}]\n${more}`;

function good(text: string): ConfigFile {
  const read = readConfigFile(text, 'f.yaml', { A_KEY: 'x' });
  if (!read.ok) throw new Error(read.error.join('\n'));
  return read.value;
}

function bad(text: string): readonly string[] {
  const read = readConfigFile(text, 'f.yaml', {});
  return read.ok ? [] : read.error;
}

describe('the spelling of a setting', () => {
  it.each([
    ['nested', 'guard:\n  mode: careful\ngateway:\n  port: 77'],
    ['dotted', 'guard.mode: careful\ngateway.port: 77'],
    ['full', 'belay.guard.mode: careful\nbelay.gateway.port: 77'],
    ['under belay', 'belay:\n  guard.mode: careful\n  gateway:\n    port: 77'],
    ['mixed', 'belay.guard:\n  mode: careful\nbelay:\n  gateway.port: 77'],
    ['JSON', '"guard": {"mode": "careful"},\n"gateway.port": 77'],
  ])('may be %s', (name, text) => {
    const whole =
      name === 'JSON' ? `{"candidates": [{"id": "a", "kind": "openai", "model": "m"}],\n${text}}` : withA(text);
    const { settings } = good(whole);
    expect([settings.guardMode, settings.gatewayPort]).toEqual(['careful', 77]);
  });

  it('may go as deep as it likes under advanced, from several places', () => {
    const { settings } = good(
      withA(
        'advanced:\n  timers: { firstTokenMs: 4000 }\nadvanced.timers.idleMs: 3000\nbelay.advanced.retry:\n  maxAttemptsPerStep: 2',
      ),
    );
    expect(settings.advanced.timers).toMatchObject({ firstTokenMs: 4000, idleMs: 3000, totalMs: 300_000 });
    expect(settings.advanced.retry.maxAttemptsPerStep).toBe(2);
  });

  it('may be given once only', () => {
    expect(bad(withA('mode: literal\nbelay.mode: balanced'))).toEqual(['f.yaml:3:13: belay.mode: mode is given twice']);
    expect(bad(withA('advanced.timers.idleMs: 1\nadvanced: { timers: { idleMs: 2 } }'))[0]).toContain(
      'advanced.timers.idleMs is given twice',
    );
  });
});

describe('candidates and routes', () => {
  it('can send any model to A under its own name and, on failure, to model M at A', () => {
    const { settings } = good(
      `candidates:\n  - ${A}\n  - { id: m, kind: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', model: M, keyEnv: A_KEY, region: eu, tier: small }\nroutes:\n  '*': [a, m]\n`,
    );
    const candidates = candidatesOf(settings);
    const route = resolveRoute(settings, candidates, 'anything/at-all');
    expect(route.candidates.map(({ id, model }) => [id, model])).toEqual([
      ['a/main/{model}@default', '{model}'],
      ['m/main/M@eu', 'M'],
    ]);
    expect(route.candidates.map(({ domains }) => domains.vendor)).toEqual(['127.0.0.1:9', '127.0.0.1:9']);
  });

  it('take every field of a provider inline', () => {
    const { settings } = good(
      'candidates: [{ kind: anthropic, model: c, environment: regional, region: us, backbone: b, account: two, path: sdk, vendor: v, tier: medium, contextWindowTokens: 9000, price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 } }]',
    );
    expect(candidatesOf(settings)).toMatchObject([
      {
        id: 'candidate-1/two/c@us',
        path: 'sdk',
        environment: 'regional',
        tier: 'medium',
        contextWindowTokens: 9000,
        domains: { vendor: 'v', backbone: 'b' },
        price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 },
      },
    ]);
    expect(settings.providers[0]?.keyEnv).toBe('ANTHROPIC_API_KEY');
  });

  it('take the fields of clouds, presets and capabilities inline, with the usual key variable', () => {
    const { settings } = good(
      [
        'candidates:',
        '  - { id: g, kind: openai-compatible, preset: groq, model: m, residency: US, capabilities: { images: false } }',
        '  - { id: v, kind: vertex, signIn: true, project: p, region: europe-west4, model: gemini-2.5-pro }',
        '  - { id: b, kind: bedrock, signIn: true, profile: work, region: us-east-1, model: amazon.nova-lite-v1:0 }',
        "  - { id: z, kind: azure, baseUrl: 'https://z.openai.azure.com', apiVersion: 2024-10-21, model: d }",
        '  - { id: o, kind: openai-compatible, preset: ollama, model: q }',
        '  - { id: w, kind: gemini, model: gemini-2.5-flash }',
      ].join('\n'),
    );
    expect(settings.providers.map(({ id, keyEnv }) => [id, keyEnv])).toEqual([
      ['g', 'GROQ_API_KEY'],
      ['v', undefined],
      ['b', undefined],
      ['z', 'AZURE_OPENAI_API_KEY'],
      ['o', undefined],
      ['w', 'GEMINI_API_KEY'],
    ]);
    expect(candidatesOf(settings)).toMatchObject([
      { family: 'groq', auth: 'key', residency: 'us', capabilities: { images: false }, domains: { vendor: 'groq' } },
      { kind: 'vertex', auth: 'sign-in', cloud: { project: 'p' }, region: 'europe-west4', residency: 'eu' },
      { kind: 'bedrock', auth: 'sign-in', cloud: { profile: 'work' }, domains: { vendor: 'aws' } },
      { kind: 'azure', auth: 'key', cloud: { apiVersion: '2024-10-21' }, domains: { vendor: 'azure' } },
      { auth: 'none', environment: 'local' },
      { kind: 'gemini', auth: 'key' },
    ]);
  });

  it('stand beside written providers, and routes may name ids, patterns, tiers and pins', () => {
    const { settings } = good(
      withA(
        "providers: [{ id: p, kind: openai, models: [{ name: gpt }] }]\nroutes: { best: { candidates: [a, 'p/*'], pinned: true, tier: large }, one: a }",
      ),
    );
    expect(settings.routes.best).toEqual({
      candidates: ['a/main/{model}@default', 'p/*'],
      order: 'ranked',
      pinned: true,
      tier: 'large',
    });
    expect(settings.routes.one?.candidates).toEqual(['a/main/{model}@default']);
    expect(settings.providers.map(({ id }) => id)).toEqual(['p', 'a']);
  });
});

describe('the token', () => {
  it('is the file’s, random or none', () => {
    expect(good(withA('token: abc')).auth).toEqual({ token: 'abc' });
    expect(good(withA('auth: none')).auth).toEqual({ auth: 'none' });
    expect(good(withA('')).auth).toBeNull();
  });

  it.each([
    ['token: 12345678', 'f.yaml:2:8: token: expected text'],
    ["token: 'sec ret'", 'f.yaml:2:8: token: expected text'],
    ['auth: open', 'f.yaml:2:7: auth: expected none'],
    ['token: secret\nauth: none', 'contradict each other'],
  ])('is refused as %s, without being repeated', (text, expected) => {
    const problems = bad(withA(text));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
    expect(problems[0]).not.toMatch(/sec ret|12345678/);
  });
});

describe('a problem', () => {
  it.each([
    ['broken YAML', 'candidates: [\n  {id: a', 'f.yaml:2:'],
    ['a list', '- a', 'f.yaml:1:1: expected an object of settings'],
    ['nothing', '', 'expected an object of settings'],
    [
      'an unknown key',
      withA('portt: 1'),
      'f.yaml:2:8: portt: unknown key; known are candidates, token, auth, providers',
    ],
    ['an unknown nested key', withA('guard: { mod: careful }'), 'f.yaml:2:15: guard.mod: unknown key'],
    [
      'a typing error deep down',
      withA('advanced: { timers: { firstTokenMS: 1 } }'),
      'f.yaml:2:37: advanced.timers.firstTokenMS: unknown field',
    ],
    [
      'a wrong value deep down',
      withA('advanced.timers.firstTokenMs: fast'),
      'f.yaml:2:31: advanced.timers.firstTokenMs',
    ],
    ['a wrong mode', withA('mode: quick'), 'f.yaml:2:7: mode: '],
    ['nobody to call', 'mode: literal', 'nobody may be called'],
    ['a candidate without a model', 'candidates:\n  - { kind: openai }', 'f.yaml:2:5: candidates.0.model: is missing'],
    ['a candidate without a key', withA('').replace('keyEnv: A_KEY', 'tier: small'), 'candidates.0.keyEnv: is missing'],
    [
      'a candidate of an unknown kind',
      withA('').replace('openai-compatible', 'opanai'),
      'f.yaml:1:29: candidates.0.kind: ',
    ],
    [
      'a candidate without an address',
      'candidates: [{ id: a, kind: openai-compatible, model: m, keyless: true }]',
      'candidates.0.baseUrl: an openai-compatible provider needs a baseUrl',
    ],
    [
      'an unknown preset',
      'candidates: [{ kind: openai-compatible, preset: grok, model: m }]',
      'f.yaml:1:49: candidates.0.preset: ',
    ],
    [
      'a preset of another kind',
      'candidates: [{ kind: openai, preset: groq, model: m }]',
      'candidates.0.preset: is for kind openai-compatible, not openai; leave it out',
    ],
    [
      'a cloud without its project',
      'candidates: [{ kind: vertex, signIn: true, region: global, model: m }]',
      'candidates.0.project: is missing; name the Google Cloud project that pays',
    ],
    [
      'a cloud with a key it does not take',
      'candidates: [{ kind: vertex, region: global, project: p, model: m }]',
      'candidates.0.signIn: vertex takes no keys',
    ],
    [
      'a wrong capability',
      withA('').replace('keyEnv:', 'capabilities: { images: maybe }, keyEnv:'),
      'candidates.0.capabilities.images: ',
    ],
    ['a bad address', withA('').replace('http://127.0.0.1:9/v1', 'nowhere'), 'candidates.0.baseUrl: '],
    ['a wrong tier', withA('').replace('keyEnv:', 'tier: huge, keyEnv:'), 'candidates.0.tier: '],
    ['an unknown field', withA('').replace('keyEnv:', 'regoin: eu, keyEnv:'), 'candidates.0.regoin: unknown field'],
    ['two of one id', `candidates: [${A}, ${A}]`, 'candidates.1.id: a/main is used twice'],
    [
      'a route to nobody',
      withA("routes: { '*': [b] }"),
      'f.yaml:2:16: routes.*: no candidate is called "b"; there are a, a/main/{model}@default',
    ],
    ['a wrong guard rule', withA('guard.rules: [{ match: x, verdict: maybe }]'), 'guard.rules.0.verdict: '],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]`,
      'f.yaml:1:1:',
    ],
  ])('names file, line and field: %s', (_, text, expected) => {
    const problems = bad(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toContain(expected);
    for (const line of problems) expect(line).not.toContain('\n');
  });

  it('never holds a key somebody wrote into the file', () => {
    const problems = bad(withA('').replace('keyEnv: A_KEY', 'apiKey: sk-very-secret'));
    expect(problems.join()).toContain('candidates.0.apiKey: keys are never written into the file');
    expect(problems.join()).not.toContain('sk-very-secret');
  });

  it('is a warning when a key’s variable is not set', () => {
    const read = readConfigFile(withA(''), 'f.yaml', {});
    expect(read.ok && read.value.warnings).toEqual([
      'the environment variable A_KEY (key of a) is not set; calls to a will be refused',
    ]);
    expect(good(withA('')).warnings).toEqual([]);
  });

  it('is a warning when the usual variable of a written provider is not set', () => {
    const read = readConfigFile('providers: [{ id: p, kind: openai, models: [{ name: m }] }]', 'f.yaml', {});
    expect(read.ok && read.value.warnings).toEqual([
      'the environment variable OPENAI_API_KEY (key of p) is not set; calls to p will be refused',
    ]);
  });

  it('is a warning when a region is forbidden by the residency rule, at its place', () => {
    const { warnings, placeOf } = good(
      'disclosure.residency: [eu]\nproviders:\n  - { id: b, kind: bedrock, signIn: true, regions: [{ name: eu-west-1 }, { name: us-east-1 }], models: [{ name: m }] }\ncandidates: [{ id: c, kind: bedrock, signIn: true, region: us-west-2, model: m }]',
    );
    expect(warnings).toEqual([
      'providers.0.regions.1: eu-only rule forbids us-east-1; it is not used, for it is in us. Name another region, or widen belay.disclosure.residency',
      'candidates.0.region: eu-only rule forbids us-west-2; it is not used, for it is in us. Name another region, or widen belay.disclosure.residency',
    ]);
    expect(placeOf('belay.providers.0.regions.1')).toBe('f.yaml:3:74: providers.0.regions.1');
    expect(placeOf('belay.providers.1.models.0.name')).toBe('f.yaml:4:78: candidates.0.model');
  });

  it('is a value, never a throw, whatever the file holds', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .dictionary(
          fc.constantFrom(
            'candidates',
            'routes',
            'advanced',
            'token',
            'auth',
            'belay',
            'providers',
            'guard',
            '__proto__',
            'x',
          ),
          fc.jsonValue(),
        )
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const read = readConfigFile(text, 'f.yaml', {});
        if (!read.ok) {
          expect(read.error.length).toBeGreaterThan(0);
          for (const line of read.error) expect(line).toMatch(/^f\.yaml:\d+:\d+: /);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a hostile file', () => {
  const lines = (text: string): readonly string[] => bad(text);

  it('gets 20 lines of problems and the number of the others', () => {
    const told = lines(`candidates: [${Array.from({ length: 500 }, () => '{}').join(', ')}]`);
    expect(told).toHaveLength(21);
    expect(told[20]).toMatch(/^f\.yaml:1:\d+: and 1480 more problems from here on$/);
  });

  it.each([
    ['opens lists', '['.repeat(20_000)],
    ['nests objects in one line', `a: ${'{a: '.repeat(5_000)}${'}'.repeat(5_000)}`],
    ['nests lists in one line', `${'- '.repeat(5_000)}x`],
    ['asks deep questions', '? '.repeat(3_000)],
    ['indents ever more', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
    [
      'nests by aliases',
      `a0: &a0 [x]\n${Array.from({ length: 90 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]\n`).join('')}`,
    ],
  ])('that %s is told that it nests too deep', (_, text) => {
    const told = lines(text);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^f\.yaml:\d+:\d+: (nests more than 64 levels deep|has aliases \(\*name\))/);
  });

  it.each([
    ['many keys', Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'), 'has more than 1000 entries'],
    ['many items', `candidates: [${'{}, '.repeat(20_000)}]`, 'has more than 1000 entries'],
    ['two megabytes', `a: ${'x'.repeat(2_000_000)}`, 'is larger than 1048576 characters'],
    ['two documents', 'a: 1\n---\nb: 2', 'has more than one document'],
    [
      'an alias bomb',
      `a: &a [${'x,'.repeat(9)}]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
      'has aliases',
    ],
    ['an alias of itself', 'a: &a [*a]', 'nests more than 64 levels'],
    ['an alias of nothing', 'a: *b', 'has aliases (*name) that lead nowhere'],
    ['an unknown tag', 'candidates: !!js/function "function(){}"', 'Unresolved tag'],
  ])(
    'with %s is refused in one line, fast',
    (_, text, message) => {
      const told = lines(text);
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(message);
      expect(told[0]).not.toMatch(/YAML\.|call stack|resource exhaustion/);
    },
    1_500,
  );

  it('is never quoted, and cannot move the cursor of a terminal', () => {
    expect(lines('token: "abc" SECRET-abc').join('\n')).not.toContain('SECRET-abc');
    expect(lines('token: %SECRET-abc').join('\n')).not.toContain('SECRET-abc');
    const told = lines('"\\e[2J\\r\\u009b1A": 1');
    // eslint-disable-next-line no-control-regex -- these must not be there
    expect(told.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(lines(`"${'k'.repeat(5_000)}": 1`)[0]?.length).toBeLessThan(500);
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'that calls its kind, its key or a setting %s gets no surprise',
    (name) => {
      const told = lines(`candidates: [{ id: a, kind: ${name}, model: m }]`).join('\n');
      expect(told).toContain('keyEnv: is missing');
      expect(told).not.toContain('function');
      const twice = lines(withA(`advanced.${name}: 1\nadvanced.timers.idleMs: 5`)).join('\n');
      expect(twice).toContain(`${name}: unknown field`);
      expect(twice).not.toContain('given twice');
      expect(good(`candidates: [{ id: a, kind: openai, model: m, keyEnv: X_${name} }]`).warnings).toHaveLength(1);
    },
  );
});
