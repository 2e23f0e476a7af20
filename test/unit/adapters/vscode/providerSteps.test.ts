import { describe, expect, it } from 'vitest';
import { profileNames } from '../../../../src/adapters/vscode/providers/awsProfiles.ts';
import {
  checkedCandidates,
  emptyDraft,
  parsedProvider,
  writtenProvider,
  type ProviderDraft,
} from '../../../../src/adapters/vscode/providers/draft.ts';
import { planImport } from '../../../../src/adapters/vscode/providers/importPlan.ts';
import { runSteps, type Place, type Step, type StepResult } from '../../../../src/adapters/vscode/providers/steps.ts';
import { readLitellm } from '../../../../src/adapters/imports/litellmConfig.ts';
import { kindFacts, presetNames } from '../../../../src/core/providers/kinds.ts';
import { residencyOf } from '../../../../src/core/providers/residency.ts';
import { regionsOf } from '../../../../src/core/providers/usualRegions.ts';
import { parseSettings } from '../../../../src/core/settings.ts';
import type { ProviderKind } from '../../../../src/core/candidate.ts';

type Draft = readonly string[];
type Name = 'a' | 'b' | 'c' | 'd';

/** Steps that answer from a script; each line says which step ran, where, and with what. */
function scripted(script: Record<string, StepResult<Draft, Name>[]>, needs: Partial<Record<Name, boolean>> = {}) {
  const log: string[] = [];
  const steps = (['a', 'b', 'c', 'd'] as const).map((name): Step<Draft, Name> => ({
    name,
    isNeeded: () => needs[name] ?? true,
    run: (draft: Draft, { step, totalSteps, canGoBack }: Place) => {
      log.push(`${name} ${step}/${totalSteps}${canGoBack ? ' back' : ''} [${draft.join('')}]`);
      const next = script[name]?.shift();
      return Promise.resolve(next ?? { go: 'next', draft: [...draft, name] });
    },
  }));
  return { steps, log };
}

describe('the steps of a dialogue', () => {
  it('run in order, numbered by those that are needed', async () => {
    const { steps, log } = scripted({}, { b: false });
    expect(await runSteps(steps, [])).toEqual(['a', 'c', 'd']);
    expect(log).toEqual(['a 1/3 []', 'c 2/3 back [a]', 'd 3/3 back [ac]']);
  });

  it('go back to the last question with the answers kept, past what asked nothing', async () => {
    const { steps, log } = scripted({ b: [{ go: 'passed', draft: ['a', 'B'] }], c: [{ go: 'back' }] });
    await runSteps(steps, []);
    expect(log.slice(0, 4)).toEqual(['a 1/4 []', 'b 2/4 back [a]', 'c 3/4 back [aB]', 'a 1/4 [aB]']);
    expect(log.map((line) => line.slice(0, 1)).join('')).toBe('abcabcd');
  });

  it('jump to a step whose answer is to be changed, and go on from there', async () => {
    const { steps, log } = scripted({ c: [{ go: 'to', step: 'b', draft: ['a', 'b', '!'] }] }, { b: true });
    await runSteps(steps, []);
    expect(log.map((line) => line.slice(0, 1)).join('')).toBe('abcbcd');
    expect(log[3]).toBe('b 2/4 back [ab!]');
  });

  it('end with nothing when the person leaves', async () => {
    const { steps } = scripted({ d: [{ go: 'away' }] });
    expect(await runSteps(steps, [])).toBeNull();
  });
});

const draft = (change: Partial<ProviderDraft>): ProviderDraft => ({
  ...emptyDraft,
  id: 'mine',
  models: [{ name: 'm' }],
  ...change,
});

