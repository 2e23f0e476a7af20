import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../../../../src/adapters/vscode/commandTable.ts';
import { applyManifest, localizedTexts, manifest } from '../../../../src/manifest.ts';

const root = new URL('../../../../', import.meta.url);
const file = (name: string): URL => new URL(name, root);
const readJson = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(file(name), 'utf8')) as Record<string, unknown>; // JSON of our own

/** Every %key% in a value, at any depth. */
function keysIn(value: unknown): string[] {
  if (typeof value === 'string') return /^%.+%$/.test(value) ? [value.slice(1, -1)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(keysIn) : [];
}

describe('the manifest', () => {
  it('is what package.json says (node build.mjs manifest writes it)', () => {
    const packageJson = readJson('package.json');
    expect(packageJson).toEqual(applyManifest(packageJson));
  });

  it('has its words in package.nls.json (node build.mjs manifest writes it)', () => {
    expect(readJson('package.nls.json')).toEqual(localizedTexts());
  });

  it('has words for every key and no key too many', () => {
    expect([...new Set(keysIn(manifest))].sort()).toEqual(Object.keys(localizedTexts()).sort());
  });

  it('declares each command of the table once', () => {
    expect(manifest.contributes.commands.map(({ command }) => command)).toEqual(Object.keys(commandTable));
  });

  it('names only pictures that exist', () => {
    const pictures = JSON.stringify(manifest).match(/media\/[\w/.-]+/g) ?? [];
    expect(pictures.length).toBeGreaterThan(5);
    for (const picture of pictures) expect(existsSync(file(picture)), picture).toBe(true);
  });

  it('has a walkthrough of at most five steps, each ended by an event and not by a click', () => {
    const steps = manifest.contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps) as {
      completionEvents: string[];
    }[]; // made by step()
    expect(steps.length).toBeLessThanOrEqual(5);
    for (const { completionEvents } of steps)
      expect(completionEvents.join()).toMatch(/^on(Context|View|SettingChanged):/);
  });
});
