// What "Check Providers" found, as lines with the place in the settings: problems of the settings themselves, regions that
// do not work, models that a provider does not list. Pure but for the words.
import * as vscode from 'vscode';
import type { SettingProblem } from '../../../core/settings.ts';
import type { ProviderSettings } from '../../../core/settingsProviders.ts';
import { goodWords, troubleWords, type Mend } from './checkWords.ts';
import type { RegionCheck } from './liveCheck.ts';
import { ACCOUNT } from './draft.ts';

/** One line of the result. */
export interface Finding {
  readonly rank: 'problem' | 'doubt' | 'good';
  /** Provider, account and region. */
  readonly subject: string;
  readonly text: string;
  /** The setting to change. */
  readonly path: string;
  readonly mends: readonly Mend[];
}

/** A configured provider and its index in `belay.providers`. */
export interface CheckedProvider {
  readonly index: number;
  readonly provider: ProviderSettings;
}

/** Problems that the settings have without asking anybody. `idAt` gives the name that an entry of `belay.providers` has. */
export function settingFindings(
  problems: readonly SettingProblem[],
  idAt: (index: number) => string | undefined,
): readonly Finding[] {
  return problems.flatMap(({ path, message }): Finding[] => {
    const [, index] = /^belay\.providers\.(\d+)/.exec(path) ?? [];
    if (index === undefined && !path.startsWith('belay.routes')) return [];
    const subject = (index === undefined ? undefined : idAt(Number(index))) ?? vscode.l10n.t('Setting');
    return [{ rank: 'problem', subject, text: message, path, mends: [] }];
  });
}

/** What the live check of one provider says. */
export function liveFindings({ index, provider }: CheckedProvider, checks: readonly RegionCheck[]): readonly Finding[] {
  const place = `belay.providers.${index}`;
  const name = provider.account === ACCOUNT ? provider.id : `${provider.id} (${provider.account})`;
  const regions = checks.map((check): Finding => {
    const { region } = check.candidate;
    const subject = region === 'default' ? name : `${name} · ${region}`;
    if (check.isGood) return { rank: 'good', subject, text: goodWords(check), path: place, mends: [] };
    const { text, mends } = troubleWords(check.trouble, check.candidate);
    return { rank: 'problem', subject, text, path: `${place}.${fieldOf(mends, region, provider)}`, mends };
  });
  return [...regions, ...missingModels(place, { name, provider }, checks)];
}

/** The field that most likely mends it. */
function fieldOf([first]: readonly Mend[], region: string, { regions }: ProviderSettings): string {
  const at = regions.findIndex(({ name }) => name === region);
  if (first === undefined) return 'enabled';
  switch (first) {
    case 'key':
      return 'keyEnv';
    case 'sign-in':
      return 'signIn';
    case 'regions':
      return `regions.${at}.name`;
    case 'address':
      return regions[at]?.baseUrl === undefined ? 'baseUrl' : `regions.${at}.baseUrl`;
  }
}

/** A list may leave out names that work all the same (aliases, dated names): a doubt, no problem. */
function missingModels(
  place: string,
  { name, provider }: { readonly name: string; readonly provider: ProviderSettings },
  checks: readonly RegionCheck[],
): readonly Finding[] {
  const lists = checks.flatMap((check) => (check.isGood && check.models !== null ? [check.models] : []));
  if (lists.length === 0) return [];
  const listed = new Set(lists.flat().map((model) => model.name));
  return provider.models.flatMap((model, at): Finding[] =>
    model.name.includes('{model}') || listed.has(model.name)
      ? []
      : [
          {
            rank: 'doubt',
            subject: `${name} · ${model.name}`,
            text: vscode.l10n.t('It does not list a model of this name.'),
            path: `${place}.models.${at}.name`,
            mends: [],
          },
        ],
  );
}