describe('a draft', () => {
  it('never writes the key', () => {
    const written = writtenProvider(draft({ key: { how: 'stored', key: 'sk-very-secret-0123456' } }));
    expect(JSON.stringify(written)).not.toContain('secret');
    expect(written).toEqual({ id: 'mine', kind: 'openai', models: [{ name: 'm' }] });
  });

  it('of every kind and preset is one that the settings take', () => {
    const kinds = (Object.keys(kindFacts) as ProviderKind[]).map((kind) => ({ kind })); // The keys of the table are the kinds.
    const presets = presetNames.map((preset) => ({ kind: 'openai-compatible' as const, preset }));
    const providers = [...kinds, ...presets].map((source, index) =>
      writtenProvider(
        draft({
          source,
          id: `p${index}`,
          key: source.kind === 'vertex' ? { how: 'sign-in' } : { how: 'variable', name: 'A_KEY' },
          ...(source.kind === 'azure' ? { baseUrl: 'https://me.openai.azure.com' } : {}),
          ...('preset' in source || source.kind !== 'openai-compatible' ? {} : { baseUrl: 'https://x.example/v1' }),
          ...(source.kind === 'vertex' ? { project: 'p-1' } : {}),
          regions: [...regionsOf(source.kind)].slice(0, 2),
        }),
      ),
    );
    expect(parseSettings({ 'belay.providers': providers }).problems).toEqual([]);
  });

  it('is checked at the address and with the credentials that its requests will have', () => {
    const provider = parsedProvider(
      draft({
        source: { kind: 'bedrock' },
        key: { how: 'sign-in' },
        profile: 'work',
        regions: ['eu-central-1', 'us-east-1'],
        models: [],
      }),
    );
    expect(
      checkedCandidates(provider).map(({ region, auth, cloud, residency }) => [region, auth, cloud, residency]),
    ).toEqual([
      ['eu-central-1', 'sign-in', { profile: 'work' }, 'eu'],
      ['us-east-1', 'sign-in', { profile: 'work' }, 'us'],
    ]);
  });

  it('of a server on this machine uses a key only where one was given', () => {
    const local = { kind: 'openai-compatible', preset: 'vllm' } as const;
    expect(writtenProvider(draft({ source: local }))).toEqual({
      id: 'mine',
      kind: 'openai-compatible',
      preset: 'vllm',
      models: [{ name: 'm' }],
    });
    const withKey = parsedProvider(draft({ source: local, id: 'my-gpu', key: { how: 'stored', key: 'k-0123456789' } }));
    expect(withKey.keyEnv).toBe('MY_GPU_KEY');
    expect(checkedCandidates(withKey)[0]?.auth).toBe('key');
  });

  it('calls a compatible server near where its address is this machine', () => {
    const server = { kind: 'openai-compatible' } as const;
    const region = (baseUrl: string) => writtenProvider(draft({ source: server, baseUrl })).regions;
    expect(region('http://localhost:1/v1')).toEqual([{ name: 'local', environment: 'local' }]);
    expect(region('https://llm.example/v1')).toBeUndefined();
  });
});

describe('the usual regions', () => {
  it('exist for every kind that must name one, and most tell where data is processed', () => {
    for (const [kind, { needsRegion }] of Object.entries(kindFacts))
      if (needsRegion) expect(regionsOf(kind as ProviderKind).length).toBeGreaterThan(10); // As above.
    const all = (['azure', 'bedrock', 'vertex'] as const).flatMap((kind) => [...regionsOf(kind)]);
    expect(all.filter((name) => residencyOf(name) !== null).length).toBeGreaterThan(all.length * 0.75);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('an import', () => {
  const result = readLitellm(
    `
model_list:
  - { model_name: fast, litellm_params: { model: openai/gpt-5-mini, api_key: sk-0123456789abcdefgh } }
  - { model_name: fast, litellm_params: { model: groq/llama, api_key: os.environ/GROQ_API_KEY } }
`,
    new Set(['GROQ_API_KEY']),
  );

  it('changes no entry that is there: a taken name gives way, and routes and keys follow', () => {
    const plan = planImport(result, {
      providers: [{ id: 'openai', kind: 'openai', models: [{ name: 'gpt-5' }] }],
      routes: {},
    });
    expect(plan.providers.map(({ provider, key }) => [provider.id, key?.id ?? null])).toEqual([
      ['openai-2', 'openai-2'],
      ['groq', null],
    ]);
    expect(plan.routes[0]).toMatchObject({
      name: 'fast',
      ids: ['openai-2', 'groq'],
      route: { candidates: ['openai-2/main/gpt-5-mini@default', 'groq/main/llama@default'], order: 'ranked' },
    });
  });

  it('leaves out what is configured already, and routes that exist or would lack a candidate', () => {
    const groq = {
      id: 'g',
      kind: 'openai-compatible',
      preset: 'groq',
      keyEnv: 'GROQ_API_KEY',
      models: [{ name: 'llama' }],
    };
    const plan = planImport(result, { providers: [groq], routes: {} });
    expect(plan.known).toEqual(['fast']);
    expect(plan.providers.map(({ provider }) => provider.id)).toEqual(['openai']);
    expect(plan.routes).toEqual([]);
    expect(planImport(result, { providers: [], routes: { fast: {} } }).routes).toEqual([]);
  });

  it('has routes whose candidates exist once it is written', () => {
    const plan = planImport(result, { providers: [], routes: {} });
    const { settings, problems } = parseSettings({
      'belay.providers': plan.providers.map(({ provider }) => provider),
      'belay.routes': Object.fromEntries(plan.routes.map(({ name, route }) => [name, route])),
    });
    expect(problems).toEqual([]);
    expect(settings.routes.fast?.candidates).toEqual(['openai/main/gpt-5-mini@default', 'groq/main/llama@default']);
  });
});

describe('AWS profiles', () => {
  it('are the sections of both files that are profiles', () => {
    const text =
      '[default]\nregion=x\n[profile work]\n[sso-session corp]\n[services s3]\n[home]\naws_secret_access_key=[nope]\n';
    expect(profileNames(text)).toEqual(['default', 'work', 'home']);
  });
});
