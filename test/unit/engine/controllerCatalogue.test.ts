// The controller with the real catalogue: price, window, abilities and tier of what the settings leave open.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { modelCatalogue } from '../../../src/core/catalogue/modelCatalogue.ts';
import { parseSettings, type Settings } from '../../../src/core/settings.ts';
import { createController, type Controller } from '../../../src/engine/controller.ts';
import type { Ports } from '../../../src/engine/ports.ts';
import { memoryCommands } from '../../support/memoryCommands.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';
import { seededRandom } from '../../support/random.ts';
import { scriptedProvider } from '../../support/scriptedProvider.ts';

function settingsOf(models: readonly Record<string, unknown>[], routes: Record<string, unknown> = {}): Settings {
  const providers = [{ id: 'p', kind: 'openai', models }];
  const { settings, problems } = parseSettings({ 'belay.providers': providers, 'belay.routes': routes });
  expect(problems).toEqual([]);
  return settings;
}

async function controllerOf(settings: Settings, hasCatalogue = true): Promise<Controller> {
  const clock = virtualClock();
  const nobody = { ask: () => Promise.reject(new Error('nobody is asked here')) };
  const ports: Ports = {
    clock,
    random: seededRandom(5),
    provider: scriptedProvider(clock, {}),
    store: memoryStore(),
    command: memoryCommands({
      act: () => undefined,
      fate: () => ({ acts: true, exit: { kind: 'exited', exitCode: 0, signal: null }, stdout: '' }),
    }).asProcess(1),
    files: memoryFiles({}),
    approval: nobody,
    events: { emit: () => undefined },
  };
  return hasCatalogue ? createController(ports, settings, modelCatalogue) : createController(ports, settings);
}

describe('a controller with the catalogue', () => {
  it('knows price, window and abilities of a model that the settings only name', async () => {
    const controller = await controllerOf(settingsOf([{ name: 'gpt-4o' }, { name: 'my-own' }]));
    expect(controller.candidates()).toMatchObject([
      {
        price: { inputUsdPerMTok: 2.5, outputUsdPerMTok: 10, cachedInputUsdPerMTok: 1.25 },
        priceSource: 'catalogue',
        contextWindowTokens: 128_000,
        capabilities: { images: true, prefill: false },
      },
      { price: { inputUsdPerMTok: 0 }, priceSource: 'unknown', contextWindowTokens: 128_000, tier: 'large' },
    ]);
    expect(controller.models().map(({ contextWindowTokens }) => contextWindowTokens)).toEqual([128_000, 128_000]);
  });

  it('takes the settings where they say something', async () => {
    const controller = await controllerOf(
      settingsOf([
        {
          name: 'gpt-4o-mini',
          tier: 'large',
          contextWindowTokens: 5000,
          price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 },
          capabilities: { images: false },
        },
      ]),
    );
    expect(controller.candidates()).toMatchObject([
      {
        tier: 'large',
        contextWindowTokens: 5000,
        price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 },
        priceSource: 'settings',
        capabilities: { images: false, tools: true },
      },
    ]);
  });

  it('knows it also after the settings have changed', async () => {
    const controller = await controllerOf(settingsOf([{ name: 'my-own' }]));
    controller.reconfigure(settingsOf([{ name: 'gpt-4.1' }]));
    expect(controller.candidates()).toMatchObject([{ priceSource: 'catalogue', contextWindowTokens: 1_000_000 }]);
    expect(controller.models()).toMatchObject([{ name: 'gpt-4.1', contextWindowTokens: 1_000_000 }]);
  });

  it('calls a model small by its name, but never one that a route names by its id', async () => {
    const models = [{ name: 'gpt-4o' }, { name: 'gpt-4o-mini' }];
    const tiers = async (routes: Record<string, unknown>): Promise<readonly string[]> =>
      (await controllerOf(settingsOf(models, routes))).candidates().map(({ tier }) => tier);
    expect(await tiers({})).toEqual(['large', 'small']);
    expect(await tiers({ best: { candidates: ['p/*'] } })).toEqual(['large', 'small']);
    expect(await tiers({ best: { candidates: ['p/main/gpt-4o@default', 'p/main/gpt-4o-mini@default'] } })).toEqual([
      'large',
      'large',
    ]);
  });

  it('knows nothing without it', async () => {
    const controller = await controllerOf(settingsOf([{ name: 'gpt-4o-mini' }]), false);
    expect(controller.candidates()).toMatchObject([{ priceSource: 'unknown', tier: 'large', capabilities: {} }]);
  });
});
