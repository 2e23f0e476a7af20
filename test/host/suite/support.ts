// What the host tests share: the activated extension, settings that are put back, the wall as providers, and waiting.
import * as vscode from 'vscode';
import { settingDefinitions } from '../../../src/core/settings.ts';
import type { TestSurface } from '../../../src/extension.ts';
import type { FaultKind } from '../../../src/bench/wall/faults.ts';
import { startWall, type Wall } from '../../../src/bench/wall/wall.ts';
import { keyVariableOf, wallProviders } from '../../../src/bench/drill/drillSettings.ts';

type Work = () => unknown;
/** The globals of mocha, which comes from the test host's cache and brings no types. */
declare global {
  function describe(title: string, work: () => void): void;
  function it(title: string, work: Work): void;
  function beforeEach(work: Work): void;
  function afterEach(work: Work): void;
}

/** The extension as VS Code runs it. */
export async function surface(): Promise<TestSurface> {
  const extension = vscode.extensions.getExtension<TestSurface>('belay.belay');
  if (!extension) throw new Error('the extension belay.belay is not installed in this host');
  return extension.activate();
}

/** Writes a user setting; undefined takes it away. */
export async function setSetting(name: keyof typeof settingDefinitions, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

/** Takes every setting of Belay away. */
export async function resetSettings(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  for (const name of Object.keys(settingDefinitions)) {
    if (configuration.inspect(name)?.globalValue !== undefined)
      await configuration.update(name, undefined, vscode.ConfigurationTarget.Global);
  }
}

const POLL_MS = 20;
const WAIT_MS = 15_000;

/** Waits until `found` gives something; says what was waited for when it does not. */
export async function waitFor<T>(what: string, found: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + WAIT_MS;
  for (;;) {
    const value = await found();
    if (value !== undefined) return value;
    if (Date.now() > endMs) throw new Error(`waited ${WAIT_MS / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A wall whose plain requests meet `faults` in this order, configured as the providers of the extension. */
export async function withWall<T>(faults: readonly (FaultKind | null)[], work: (wall: Wall) => Promise<T>): Promise<T> {
  const wall = await startWall({
    seed: 11,
    schedule: {
      version: 1,
      seed: 11,
      level: 'default',
      lossScale: 0,
      overflowShare: 0.75,
      steps: { other: [...faults] },
    },
  });
  const keys = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
  Object.assign(process.env, keys);
  try {
    await setSetting('belay.disclosure.rules', [{ verdict: 'allow' }]);
    await setSetting('belay.providers', wallProviders(wall.endpoints));
    const { controller } = await (await surface()).engine();
    await waitFor('the wall as providers', () =>
      controller.settings.providers.length === wall.endpoints.length ? true : undefined,
    );
    return await work(wall);
  } finally {
    await resetSettings();
    for (const name of Object.keys(keys)) Reflect.deleteProperty(process.env, name);
    await wall.close();
  }
}
