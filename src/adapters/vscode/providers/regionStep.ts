// In which regions its models are asked: more than one makes hedging possible. Each shows where its data is processed.
import * as vscode from 'vscode';
import { kindFacts } from '../../../core/providers/kinds.ts';
import { residencyOf } from '../../../core/providers/residency.ts';
import { regionsOf } from '../../../core/providers/usualRegions.ts';
import type { ProviderDraft } from './draft.ts';
import { pickOne, pickSome } from './quickInput.ts';
import type { Place, StepResult } from './steps.ts';
import { wizardTitle, type StepName } from './stepName.ts';

const NAME_FORM = /^[a-z][a-z0-9-]{1,40}$/;

interface RegionItem extends vscode.QuickPickItem {
  readonly region: string;
}

/** Whether the kind has regions to choose from. */
export function hasRegions({ source }: ProviderDraft): boolean {
  return regionsOf(source.kind).length > 0;
}

/** Asks for regions; an address of Azure is in one region, the other clouds have an address for each. */
export async function askRegions(draft: ProviderDraft, place: Place): Promise<StepResult<ProviderDraft, StepName>> {
  const { source, regions } = draft;
  const usual = regionsOf(source.kind);
  const names = [...usual, ...regions.filter((name) => !usual.includes(name))];
  const items = names.map((name) => regionItem(name, regions, kindFacts[source.kind].needsRegion));
  if (!kindFacts[source.kind].needsRegion) {
    const unsure = {
      label: vscode.l10n.t('I do not know'),
      description: vscode.l10n.t('no residency rule will let it pass'),
      region: '',
    };
    const answer = await pickOne({
      place,
      title: wizardTitle(),
      prompt: vscode.l10n.t('In which region is the resource?'),
      items: [unsure, ...items],
    });
    if (answer.go !== 'next') return answer;
    const { region } = answer.value;
    return { go: 'next', draft: { ...draft, regions: region === '' ? [] : [region] } };
  }
  const answer = await pickSome<RegionItem>({
    place,
    title: wizardTitle(),
    prompt: vscode.l10n.t('Which regions? Two can cover for each other'),
    items,
    own: (text) => (NAME_FORM.test(text) ? { ...regionItem(text, regions), picked: false } : null),
  });
  return answer.go === 'next'
    ? { go: 'next', draft: { ...draft, regions: answer.value.map(({ region }) => region) } }
    : answer;
}

/** `isPlace`: the kind processes data where the region is; a deployment of Azure may be global. */
function regionItem(region: string, chosen: readonly string[], isPlace = true): RegionItem {
  const residency = isPlace ? residencyOf(region) : null;
  return {
    label: region,
    description:
      residency === null
        ? vscode.l10n.t('where data is processed is not known')
        : vscode.l10n.t('data is processed in: {0}', residency),
    picked: chosen.includes(region),
    region,
  };
}
